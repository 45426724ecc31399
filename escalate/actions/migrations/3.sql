-- What changed is told by its number: who reads it makes the id of it.
CREATE TRIGGER actions_proposals_new AFTER INSERT ON actions_proposals BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('proposal', new.number);
END;
CREATE TRIGGER actions_proposals_changed AFTER UPDATE OF state ON actions_proposals BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('proposal', new.number);
END;
CREATE TRIGGER actions_runs_new AFTER INSERT ON actions_runs BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('run', new.number);
END;
CREATE TRIGGER actions_runs_changed AFTER UPDATE OF state ON actions_runs BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('run', new.number);
END;
