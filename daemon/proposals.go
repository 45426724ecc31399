package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var (
	_ api.Proposer = (*Daemon)(nil)
	_ api.Undoer   = (*Daemon)(nil)
)

// mostListed is how many proposals and runs are looked through for a page.
const mostListed = 500

// Proposals implements api.Proposer.
func (d *Daemon) Proposals(ctx context.Context, query api.ProposalQuery) (api.ProposalPage, error) {
	d.use()
	page := api.ProposalPage{Proposals: []api.Proposal{}}
	all, err := d.actions.Proposals(ctx, actions.Query{Pending: !query.All, Limit: mostListed})
	if err != nil {
		return page, actAnswer(err)
	}
	shown, before, err := paged(all, query.Before, pageOf(query.Limit), func(p actions.Proposal) string { return p.ID })
	if err != nil {
		return page, err
	}
	for _, p := range shown {
		page.Proposals = append(page.Proposals, d.apiProposal(p))
	}
	page.Before = before
	return page, nil
}

// paged is the part of a list behind the one with the id before, and the mark of
// the next part.
func paged[T any](all []T, before string, limit int, id func(T) string) (shown []T, next string, err error) {
	if before != "" {
		at := slices.IndexFunc(all, func(t T) bool { return id(t) == before })
		if at < 0 {
			return nil, "", api.Errorf(api.CodeBadRequest, "begin again without it", "before: %.40q is no mark of a page, or no longer", before)
		}
		all = all[at+1:]
	}
	if len(all) <= limit {
		return all, "", nil
	}
	return all[:limit], id(all[limit-1]), nil
}

// Proposal implements api.Proposer.
func (d *Daemon) Proposal(ctx context.Context, id string) (api.Proposal, error) {
	d.use()
	p, err := d.actions.Proposal(ctx, id)
	if err != nil {
		return api.Proposal{}, actAnswer(err)
	}
	return d.apiProposal(p), nil
}

// Decide implements api.Proposer. It is reached over the socket alone.
func (d *Daemon) Decide(ctx context.Context, decision api.ProposalDecision) (api.ProposalResult, error) {
	d.use()
	by, err := d.actions.Caller(decision.By.UID, decision.By.PID)
	if err != nil {
		return api.ProposalResult{}, actAnswer(err)
	}
	if !decision.Approve {
		p, err := d.actions.Reject(ctx, decision.ID)
		if err != nil {
			return api.ProposalResult{}, actAnswer(err)
		}
		d.remember(ctx, p.Incident, "rejected")
		return api.ProposalResult{Proposal: d.apiProposal(p)}, nil
	}
	run, err := d.actions.Approve(ctx, decision.ID, decision.Hash, by)
	if err != nil {
		return api.ProposalResult{}, actAnswer(err)
	}
	d.options.Logger.Info("a proposal was approved", "proposal", decision.ID, "run", run.ID, "by", by, "action", run.Action, "state", string(run.State))
	d.remember(ctx, run.Incident, "approved")
	p, err := d.actions.Proposal(ctx, decision.ID)
	if err != nil {
		return api.ProposalResult{}, actAnswer(err)
	}
	ran := d.apiRun(run)
	return api.ProposalResult{Proposal: d.apiProposal(p), Run: &ran}, nil
}

// Runs implements api.Undoer.
func (d *Daemon) Runs(ctx context.Context, query api.RunQuery) (api.RunPage, error) {
	d.use()
	page := api.RunPage{Runs: []api.ActionRun{}}
	all, err := d.actions.Runs(ctx, actions.Query{Deliberation: query.Deliberation, Undoable: query.Undoable, Limit: mostListed})
	if err != nil {
		return page, actAnswer(err)
	}
	undoing := map[string]actions.Run{}
	for _, r := range all {
		if r.UndoOf != "" {
			undoing[r.UndoOf] = r
		}
	}
	shown, before, err := paged(all, query.Before, pageOf(query.Limit), func(r actions.Run) string { return r.ID })
	if err != nil {
		return page, err
	}
	for _, r := range shown {
		out := d.apiRun(r)
		switch by := undoing[r.ID]; by.State {
		case actions.RunSucceeded:
			out.Undone = by.ID
		case "":
		default:
			out.UndoTried = by.ID
		}
		page.Runs = append(page.Runs, out)
	}
	page.Before = before
	return page, nil
}

// Undo implements api.Undoer.
func (d *Daemon) Undo(ctx context.Context, run string, caller api.Caller) (api.ActionRun, error) {
	d.use()
	by, err := d.actions.Caller(caller.UID, caller.PID)
	if err != nil {
		return api.ActionRun{}, actAnswer(err)
	}
	r, err := d.actions.Undo(ctx, run, by)
	if actions.CodeOf(err) == actions.CodeNotFound {
		return api.ActionRun{}, api.Errorf(api.CodeNotFound, "see `subconsciousctl undo --list` for those that can be taken back", "there is no run %.80q", run)
	} else if err != nil {
		return api.ActionRun{}, actAnswer(err)
	}
	d.options.Logger.Info("an action was taken back", "run", run, "with", r.ID, "by", by, "state", string(r.State))
	if r.State == actions.RunSucceeded {
		d.remember(ctx, r.Incident, "taken back")
	}
	return d.apiRun(r), nil
}

// saidTo is the command by which the history learns what the person said to a
// proposal, or to what came of it.
func saidTo(incident subconscious.IncidentID, said string, at time.Time) subconscious.Command {
	return subconscious.Command{At: at, Kind: subconscious.CommandAck, IncidentID: incident, Text: said, By: byPerson}
}

// remember lets the next tick write it there. What was decided stands without.
func (d *Daemon) remember(ctx context.Context, incident subconscious.IncidentID, said string) {
	if _, err := d.mind.Enqueue(context.WithoutCancel(ctx), saidTo(incident, said, d.now())); err != nil {
		unlearnt(d.options.Logger, incident, said, err)
	}
}

func unlearnt(logger *slog.Logger, incident subconscious.IncidentID, said string, err error) {
	logger.Warn("the history does not learn what was said to a proposal", "incident", string(incident), "said", said, "error", err)
}

func (d *Daemon) apiProposal(p actions.Proposal) api.Proposal {
	out := api.Proposal{
		ID: p.ID, State: api.ProposalState(p.State), Action: p.Action, Arguments: p.Arguments, Argv: append([]string{}, p.Argv...),
		Folder: p.Folder, Hash: p.Hash, Reason: p.Reason, Incident: p.Incident, Deliberation: p.Deliberation, At: p.At, Expires: p.Expires,
		Shown: trustNames(p.Trusts), Clause: p.Clause, Why: p.Why, Run: p.Run, By: p.By,
	}
	if out.Arguments == nil {
		out.Arguments = json.RawMessage("{}")
	}
	for _, o := range d.actions.Offers() {
		if o.Name == p.Action {
			out.Description, out.Undo = o.Description, o.Undo
		}
	}
	if p.State != actions.Pending {
		out.Decided = p.Changed
		return out
	}
	if err := d.actions.Problem(p); err != nil {
		out.Problem = err.Error()
	}
	return out
}

func trustNames(trusts []subconscious.Trust) []string {
	names := []string{}
	for _, t := range trusts {
		names = append(names, string(t))
	}
	return names
}

func (d *Daemon) apiRun(r actions.Run) api.ActionRun {
	out := api.ActionRun{
		ID: r.ID, Action: r.Action, Argv: append([]string{}, r.Argv...), State: api.RunState(r.State), ExitCode: r.ExitCode, Output: r.Output,
		At: r.Started, Ended: r.Ended, UndoUntil: r.UndoUntil, UndoOf: r.UndoOf, Proposal: r.Proposal, Deliberation: r.Deliberation,
		Incident: r.Incident, By: r.By, Problem: r.Problem,
	}
	if err := d.actions.Altered(r); err != nil {
		out.Problem = strings.TrimPrefix(out.Problem+"; "+err.Error(), "; ")
	}
	if r.LeftOut > 0 {
		out.Output += fmt.Sprintf("\n… %d bytes more were not kept", r.LeftOut)
	}
	return out
}

// actCodes are the engine's codes as the API has them.
var actCodes = map[actions.Code]api.Code{
	actions.CodeNotFound: api.CodeNotFound, actions.CodeUnknown: api.CodeNotFound, actions.CodeExpired: api.CodeExpired,
	actions.CodeUsed: api.CodeUsed, actions.CodeChanged: api.CodeChanged, actions.CodeLimit: api.CodeLimit, actions.CodeBusy: api.CodeBusy,
	actions.CodeStopped: api.CodeUnavailable, actions.CodeUnavailable: api.CodeRefused, actions.CodeInvalid: api.CodeRefused,
	actions.CodeNoUndo: api.CodeRefused, actions.CodeFull: api.CodeRefused,
}

// actAnswer makes of a refusal of the engine what the API may pass on.
func actAnswer(err error) error {
	refused, ok := errors.AsType[*actions.Error](err)
	if !ok {
		return answer(err)
	}
	code, known := actCodes[refused.Code]
	if !known {
		code = api.CodeRefused
	}
	return &api.Error{Code: code, Text: refused.Text, Next: refused.Next, Err: err}
}
