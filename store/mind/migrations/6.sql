-- What was counted of the ticks of each day, which stays when their records go.
CREATE TABLE mind_days (
	day TEXT NOT NULL,
	what TEXT NOT NULL,
	n INTEGER NOT NULL,
	PRIMARY KEY (day, what)
) WITHOUT ROWID;
