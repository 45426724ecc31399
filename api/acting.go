package api

import (
	"context"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// Proposer shows the actions that wait for the person's word, and takes it.
// Nothing but this approves anything: no channel does.
type Proposer interface {
	// Proposals returns those that wait, or all, newest first.
	Proposals(ctx context.Context, query ProposalQuery) (ProposalPage, error)
	// Proposal returns one by its id, or an *Error with CodeNotFound.
	Proposal(ctx context.Context, id string) (Proposal, error)
	// Decide approves or rejects. What was approved is carried out before it
	// returns; a run that fails is no error. Its context outlives the
	// connection. It gives an *Error with CodeNotFound, CodeExpired, CodeUsed,
	// CodeChanged, CodeLimit or CodeRefused, and then nothing was carried out.
	Decide(ctx context.Context, decision ProposalDecision) (ProposalResult, error)
}

// Undoer shows what was carried out, and takes it back where that is configured.
type Undoer interface {
	// Runs returns what was carried out, newest first.
	Runs(ctx context.Context, query RunQuery) (RunPage, error)
	// Undo takes a run back and returns the run that did. It works once, until
	// UndoUntil. Its errors are those of Decide.
	Undo(ctx context.Context, request UndoRequest) (ActionRun, error)
}

// ProposalState says what became of a proposal, and RunState of a run.
type (
	ProposalState = actions.ProposalState
	RunState      = actions.RunState
)

// The states of a proposal and of a run, as far as others ask for them.
const (
	ProposalPending = actions.Pending
	RunStarted      = actions.RunStarted
	RunSucceeded    = actions.RunSucceeded
)

// ProposalQuery says which proposals are wanted.
type ProposalQuery struct {
	// All are those too that do not wait any more.
	All bool `query:"all"`
	// Before is a page's mark, from ProposalPage.Before; "" for the newest.
	Before string `query:"before"`
	Limit  int    `query:"limit"` // 1 to 100; 0 is 20
}

func (q *ProposalQuery) check() error { return checkMark(q.Before) }

// ProposalName names a proposal.
type ProposalName struct {
	ID string `path:"id"`
}

func (q *ProposalName) check() error { return checkProposal(q.ID) }

// ProposalPage is one page of proposals, newest first.
type ProposalPage struct {
	Proposals []Proposal `json:"proposals"`
	// Before asks for the next page; "" where this was the last.
	Before string `json:"before,omitempty"`
}

// Proposal is an action that somebody asks for and the person decides on.
type Proposal struct {
	actions.Proposal
	// Description is what the configuration says of the action.
	Description string `json:"description,omitempty"`
	// Undo: it can be taken back for a while after it was carried out.
	Undo bool `json:"undo,omitempty"`
	// Problem is why it could not be approved now, though it waits: its action
	// is configured otherwise meanwhile, say.
	Problem string `json:"problem,omitempty"`
}

// ProposalDecision is the person's word on a proposal, and the body of
// POST /v1/proposals/decide.
type ProposalDecision struct {
	ID string `json:"id"`
	// Hash is that of what the person was shown. Approving needs it.
	Hash    string `json:"hash,omitempty"`
	Approve bool   `json:"approve"`
	// By is who asks, as the kernel says; no client can set it.
	By Caller `json:"-"`
}

// check wants the hash of what was shown: a word for approving without it
// approves nothing.
func (d *ProposalDecision) check() error {
	switch err := checkProposal(d.ID); {
	case err != nil:
		return err
	case d.Approve && d.Hash == "":
		return badRequest("send the hash that the proposal was shown with", "hash: approving needs it")
	case d.Hash != "" && !isName(d.Hash, maxHash):
		return badRequest("send the hash that the proposal was shown with", "hash: %q is not a proposal's hash", clip(d.Hash))
	}
	return nil
}

func (d *ProposalDecision) from(by Caller) { d.By = by }

// quick: nothing is carried out where it is rejected.
func (d *ProposalDecision) quick() bool { return !d.Approve }

// maxHash is the longest hash of a proposal, in bytes.
const maxHash = 128

func checkProposal(id string) error {
	if isID(id) {
		return nil
	}
	return badRequest("take an id from `subconsciousctl proposals`", "id: %q is not a proposal's id", clip(id))
}

// Caller is the process at the other end of a connection, as the kernel says.
type Caller struct {
	UID int
	PID int // 0 where it is not known
}

// ProposalResult says what came of a decision.
type ProposalResult struct {
	Proposal Proposal `json:"proposal"`
	// Run is what was carried out; nil where it was rejected.
	Run *ActionRun `json:"run,omitempty"`
}

// RunQuery says which runs are wanted.
type RunQuery struct {
	// Undoable are those alone that can be taken back now.
	Undoable bool `query:"undoable"`
	// Deliberation is that of one alone; "" for all.
	Deliberation string `query:"deliberation"`
	// Before is a page's mark, from RunPage.Before; "" for the newest.
	Before string `query:"before"`
	Limit  int    `query:"limit"` // 1 to 100; 0 is 20
}

func (q *RunQuery) check() error {
	if q.Deliberation != "" && !isID(q.Deliberation) {
		return badRequest("take it from `subconsciousctl why`", "deliberation: %q is not a deliberation's id", clip(q.Deliberation))
	}
	return checkMark(q.Before)
}

// RunPage is one page of runs, newest first.
type RunPage struct {
	Runs []ActionRun `json:"runs"`
	// Before asks for the next page; "" where this was the last.
	Before string `json:"before,omitempty"`
}

// ActionRun is an action that was carried out, or the taking back of one.
type ActionRun struct {
	actions.Run
	// Undone is the run that took this one back, and UndoTried the one that was to
	// and has not, or not yet.
	Undone    string `json:"undone,omitempty"`
	UndoTried string `json:"undo_tried,omitempty"`
}

// UndoRequest is the body of POST /v1/undo.
type UndoRequest struct {
	Run string `json:"run"`
	// By is who asks, as in ProposalDecision.
	By Caller `json:"-"`
}

func (u *UndoRequest) check() error {
	if isID(u.Run) {
		return nil
	}
	return badRequest("take an id from `subconsciousctl undo --list`", "run: %q is not a run's id", clip(u.Run))
}

func (u *UndoRequest) from(by Caller) { u.By = by }
