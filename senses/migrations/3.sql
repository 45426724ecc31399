CREATE TRIGGER ledger_senses_new AFTER INSERT ON ledger_senses BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('sense', rtrim(new.sense || '/' || new.id, '/'));
END;
CREATE TRIGGER ledger_senses_changed AFTER UPDATE OF state ON ledger_senses WHEN new.state <> old.state BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('sense', rtrim(new.sense || '/' || new.id, '/'));
END;
CREATE TRIGGER ledger_senses_gone AFTER DELETE ON ledger_senses BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('sense', rtrim(old.sense || '/' || old.id, '/'));
END;
