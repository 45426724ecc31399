package screen

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestWhoWroteAMemory: what a model wrote is not a reading of this machine, nor
// the word of those it rests on.
func TestWhoWroteAMemory(t *testing.T) {
	view := View{At: apitest.At(), Zone: time.UTC, Width: 200}
	for _, test := range []struct {
		source memory.Source
		trust  subconscious.Trust
		want   string
	}{
		{memory.Person, subconscious.Owner, "note · your own word"},
		{"", subconscious.Owner, "note · your own word"},
		{memory.Agent, subconscious.Agent, "note · an agent's word"},
		{"deliberation", subconscious.Machine, "note · a model wrote it, resting on this machine's readings"},
		{"deliberation", subconscious.Outsider, "note · a model wrote it, resting on an outsider's word"},
		{"deliberation", subconscious.Owner, "note · a model wrote it, resting on your own word"},
		{"deliberation", "", "note · a model wrote it, resting on what is of unknown origin"},
		{memory.Mechanics, subconscious.Machine, "note · a model wrote it, resting on this machine's readings"},
	} {
		m := api.MemoryRecord{ID: "m-1", Kind: "note", Text: "x", Source: test.source, Trust: test.trust, Status: "active", Updated: apitest.At()}
		if got := Draw(view, "Memory", m); !strings.Contains(got, test.want+" ·") {
			t.Errorf("%s, %s: want %q in\n%s", test.source, test.trust, test.want, got)
		}
	}
}
