-- One row a request to a model, all its attempts together. cost is in
-- billionths of a US dollar, latency in microseconds. answer is redacted.
CREATE TABLE mind_model_calls (
	id INTEGER PRIMARY KEY,
	tick INTEGER NOT NULL,
	at INTEGER NOT NULL,
	zone INTEGER NOT NULL,
	role TEXT NOT NULL,
	provider TEXT NOT NULL,
	model TEXT NOT NULL,
	exploration INTEGER NOT NULL,
	prompt_hash TEXT NOT NULL,
	prompt_bytes INTEGER NOT NULL,
	input INTEGER NOT NULL,
	cached INTEGER NOT NULL,
	written INTEGER NOT NULL,
	output INTEGER NOT NULL,
	thinking INTEGER NOT NULL,
	usage_known INTEGER NOT NULL,
	cost INTEGER NOT NULL,
	latency INTEGER NOT NULL,
	attempts INTEGER NOT NULL,
	outcome TEXT NOT NULL,
	error TEXT NOT NULL,
	answer TEXT
);
CREATE INDEX mind_model_calls_at ON mind_model_calls (at);
CREATE INDEX mind_model_calls_tick ON mind_model_calls (tick) WHERE tick > 0;
