package sensetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestSoundSenses(t *testing.T) {
	t.Run("standing", func(t *testing.T) { Run(t, harness(false, noFault).Harness) })
	t.Run("momentary", func(t *testing.T) { Run(t, harness(true, noFault).Harness) })
}

type faultyCase struct {
	fault     fault
	momentary bool
	rule      string
}

func faulty() []faultyCase {
	return []faultyCase{
		{shouts, true, "first collect"},
		{doubles, false, "first collect"},
		{repeats, false, "nothing twice"},
		{repeats, true, "nothing twice"},
		{halves, false, "each change once"},
		{halves, true, "each change once"},
		{repeats, true, "restart"},
		{loses, true, "batch thrown away"},
		{forgets, true, "crash before commit"},
		{forgets, true, "changed while closed"},
		{deaf, false, "cancelled"},
		{hasty, true, "cancelled"},
		{pretends, false, "broken and mended"},
		{pretends, true, "broken and mended"},
		{mutates, false, "left alone"},
		{scribbles, false, "left alone"},
		{leaks, false, "stopped"},
		{hurts, false, "stopped"},
		{grows, false, "bounded memory"},
		{nameless, false, "first collect"},
		{untrusted, false, "first collect"},
		{garbled, true, "nothing twice"},
	}
}

// TestFaultySenses holds the suite to its word: for every way to be wrong, a
// sense that is wrong in that way must fail at the rule that is there for it.
func TestFaultySenses(t *testing.T) {
	for _, test := range faulty() {
		t.Run(fmt.Sprintf("%s at %s", test.fault, test.rule), func(t *testing.T) {
			i := slices.IndexFunc(rules(), func(r rule) bool { return r.name == test.rule })
			if i < 0 {
				t.Fatalf("there is no rule %q", test.rule)
			}
			h := harness(test.momentary, test.fault)
			defer close(h.leaked)
			h.patience = 50 * time.Millisecond
			h.Collects = 300
			if said := testutil.Told(func(t testing.TB) { rules()[i].run(t, h.Harness) }); len(said) == 0 {
				t.Error("the suite found nothing wrong")
			} else {
				t.Logf("%s", said[0])
			}
			sound := harness(test.momentary, noFault)
			sound.Collects = 300
			if said := testutil.Told(func(t testing.TB) { rules()[i].run(t, sound.Harness) }); len(said) > 0 {
				t.Errorf("the same sense without the fault: %v", said)
			}
		})
	}
}

// TestEveryRuleCanFail fails when a rule is added that no faulty sense fails.
func TestEveryRuleCanFail(t *testing.T) {
	for _, rule := range rules() {
		if !slices.ContainsFunc(faulty(), func(f faultyCase) bool { return f.rule == rule.name }) {
			t.Errorf("no faulty sense fails at %q", rule.name)
		}
	}
}
