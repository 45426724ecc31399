-- One row: the number of the last change.
CREATE TABLE ledger_counter (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	seq INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_counter (one, seq) VALUES (1, 0);

-- What stands, and what happened or ended lately. thing is JSON. shown and
-- known are the threads that were shown it since its last change, and since it
-- appeared: a bit for each slot of ledger_threads. Rows are large and
-- references random, so that a table with row numbers writes fewer pages.
CREATE TABLE ledger_things (
	number INTEGER PRIMARY KEY,
	ref    TEXT NOT NULL UNIQUE,
	shown  INTEGER NOT NULL,
	known  INTEGER NOT NULL,
	thing  TEXT NOT NULL
) STRICT;

-- Every change as it was recorded, with its text, for 30 days. recorded is in
-- seconds since 1970.
CREATE TABLE ledger_changes (
	seq         INTEGER PRIMARY KEY,
	ref         TEXT NOT NULL,
	recorded    INTEGER NOT NULL,
	observation TEXT NOT NULL
) STRICT;

-- What a thread has not been shown: the last change of each thing, and how it
-- is told to that thread.
CREATE TABLE ledger_pending (
	thread    TEXT NOT NULL,
	ref       TEXT NOT NULL,
	seq       INTEGER NOT NULL,
	change    TEXT NOT NULL,
	severity  INTEGER NOT NULL,
	band_only INTEGER NOT NULL,
	PRIMARY KEY (thread, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_threads (
	slot     INTEGER PRIMARY KEY,
	name     TEXT NOT NULL UNIQUE,
	active   INTEGER NOT NULL,
	overflow INTEGER NOT NULL
) STRICT;

CREATE TABLE ledger_senses (
	sense  TEXT NOT NULL,
	id     TEXT NOT NULL,
	cursor BLOB,
	state  TEXT NOT NULL,
	since  TEXT NOT NULL,
	error  TEXT NOT NULL,
	PRIMARY KEY (sense, id)
) STRICT, WITHOUT ROWID;

-- Keys and values that a sense instance keeps beside its cursor.
CREATE TABLE ledger_rows (
	sense TEXT NOT NULL,
	id    TEXT NOT NULL,
	key   TEXT NOT NULL,
	value BLOB NOT NULL,
	PRIMARY KEY (sense, id, key)
) STRICT, WITHOUT ROWID;

-- When a sense could not see; began and ended are in milliseconds since 1970,
-- ended is null while it lasts.
CREATE TABLE ledger_blind (
	sense TEXT NOT NULL,
	id    TEXT NOT NULL,
	began INTEGER NOT NULL,
	ended INTEGER,
	error TEXT NOT NULL,
	PRIMARY KEY (sense, id, began)
) STRICT, WITHOUT ROWID;
