package api

import "github.com/subconsciousd/subconsciousd/escalate/actions"

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
	Before string `query:"before" is:"mark"`
	Limit  int    `query:"limit"` // 1 to 100; 0 is 20
}

// ProposalName names a proposal.
type ProposalName struct {
	ID string `path:"id" is:"proposal"`
}

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
	ID string `json:"id" is:"proposal"`
	// Hash is that of what the person was shown. Approving needs it.
	Hash    string `json:"hash,omitempty" is:"hash"`
	Approve bool   `json:"approve,omitempty"`
	// Passphrase is what approve.ask of the configuration may ask for.
	Passphrase string `json:"passphrase,omitempty"`
	// By is who asks, as the kernel says; no client can set it.
	By Caller `json:"-"`
}

// check wants the hash of what was shown: a word for approving without it
// approves nothing.
func (d *ProposalDecision) check() error {
	if d.Approve && d.Hash == "" {
		return badRequest(kinds["hash"].next, "hash: approving needs it")
	}
	return nil
}

func (d *ProposalDecision) from(by Caller) { d.By = by }

// quick: nothing is carried out where it is rejected.
func (d *ProposalDecision) quick() bool { return !d.Approve }

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

// PassphraseRequest is the body of POST /v1/passphrase: another one is asked for
// from then on.
type PassphraseRequest struct {
	As string `json:"as,omitempty" is:"agent"`
	// Present is the one that is asked for now; empty where there is none.
	Present    string `json:"present,omitempty"`
	Passphrase string `json:"passphrase"`
}

func (r *PassphraseRequest) check() error {
	return firstError(checkAs(r.As), mayVouch(r.As, "to set the passphrase"))
}

// PassphraseSet is the answer to that.
type PassphraseSet struct {
	// Asked: the configuration has it asked for.
	Asked bool `json:"asked"`
}

// RunQuery says which runs are wanted.
type RunQuery struct {
	// Undoable are those alone that can be taken back now.
	Undoable bool `query:"undoable"`
	// Deliberation is that of one alone; "" for all.
	Deliberation string `query:"deliberation" is:"deliberation"`
	// Before is a page's mark, from RunPage.Before; "" for the newest.
	Before string `query:"before" is:"mark"`
	Limit  int    `query:"limit"` // 1 to 100; 0 is 20
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
	Run string `json:"run" is:"run"`
	// By is who asks, as in ProposalDecision.
	By Caller `json:"-"`
}

func (u *UndoRequest) from(by Caller) { u.By = by }
