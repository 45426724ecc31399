package view

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// mostListed is how many proposals and runs are looked through for a page.
const mostListed = 500

// Proposals implements api.Mind.
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

// Proposal implements api.Mind.
func (v *Reader) Proposal(ctx context.Context, id string) (api.Proposal, error) {
	v.use()
	p, err := v.in.Actions.Proposal(ctx, id)
	if err != nil {
		return api.Proposal{}, Answer(err)
	}
	return v.ShownProposal(p), nil
}

// Runs implements api.Mind.
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

// ShownProposal is a proposal with what is known of its action.
func (v *Reader) ShownProposal(p actions.Proposal) api.Proposal {
	out := api.Proposal{Proposal: p}
	for _, o := range v.in.Actions.Offers() {
		if o.Name == p.Action {
			out.Description, out.Undo = o.Description, o.Undo
		}
	}
	if p.State == actions.Pending {
		out.Changed = time.Time{} // nobody has decided
		if err := v.in.Actions.Problem(p); err != nil {
			out.Problem = err.Error()
		}
	}
	return out
}

// ShownRun is a run with whatever its record is not true about.
func (v *Reader) ShownRun(r actions.Run) api.ActionRun {
	if err := v.in.Actions.Altered(r); err != nil {
		r.Problem = strings.TrimPrefix(r.Problem+"; "+err.Error(), "; ")
	}
	if r.LeftOut > 0 {
		r.Output += fmt.Sprintf("\n… %d bytes more were not kept", r.LeftOut)
	}
	return api.ActionRun{Run: r}
}
