package deliberate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
)

// FuzzDecode takes nothing but one object of known fields, each there once.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"Text":"a"}`, `{"Text":"a","text":"b"}`, `{"Arguments":{"a":[1,{"b":2}]}}`, `{}{}`, `[`, `null`, `{"x":1}`, "{\"Text\":\"\xff\"}",
		strings.Repeat(`{"Arguments":`, 40), `{"Text":"` + strings.Repeat("a", 20<<10) + `"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var in struct {
			Text      string
			Arguments json.RawMessage
		}
		if deliberate.Decode(text, &in) != nil {
			return
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &fields); err != nil || len(text) > 16<<10 || len(fields) > 2 {
			t.Fatalf("%q was taken: %v", text, err)
		}
		seen := map[string]bool{}
		for name := range fields {
			lower := strings.ToLower(name)
			if seen[lower] || !strings.EqualFold(name, "text") && !strings.EqualFold(name, "arguments") {
				t.Fatalf("%q was taken", text)
			}
			seen[lower] = true
		}
	})
}
