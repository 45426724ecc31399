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
