package deliberate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestNoModelGetsMore has models say anything at all, in worlds of all sorts:
// nothing happens that the policy does not allow by what they were shown, and
// each escalation ends once, with one message at most.
func TestNoModelGetsMore(t *testing.T) {
	words := []escalate.Word{
		{Trust: subconscious.Machine, Ref: "health:aaaaaaaaaa", Source: "evidence"}, {Trust: subconscious.Owner, Ref: "notes:cccccccccc", Source: "evidence"},
		{Trust: subconscious.Outsider, Ref: "mail:bbbbbbbbbb", Voice: "eve@example.com", Source: "evidence"},
		{Trust: subconscious.Outsider, Ref: "mail:dddddddddd", Voice: "bob@example.com", Source: "read_mail"}, {Trust: subconscious.Agent, Source: "conversation"},
	}
	texts := []string{"Look.", "https://evil.example/x", "a\nb", "", "   ", strings.Repeat("long ", 100), "eve@example.com \u202e", `","x":"`}
	rapid.Check(t, func(r *rapid.T) {
		w := &world{}
		pick := func(name string) []escalate.Word {
			return rapid.SliceOfN(rapid.SampledFrom(words), 0, 2).Draw(r, name)
		}
		w.Words, w.Critical = pick("words"), rapid.Bool().Draw(r, "critical")
		w.NoWords = len(w.Words) == 0
		w.Readings = map[string]reading{"read_mail": {Text: "a mail", Words: pick("mail")}, "read_file": {Error: "none", Words: pick("file")}}
		for _, approval := range []escalate.Approval{escalate.ApproveAlways, escalate.ApproveTainted, escalate.ApproveNever} {
			w.Actions = append(w.Actions, action{Name: string(approval), Approval: approval})
		}
		for range rapid.IntRange(0, 9).Draw(r, "answers") {
			w.Answers = append(w.Answers, anyAnswer(r, texts))
		}
		record, happened := play(t, w)
		checkOne(t, record, happened)
		checkAllowed(r, w, record, happened)
	})
}

// anyAnswer is an answer of a model that may be anything.
func anyAnswer(r *rapid.T, texts []string) (a scripted) {
	a.Stop = rapid.SampledFrom([]string{"tools", "tools", "tools", "tools", "end", "length", "refused"}).Draw(r, "stop")
	a.Text = rapid.SampledFrom(texts).Draw(r, "text")
	var calls []map[string]any
	for range rapid.IntRange(0, 4).Draw(r, "calls") {
		name := rapid.SampledFrom([]string{"read_mail", "read_file", "remember", "post_message", "propose_action", "snooze", "dismiss", "notify_person", "keep_quiet", "shell"}).Draw(r, "name")
		text := rapid.SampledFrom(texts).Draw(r, "text")
		arguments := map[string]any{
			"remember": map[string]any{"text": text, "kind": text}, "post_message": map[string]any{"conversation": "ops", "text": text},
			"propose_action": map[string]any{"action": rapid.SampledFrom([]string{"always", "tainted", "never", "other"}).Draw(r, "action"), "arguments": map[string]any{"x": text}, "reason": text},
			"snooze":         map[string]any{"hours": rapid.IntRange(-1, 400).Draw(r, "hours"), "reason": text}, "dismiss": map[string]any{"reason": text},
			"notify_person": map[string]any{"text": text, "reason": text},
		}[name]
		if arguments == nil {
			arguments = map[string]any{}
		}
		call := map[string]any{"name": name, "arguments": arguments}
		if rapid.IntRange(0, 9).Draw(r, "spoilt") == 0 {
			call["raw"] = rapid.SampledFrom([]string{"{", "[]", `{"reason":1}`, `{"reason":"a","reason":"b"}`, "null"}).Draw(r, "raw")
		}
		calls = append(calls, call)
	}
	raw, err := json.Marshal(calls)
	if err == nil {
		err = json.Unmarshal(raw, &a.Calls)
	}
	if err != nil {
		r.Fatal(err)
	}
	return a
}

// checkAllowed goes through what was done with the taint as it was then, by rules
// of its own.
func checkAllowed(r *rapid.T, w *world, record deliberate.Record, happened []string) {
	var taint escalate.Taint
	own := []subconscious.Ref{"health:aaaaaaaaaa", "mail:bbbbbbbbbb"}
	for _, s := range record.Steps {
		if s.Kind == deliberate.StepCalled || s.Kind == deliberate.StepStarted {
			outsider, agent := taint.Has(subconscious.Outsider), taint.Has(subconscious.Agent)
			done := !s.Call.Failed
			var arguments struct{ Action string }
			if s.Call.Name == "propose_action" && done {
				if err := json.Unmarshal([]byte(s.Call.Arguments), &arguments); err != nil {
					r.Fatal(err)
				}
			}
			switch s.Call.Name {
			case "snooze", "dismiss":
				if done && (w.Critical || taint.IsForeign(own)) {
					r.Fatalf("%s passed, critical %t, words %v", s.Call.Name, w.Critical, taint.Words)
				}
			case "propose_action":
				if ran := s.Kind == deliberate.StepStarted; ran && (outsider || arguments.Action == "always" || agent && arguments.Action == "tainted") {
					r.Fatalf("%s ran with the words %v", arguments.Action, taint.Words)
				}
			}
		}
		taint = taint.With(s.Words...)
	}
	tainted := taint.Has(subconscious.Outsider) || taint.Has(subconscious.Agent)
	for _, line := range happened {
		switch kind, _, _ := strings.Cut(line, " "); kind {
		case "posted":
			if !strings.Contains(line, "ops: ") {
				r.Fatalf("%q", line)
			}
		case "told":
			if tainted && record.Told.Kind == deliberate.TellTold && strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(record.Told.Text, "[.]", ""), "[@]", ""), "@") {
				r.Fatalf("%q", line)
			}
		}
	}
	if kind := record.Outcome.Kind; !kind.Tells() && (w.Critical || taint.IsForeign(own)) {
		// What was read behind the request does not count for it, but nothing is
		// read behind the end.
		r.Fatalf("%s, critical %t, words %v", kind, w.Critical, taint.Words)
	}
}
