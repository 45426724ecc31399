package daemon

import (
	"context"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
)

// heardLog is the log of conversations as the sense listens to it.
type heardLog struct{ *chat.Log }

var _ conversation.Log = heardLog{}

// After implements conversation.Log.
func (l heardLog) After(ctx context.Context, id int64, limit int) ([]conversation.Message, error) {
	messages, err := l.Log.After(ctx, id, limit)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(messages))
	for _, m := range messages {
		names = append(names, m.Conversation)
	}
	began, err := l.Began(ctx, names...)
	if err != nil {
		return nil, err
	}
	heard := make([]conversation.Message, 0, len(messages))
	for _, m := range messages {
		heard = append(heard, conversation.Message{
			ID: m.ID, Conversation: m.Conversation, Own: began[m.Conversation].Author == chat.Person, Author: conversation.Author(m.Author), Name: m.Name, At: m.At, Text: m.Text,
		})
	}
	return heard, nil
}
