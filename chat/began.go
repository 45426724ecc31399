package chat

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/store"
)

// Began says who began conversations, and so chose their names: the author and
// the agent's name of the first message. A conversation that is not there, or
// whose first message is no longer kept, is left out.
func (l *Log) Began(ctx context.Context, conversations ...string) (map[string]Message, error) {
	began := map[string]Message{}
	err := l.read(ctx, func(tx *store.Tx) error {
		for _, conversation := range conversations {
			if _, known := began[conversation]; known {
				continue
			}
			var m Message
			var first bool
			err := tx.QueryRowContext(ctx, `SELECT m.author, m.name, m.at = c.created FROM chat_messages m JOIN chat_conversations c ON c.id = m.conversation
				WHERE m.conversation = ? ORDER BY m.id LIMIT 1`, conversation).Scan(&m.Author, &m.Name, &first)
			switch {
			case errors.Is(err, sql.ErrNoRows):
			case err != nil:
				return err
			case first:
				began[conversation] = m
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("chat: who began: %w", err)
	}
	return began, nil
}
