package view

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// mostListed is how many proposals and runs are looked through for a page.
const mostListed = 500

// Proposals implements api.Proposer.
func (v *Reader) Proposals(ctx context.Context, query api.ProposalQuery) (api.ProposalPage, error) {
	v.use()
	page := api.ProposalPage{Proposals: []api.Proposal{}}
	all, err := v.in.Actions.Proposals(ctx, actions.Query{Pending: !query.All, Limit: mostListed})
	if err != nil {
		return page, Answer(err)
	}
	shown, before, err := paged(all, query.Before, query.Limit, func(p actions.Proposal) string { return p.ID })
	if err != nil {
		return page, err
	}
	for _, p := range shown {
		page.Proposals = append(page.Proposals, v.ShownProposal(p))
	}
	page.Before = before
	return page, nil
}

// Proposal implements api.Proposer.
func (v *Reader) Proposal(ctx context.Context, id string) (api.Proposal, error) {
	v.use()
	p, err := v.in.Actions.Proposal(ctx, id)
	if err != nil {
		return api.Proposal{}, Answer(err)
	}
	return v.ShownProposal(p), nil
}

// Runs implements api.Undoer.
func (v *Reader) Runs(ctx context.Context, query api.RunQuery) (api.RunPage, error) {
	v.use()
	page := api.RunPage{Runs: []api.ActionRun{}}
	all, err := v.in.Actions.Runs(ctx, actions.Query{Deliberation: query.Deliberation, Undoable: query.Undoable, Limit: mostListed})
	if err != nil {
		return page, Answer(err)
	}
	undoing := map[string]actions.Run{}
	for _, r := range all {
		if r.UndoOf != "" {
			undoing[r.UndoOf] = r
		}
	}
	shown, before, err := paged(all, query.Before, query.Limit, func(r actions.Run) string { return r.ID })
	if err != nil {
		return page, err
	}
	for _, r := range shown {
		out := v.ShownRun(r)
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

func (v *Reader) ShownProposal(p actions.Proposal) api.Proposal {
	out := api.Proposal{
		ID: p.ID, State: api.ProposalState(p.State), Action: p.Action, Arguments: p.Arguments, Argv: append([]string{}, p.Argv...),
		Folder: p.Folder, Hash: p.Hash, Reason: p.Reason, Incident: p.Incident, Deliberation: p.Deliberation, At: p.At, Expires: p.Expires,
		Shown: trustNames(p.Trusts), Clause: p.Clause, Why: p.Why, Run: p.Run, By: p.By,
	}
	if out.Arguments == nil {
		out.Arguments = json.RawMessage("{}")
	}
	for _, o := range v.in.Actions.Offers() {
		if o.Name == p.Action {
			out.Description, out.Undo = o.Description, o.Undo
		}
	}
	if p.State != actions.Pending {
		out.Decided = p.Changed
		return out
	}
	if err := v.in.Actions.Problem(p); err != nil {
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

func (v *Reader) ShownRun(r actions.Run) api.ActionRun {
	out := api.ActionRun{
		ID: r.ID, Action: r.Action, Argv: append([]string{}, r.Argv...), State: api.RunState(r.State), ExitCode: r.ExitCode, Output: r.Output,
		At: r.Started, Ended: r.Ended, UndoUntil: r.UndoUntil, UndoOf: r.UndoOf, Proposal: r.Proposal, Deliberation: r.Deliberation,
		Incident: r.Incident, By: r.By, Problem: r.Problem,
	}
	if err := v.in.Actions.Altered(r); err != nil {
		out.Problem = strings.TrimPrefix(out.Problem+"; "+err.Error(), "; ")
	}
	if r.LeftOut > 0 {
		out.Output += fmt.Sprintf("\n… %d bytes more were not kept", r.LeftOut)
	}
	return out
}
