-- proposal: the id of what a message of kind 'proposal' asks about.
ALTER TABLE notify_outbox ADD COLUMN proposal TEXT NOT NULL DEFAULT '';
