-- One row a case. body is the case, compressed JSON; ending is how it ended.
CREATE TABLE deliberation_cases (
	id TEXT PRIMARY KEY,
	tick INTEGER NOT NULL,
	incident TEXT NOT NULL,
	person TEXT NOT NULL,
	at INTEGER NOT NULL,
	critical INTEGER NOT NULL,
	expires INTEGER NOT NULL, -- when its message is of no use any more; 0 for never
	state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'ended')),
	body BLOB NOT NULL,
	started INTEGER NOT NULL DEFAULT 0,
	deadline INTEGER NOT NULL DEFAULT 0,
	resumed INTEGER NOT NULL DEFAULT 0,
	bytes INTEGER NOT NULL DEFAULT 0,
	cost INTEGER NOT NULL DEFAULT 0,
	system TEXT NOT NULL DEFAULT '',
	ended INTEGER NOT NULL DEFAULT 0,
	ending BLOB,
	UNIQUE (tick, incident)
) WITHOUT ROWID;
CREATE INDEX deliberation_cases_open ON deliberation_cases (state, critical, at) WHERE state <> 'ended';
CREATE INDEX deliberation_cases_person ON deliberation_cases (person, at);
CREATE INDEX deliberation_cases_ended ON deliberation_cases (ended) WHERE state = 'ended';

-- What was said and done in a case, in order: compressed JSON.
CREATE TABLE deliberation_steps (
	id TEXT NOT NULL,
	n INTEGER NOT NULL,
	body BLOB NOT NULL,
	PRIMARY KEY (id, n)
) WITHOUT ROWID;

-- What models are told about their task, once each, by its hash.
CREATE TABLE deliberation_systems (
	hash TEXT PRIMARY KEY,
	body BLOB NOT NULL
) WITHOUT ROWID;
