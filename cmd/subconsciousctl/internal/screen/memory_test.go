package screen

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestWhoWroteAMemory: what a model wrote is not a reading of this machine, nor
// the word of those it rests on.
func TestWhoWroteAMemory(t *testing.T) {
	view := View{At: apitest.At(), Zone: time.UTC, Width: 200}
	for _, test := range []struct {
		record api.MemoryRecord
		want   string
	}{
		{api.MemoryRecord{Source: "person", Trust: subconscious.Owner}, "note · your own word"},
		{api.MemoryRecord{Source: "", Trust: subconscious.Owner}, "note · your own word"},
		{api.MemoryRecord{Source: "agent", Trust: subconscious.Agent}, "note · an agent's word"},
		{api.MemoryRecord{Source: "deliberation", Trust: subconscious.Machine}, "note · a model wrote it, resting on this machine's readings"},
		{api.MemoryRecord{Source: "deliberation", Trust: subconscious.Outsider}, "note · a model wrote it, resting on an outsider's word"},
		{api.MemoryRecord{Source: "deliberation", Trust: subconscious.Owner}, "note · a model wrote it, resting on your own word"},
		{api.MemoryRecord{Source: "deliberation", Trust: ""}, "note · a model wrote it, resting on what is of unknown origin"},
		{api.MemoryRecord{Source: "mechanics", Trust: subconscious.Machine}, "note · a model wrote it, resting on this machine's readings"},
	} {
		m := api.MemoryDetail{MemoryRecord: test.record}
		m.ID, m.Kind, m.Text, m.Lane, m.Status, m.Updated = "m-1", "note", "x", "trusted", "active", apitest.At()
		if got := Draw(view, "Memory", m); !strings.Contains(got, test.want+" ·") {
			t.Errorf("%s, %s: want %q in\n%s", test.record.Source, test.record.Trust, test.want, got)
		}
	}
}
