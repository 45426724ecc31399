-- messages, last, last_id and updated follow from the messages.
CREATE TABLE chat_conversations (
	id TEXT PRIMARY KEY,
	title TEXT NOT NULL,
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	messages INTEGER NOT NULL,
	last TEXT NOT NULL,
	last_id INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX chat_conversations_last ON chat_conversations (last_id);

-- An id is never given twice: who listens goes on after one.
CREATE TABLE chat_messages (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	conversation TEXT NOT NULL REFERENCES chat_conversations (id),
	at INTEGER NOT NULL,
	author TEXT NOT NULL CHECK (author IN ('person', 'agent', 'mind')),
	name TEXT NOT NULL,
	trust TEXT NOT NULL CHECK (trust IN ('owner', 'machine', 'agent', 'outsider')),
	text TEXT NOT NULL,
	key TEXT NOT NULL,
	deliberation TEXT NOT NULL,
	proposal TEXT NOT NULL
);
CREATE INDEX chat_messages_conversation ON chat_messages (conversation, id);
CREATE INDEX chat_messages_at ON chat_messages (at);
CREATE UNIQUE INDEX chat_messages_key ON chat_messages (author, name, key) WHERE key <> '';

-- How many there are, in one row.
CREATE TABLE chat_counts (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	messages INTEGER NOT NULL,
	conversations INTEGER NOT NULL
);
INSERT INTO chat_counts VALUES (1, 0, 0);
CREATE TRIGGER chat_messages_added AFTER INSERT ON chat_messages BEGIN
	UPDATE chat_counts SET messages = messages + 1;
END;
CREATE TRIGGER chat_messages_removed AFTER DELETE ON chat_messages BEGIN
	UPDATE chat_counts SET messages = messages - 1;
END;
CREATE TRIGGER chat_conversations_added AFTER INSERT ON chat_conversations BEGIN
	UPDATE chat_counts SET conversations = conversations + 1;
END;
CREATE TRIGGER chat_conversations_removed AFTER DELETE ON chat_conversations BEGIN
	UPDATE chat_counts SET conversations = conversations - 1;
END;

-- secure-delete takes a word out of the index at once when its text goes.
CREATE VIRTUAL TABLE chat_words USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO chat_words (chat_words, rank) VALUES ('secure-delete', 1);
