-- One row a call. What an open one counts is its worst case; money and tokens
-- are those of a settled one.
CREATE TABLE budget_charges (
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	day TEXT NOT NULL,
	tick INTEGER NOT NULL,
	role TEXT NOT NULL,
	provider TEXT NOT NULL,
	model TEXT NOT NULL,
	exploration INTEGER NOT NULL,
	worst_money INTEGER NOT NULL,
	worst_tokens INTEGER NOT NULL,
	money INTEGER,
	tokens INTEGER,
	state TEXT NOT NULL CHECK (state IN ('open', 'settled'))
);
CREATE INDEX budget_charges_open ON budget_charges (day) WHERE state = 'open';

-- What the charges of a day sum up to, kept for ever. ends is when the day has
-- ended in each zone in which it was counted.
CREATE TABLE budget_days (
	day TEXT NOT NULL,
	role TEXT NOT NULL,
	money INTEGER NOT NULL,
	tokens INTEGER NOT NULL,
	calls INTEGER NOT NULL,
	exploration INTEGER NOT NULL,
	ends INTEGER NOT NULL,
	PRIMARY KEY (day, role)
) WITHOUT ROWID;

-- The day that counts now, in one row.
CREATE TABLE budget_now (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	day TEXT NOT NULL
);

-- What later days had used when the clock went back to this one: it counts
-- here too. later_months is the part of the money that was used in months
-- after this day's.
CREATE TABLE budget_carried (
	day TEXT NOT NULL,
	role TEXT NOT NULL,
	money INTEGER NOT NULL,
	tokens INTEGER NOT NULL,
	calls INTEGER NOT NULL,
	exploration INTEGER NOT NULL,
	later_months INTEGER NOT NULL,
	PRIMARY KEY (day, role)
) WITHOUT ROWID;
