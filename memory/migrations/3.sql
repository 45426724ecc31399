-- Three lanes by the least trusted word that a record rests on; what of them is found
-- is active. What an agent's word alone had put into quarantine is the agents' now.
CREATE TABLE memory_records_3 (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	version INTEGER NOT NULL,
	kind TEXT NOT NULL,
	title TEXT NOT NULL,
	summary TEXT NOT NULL,
	text TEXT NOT NULL,
	tags TEXT NOT NULL,
	topic TEXT NOT NULL,
	project TEXT NOT NULL,
	agent TEXT NOT NULL,
	session TEXT NOT NULL,
	turn TEXT NOT NULL,
	place INTEGER NOT NULL,
	said INTEGER NOT NULL,
	source TEXT NOT NULL,
	deliberation TEXT NOT NULL,
	incident TEXT NOT NULL,
	origin TEXT NOT NULL,
	citations TEXT NOT NULL,
	derived TEXT NOT NULL,
	supersedes TEXT NOT NULL,
	superseded_by TEXT NOT NULL,
	lane TEXT NOT NULL CHECK (lane IN ('trusted', 'agents', 'quarantine')),
	trust TEXT NOT NULL CHECK (trust IN ('owner', 'machine', 'agent', 'outsider')),
	status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'archived')),
	confidence REAL NOT NULL,
	validity TEXT NOT NULL CHECK (validity IN ('holds', 'changed', 'missing', 'unknown')),
	checked INTEGER NOT NULL,
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	last_seen INTEGER NOT NULL,
	seen INTEGER NOT NULL,
	used INTEGER NOT NULL,
	last_used INTEGER NOT NULL,
	pinned INTEGER NOT NULL,
	hash BLOB NOT NULL,
	CHECK ((lane = 'trusted') = (trust IN ('owner', 'machine')))
);
INSERT INTO memory_records_3 SELECT n, id, 1, kind, '', '', text, tags, '',
	'', CASE WHEN agent IN ('person', 'deliberation', 'mechanics') THEN '' ELSE agent END, '', '', 0, 0,
	CASE WHEN agent IN ('person', 'deliberation', 'mechanics') THEN agent ELSE 'agent' END, deliberation, incident, 'null', citations, '[]', '', '',
	CASE lane WHEN 'agent' THEN 'agents' WHEN 'outsider' THEN 'quarantine' ELSE lane END, trust, CASE status WHEN 'quarantined' THEN 'active' ELSE status END,
	CASE trust WHEN 'owner' THEN 1.0 WHEN 'machine' THEN 0.9 WHEN 'agent' THEN 0.6 ELSE 0.3 END, 'unknown', 0,
	created, updated, updated, seen, 0, 0, 0, hash
	FROM memory_records ORDER BY n;
-- n is never given twice, to what was erased since neither.
DELETE FROM sqlite_sequence WHERE name = 'memory_records_3';
INSERT INTO sqlite_sequence (name, seq) SELECT 'memory_records_3', seq FROM sqlite_sequence WHERE name = 'memory_records';
DROP TABLE memory_records;
ALTER TABLE memory_records_3 RENAME TO memory_records;
CREATE UNIQUE INDEX memory_records_active ON memory_records (lane, hash, project, agent) WHERE status = 'active';
CREATE INDEX memory_records_hash ON memory_records (hash);
CREATE INDEX memory_records_superseded ON memory_records (superseded_by) WHERE superseded_by <> '';
CREATE INDEX memory_records_derived ON memory_records (n) WHERE derived NOT IN ('[]', 'null');
CREATE INDEX memory_records_lane ON memory_records (lane, status, n);
CREATE INDEX memory_records_topic ON memory_records (topic, lane) WHERE topic <> '';

CREATE TRIGGER memory_records_new AFTER INSERT ON memory_records BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('memory', new.id);
END;
CREATE TRIGGER memory_records_changed AFTER UPDATE OF version ON memory_records BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('memory', new.id);
END;
CREATE TRIGGER memory_records_gone AFTER DELETE ON memory_records BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('memory', old.id);
END;

UPDATE memory_keys SET lane = CASE lane WHEN 'agent' THEN 'agents' WHEN 'outsider' THEN 'quarantine' ELSE lane END;

DROP TABLE memory_counts;
CREATE TABLE memory_counts (
	lane TEXT NOT NULL,
	agent TEXT NOT NULL,
	status TEXT NOT NULL,
	records INTEGER NOT NULL,
	PRIMARY KEY (lane, agent, status)
) WITHOUT ROWID;
INSERT INTO memory_counts SELECT lane, agent, status, count(*) FROM memory_records GROUP BY lane, agent, status;
CREATE TRIGGER memory_records_added AFTER INSERT ON memory_records BEGIN
	INSERT INTO memory_counts VALUES (new.lane, new.agent, new.status, 1) ON CONFLICT DO UPDATE SET records = records + 1;
END;
CREATE TRIGGER memory_records_removed AFTER DELETE ON memory_records BEGIN
	UPDATE memory_counts SET records = records - 1 WHERE lane = old.lane AND agent = old.agent AND status = old.status;
	DELETE FROM memory_counts WHERE lane = old.lane AND agent = old.agent AND status = old.status AND records = 0;
END;
CREATE TRIGGER memory_records_moved AFTER UPDATE OF lane, agent, status ON memory_records BEGIN
	UPDATE memory_counts SET records = records - 1 WHERE lane = old.lane AND agent = old.agent AND status = old.status;
	DELETE FROM memory_counts WHERE lane = old.lane AND agent = old.agent AND status = old.status AND records = 0;
	INSERT INTO memory_counts VALUES (new.lane, new.agent, new.status, 1) ON CONFLICT DO UPDATE SET records = records + 1;
END;

-- An index of its own for each lane: what is in one changes no order in another.
-- Both are made anew, since taking rows out of one that overwrites them is slow.
CREATE VIRTUAL TABLE memory_agents USING fts5 (text, tags, tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO memory_agents (rowid, text, tags) SELECT rowid, text, tags FROM memory_apart WHERE rowid IN (SELECT n FROM memory_records WHERE lane = 'agents');
INSERT INTO memory_agents (memory_agents, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE memory_apart_3 USING fts5 (text, tags, tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO memory_apart_3 (rowid, text, tags) SELECT rowid, text, tags FROM memory_apart WHERE rowid IN (SELECT n FROM memory_records WHERE lane = 'quarantine');
DROP TABLE memory_apart;
ALTER TABLE memory_apart_3 RENAME TO memory_apart;
INSERT INTO memory_apart (memory_apart, rank) VALUES ('secure-delete', 1);

-- What was changed, with the record as it was before, empty for a new one. Those of one
-- act are undone together.
CREATE TABLE memory_events (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	act INTEGER NOT NULL,
	id TEXT NOT NULL,
	at INTEGER NOT NULL,
	who TEXT NOT NULL,
	what TEXT NOT NULL,
	before TEXT NOT NULL
);
CREATE INDEX memory_events_id ON memory_events (id, seq);
CREATE INDEX memory_events_act ON memory_events (act);

-- Two records of which one may be wrong.
CREATE TABLE memory_conflicts (
	older TEXT NOT NULL,
	newer TEXT NOT NULL,
	at INTEGER NOT NULL,
	PRIMARY KEY (older, newer)
) WITHOUT ROWID;
CREATE INDEX memory_conflicts_newer ON memory_conflicts (newer);

-- What was recalled into which session, conversation or deliberation.
CREATE TABLE memory_recalled (
	session TEXT NOT NULL,
	id TEXT NOT NULL,
	at INTEGER NOT NULL,
	place INTEGER NOT NULL,
	score REAL NOT NULL,
	PRIMARY KEY (session, id)
) WITHOUT ROWID;
CREATE INDEX memory_recalled_at ON memory_recalled (at);
CREATE INDEX memory_recalled_id ON memory_recalled (id);

-- How often something was not worth keeping, or had to go to the archive, by reason.
CREATE TABLE memory_refused (
	reason TEXT PRIMARY KEY,
	times INTEGER NOT NULL,
	last INTEGER NOT NULL
) WITHOUT ROWID;

-- What the nightly consolidation did last, and other single facts about the whole.
CREATE TABLE memory_state (
	key TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;
