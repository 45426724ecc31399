package daemon

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
)

// TestDecisionSaysToWhom it was given: what a deliberation is given travels as
// that, since the person may never hear of it.
func TestDecisionSaysToWhom(t *testing.T) {
	for _, deliberate := range []bool{false, true} {
		if got := apiDecision(escalate.Decision{Ruling: escalate.Ruling{Verdict: escalate.Tell, Deliberate: deliberate}}, 7, time.Time{}); got.Deliberate != deliberate {
			t.Errorf("given to a deliberation: %t, and it travels as %t", deliberate, got.Deliberate)
		}
	}
}
