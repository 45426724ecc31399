-- What waits for a deliberation is an escalation.
ALTER TABLE deliberation_cases RENAME TO escalations;
DROP INDEX deliberation_cases_open;
DROP INDEX deliberation_cases_person;
DROP INDEX deliberation_cases_ended;
CREATE INDEX escalations_open ON escalations (state, critical, at) WHERE state <> 'ended';
CREATE INDEX escalations_person ON escalations (person, at);
CREATE INDEX escalations_ended ON escalations (ended) WHERE state = 'ended';
