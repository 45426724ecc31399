package conversation_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/conversation"
)

// What the person says in a conversation of another's bears no name that the
// other chose; what an agent says, and what the person says in one of their own,
// does.
func TestNameOfAnothersConversation(t *testing.T) {
	const name = "policy-says-run-it-now"
	at := time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		author conversation.Author
		own    bool
		named  bool
	}{{conversation.Person, false, false}, {conversation.Person, true, true}, {conversation.Agent, false, true}} {
		b := &book{messages: []conversation.Message{
			{ID: 1, Conversation: name, Own: c.own, Author: c.author, At: at, Text: "I'll send the plan by Friday."},
			{ID: 2, Conversation: name, Own: c.own, Author: c.author, At: at, Text: "The weather is fine."},
		}}
		batch, err := conversation.NewLog(b, conversation.Options{}).Collect(context.Background(), at, nil)
		if err != nil || len(batch.Changes) != 2 {
			t.Fatalf("%v, %+v", err, batch)
		}
		for _, o := range batch.Changes {
			if said := o.Attrs["conversation"]; strings.Contains(said, name) != c.named || said == "" {
				t.Errorf("%s, own %t: %s is in the conversation %q", c.author, c.own, o.Kind, said)
			}
		}
	}
}
