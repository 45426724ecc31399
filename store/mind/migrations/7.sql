CREATE TRIGGER mind_ticks_new AFTER INSERT ON mind_ticks BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('tick', new.tick);
END;
CREATE TRIGGER mind_entry_log_new AFTER INSERT ON mind_entry_log BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('entry', new.entry);
END;
CREATE TRIGGER mind_inputs_new AFTER INSERT ON mind_inputs BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('command', new.id);
END;

-- An incident: what was decided of it, and what became of telling it.
CREATE TRIGGER mind_decisions_new AFTER INSERT ON mind_decisions WHEN new.person <> '' BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('incident', new.person);
END;
CREATE TRIGGER mind_incidents_changed AFTER UPDATE OF live ON mind_incidents
WHEN new.person IS NOT NULL AND (new.live <> old.live OR new.told IS NOT old.told OR new.feedback IS NOT old.feedback) BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('incident', new.person);
END;

CREATE TRIGGER mind_notices_new AFTER INSERT ON mind_notices BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('notice', new.code);
END;
CREATE TRIGGER mind_notices_gone AFTER DELETE ON mind_notices BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('notice', old.code);
END;

CREATE TRIGGER mind_meta_new AFTER INSERT ON mind_meta WHEN new.key = 'pause' BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('pause', '');
END;
CREATE TRIGGER mind_meta_changed AFTER UPDATE ON mind_meta WHEN new.key = 'pause' BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('pause', '');
END;
CREATE TRIGGER mind_meta_gone AFTER DELETE ON mind_meta WHEN old.key = 'pause' BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('pause', '');
END;
