ALTER TABLE ledger_things RENAME TO ledger_observations;
ALTER TABLE ledger_observations RENAME COLUMN thing TO observation;
