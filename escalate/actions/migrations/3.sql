-- Who reads what changed makes an id of action and number.
CREATE TRIGGER actions_proposals_new AFTER INSERT ON actions_proposals BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('proposal', new.action || ' ' || new.number);
END;
CREATE TRIGGER actions_proposals_changed AFTER UPDATE OF state ON actions_proposals BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('proposal', new.action || ' ' || new.number);
END;
CREATE TRIGGER actions_runs_new AFTER INSERT ON actions_runs BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('run', new.action || ' ' || new.number);
END;
CREATE TRIGGER actions_runs_changed AFTER UPDATE OF state ON actions_runs BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('run', new.action || ' ' || new.number);
END;
