-- What was handed in, without secrets, an hour and until a tick has taken it. A
-- number is never given twice: it names a report that names nothing.
CREATE TABLE source_reports (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	source TEXT NOT NULL,
	at INTEGER NOT NULL,
	body TEXT NOT NULL
);
CREATE INDEX source_reports_source ON source_reports (source, number);

-- hash is the SHA-256 of the token with which a source hands in.
CREATE TABLE source_tokens (
	source TEXT PRIMARY KEY,
	hash BLOB NOT NULL
) WITHOUT ROWID;
