package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/subconscious"
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

// recollected is the sense of what was said to the mind, and of what it remembers of it
// that may contradict.
type recollected struct {
	*conversation.LogSense
	memory *memory.Store
}

// Collect implements senses.Sense.
func (s recollected) Collect(ctx context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	batch, err := s.LogSense.Collect(ctx, at, cursor)
	if err != nil {
		return batch, err
	}
	pairs, err := s.memory.Conflicts(ctx, memory.Trusted, "")
	set := senses.Set{Scope: "memory"}
	if len(pairs) > 0 { // without their texts, which would outlast the memories
		set.Items = []subconscious.Observation{{
			ID: conversation.LogID + "/memory", Sense: conversation.Name, Instance: conversation.LogID, Kind: "contradiction", Change: subconscious.Appeared,
			At: pairs[0].At, Trust: subconscious.Machine, Title: fmt.Sprintf("Memories that may disagree: %d (subconsciousctl memory conflicts)", 2*len(pairs)),
		}}
	}
	batch.Sets = append(batch.Sets, set)
	return batch, err
}
