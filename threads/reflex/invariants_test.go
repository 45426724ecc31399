package reflex_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reporter is what the checks need of a test, or of a property's.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkThought holds a thought to what is promised of every one.
func checkThought(t reporter, snapshot subconscious.Snapshot, thought subconscious.Thought) {
	t.Helper()
	field := snapshot.Fields[thought.Thread]
	shown := map[subconscious.Ref]subconscious.Observation{}
	for _, o := range slices.Concat(field.New, field.Wider) {
		shown[o.Ref()] = o
	}
	rules := map[string]documented{}
	for _, rule := range page() {
		if strings.HasPrefix(rule.name, string(thought.Thread)+".") {
			rules[rule.name] = rule
		}
	}
	if len(thought.Findings) > 50 {
		t.Errorf("%d findings", len(thought.Findings))
	}
	incidents := map[subconscious.IncidentKey]string{}
	for _, f := range thought.Findings {
		checkFinding(t, f, rules)
		var cited []subconscious.Observation
		fresh := false
		for _, text := range f.Evidence {
			citation, ok := subconscious.ParseCitation(text)
			o, isNew := shown[citation.Ref]
			if !isNew {
				o, ok = snapshot.World.Get(citation.Ref)
			}
			if !ok {
				t.Errorf("%q cites %s, which was not shown and does not stand", f.Summary, text)
				continue
			}
			fresh = fresh || isNew
			cited = append(cited, o)
		}
		if !fresh {
			t.Errorf("%q cites nothing that is new", f.Summary)
		}
		if len(cited) == 0 {
			continue
		}
		key := about(f.Kind, cited)
		if other, twice := incidents[key]; twice {
			t.Errorf("two findings of %s: %q and %q", key, other, f.Summary)
		}
		incidents[key] = f.Summary
	}
	for _, key := range thought.Over {
		if !slices.ContainsFunc(slices.Concat(snapshot.State.Entries, snapshot.State.Parked), func(e subconscious.Entry) bool { return e.Incident == key }) {
			t.Errorf("%s is called over and is not followed", key)
		}
		if _, found := incidents[key]; found {
			t.Errorf("%s is found and called over", key)
		}
	}
}

func checkFinding(t reporter, f subconscious.Finding, rules map[string]documented) {
	t.Helper()
	rule, known := rules[f.Rule]
	if !known {
		t.Errorf("%q is of no rule of the thread: %q", f.Summary, f.Rule)
	}
	if f.Importance < rule.low || f.Importance > rule.high || f.Importance < 1 || f.Importance > 10 {
		t.Errorf("%s: %q has importance %d, and the rule says %d to %d", f.Rule, f.Summary, f.Importance, rule.low, rule.high)
	}
	if f.Summary == "" || subconscious.Summary(f.Summary) != f.Summary {
		t.Errorf("%s: %q is not a summary: %q", f.Rule, f.Summary, subconscious.Summary(f.Summary))
	}
	if strings.Contains(f.Summary, "%!s(") || strings.Contains(f.Summary, "%!(EXTRA") || strings.Contains(f.Summary, "(MISSING)") {
		t.Errorf("%s: %q is badly formatted", f.Rule, f.Summary)
	}
	if f.Escalate != (f.EscalateReason != "") {
		t.Errorf("%s: %q asks to be told %t for %q", f.Rule, f.Summary, f.Escalate, f.EscalateReason)
	}
	if len(f.Evidence) == 0 || !slices.Contains(subconscious.Kinds(), f.Kind) {
		t.Errorf("%s: %q has kind %q and evidence %v", f.Rule, f.Summary, f.Kind, f.Evidence)
	}
}

// about is the incident that a finding names: a pattern of the first cited
// observation, the pair of the first two where its kind connects, else the
// first.
func about(kind subconscious.Kind, cited []subconscious.Observation) subconscious.IncidentKey {
	first := cited[0].Key()
	switch {
	case kind == subconscious.KindPattern:
		return subconscious.PatternKey(first)
	case kind == subconscious.KindConnection || kind == subconscious.KindRisk:
		for _, other := range cited[1:] {
			if other.Key() != first {
				return subconscious.PairKey(first, other.Key())
			}
		}
	}
	return first
}

// TestCheckThoughtSees has a thought that breaks every promise.
func TestCheckThoughtSees(t *testing.T) {
	s := newScenario(t, "", "thread watcher\nnew files file work/a \"work/a was saved\" action=changed\nstands files file work/b b")
	bad := subconscious.Thought{Thread: subconscious.Watcher, Over: []subconscious.IncidentKey{"files:nobody"}}
	bad.Findings = []subconscious.Finding{
		{Kind: "observation", Summary: "", Importance: 3, Rule: "watcher.file", Evidence: []string{string(s.known["work/a"].Ref())}},
		{Kind: "observation", Summary: "b", Importance: 11, Rule: "watcher.file", Evidence: []string{string(s.known["work/a"].Ref())}},
		{Kind: "observation", Summary: "c", Importance: 3, Rule: "nobody", Evidence: []string{"files:aaaaaaaaaa"}},
		{Kind: "observation", Summary: "d", Importance: 3, Rule: "watcher.file", Escalate: true},
	}
	var counted counter
	checkThought(&counted, s.snapshot(), bad)
	if counted < 9 {
		t.Errorf("only %d faults were seen", counted)
	}
}

type counter int

func (c *counter) Helper()               {}
func (c *counter) Errorf(string, ...any) { *c++ }
