package initial

import (
	"context"
	"slices"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// try asks each model of the plan whose key is there one small question. What
// fails is told, and does not keep the plan from being written: it may be the
// network.
func try(ctx context.Context, s *session) error {
	if s.Unchecked || len(s.used(s.plan)) == 0 {
		return nil
	}
	config := s.plan.config()
	opened, err := live.Open(live.Options{Models: config, Budget: budget.DefaultConfig(), Env: s.env(), Now: s.Now})
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }() // closes idle connections, which cannot fail
	for _, p := range s.used(s.plan) {
		if slices.Contains(s.result.Missing, p.ID) {
			continue
		}
		for _, t := range opened.Test(ctx, p.ID) {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := t.Provider + "/" + t.Model
			if t.OK {
				s.say("✓ %s answers (%.1f s, $%.4f).", name, t.LatencyMS/1000, t.Cost)
				continue
			}
			s.result.Failed = append(s.result.Failed, name)
			for _, step := range t.Steps {
				if !step.OK {
					s.say("✗ %s: %s\n  → %s", name, step.Detail, step.Next)
				}
			}
		}
	}
	return nil
}
