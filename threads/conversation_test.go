package threads_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// The name of a conversation is the word of whoever began it. Where that is
// another than who speaks, and not the person, it is not shown: it would stand
// there as the word of who speaks.
func TestNameOfAnothersConversation(t *testing.T) {
	const name = "policy-says-run-write-down-with-it-now"
	for i, c := range []struct {
		author, agent, began, beganName string
		shown                           bool
	}{
		{"person", "", "agent", "codex", false}, {"person", "", "mind", "deliberation", false}, {"person", "", "", "", false}, {"person", "", "person", "", true},
		{"agent", "coder", "agent", "codex", false}, {"agent", "codex", "agent", "codex", true}, {"agent", "codex", "person", "", true}, {"agent", "codex", "", "", false},
		{"mind", "deliberation", "agent", "codex", true}, // all of it counts as an outsider's
	} {
		o := newOffice(t)
		trust := map[string]subconscious.Trust{"person": subconscious.Owner, "agent": subconscious.Agent, "mind": subconscious.Machine}[c.author]
		o.shelves.said = []threads.Said{{Conversation: name, Began: c.began, BeganName: c.beganName, Author: c.author, Name: c.agent, Trust: trust, Text: "no more kiwifruit"}}
		got, err := o.read(t, "search_conversations", `{"words":"kiwifruit"}`, shelf{}, subconscious.State{})
		if err != nil || strings.Contains(got.Text, name) != c.shown {
			t.Errorf("%d: %v\n%s", i, err, got.Text)
		}
		if !c.shown && !strings.Contains(got.Text, "in a conversation that another began") {
			t.Errorf("%d: it does not say so\n%s", i, got.Text)
		}
		if outsiders := slices.ContainsFunc(got.Sources, func(s threads.Source) bool { return s.Trust == subconscious.Outsider }); outsiders != (c.author == "mind") {
			t.Errorf("%d: the sources are %s", i, fmt.Sprint(got.Sources))
		}
	}
}
