package subconscious

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// OutcomeKind is how a deliberation ended.
type OutcomeKind string

const (
	OutcomeTold       OutcomeKind = "told"       // the person was told
	OutcomeActed      OutcomeKind = "acted"      // a configured action was carried out, and the person told
	OutcomeProposed   OutcomeKind = "proposed"   // the person is asked to approve an action
	OutcomeRemembered OutcomeKind = "remembered" // kept in memory, and not told
	OutcomeSnoozed    OutcomeKind = "snoozed"    // told later, if it still stands
	OutcomeDismissed  OutcomeKind = "dismissed"  // not told

	// OutcomePending: it has not ended, the deliberation is under way.
	OutcomePending OutcomeKind = "deliberating"
)

// OutcomeKinds returns every way in which a deliberation can end.
func OutcomeKinds() []OutcomeKind {
	return []OutcomeKind{OutcomeTold, OutcomeActed, OutcomeProposed, OutcomeRemembered, OutcomeSnoozed, OutcomeDismissed}
}

// ByDeliberation is who gives a command of kind CommandOutcome, and nobody else;
// behind a space the id of the deliberation can follow.
const ByDeliberation = "deliberation"

// IsDeliberation reports whether a command's By is a deliberation.
func IsDeliberation(by string) bool {
	return by == ByDeliberation || strings.HasPrefix(by, ByDeliberation+" ")
}

const (
	// MaxCited is how many citations an outcome has at most.
	MaxCited = 8
	// OutcomeReasonBytes bounds the sentence of an outcome.
	OutcomeReasonBytes = 600
	// deliberationBytes bounds the id of a deliberation and the name of a model.
	deliberationBytes = 200
	// maxOutcomeCost is a million US dollars.
	maxOutcomeCost = 1_000_000 * 1_000_000_000
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

// KeepsBack reports whether the person heard nothing of it.
func (k OutcomeKind) KeepsBack() bool {
	return k == OutcomeRemembered || k == OutcomeSnoozed || k == OutcomeDismissed
}

// Validate names everything that is wrong with an outcome.
func (o Outcome) Validate() error {
	var problems []error
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	name := func(key, text string) {
		if text == "" || len(text) > deliberationBytes || !utf8.ValidString(text) || Printable(text) != text {
			bad("%s: must be 1 to %d bytes of plain text on one line", key, deliberationBytes)
		}
	}
	name("deliberation", o.Deliberation)
	name("model", o.Model)
	if !slices.Contains(OutcomeKinds(), o.Kind) {
		bad("kind: %.30q is none of %v", o.Kind, OutcomeKinds())
	}
	switch {
	case strings.TrimSpace(o.Reason) == "" || !utf8.ValidString(o.Reason):
		bad("reason: must be one sentence of text")
	case len(o.Reason) > OutcomeReasonBytes:
		bad("reason: is %d bytes long, at most %d fit", len(o.Reason), OutcomeReasonBytes)
	}
	if o.Until.IsZero() == (o.Kind == OutcomeSnoozed) {
		bad("until: what is snoozed, and nothing else, has a time at which it is told")
	}
	if o.Tick < 1 {
		bad("tick: is %d, must be the tick of the decision", o.Tick)
	}
	if o.Cost < 0 || o.Cost > maxOutcomeCost {
		bad("cost: is %d, must be 0 to %d billionths of a US dollar", o.Cost, int64(maxOutcomeCost))
	}
	if len(o.Cited) > MaxCited {
		bad("cited: has %d references, at most %d fit", len(o.Cited), MaxCited)
	}
	for i, c := range o.Cited {
		if read, ok := ParseCitation(c.String()); !ok || read != c {
			bad("cited[%d]: %.40q is not a reference such as notes:abcdefghij", i, c.String())
		}
	}
	return errors.Join(problems...)
}
