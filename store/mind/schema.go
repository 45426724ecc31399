package mind

import "github.com/subconsciousd/subconsciousd/store"

// Migrations returns the steps that make the tables of this package.
//
// Times are two columns: nanoseconds since 1970 in UTC, by which rows are
// compared, and the zone's offset in seconds, so that a time is read back as
// it was written.
func Migrations() []store.Migration {
	return []store.Migration{{Package: "store/mind", Version: 1, SQL: `
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
`}, {Package: "store/mind", Version: 2, SQL: `
-- One row a request to a model, all its attempts together. cost is in
-- billionths of a US dollar, latency in microseconds. answer is redacted.
CREATE TABLE mind_model_calls (
	id INTEGER PRIMARY KEY,
	tick INTEGER NOT NULL,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	role TEXT NOT NULL,
	provider TEXT NOT NULL,
	model TEXT NOT NULL,
	exploration INTEGER NOT NULL,
	prompt_hash TEXT NOT NULL,
	prompt_bytes INTEGER NOT NULL,
	input INTEGER NOT NULL,
	cached INTEGER NOT NULL,
	written INTEGER NOT NULL,
	output INTEGER NOT NULL,
	thinking INTEGER NOT NULL,
	usage_known INTEGER NOT NULL,
	cost INTEGER NOT NULL,
	latency INTEGER NOT NULL,
	attempts INTEGER NOT NULL,
	outcome TEXT NOT NULL,
	error TEXT NOT NULL,
	answer TEXT
);
CREATE INDEX mind_model_calls_at ON mind_model_calls (at);
CREATE INDEX mind_model_calls_tick ON mind_model_calls (tick) WHERE tick > 0;
`}, {Package: "store/mind", Version: 3, SQL: `
-- Columns of what is told of an incident; body is the truth, and until this
-- version it held none of it. person is the id for people, NULL until somebody
-- was to be told; live is a word of liveness in Go; told is when it was
-- told last.
ALTER TABLE mind_incidents ADD COLUMN person TEXT;
ALTER TABLE mind_incidents ADD COLUMN live INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mind_incidents ADD COLUMN since INTEGER;
ALTER TABLE mind_incidents ADD COLUMN told INTEGER;
ALTER TABLE mind_incidents ADD COLUMN feedback TEXT;
CREATE INDEX mind_incidents_person ON mind_incidents (person) WHERE person IS NOT NULL;
CREATE INDEX mind_incidents_since ON mind_incidents (since, id) WHERE person IS NOT NULL;
CREATE INDEX mind_incidents_live ON mind_incidents (live, since) WHERE live > 0;
CREATE INDEX mind_incidents_open ON mind_incidents (since, id) WHERE live > 0;
CREATE INDEX mind_incidents_told ON mind_incidents (told, feedback) WHERE told IS NOT NULL;

-- What the gate decided, where that was not decided before.
CREATE TABLE mind_decisions (
	id INTEGER PRIMARY KEY,
	tick INTEGER NOT NULL,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	incident TEXT NOT NULL,
	person TEXT NOT NULL,
	entry TEXT NOT NULL,
	thread TEXT NOT NULL,
	verdict TEXT NOT NULL,
	reason TEXT NOT NULL,
	body BLOB
);
CREATE INDEX mind_decisions_person ON mind_decisions (person, id);
CREATE INDEX mind_decisions_at ON mind_decisions (at);

-- One row each time that the person's attention was taken.
CREATE TABLE mind_pushes (
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	kind TEXT NOT NULL
);
CREATE INDEX mind_pushes_at ON mind_pushes (at);

CREATE TABLE mind_scores (
	thread TEXT NOT NULL,
	source TEXT NOT NULL,
	kind TEXT NOT NULL,
	updated INTEGER NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (thread, source, kind)
) WITHOUT ROWID;

-- What the person said should have been told. body is its trace.
CREATE TABLE mind_missed (
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	text TEXT NOT NULL,
	person TEXT NOT NULL,
	body BLOB
);
CREATE INDEX mind_missed_at ON mind_missed (at);

ALTER TABLE mind_notices ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
`}, {Package: "store/mind", Version: 4, SQL: `
-- TICK/INCIDENT of a push that a deliberation may still keep back.
ALTER TABLE mind_pushes ADD COLUMN key TEXT;
CREATE INDEX mind_pushes_key ON mind_pushes (key) WHERE key IS NOT NULL;
`}}
}
