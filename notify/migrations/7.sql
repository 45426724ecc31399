CREATE TRIGGER notify_outbox_new AFTER INSERT ON notify_outbox BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('delivery', new.channel);
END;
CREATE TRIGGER notify_outbox_changed AFTER UPDATE OF state ON notify_outbox WHEN new.state <> old.state BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('delivery', new.channel);
END;
