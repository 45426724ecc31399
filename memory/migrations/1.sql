-- One row a record. lane is whose word it is: the same text is kept once in
-- each, so that none changes what another said. n is never given twice.
CREATE TABLE memory_records (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	kind TEXT NOT NULL,
	text TEXT NOT NULL,
	tags TEXT NOT NULL,
	trust TEXT NOT NULL CHECK (trust IN ('owner', 'machine', 'agent', 'outsider')),
	lane TEXT NOT NULL CHECK (lane IN ('trusted', 'agent', 'outsider')),
	status TEXT NOT NULL CHECK (status IN ('active', 'quarantined', 'archived')),
	agent TEXT NOT NULL,
	deliberation TEXT NOT NULL,
	incident TEXT NOT NULL,
	citations TEXT NOT NULL,
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	seen INTEGER NOT NULL,
	hash BLOB NOT NULL,
	UNIQUE (lane, hash),
	CHECK ((lane = 'trusted') = (status <> 'quarantined'))
);
CREATE INDEX memory_records_status ON memory_records (status, n);

-- The keys of what was written, each with the record that it went to.
CREATE TABLE memory_keys (
	lane TEXT NOT NULL,
	key TEXT NOT NULL,
	id TEXT NOT NULL,
	at INTEGER NOT NULL,
	PRIMARY KEY (lane, key)
) WITHOUT ROWID;
CREATE INDEX memory_keys_at ON memory_keys (at);
CREATE INDEX memory_keys_id ON memory_keys (id);

CREATE TABLE memory_counts (
	status TEXT PRIMARY KEY,
	records INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO memory_counts VALUES ('active', 0), ('quarantined', 0), ('archived', 0);
CREATE TRIGGER memory_records_added AFTER INSERT ON memory_records BEGIN
	UPDATE memory_counts SET records = records + 1 WHERE status = new.status;
END;
CREATE TRIGGER memory_records_removed AFTER DELETE ON memory_records BEGIN
	UPDATE memory_counts SET records = records - 1 WHERE status = old.status;
END;
CREATE TRIGGER memory_records_moved AFTER UPDATE OF status ON memory_records BEGIN
	UPDATE memory_counts SET records = records - 1 WHERE status = old.status;
	UPDATE memory_counts SET records = records + 1 WHERE status = new.status;
END;

-- Two indexes, because what is in one changes the order of what is found in it.
-- secure-delete takes a word out of the index at once when its text goes.
CREATE VIRTUAL TABLE memory_trusted USING fts5 (text, tags, tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO memory_trusted (memory_trusted, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE memory_apart USING fts5 (text, tags, tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO memory_apart (memory_apart, rank) VALUES ('secure-delete', 1);
