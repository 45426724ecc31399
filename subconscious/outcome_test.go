package subconscious_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/subconscious/documenttest"
)

var outcomeAt = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

func goodOutcome() subconscious.Outcome {
	return subconscious.Outcome{Deliberation: "7/i-disk-1", Kind: subconscious.OutcomeSnoozed, Reason: "It can wait until the backup is done.", Until: outcomeAt, Tick: 7,
		Model: "example/large", Cost: 12_000_000, Cited: []subconscious.Citation{{Ref: "health:abcdefghij", Seq: 4}, {Ref: "notes:abcdefghij"}}}
}

func TestValidateOutcome(t *testing.T) {
	if err := goodOutcome().Validate(); err != nil {
		t.Fatal(err)
	}
	for key, spoil := range map[string]func(*subconscious.Outcome){
		"deliberation: must":         func(o *subconscious.Outcome) { o.Deliberation = "" },
		"deliberation: must be 1":    func(o *subconscious.Outcome) { o.Deliberation = strings.Repeat("x", 201) },
		"model: must":                func(o *subconscious.Outcome) { o.Model = "a\nb" },
		"kind: \"deliberating\" is":  func(o *subconscious.Outcome) { o.Kind = subconscious.OutcomePending },
		"kind: \"\" is":              func(o *subconscious.Outcome) { o.Kind = "" },
		"reason: must":               func(o *subconscious.Outcome) { o.Reason = " " },
		"reason: must be one":        func(o *subconscious.Outcome) { o.Reason = "\xff" },
		"reason: is 601 bytes":       func(o *subconscious.Outcome) { o.Reason = strings.Repeat("x", 601) },
		"until: what":                func(o *subconscious.Outcome) { o.Until = time.Time{} },
		"until: what is snoozed":     func(o *subconscious.Outcome) { o.Kind = subconscious.OutcomeTold },
		"tick: is 0":                 func(o *subconscious.Outcome) { o.Tick = 0 },
		"cost: is -1":                func(o *subconscious.Outcome) { o.Cost = -1 },
		"cost: is 1000000000000001,": func(o *subconscious.Outcome) { o.Cost = 1_000_000_000_000_001 },
		"cited: has 9":               func(o *subconscious.Outcome) { o.Cited = make([]subconscious.Citation, 9) },
		"cited[1]: ":                 func(o *subconscious.Outcome) { o.Cited[1].Ref = "w-disk-1" },
		"cited[0]: ":                 func(o *subconscious.Outcome) { o.Cited[0].Seq = -4 },
	} {
		o := goodOutcome()
		spoil(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := (subconscious.Outcome{}).Validate(); err == nil {
		t.Error("the zero outcome is one")
	}
	for _, kind := range subconscious.OutcomeKinds() {
		if kind.Tells() == kind.KeepsBack() {
			t.Errorf("%s both tells and keeps back, or neither", kind)
		}
	}
	if p := subconscious.OutcomePending; p.Tells() || p.KeepsBack() {
		t.Error("what is under way has an outcome")
	}
	for by, want := range map[string]bool{"deliberation": true, "deliberation 7/i-disk-1": true, "deliberations": false, "person": false, "": false, " deliberation": false} {
		if subconscious.IsDeliberation(by) != want {
			t.Errorf("%q: %t", by, !want)
		}
	}
}

func TestHeard(t *testing.T) {
	told := func(minute int, outcome subconscious.OutcomeKind) subconscious.Told {
		return subconscious.Told{At: outcomeAt.Add(time.Duration(minute) * time.Minute), Outcome: outcome}
	}
	for _, c := range []struct {
		told   []subconscious.Told
		last   int // -1 for never
		begins bool
	}{
		{nil, -1, false},
		{[]subconscious.Told{told(1, "")}, 1, false},
		{[]subconscious.Told{told(1, ""), told(2, "dismissed"), told(3, "deliberating")}, 1, true},
		{[]subconscious.Told{told(1, "remembered"), told(2, "snoozed")}, -1, false},
		{[]subconscious.Told{told(1, ""), told(2, "proposed"), told(3, "dismissed")}, 2, false},
		{[]subconscious.Told{told(1, "acted"), told(2, "told")}, 2, false},
	} {
		telling := &subconscious.Telling{Told: c.told}
		last, ok := telling.Heard()
		if ok != (c.last >= 0) || ok && !last.At.Equal(told(c.last, "").At) || telling.Deliberating() != c.begins {
			t.Errorf("%+v: %v %t", c, last, ok)
		}
	}
	if _, ok := (*subconscious.Telling)(nil).Heard(); ok || (*subconscious.Telling)(nil).Deliberating() {
		t.Error("nothing was heard")
	}
}

// TestDeliberationsInTheDocument: what a deliberation came to is published, with
// no more than fits, and read again.
func TestDeliberationsInTheDocument(t *testing.T) {
	whole := subconscious.EscalationRecord{At: outcomeAt, Incident: "health:disk:/var", Summary: "full", Reason: "It can wait.", Outcome: "dismissed",
		Deliberation: "7/i-disk-1", Cost: 12_000_000, Cited: []string{"health:abcdefghij@4", "notes:abcdefghij"}}
	much := whole
	much.Deliberation, much.Cost = strings.Repeat("x", 201), -5
	much.Cited = []string{"nonsense", " health:abcdefghij", "health:abcdefghij@4", "notes:abcdefghij", "files:abcdefghij"}
	less := whole
	less.Deliberation, less.Cost = "", 0
	s := subconscious.State{LastTick: outcomeAt, History: []subconscious.EscalationRecord{whole, much}}
	data, err := subconscious.Project(s, 2000)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := documenttest.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := []subconscious.EscalationRecord{whole, less}; !reflect.DeepEqual(doc.EscalationHistory, want) {
		t.Errorf("got %+v, want %+v", doc.EscalationHistory, want)
	}
	if err := validateBySchema(schema(t), string(data)); err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(data), `"deliberation":"7/i-disk-1","cost":12000000,"cited":["health:abcdefghij@4","notes:abcdefghij"]`) {
		t.Errorf("%s", data)
	}
	if len(much.Cited) != 5 {
		t.Error("the state is changed")
	}
}

// TestOlderDocument: a document of before there were deliberations is read.
func TestOlderDocument(t *testing.T) {
	doc, err := documenttest.Decode([]byte(sampleDocument))
	if err != nil || len(doc.EscalationHistory) != 1 || doc.EscalationHistory[0].Deliberation != "" || doc.EscalationHistory[0].Outcome != "told" {
		t.Errorf("%+v, %v", doc.EscalationHistory, err)
	}
	if again := asJSON(t, doc); strings.Contains(again, "deliberation") || strings.Contains(again, "cited") || strings.Contains(again, "cost") {
		t.Errorf("it is written with what it never had: %s", again)
	}
}
