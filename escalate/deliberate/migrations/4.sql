-- What was shown in it was forgotten since: what is written down from then on has no texts.
ALTER TABLE escalations ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
