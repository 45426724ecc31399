-- What the person's acts say of letters; see subconscious.Habit.
CREATE TABLE mind_habits (
	name TEXT PRIMARY KEY,
	day INTEGER NOT NULL,
	body TEXT NOT NULL
) WITHOUT ROWID;
