package subconscious

import (
	"slices"
	"strings"
	"time"
)

// ThreadName names a thread of thought.
type ThreadName string

const (
	Watcher   ThreadName = "watcher"
	Librarian ThreadName = "librarian"
	Oracle    ThreadName = "oracle"
	Dreamer   ThreadName = "dreamer"
)

// rulesMark ends the name of the rules beside a thread's model.
const rulesMark = ".rules"

// Rules is the name under which the rules beside a thread's model are shown
// things, so that what was shown to them and what was shown to the model are
// two. In all else they are the thread.
func (n ThreadName) Rules() ThreadName { return n + rulesMark }

// Thread is the thread of that name, or that the rules of that name belong to.
func (n ThreadName) Thread() ThreadName { return ThreadName(strings.TrimSuffix(string(n), rulesMark)) }

// Threads returns the built-in threads in the order in which they are shown.
func Threads() []ThreadName { return []ThreadName{Watcher, Librarian, Oracle, Dreamer} }

// Kind is what sort of finding an entry rests on.
type Kind string

const (
	KindObservation Kind = "observation"
	KindAnomaly     Kind = "anomaly"
	KindPattern     Kind = "pattern"
	KindConnection  Kind = "connection"
	KindForgotten   Kind = "forgotten"
	KindStale       Kind = "stale"
	KindEvent       Kind = "event"
	KindPreparation Kind = "preparation"
	KindRisk        Kind = "risk"
	KindDeadline    Kind = "deadline"
	KindIdea        Kind = "idea"
	KindQuestion    Kind = "question"
	KindChallenge   Kind = "challenge"
	// KindNote is a line that a person or a tool wrote into the document.
	KindNote Kind = "note"
)

// Kinds returns every kind there is.
func Kinds() []Kind {
	return []Kind{KindObservation, KindAnomaly, KindPattern, KindConnection, KindForgotten, KindStale, KindEvent,
		KindPreparation, KindRisk, KindDeadline, KindIdea, KindQuestion, KindChallenge, KindNote}
}

// KindsOf are the kinds of findings that a thread makes, its first one being
// what a foreign kind is read as.
func KindsOf(thread ThreadName) []Kind {
	switch thread {
	case Librarian:
		return []Kind{KindPattern, KindConnection, KindForgotten, KindStale}
	case Oracle:
		return []Kind{KindEvent, KindPreparation, KindRisk, KindDeadline}
	case Dreamer:
		return []Kind{KindIdea, KindConnection, KindQuestion, KindChallenge}
	}
	return []Kind{KindObservation, KindAnomaly}
}

// Thought is what a thread returns, or the rules beside its model.
type Thought struct {
	Thread   ThreadName `json:"thread"`
	Findings []Finding  `json:"findings"`
	// Focus is a hint for another thread.
	Focus *FocusHint `json:"suggested_focus,omitempty"`
	// Over are incidents that the thread's rules no longer find.
	Over []IncidentKey `json:"over,omitempty"`
	// Journal is what to look at next, at most 280 characters; it is given
	// back to this thread alone and is never evidence.
	Journal string `json:"journal,omitempty"`
}

// FocusHint asks a thread to look at something.
type FocusHint struct {
	Thread ThreadName `json:"thread"`
	Hint   string     `json:"hint"`
}

// Finding is what a thread noticed.
type Finding struct {
	Kind    Kind   `json:"kind"`
	Summary string `json:"summary"`
	// Importance is 1 to 10.
	Importance int `json:"importance"`
	// Evidence are citations in their text form (see ParseCitation), the
	// observation that the finding is about first.
	Evidence []string `json:"evidence"`
	// Reinforces are ids of entries that the finding speaks of.
	Reinforces     []EntryID `json:"reinforces,omitempty"`
	Due            time.Time `json:"due,omitzero"`
	Escalate       bool      `json:"escalate,omitempty"`
	EscalateReason string    `json:"escalate_reason,omitempty"`
	// Fact is what changes what the person would do about it, where they are told:
	// what else is then, what takes the room.
	Fact string `json:"fact,omitempty"`
	// Remark is why the model that weighed it did so, in that model's words: for
	// explanations alone.
	Remark string `json:"remark,omitempty"`
	// Rule names the reflex rule, or the model, that made it.
	Rule string `json:"rule,omitempty"`
	// Factual: a rule found it in what the machine, the calendar or the person said,
	// and nobody weighs it down. All else that a rule finds is worth: how much a
	// letter, a file or a connection matters.
	Factual bool `json:"factual,omitempty"`
}

// ByModel reports whether a model wrote what a finding of that rule says, or
// whether that is not known.
func ByModel(rule string) bool { return rule == "" || strings.HasPrefix(rule, "model ") }

// Cites reports whether an observation is among the evidence.
func (f Finding) Cites(ref Ref) bool {
	return slices.ContainsFunc(f.Evidence, func(text string) bool {
		c, ok := ParseCitation(text)
		return ok && c.Ref == ref
	})
}

// Snapshot is what the threads of one tick are given. It is a value: nothing in
// it changes while they think, and they must not change it.
type Snapshot struct {
	Tick  int64
	At    time.Time
	Zone  *time.Location
	Kind  TickKind
	State State
	World World
	// Fields holds what each thread is shown.
	Fields map[ThreadName]Field
	// Habits are what the person's acts say of letters, by name.
	Habits map[string]Habit
}

// Field is what one thread is shown of the world.
type Field struct {
	// New are the observations that the thread has not been shown since their
	// last change, in order of Seq, at most 200.
	New []Observation
	// Overflow counts what had to be left out of New for good.
	Overflow int
	// History holds earlier changes of the observations in New, oldest first, at
	// most 8 each.
	History map[Ref][]Occurrence
	// Level widens the field: 0 as usual, 1 to 3 on reaching novelty pressure
	// 3, 6 and 10. Ahead is how far the oracle looks; Since how far back the
	// others do.
	Level int
	Ahead time.Duration
	Since time.Duration
	// Wider are standing observations that only the wider field holds and that
	// this thread was never shown.
	Wider []Observation
	// Standing are standing observations that a thread with a model is shown
	// beside what is new: dated ones within Ahead, and the evidence of listed
	// entries.
	Standing []Observation
	Pressure int
	Hint     string
	Journal  string
	// Closed are summaries of what the person closed or dismissed lately.
	Closed []string
}

// TickKind says why a tick runs.
type TickKind string

const (
	Scheduled TickKind = "scheduled"
	Manual    TickKind = "manual"
	CatchUp   TickKind = "catch-up"
	Early     TickKind = "early" // brought forward by a sense's hint, a command, or the first after a start
)

// Decays reports whether entries lose strength and are held on such a tick.
func (k TickKind) Decays() bool { return k != Early }

// RaisesPressure reports whether a tick of this kind fills a scheduled slot.
func (k TickKind) RaisesPressure() bool { return k == Scheduled || k == CatchUp }
