package deliberate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// strictMind refuses what the mind refuses.
type strictMind struct{ *world }

// Conclude implements deliberate.Mind.
func (m strictMind) Conclude(ctx context.Context, tx *store.Tx, c subconscious.Command, refund bool) error {
	if err := c.Outcome.Validate(); err != nil {
		return fmt.Errorf("the outcome cannot be used: %w", err)
	}
	return m.world.Conclude(ctx, tx, c, refund)
}

// said is an answer that calls one tool.
func said(t *testing.T, tool string, arguments any) (s scripted) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"calls": []any{map[string]any{"name": tool, "arguments": arguments}}})
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLongSentence: a sentence of characters that take four bytes each fits the
// mind, too. One that does not would stand before all other escalations for good.
func TestLongSentence(t *testing.T) {
	long := strings.Repeat("\U0001F418", 300)
	for name, one := range map[string]struct {
		tool      string
		arguments map[string]any
		action    action
		want      subconscious.OutcomeKind
	}{
		"told":      {"notify_person", map[string]any{"text": long, "reason": long}, action{}, subconscious.OutcomeTold},
		"snoozed":   {"snooze", map[string]any{"hours": 1, "reason": long}, action{}, subconscious.OutcomeSnoozed},
		"dismissed": {"dismiss", map[string]any{"reason": long}, action{}, subconscious.OutcomeDismissed},
		"acted": {"propose_action", map[string]any{"action": "clean", "arguments": map[string]any{"a": long}, "reason": long},
			action{Approval: escalate.ApproveNever}, subconscious.OutcomeActed},
		"failed": {"propose_action", map[string]any{"action": "clean", "arguments": map[string]any{"a": long}, "reason": long},
			action{Approval: escalate.ApproveNever, Fails: true, Output: long}, subconscious.OutcomeTold},
		"proposed": {"propose_action", map[string]any{"action": "clean", "arguments": map[string]any{"a": long}, "reason": long},
			action{Approval: escalate.ApproveAlways}, subconscious.OutcomeProposed},
	} {
		t.Run(name, func(t *testing.T) {
			one.action.Name = "clean"
			w := &world{scene: scene{Actions: []action{one.action}, Answers: []scripted{said(t, one.tool, one.arguments)}}}
			r, happened := playWith(t, w, func(o *deliberate.Options) { o.Mind = strictMind{w} })
			checkOne(t, r, happened)
			if r.Outcome.Kind != one.want || r.Resumed > 0 || r.Fallback != "" {
				t.Errorf("it came to %+v, went on %d times, told by rule: %q", r.Outcome, r.Resumed, r.Fallback)
			}
		})
	}
}
