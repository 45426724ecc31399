CREATE TRIGGER chat_messages_changed AFTER INSERT ON chat_messages BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('message', new.conversation || '/' || new.id);
END;
