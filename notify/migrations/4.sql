-- Up to where the answers of a channel were read, as its driver has it; and how
-- much up to there was no answer, since the first that was none.
CREATE TABLE notify_replies (
	channel TEXT PRIMARY KEY,
	place TEXT NOT NULL,
	strange INTEGER NOT NULL,
	since INTEGER NOT NULL
) WITHOUT ROWID;
