package aggregator

import (
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Input is all that a merge depends on. Merge never changes it.
type Input struct {
	State subconscious.State
	// Incidents are those that entries hold, and those that thoughts could
	// mean by what they cite: by key, or by a link.
	Incidents []subconscious.Incident
	// Thoughts are those of healthy runs. Runs says how it went for each
	// thread.
	Thoughts []subconscious.Thought
	Runs     []Run
	// Evidence holds everything that thoughts cite, entries hold, and the
	// incidents above have recorded, as far as it is known.
	Evidence []subconscious.Evidence
	Commands []subconscious.Command
	Rules    Rules
	Kind     subconscious.TickKind
	At       time.Time
	// Zone decides what a local day is.
	Zone *time.Location
}

// Run is how one thread fared at this tick.
type Run struct {
	Thread  subconscious.ThreadName `json:"thread"`
	Outcome Outcome                 `json:"outcome"`
	Error   string                  `json:"error,omitempty"`
	// Level is how far its field was widened.
	Level int `json:"level,omitempty"`
}

// Outcome of one thread's turn.
type Outcome string

const (
	Thought   Outcome = "thought"   // it ran and was healthy, whatever it found
	Unchanged Outcome = "unchanged" // skipped: nothing in its field was new
	Rested    Outcome = "rested"    // skipped by cadence, paused, or not to be paid for
	Failed    Outcome = "failed"
)

// Reason for which a finding was not taken; the first that applies.
type Reason string

const (
	NoEvidence        Reason = "no_evidence"
	NotShown          Reason = "not_shown"
	SelfReference     Reason = "self_reference"
	UnrelatedEvidence Reason = "unrelated_evidence"
	ClosedByPerson    Reason = "closed_by_person"
	Repeat            Reason = "repeat"
	BelowImportance   Reason = "below_importance"
	CrowdedOut        Reason = "crowded_out"
)

// Reasons returns every reason, in the order in which they are looked for.
func Reasons() []Reason {
	return []Reason{NoEvidence, NotShown, SelfReference, UnrelatedEvidence, ClosedByPerson, Repeat, BelowImportance, CrowdedOut}
}

// Changes is what a merge did, for reports and explanations.
type Changes struct {
	Entries   []EntryChange
	Rejected  []Rejection
	Accepted  []Acceptance
	Requests  []Request
	Incidents []subconscious.Incident // changed ones, to be stored
	// Done says for each command, by its id, what it did.
	Done map[int64]string
}

// What happened to an entry.
type What string

const (
	Added      What = "added"
	Reinforced What = "reinforced"
	Faded      What = "faded" // lost strength
	Over       What = "over"
	Dropped    What = "dropped"
	Displaced  What = "crowded out"
	Promoted   What = "promoted"
	Parked     What = "parked"
	Returned   What = "returned"
	Closed     What = "closed"
	Confirmed  What = "confirmed"
	Restated   What = "restated" // it speaks of something else that it rests on
)

// EntryChange is what happened to one entry.
type EntryChange struct {
	Entry   subconscious.EntryID `json:"entry"`
	What    What                 `json:"what"`
	List    subconscious.List    `json:"list"`
	Summary string               `json:"summary"`
	From    int                  `json:"from"` // strength before
	To      int                  `json:"to"`   // strength after
	Why     string               `json:"why,omitempty"`
}

// Rejection is a finding that was not taken.
type Rejection struct {
	Thread  subconscious.ThreadName `json:"thread"`
	Summary string                  `json:"summary"`
	Reason  Reason                  `json:"reason"`
}

// Acceptance is a finding that was taken into an entry.
type Acceptance struct {
	Thread  subconscious.ThreadName `json:"thread"`
	Entry   subconscious.EntryID    `json:"entry"`
	Finding subconscious.Finding    `json:"finding"`
}

// Request is an accepted finding that asks to be told.
type Request struct {
	Thread     subconscious.ThreadName  `json:"thread"`
	Entry      subconscious.EntryID     `json:"entry"`
	Incident   subconscious.IncidentKey `json:"incident"`
	Summary    string                   `json:"summary"`
	Importance int                      `json:"importance"`
	Reason     string                   `json:"reason"`
	Kind       subconscious.Kind        `json:"kind"`
	Rule       string                   `json:"rule,omitempty"`
	Due        time.Time                `json:"due,omitzero"`
	// Evidence is what the finding cites and was shown, what it is about first.
	Evidence []subconscious.Citation `json:"evidence"`
}
