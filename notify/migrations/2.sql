-- tried: when it was sent for the first time. doubted: since when nobody knows
-- whether it arrived, while its channel is asked; it is 'sending' then. missed:
-- how often the channel said that it did not.
ALTER TABLE notify_outbox ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;
ALTER TABLE notify_outbox ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE notify_outbox ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;
