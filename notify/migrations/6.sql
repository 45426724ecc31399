-- priority: what is to be done about it, 1 to 5; 0 is left to its kind. outline: its
-- words for a channel that others can read.
ALTER TABLE notify_outbox ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE notify_outbox ADD COLUMN outline TEXT NOT NULL DEFAULT '';
UPDATE notify_outbox SET priority = 1 WHERE quiet = 1;
ALTER TABLE notify_outbox DROP COLUMN quiet;
