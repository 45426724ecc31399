package subconscious

import "time"

// OutcomeKind is the one way in which a deliberation ended.
type OutcomeKind string

const (
	OutcomeTold       OutcomeKind = "told"       // the person was told
	OutcomeActed      OutcomeKind = "acted"      // a configured action was carried out, and the person told
	OutcomeProposed   OutcomeKind = "proposed"   // the person is asked to approve an action
	OutcomeRemembered OutcomeKind = "remembered" // kept in memory, and not told
	OutcomeSnoozed    OutcomeKind = "snoozed"    // told later, if it still stands
	OutcomeDismissed  OutcomeKind = "dismissed"  // not told
)

// Outcome is how a deliberation on an incident ended. It reaches the mind as a
// command, with the next tick.
type Outcome struct {
	Deliberation string      `json:"deliberation"` // its id
	Kind         OutcomeKind `json:"kind"`
	// Reason is one sentence.
	Reason string `json:"reason"`
	// Until is when what was snoozed is told.
	Until time.Time `json:"until,omitzero"`
	// Tick is the tick whose decision was deliberated on.
	Tick int64 `json:"tick"`
	// Model is "PROVIDER/MODEL", or "template" where rules told the person in
	// its place.
	Model string `json:"model"`
	// Cost is in billionths of a US dollar.
	Cost int64 `json:"cost,omitempty"`
	// Cited is what it rests on, at most 8.
	Cited []Citation `json:"cited,omitempty"`
}

// Tells reports whether the person heard of it.
func (k OutcomeKind) Tells() bool {
	return k == OutcomeTold || k == OutcomeActed || k == OutcomeProposed
}
