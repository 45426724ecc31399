CREATE TRIGGER escalations_new AFTER INSERT ON escalations BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('deliberation', new.id);
END;
CREATE TRIGGER escalations_changed AFTER UPDATE OF state ON escalations BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('deliberation', new.id);
END;
