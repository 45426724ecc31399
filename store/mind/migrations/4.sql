-- TICK/INCIDENT of a push that a deliberation may still keep back.
ALTER TABLE mind_pushes ADD COLUMN key TEXT;
CREATE INDEX mind_pushes_key ON mind_pushes (key) WHERE key IS NOT NULL;
