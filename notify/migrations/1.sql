-- One row a message and channel. An id is never given twice: answers name it.
CREATE TABLE notify_outbox (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	key TEXT NOT NULL,
	channel TEXT NOT NULL,
	sequence TEXT NOT NULL,
	kind TEXT NOT NULL,
	incident TEXT NOT NULL,
	at INTEGER NOT NULL,
	title TEXT NOT NULL,
	text TEXT NOT NULL,
	urgent INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	link TEXT NOT NULL,
	answers TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'unknown', 'failed', 'expired')),
	due INTEGER NOT NULL,
	changed INTEGER NOT NULL,
	attempts INTEGER NOT NULL,
	repeated INTEGER NOT NULL,
	sent INTEGER NOT NULL,
	receipt TEXT NOT NULL,
	error TEXT NOT NULL,
	next TEXT NOT NULL,
	UNIQUE (key, channel)
);
CREATE INDEX notify_outbox_open ON notify_outbox (channel, state, urgent, at, id);
CREATE INDEX notify_outbox_incident ON notify_outbox (incident) WHERE incident <> '';
CREATE INDEX notify_outbox_changed ON notify_outbox (changed);
CREATE INDEX notify_outbox_sent ON notify_outbox (channel, sent);

-- Answers that were given: each button works once. expires is when its proof
-- is refused anyway.
CREATE TABLE notify_answers (
	delivery INTEGER NOT NULL,
	answer TEXT NOT NULL,
	channel TEXT NOT NULL,
	at INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	PRIMARY KEY (delivery, answer)
) WITHOUT ROWID;

-- What answers are signed with, in one row.
CREATE TABLE notify_key (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	key BLOB NOT NULL
);
