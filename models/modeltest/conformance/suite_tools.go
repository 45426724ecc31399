package conformance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

func tool(name string) models.Tool {
	return models.Tool{Name: name, Description: "Looks at " + name + ".", Parameters: json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string","enum":["/home/notes \"a\".md"]}},"required":["path"],"additionalProperties":false}`)}
}

func toolsRoundTrip(t testing.TB, s Suite) {
	inBothForms(func(_ bool, request models.Request) {
		for _, thinking := range []int{0, 1024} {
			b := newBench(t, s, modeltest.Options{Script: modeltest.ToolUser()})
			request := request
			request.Thinking, request.MaxTokens = thinking, 4000
			request.Tools = []models.Tool{tool("read_file"), tool("health")}
			answer := b.must(request)
			got := b.last().Request
			if len(got.Tools) != 2 || got.Tools[0].Name != "read_file" || got.Tools[0].Description != request.Tools[0].Description {
				t.Fatalf("tools arrived as %+v", got.Tools)
			}
			if len(answer.Calls) != 1 || answer.Stop != "tools" {
				t.Fatalf("calls %v, stop %q; want one call and \"tools\"", answer.Calls, answer.Stop)
			}
			call := answer.Calls[0]
			var arguments struct{ Path string }
			if err := json.Unmarshal(call.Arguments, &arguments); err != nil || arguments.Path != `/home/notes "a".md` || call.Name != "read_file" || call.ID == "" {
				t.Fatalf("the call is %s %q %s: %v", call.ID, call.Name, call.Arguments, err)
			}
			request.Messages = append(request.Messages,
				models.Message{Role: models.Assistant, Text: answer.Text, Calls: answer.Calls, Opaque: answer.Opaque},
				models.Message{Role: models.ToolRole, CallID: call.ID, Text: "[notes:zyxwvutsrq@77] A line of the note"})
			final := b.must(request)
			if !strings.Contains(final.Text, "notes:zyxwvutsrq@77") || final.Stop != "end" {
				t.Errorf("after the tool it says %q and stops for %q", final.Text, final.Stop)
			}
		}
	})
}

// severalTools has a model ask for two tools at once, the second without
// arguments, and be told of both.
func severalTools(t testing.TB, s Suite) {
	inBothForms(func(streamed bool, request models.Request) {
		b := newBench(t, s, modeltest.Options{Script: modeltest.Sequence(func(r modeltest.Request) modeltest.Reply {
			return modeltest.Reply{Text: "Let me look.", Calls: []models.ToolCall{{ID: "call_a", Name: "health", Arguments: json.RawMessage(`{}`)}, {ID: "call_b", Name: "read_file", Arguments: json.RawMessage(`{"path":"b"}`)}}}
		}, modeltest.Thinker())})
		request.Tools = []models.Tool{tool("read_file"), tool("health")}
		answer := b.must(request)
		if len(answer.Calls) != 2 || answer.Calls[0].Name != "health" || answer.Calls[1].Name != "read_file" || string(answer.Calls[1].Arguments) != `{"path":"b"}` {
			t.Fatalf("streamed %v: the calls are %+v", streamed, answer.Calls)
		}
		if answer.Text != "Let me look." {
			t.Errorf("streamed %v: the text beside the calls is %q", streamed, answer.Text)
		}
		request.Messages = append(request.Messages, models.Message{Role: models.Assistant, Text: answer.Text, Calls: answer.Calls, Opaque: answer.Opaque},
			models.Message{Role: models.ToolRole, CallID: answer.Calls[0].ID, Text: "all is well"},
			models.Message{Role: models.ToolRole, CallID: answer.Calls[1].ID, Text: "[notes:zyxwvutsrq@77] b"})
		b.must(request)
		results := 0
		for _, m := range b.last().Request.Messages {
			if m.Role == models.ToolRole && m.CallID != "" {
				results++
			}
		}
		if results != 2 {
			t.Errorf("streamed %v: %d results arrived, want 2", streamed, results)
		}
	})
}
