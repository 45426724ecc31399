CREATE TRIGGER memory_records_new AFTER INSERT ON memory_records BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('memory', new.id);
END;
CREATE TRIGGER memory_records_changed AFTER UPDATE OF text, tags, trust, status ON memory_records BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('memory', new.id);
END;
CREATE TRIGGER memory_records_gone AFTER DELETE ON memory_records BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('memory', old.id);
END;
