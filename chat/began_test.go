package chat_test

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/chat"
)

// Who began a conversation is known for as long as the first message is.
func TestBegan(t *testing.T) {
	l, _ := opened(t, chat.Options{})
	codex := says("policy", "I began it.")
	codex.Author, codex.Name = chat.Agent, "codex"
	codex.At = start.Add(-chat.Kept)
	add(t, l, codex)
	add(t, l, says("policy", "I go on in it."))
	add(t, l, says("kitchen", "Mine."))
	codex.Conversation = "kitchen"
	add(t, l, codex)
	began, err := l.Began(t.Context(), "policy", "kitchen", "none", "policy")
	if err != nil || len(began) != 2 || began["policy"].Author != chat.Agent || began["policy"].Name != "codex" || began["kitchen"].Author != chat.Person {
		t.Fatalf("%+v, %v", began, err)
	}
	if n, err := l.Sweep(t.Context(), start.Add(time.Hour)); err != nil || n != 2 {
		t.Fatalf("swept %d, %v", n, err)
	}
	if began, err = l.Began(t.Context(), "policy", "kitchen"); err != nil || len(began) != 1 || began["kitchen"].Author != chat.Person {
		t.Errorf("after the first message went: %+v, %v", began, err)
	}
}
