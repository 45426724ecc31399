-- quiet: it shall wake nobody.
ALTER TABLE notify_outbox ADD COLUMN quiet INTEGER NOT NULL DEFAULT 0;
