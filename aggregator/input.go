package aggregator

import (
	"errors"
	"fmt"
	"slices"
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
	Requests  []subconscious.Request
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
	Edited     What = "edited"
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

// Rules are the limits, rates and thresholds of the mechanics.
type Rules struct {
	// Limits of the four lists; they can be lowered, not raised.
	ActiveThreads     int           `mapstructure:"active_threads" json:"active_threads" about:"How many entries are followed at once: 1 to 5."`
	Patterns          int           `mapstructure:"patterns" json:"patterns" about:"How many patterns are kept: 1 to 5."`
	Hunches           int           `mapstructure:"hunches" json:"hunches" about:"How many hunches are kept: 1 to 5."`
	Insights          int           `mapstructure:"insights" json:"insights" about:"How many insights are kept: 1 to 3."`
	Parked            int           `mapstructure:"parked" json:"parked" about:"How many entries wait for room in a full list: 0 to 50."`
	Start             int           `mapstructure:"start_strength" json:"start_strength" about:"The strength of what is new: 1 to 10."`
	Gain              int           `mapstructure:"gain" json:"gain" about:"What new evidence adds to the strength: 1 to 10."`
	GainTwo           int           `mapstructure:"gain_two_threads" json:"gain_two_threads" about:"What it adds where two threads bring different new evidence: 1 to 10."`
	GainBetter        int           `mapstructure:"gain_better" json:"gain_better" about:"What it adds where the change is for the better: 0 to 10."`
	MinImportance     int           `mapstructure:"min_importance" json:"min_importance" about:"The least importance that is taken in: 1 to 10."`
	InsightImportance int           `mapstructure:"insight_importance" json:"insight_importance" about:"The least importance that can become an insight: 1 to 10."`
	InsightDays       int           `mapstructure:"insight_days" json:"insight_days" about:"On how many days there must be evidence for an insight: 1 to 8."`
	InsightChanges    int           `mapstructure:"insight_changes" json:"insight_changes" about:"How many changes there must be for an insight: 1 to 100."`
	CloseFor          time.Duration `mapstructure:"close_for" json:"close_for" about:"How long something stays closed that was a moment's: 1h to 8784h."`
	FocusFor          time.Duration `mapstructure:"focus_for" json:"focus_for" about:"How long a focus that you set lasts: 1m to 8784h."`
	MaxTokens         int           `mapstructure:"max_tokens" json:"max_tokens" about:"The size of subconscious.json, in estimated tokens: 200 to 2000."`
}

// DefaultRules returns the rules that hold where the configuration is silent.
func DefaultRules() Rules {
	return Rules{
		ActiveThreads: subconscious.MaxActive, Patterns: subconscious.MaxPatterns,
		Hunches: subconscious.MaxHunches, Insights: subconscious.MaxInsights, Parked: 50,
		Start: 3, Gain: 2, GainTwo: 3, GainBetter: 1,
		MinImportance: 3, InsightImportance: 5, InsightDays: 3, InsightChanges: 3,
		CloseFor: 7 * 24 * time.Hour, FocusFor: 24 * time.Hour,
		MaxTokens: subconscious.MaxTokens,
	}
}

// Validate names every rule that is out of its range.
func (r Rules) Validate() error {
	var problems []error
	within := func(key string, value, low, high int) {
		if value < low || value > high {
			problems = append(problems, fmt.Errorf("%s: is %d, must be %d to %d", key, value, low, high))
		}
	}
	within("active_threads", r.ActiveThreads, 1, subconscious.MaxActive)
	within("patterns", r.Patterns, 1, subconscious.MaxPatterns)
	within("hunches", r.Hunches, 1, subconscious.MaxHunches)
	within("insights", r.Insights, 1, subconscious.MaxInsights)
	within("parked", r.Parked, 0, 50)
	within("start_strength", r.Start, 1, subconscious.MaxStrength)
	within("gain", r.Gain, 1, subconscious.MaxStrength)
	within("gain_two_threads", r.GainTwo, 1, subconscious.MaxStrength)
	within("gain_better", r.GainBetter, 0, subconscious.MaxStrength)
	within("min_importance", r.MinImportance, 1, 10)
	within("insight_importance", r.InsightImportance, 1, 10)
	within("insight_days", r.InsightDays, 1, 8)
	within("insight_changes", r.InsightChanges, 1, 100)
	within("max_tokens", r.MaxTokens, 200, subconscious.MaxTokens)
	if r.CloseFor < time.Hour || r.CloseFor > 366*24*time.Hour {
		problems = append(problems, fmt.Errorf("close_for: is %s, must be 1h to 8784h", r.CloseFor))
	}
	if r.FocusFor < time.Minute || r.FocusFor > 366*24*time.Hour {
		problems = append(problems, fmt.Errorf("focus_for: is %s, must be 1m to 8784h", r.FocusFor))
	}
	return errors.Join(problems...)
}

// limit returns how many entries a list holds.
func (r Rules) limit(list subconscious.List) int {
	switch list {
	case subconscious.ActiveThreads:
		return r.ActiveThreads
	case subconscious.Patterns:
		return r.Patterns
	case subconscious.Hunches:
		return r.Hunches
	}
	return r.Insights
}

// ownKind reads a kind that is foreign to the thread as the thread's first.
func ownKind(thread subconscious.ThreadName, kind subconscious.Kind) subconscious.Kind {
	own := subconscious.KindsOf(thread)
	if slices.Contains(own, kind) {
		return kind
	}
	return own[0]
}

// listOf is the list that a finding belongs to. A connection is the
// librarian's pattern and the dreamer's hunch.
func listOf(thread subconscious.ThreadName, kind subconscious.Kind) subconscious.List {
	switch kind {
	case subconscious.KindPattern:
		return subconscious.Patterns
	case subconscious.KindConnection:
		if thread == subconscious.Librarian {
			return subconscious.Patterns
		}
		return subconscious.Hunches
	case subconscious.KindIdea, subconscious.KindQuestion, subconscious.KindChallenge:
		return subconscious.Hunches
	}
	return subconscious.ActiveThreads
}
