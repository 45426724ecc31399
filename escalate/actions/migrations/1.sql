-- One row a proposal. Its number is never given twice, and is in its id.
CREATE TABLE actions_proposals (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	key TEXT NOT NULL UNIQUE,
	action TEXT NOT NULL,
	arguments TEXT NOT NULL,
	argv TEXT NOT NULL,
	folder TEXT NOT NULL,
	hash TEXT NOT NULL,
	reason TEXT NOT NULL,
	incident TEXT NOT NULL,
	deliberation TEXT NOT NULL,
	trusts TEXT NOT NULL,
	clause TEXT NOT NULL,
	why TEXT NOT NULL,
	at INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'expired')),
	changed INTEGER NOT NULL
);
CREATE INDEX actions_proposals_pending ON actions_proposals (expires) WHERE state = 'pending';
CREATE INDEX actions_proposals_changed ON actions_proposals (state, changed);
CREATE INDEX actions_proposals_incident ON actions_proposals (incident);
CREATE INDEX actions_proposals_deliberation ON actions_proposals (deliberation);

-- One row a run, written before its program starts. The key is what makes it
-- run once. claim tells whose the row is among those that tried to write it;
-- proposal and undoes are ids, empty for none. noticed: the person was told
-- that nobody knows what became of it.
CREATE TABLE actions_runs (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	key TEXT NOT NULL UNIQUE,
	claim TEXT NOT NULL,
	action TEXT NOT NULL,
	arguments TEXT NOT NULL,
	argv TEXT NOT NULL,
	folder TEXT NOT NULL,
	hash TEXT NOT NULL,
	reason TEXT NOT NULL,
	incident TEXT NOT NULL,
	deliberation TEXT NOT NULL,
	trusts TEXT NOT NULL,
	clause TEXT NOT NULL,
	why TEXT NOT NULL,
	proposal TEXT NOT NULL,
	undoes TEXT NOT NULL,
	started INTEGER NOT NULL,
	ended INTEGER NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('started', 'succeeded', 'failed', 'timed_out', 'unknown')),
	exit INTEGER NOT NULL,
	output TEXT NOT NULL,
	left_out INTEGER NOT NULL,
	problem TEXT NOT NULL,
	undo_until INTEGER NOT NULL,
	noticed INTEGER NOT NULL
);
CREATE UNIQUE INDEX actions_runs_undoes ON actions_runs (undoes) WHERE undoes <> '';
CREATE UNIQUE INDEX actions_runs_proposal ON actions_runs (proposal) WHERE proposal <> '';
CREATE INDEX actions_runs_started ON actions_runs (action, started);
CREATE INDEX actions_runs_ended ON actions_runs (ended);
CREATE INDEX actions_runs_open ON actions_runs (state) WHERE state IN ('started', 'unknown');
CREATE INDEX actions_runs_incident ON actions_runs (incident);
CREATE INDEX actions_runs_deliberation ON actions_runs (deliberation);
