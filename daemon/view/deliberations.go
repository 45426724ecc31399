package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// deliberationsOf are the deliberations on an incident, oldest first.
func (v *Reader) deliberationsOf(ctx context.Context, id subconscious.IncidentID) ([]api.Deliberation, error) {
	records, err := v.in.Deliberations.Of(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the deliberations: %w", err)
	}
	out := []api.Deliberation{}
	for _, r := range slices.Backward(records) {
		one := shownDeliberation(r)
		if one.Recalled, err = v.in.Memory.RecalledInto(ctx, r.ID); err != nil {
			return nil, err
		}
		if one.Proposal != "" {
			p, err := v.in.Actions.Proposal(ctx, one.Proposal)
			if err != nil && actions.CodeOf(err) != actions.CodeNotFound { // one of long ago is kept no more
				return nil, fmt.Errorf("read the proposals: %w", err)
			}
			one.ProposalState, one.Run, one.By = p.State, cmp.Or(one.Run, p.Run), p.By
		}
		out = append(out, one)
	}
	return out, nil
}

// shownDeliberation is a deliberation as it travels.
func shownDeliberation(r deliberate.Record) api.Deliberation {
	out := api.Deliberation{
		ID: r.ID, Incident: r.Person, Tick: r.Tick, At: r.At, Ended: r.Over, State: string(r.State), Problem: r.Fallback,
		Cost: budget.Money(r.Cost).Float(), Resumed: r.Resumed,
	}
	if o := r.Outcome; o != nil {
		out.Outcome, out.Reason, out.Until, out.Model = o.Kind, o.Reason, o.Until, o.Model
		out.Cited = o.Cited
		out.Template = o.Kind.Tells() && (r.Fallback != "" || o.Model == "template")
	}
	out.Prompt.System = r.System
	var taint escalate.Taint
	for _, step := range r.Steps {
		taint = taint.With(step.Words...)
		addStep(&out, step)
	}
	out.Taint = taint.Trusts()
	return out
}

// addStep adds what was said or done to the rounds.
func addStep(out *api.Deliberation, step deliberate.Step) {
	round := func() *api.DeliberationRound {
		for len(out.Rounds) < step.Round {
			out.Rounds = append(out.Rounds, api.DeliberationRound{N: len(out.Rounds) + 1, At: step.At})
		}
		if len(out.Rounds) == 0 {
			out.Rounds = append(out.Rounds, api.DeliberationRound{N: 1, At: step.At})
		}
		return &out.Rounds[len(out.Rounds)-1]
	}
	switch {
	case step.Kind == deliberate.StepOpened:
		out.Prompt.User = step.Text
	case step.Answer != nil:
		r, a := round(), step.Answer
		r.At, r.Answer, r.TokensIn, r.TokensOut, r.Cost, r.LatencyMS = step.At, step.Text, a.Input, a.Output, budget.Money(a.Cost).Float(), float64(a.Latency.Microseconds())/1000
		if out.Model == "" {
			out.Model = a.Model
		}
	case step.Call != nil:
		r, c := round(), step.Call
		call := api.DeliberationCall{Tool: c.Name, Arguments: c.Arguments, Result: step.Text, Shown: escalate.Taint{}.With(step.Words...).Trusts(), Judgement: c.Judgement}
		switch {
		case len(c.Made) > 1 && c.Made[:2] == "p-":
			out.Proposal = c.Made
		case len(c.Made) > 1 && c.Made[:2] == "r-":
			out.Run = c.Made
		}
		if n := len(r.Calls); n > 0 && begun(r.Calls[n-1], call) { // how the action went that was begun
			if call.Judgement == nil {
				call.Judgement = r.Calls[n-1].Judgement
			}
			r.Calls = r.Calls[:n-1]
		}
		r.Calls = append(r.Calls, call)
	case step.Kind == deliberate.StepFailed:
		round().Problem = step.Text
	}
}

// begun reports whether a call is that of an action that was begun, and the next
// what became of it.
func begun(call, next api.DeliberationCall) bool {
	return call.Tool == string(escalate.EffectAct) && call.Judgement != nil && call.Result == "" && next.Tool == call.Tool && next.Arguments == call.Arguments
}

// proposedShown is how many proposals a status shows.
const proposedShown = 5

// addDeliberating adds to a status what is being deliberated on.
func (v *Reader) addDeliberating(ctx context.Context, status *api.Status) error {
	open, err := v.in.Deliberations.Open(ctx)
	if err != nil {
		return fmt.Errorf("read the deliberations: %w", err)
	}
	for _, r := range open {
		status.Deliberating = append(status.Deliberating, api.DeliberatingStatus{
			ID: r.ID, Incident: r.Person, Summary: r.Summary, State: string(r.State), Since: r.At,
		})
	}
	return nil
}
