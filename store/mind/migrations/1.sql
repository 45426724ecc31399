-- One row for each part of the state, rewritten when the part changes.
CREATE TABLE mind_state (
	part TEXT PRIMARY KEY,
	hash BLOB NOT NULL,
	body BLOB NOT NULL
);

-- One row a tick. The counters of the state are those of the newest row.
-- base is the tick against whose columns this row's are packed, NULL where
-- they are packed on their own. last_tick is NULL where it equals at. hash is
-- the SHA-256 of the published document.
CREATE TABLE mind_ticks (
	tick INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	last_tick TEXT,
	kind TEXT NOT NULL,
	base INTEGER,
	hash BLOB,
	document BLOB,
	inputs BLOB,
	report BLOB
);

CREATE TABLE mind_incidents (
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL UNIQUE,
	last_seen INTEGER NOT NULL,
	body TEXT NOT NULL
);

CREATE TABLE mind_incident_links (
	link TEXT NOT NULL,
	key TEXT NOT NULL,
	PRIMARY KEY (link, key)
) WITHOUT ROWID;

CREATE TABLE mind_inputs (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	at INTEGER NOT NULL,
	body TEXT NOT NULL,
	tick INTEGER,
	done TEXT
);
CREATE INDEX mind_inputs_pending ON mind_inputs (id) WHERE done IS NULL;

CREATE TABLE mind_entry_log (
	id INTEGER PRIMARY KEY,
	entry TEXT NOT NULL,
	incident TEXT NOT NULL,
	tick INTEGER NOT NULL,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	what TEXT NOT NULL,
	body BLOB
);
CREATE INDEX mind_entry_log_entry ON mind_entry_log (entry, id);

-- Entries as they were when they left the state.
CREATE TABLE mind_entries_gone (
	id INTEGER PRIMARY KEY,
	entry TEXT NOT NULL UNIQUE,
	incident TEXT NOT NULL,
	at INTEGER NOT NULL,
	body TEXT NOT NULL
);

-- Incidents that were told: what is kept of them is kept for a year.
CREATE TABLE mind_told (
	incident TEXT PRIMARY KEY,
	at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE mind_notices (
	code TEXT NOT NULL,
	key TEXT NOT NULL,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	text TEXT NOT NULL,
	next TEXT NOT NULL,
	PRIMARY KEY (code, key)
) WITHOUT ROWID;

CREATE TABLE mind_meta (
	key TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;
