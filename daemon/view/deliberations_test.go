package view

import (
	"testing"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Only who was told was told by rule.
func TestToldByRuleWasTold(t *testing.T) {
	for _, c := range []struct {
		kind            subconscious.OutcomeKind
		fallback, model string
		want            bool
	}{
		{subconscious.OutcomeTold, "no answer", "template", true}, {subconscious.OutcomeTold, "", "lab/m", false},
		{subconscious.OutcomeSnoozed, "quiet hours have begun", "template", false}, {subconscious.OutcomeDismissed, "", "template", false},
	} {
		r := deliberate.Record{Ending: deliberate.Ending{Fallback: c.fallback, Outcome: &subconscious.Outcome{Kind: c.kind, Model: c.model}}}
		if got := shownDeliberation(r); got.Template != c.want || got.Problem != c.fallback {
			t.Errorf("%+v: by rule %t, want %t", c, got.Template, c.want)
		}
	}
}
