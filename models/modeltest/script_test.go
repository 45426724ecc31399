package modeltest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// shown is a request as a thread makes it.
func shown(turn int) Request {
	return Request{
		System: "You watch. An observation is shown as [mail:aaaaaaaaaa@1] …",
		Turn:   turn, Number: turn,
		Messages: []models.Message{{Role: models.User, Text: "Standing:\n[health:zzzzzzzzzz@7] disk / is at 91%\n" +
			"New:\n[files:abcdefghij@42] /home/ada/report.odt was saved by somebody at 10:15\n[mail:bbbbbbbbbb@41] Lunch? (cites notes:cccccccccc)\n" +
			"Entries: w-disk-abc2, l-quiet-def3\n"}},
	}
}

func TestWhatIsShown(t *testing.T) {
	r := shown(1)
	want := []subconscious.Citation{{Ref: "health:zzzzzzzzzz", Seq: 7}, {Ref: "files:abcdefghij", Seq: 42}, {Ref: "mail:bbbbbbbbbb", Seq: 41}}
	if diff := cmp.Diff(want, r.Observed()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"w-disk-abc2", "l-quiet-def3"}, r.entries()); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsAskedFor reads kinds and shapes, also where they are told in words.
func TestWhatIsAskedFor(t *testing.T) {
	schema := `{"type":"object","properties":{"findings":{"type":"array","items":{"type":"object","properties":{"kind":{"enum":["idea","question"]}}}}}}`
	cases := map[string]struct {
		request Request
		kinds   []string
		thought bool
	}{
		"nothing":           {Request{System: "Think."}, nil, true},
		"schema":            {Request{Schema: &models.Schema{JSON: json.RawMessage(schema)}}, []string{"idea", "question"}, true},
		"schema in words":   {Request{System: "It fits this JSON Schema:\n" + schema + "\nThat is all."}, []string{"idea", "question"}, true},
		"words":             {Request{System: `- "kind": one of pattern, stale.` + "\n"}, []string{"pattern", "stale"}, true},
		"another shape":     {Request{Schema: smallSchema()}, nil, false},
		"another, in words": {Request{System: "JSON Schema: " + string(smallSchema().JSON)}, nil, false},
		"broken words":      {Request{System: "JSON Schema: {oops"}, nil, true},
	}
	for name, c := range cases {
		if diff := cmp.Diff(c.kinds, c.request.Kinds()); diff != "" || c.request.wantsThought() != c.thought {
			t.Errorf("%s: a thought %v, kinds: %s", name, c.request.wantsThought(), diff)
		}
	}
	if got := Silent()(cases["another, in words"].request).text(); got != `{"level":0,"word":"calm"}` {
		t.Errorf("it says %s", got)
	}
}

// thought asks a script and reads its thought.
func thought(t *testing.T, script Script, r Request) Thought {
	t.Helper()
	reply := script(r)
	if reply.Thought == nil {
		t.Fatalf("no thought but %+v", reply)
	}
	var back Thought
	if err := json.Unmarshal([]byte(reply.text()), &back); err != nil {
		t.Fatal(err)
	}
	var lists map[string]any
	if err := json.Unmarshal([]byte(reply.text()), &lists); err != nil || lists["findings"] == nil || lists["over"] == nil {
		t.Errorf("a list is missing: %s", reply.text())
	}
	return back
}

func TestThinker(t *testing.T) {
	got := thought(t, Thinker(), shown(1)).Findings
	want := []Finding{{Kind: "observation", Summary: "Noticed: /home/ada/report.odt was saved by somebody at 10:15", Importance: 5,
		Evidence: []string{"files:abcdefghij@42"}, Reinforces: []string{}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := thought(t, Silent(), shown(1)).Findings; len(got) != 0 {
		t.Errorf("silent says %v", got)
	}
	if got := thought(t, Eager(), shown(1)).Findings; len(got) != 3 || got[0].Importance != 8 || got[2].Evidence[0] != "health:zzzzzzzzzz@7" {
		t.Errorf("eager says %+v", got)
	}
}

// TestEcho finds every line again: in the journal at once, in the summaries in
// time, and always in an answer that is whole.
func TestEcho(t *testing.T) {
	r := shown(1)
	if got := thought(t, Echo(), r).Journal; got != r.Shown() {
		t.Errorf("the journal is %q", got)
	}
	r.Messages[0].Text += strings.Repeat("filling \"material\" ü\n", 200) + "the last word"
	r.MaxTokens = 400
	var all strings.Builder
	for r.Turn = 1; r.Turn <= 50; r.Turn++ {
		said := thought(t, Echo(), r)
		if n := tokens(said.JSON()); n > r.MaxTokens || said.Journal == "" {
			t.Fatalf("it has %d tokens", n)
		}
		for _, f := range said.Findings {
			all.WriteString(f.Summary)
		}
	}
	for _, word := range []string{"Lunch?", "the last word"} {
		if !strings.Contains(all.String(), word) {
			t.Errorf("%q never comes round", word)
		}
	}
}

func TestToolUser(t *testing.T) {
	r := shown(1)
	r.Tools = []models.Tool{tool("read_file")}
	first := ToolUser()(r)
	if len(first.Calls) != 1 || first.stop() != "tools" || string(first.Calls[0].Arguments) != `{"path":"/home/notes \"a\".md"}` {
		t.Fatalf("first it says %+v", first)
	}
	r.Messages = append(r.Messages, models.Message{Role: models.ToolRole, Text: "[files:yyyyyyyyyy@50] a line"})
	if then := thought(t, ToolUser(), r); then.Findings[0].Evidence[0] != "files:yyyyyyyyyy@50" {
		t.Errorf("then it says %+v", then)
	}
}

// TestRuminator wants what spec 8 says of it: always something, always
// otherwise, always to be escalated, and all sorts of citations.
func TestRuminator(t *testing.T) {
	script := Ruminator(3)
	summaries, sorts, findings := map[string]bool{}, map[string]int{}, 0
	for turn := 1; turn <= 200; turn++ {
		r := shown(turn)
		said := thought(t, script, r)
		if len(said.Findings) == 0 || len(said.Findings) > 3 || said.Focus == nil || said.Journal == "" {
			t.Fatalf("turn %d: %+v", turn, said)
		}
		for _, f := range said.Findings {
			findings++
			summaries[f.Summary] = true
			if !f.Escalate || f.EscalateReason == nil || f.Importance < 5 || f.Importance > 10 || len(f.Summary) > 140 {
				t.Errorf("turn %d: %+v", turn, f)
			}
			sorts[sort(r, f.Evidence[0])]++
		}
		if diff := cmp.Diff(said, thought(t, Ruminator(3), r)); diff != "" {
			t.Fatalf("turn %d is said otherwise the second time: %s", turn, diff)
		}
	}
	for _, name := range []string{"its own words", "invented", "shown", "an entry"} {
		if sorts[name] < findings/20 {
			t.Errorf("%s is cited %d times in %d findings", name, sorts[name], findings)
		}
	}
	if len(summaries) < 150 {
		t.Errorf("%d findings have %d wordings", findings, len(summaries))
	}
}

func sort(r Request, evidence string) string {
	c, ok := subconscious.ParseCitation(evidence)
	switch {
	case ok:
		for _, o := range r.Observed() {
			if o.Ref == c.Ref {
				return "shown"
			}
		}
		return "invented"
	case strings.Contains(evidence, " "):
		return "its own words"
	}
	return "an entry"
}

// TestInstance checks the least that schemas allow against a validator.
func TestInstance(t *testing.T) {
	cases := []string{
		string(smallSchema().JSON),
		string(tool("x").Parameters),
		`{"type":"object"}`,
		`{"type":"object","required":["a","b","c","d","e"],"properties":{"a":{"type":["null","string"]},"b":{"anyOf":[{"type":"integer","minimum":3},{"type":"null"}]},"c":{"const":"fixed"},"d":{"type":"array","minItems":2,"items":{"type":"boolean"}},"e":{"type":"string","minLength":4}}}`,
		`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"}}}}}`,
		`{"allOf":[{"type":"object","required":["x"],"properties":{"x":{"type":"number"}}}]}`,
	}
	for _, text := range cases {
		resolved := testutil.Schema(t, []byte(text))
		var value any
		if err := json.Unmarshal([]byte(Instance(json.RawMessage(text))), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s does not fit %s: %v", Instance(json.RawMessage(text)), text, err)
		}
	}
}

// FuzzInstance fills any schema without end or panic, and always with JSON.
func FuzzInstance(f *testing.F) {
	f.Add(string(smallSchema().JSON))
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`)
	f.Add(`{"type":"array","minItems":99,"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":"array","minItems":99,"items":{"$ref":"#/$defs/a"}}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		if got := Instance(json.RawMessage(schema)); !json.Valid([]byte(got)) {
			t.Errorf("%q is no JSON", got)
		}
	})
}
