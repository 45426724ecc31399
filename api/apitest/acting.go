package apitest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// page returns those of all that are wanted, from behind the one with the id
// before, and the mark of the next page.
func page[T any, ID comparable](all []T, before ID, limit int, id func(T) ID, wanted func(T) bool) (found []T, next ID) {
	begun := before == next
	for _, value := range all {
		switch {
		case !begun:
			begun = id(value) == before
		case !wanted(value):
		case len(found) == limit:
			return found, id(found[limit-1])
		default:
			found = append(found, value)
		}
	}
	return found, next
}

// Proposals returns a page of Proposed.
func (m *Mind) Proposals(_ context.Context, query api.ProposalQuery) (api.ProposalPage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, next := page(m.Proposed, query.Before, query.Limit, func(p api.Proposal) string { return p.ID },
		func(p api.Proposal) bool { return query.All || p.State == api.ProposalPending })
	return api.ProposalPage{Proposals: found, Before: next}, nil
}

// Proposal returns one of Proposed.
func (m *Mind) Proposal(_ context.Context, id string) (api.Proposal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.proposed(id)
	return *p, err
}

func (m *Mind) proposed(id string) (*api.Proposal, error) {
	return find(m.Proposed, func(p api.Proposal) bool { return p.ID == id }, "take an id from subconsciousctl proposals", "there is no proposal %s", id)
}

// Decide records the decision and changes Proposed, and Ran where it approves.
func (m *Mind) Decide(_ context.Context, decision api.ProposalDecision) (api.ProposalResult, error) {
	decision.By = api.Caller{} // it is the test
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.proposed(decision.ID)
	if err != nil {
		return api.ProposalResult{}, err
	}
	if m.OnDecide != nil {
		if err := m.OnDecide(decision); err != nil {
			return api.ProposalResult{}, err
		}
	}
	switch given := decision.Passphrase; {
	case decision.Approve && given == "" && m.Passphrase != "":
		return api.ProposalResult{}, api.Errorf(api.CodePassphrase, "name a file with --passphrase-file", "approving takes your passphrase")
	case decision.Approve && given != m.Passphrase:
		return api.ProposalResult{}, api.Errorf(api.CodeRefused, "type it again", "that is not the passphrase")
	case p.State == actions.Expired:
		return api.ProposalResult{}, api.Errorf(api.CodeExpired, "ask for it anew", "the proposal %s has expired", p.ID)
	case p.State != api.ProposalPending:
		return api.ProposalResult{}, api.Errorf(api.CodeUsed, "see subconsciousctl proposals --all", "the proposal %s was %s already", p.ID, p.State)
	case decision.Hash != "" && decision.Hash != p.Hash:
		return api.ProposalResult{}, api.Errorf(api.CodeChanged, "look at it again: subconsciousctl proposals", "the proposal %s is not what was shown", p.ID)
	}
	m.decided = append(m.decided, decision)
	p.Changed = at
	if !decision.Approve {
		p.State = actions.Rejected
		return api.ProposalResult{Proposal: *p}, nil
	}
	run := api.ActionRun{Run: actions.Run{ID: fmt.Sprintf("r-new-%d", len(m.decided)), State: api.RunSucceeded, Output: "done\n", Started: at, Ended: at.Add(time.Second), Proposal: p.ID, Exact: actions.Exact{
		Act: escalate.Act{Action: p.Action, Deliberation: p.Deliberation, Incident: p.Incident}, Argv: p.Argv}}}
	if p.Undo {
		run.UndoUntil = at.Add(10 * time.Minute)
	}
	p.State, p.Run = actions.Approved, run.ID
	m.Ran = append([]api.ActionRun{run}, m.Ran...)
	return api.ProposalResult{Proposal: *p, Run: &run}, nil
}

// Decisions returns what was decided so far.
func (m *Mind) Decisions() []api.ProposalDecision { return copied(m, &m.decided) }

// undoable reports whether a run can be taken back at the time of the samples.
func undoable(r api.ActionRun) bool {
	return r.State == api.RunSucceeded && r.Undone == "" && r.UndoUntil.After(at)
}

// SetPassphrase sets Passphrase, where the present one is given.
func (m *Mind) SetPassphrase(_ context.Context, request api.PassphraseRequest) (api.PassphraseSet, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Passphrase != request.Present {
		return api.PassphraseSet{}, api.Errorf(api.CodeRefused, "type it again", "that is not the passphrase")
	}
	m.Passphrase = request.Passphrase
	return api.PassphraseSet{Asked: true}, nil
}

// Runs returns a page of Ran.
func (m *Mind) Runs(_ context.Context, query api.RunQuery) (api.RunPage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, next := page(m.Ran, query.Before, query.Limit, func(r api.ActionRun) string { return r.ID }, func(r api.ActionRun) bool {
		return (!query.Undoable || undoable(r)) && (query.Deliberation == "" || query.Deliberation == r.Deliberation)
	})
	return api.RunPage{Runs: found, Before: next}, nil
}

// Undo adds a run to Ran that takes one back.
func (m *Mind) Undo(_ context.Context, request api.UndoRequest) (api.ActionRun, error) {
	id := request.Run
	m.mu.Lock()
	defer m.mu.Unlock()
	taken, err := find(m.Ran, func(r api.ActionRun) bool { return r.ID == id }, "take an id from subconsciousctl undo --list", "there is no run %s", id)
	if err != nil {
		return api.ActionRun{}, err
	}
	switch {
	case taken.Undone != "":
		return api.ActionRun{}, api.Errorf(api.CodeUsed, "it can be taken back once", "the run %s was taken back already", id)
	case !undoable(*taken):
		return api.ActionRun{}, api.Errorf(api.CodeExpired, "mend it by hand", "the run %s cannot be taken back any more", id)
	}
	run := api.ActionRun{Run: actions.Run{ID: strings.Replace(id, "r-", "r-undo-", 1), State: api.RunSucceeded, Started: at, Ended: at.Add(time.Second), UndoOf: id, Exact: actions.Exact{
		Act: escalate.Act{Action: taken.Action}, Argv: []string{"/usr/local/bin/" + taken.Action, "--undo"}}}}
	taken.Undone = run.ID
	m.Ran = append([]api.ActionRun{run}, m.Ran...)
	return run, nil
}
