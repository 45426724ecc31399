package actions

import (
	"crypto/subtle"
	"slices"
	"time"
)

// guards are what stands between a request and its effect, one by one, so that
// tests can show what each is for.
type guards struct {
	// text says what is wrong with a free text.
	text func(text string, multiline bool) string
	// option refuses an argument that became an option.
	option func(a argument, values map[string]value, text string) error
	// path returns the absolute path below a folder.
	path func(root, path string) (string, error)
	// stored reports whether what is stored to be shown is what runs.
	stored func(argv []string, folder string, fresh Bound) bool
	// descends reports whether an action has begun a process.
	descends func(pid int) bool
	// approve refuse an approval, in this order.
	approve []approvalGuard
}

// approval is all that is known when a proposal is approved.
type approval struct {
	proposal Proposal
	given    string // the hash that the person was shown
	at       time.Time
	// fresh are the stored arguments, bound to the action as it is configured
	// now; problem is why they cannot be.
	fresh   Bound
	problem error
	// hour and day count the runs of the action.
	hour, day int
}

// approvalGuard is one condition of approving.
type approvalGuard struct {
	name   string
	refuse func(a approval) error
}

func allGuards() guards {
	return guards{text: notText, option: noOption, path: below, stored: isStored, descends: descends, approve: []approvalGuard{
		{"single use", singleUse}, {"expiry", notExpired}, {"shown", asShown}, {"configured", asConfigured}, {"limit", withinLimits},
	}}
}

func singleUse(a approval) error {
	if a.proposal.State == Approved || a.proposal.State == Rejected {
		return refuse(CodeUsed, "have it proposed again", "the proposal %s was %s before", a.proposal.ID, a.proposal.State)
	}
	return nil
}

func notExpired(a approval) error {
	if a.proposal.State == Expired || !a.at.Before(a.proposal.Expires) {
		return refuse(CodeExpired, "have it proposed again", "the proposal %s expired at %s", a.proposal.ID, a.proposal.Expires.Format(time.RFC3339))
	}
	return nil
}

func asShown(a approval) error {
	if !equal(a.given, a.proposal.Hash) {
		return refuse(CodeChanged, "look at the proposal again and approve what it shows", "the proposal %s is not the one that was shown", a.proposal.ID)
	}
	return nil
}

func asConfigured(a approval) error {
	switch code := CodeOf(a.problem); {
	case code == CodeUnknown || code == CodeInvalid:
		return refuse(CodeChanged, "put the action back, or have it proposed again", "%s cannot be approved under the present configuration: %v", a.proposal.ID, a.problem)
	case a.problem != nil:
		return a.problem
	case !equal(a.proposal.Hash, a.fresh.Hash):
		return refuse(CodeChanged, "have it proposed again", "the action %s is another one than when %s was proposed", a.proposal.Action, a.proposal.ID)
	}
	return nil
}

func withinLimits(a approval) error {
	if a.problem != nil {
		return a.problem
	}
	return limits(a.fresh.does.action, a.hour, a.day)
}

func limits(action Action, hour, day int) error {
	switch {
	case hour >= action.PerHour:
		return refuse(CodeLimit, "try again in an hour, or raise its per_hour", "%s ran %d times in the last hour", action.Name, hour)
	case day >= action.PerDay:
		return refuse(CodeLimit, "try again tomorrow, or raise its per_day", "%s ran %d times in the last 24 hours", action.Name, day)
	}
	return nil
}

func isStored(argv []string, folder string, fresh Bound) bool {
	return slices.Equal(argv, fresh.Argv) && folder == fresh.Folder
}

// asStored refuses what was shown otherwise than it runs: whoever writes to the
// database writes what is shown.
func (g guards) asStored(id string, argv []string, folder string, fresh Bound) error {
	if g.stored(argv, folder, fresh) {
		return nil
	}
	return refuse(CodeChanged, "find out who writes to the database, and have it proposed again",
		"what is stored of %s is not what its action runs with these arguments", id)
}

// equal compares hashes in constant time.
func equal(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// check asks each guard. What cannot be bound passes none.
func (g guards) check(a approval) error {
	for _, guard := range g.approve {
		if err := guard.refuse(a); err != nil {
			return err
		}
	}
	if a.problem != nil {
		return a.problem
	}
	return g.asStored(a.proposal.ID, a.proposal.Argv, a.proposal.Folder, a.fresh)
}
