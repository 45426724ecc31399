-- said_by: the process that approved it or took it back by it, in words; empty
-- for none.
ALTER TABLE actions_runs ADD COLUMN said_by TEXT NOT NULL DEFAULT '';
