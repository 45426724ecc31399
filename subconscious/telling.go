package subconscious

import (
	"slices"
	"time"
)

// IncidentID is an incident's short name for people, never used again: "i-", a
// distinctive word, and base32 of tick and ordinal. It gets one when somebody is
// first asked that it be told.
type IncidentID string

// Telling is what is remembered of telling a person about an incident. The gate
// alone (package escalate) changes it.
type Telling struct {
	ID    IncidentID   `json:"id"`
	State TellingState `json:"state"`
	Since time.Time    `json:"since"` // since when State is so
	// Asked is the last request that the person be told.
	Asked Asked `json:"asked"`
	// Waits: the request is still to be judged again at each tick. Held is the
	// reason that the last look gave, HeldSince since when it waits, and Until
	// how long it waits at least for that reason; zero: until the next tick.
	Waits     bool      `json:"waits,omitempty"`
	Held      string    `json:"held,omitempty"`
	HeldSince time.Time `json:"held_since,omitzero"`
	Until     time.Time `json:"until,omitzero"`
	// Remind is when the person asked to be told again; zero for never.
	Remind time.Time `json:"remind,omitzero"`
	// Told are the last times it was told, or given to a deliberation, oldest
	// first, at most 8; Times counts all that the person was told.
	Told  []Told `json:"told,omitempty"`
	Times int    `json:"times,omitempty"`
	// Feedback is the person's last word on its use, and Counted the sort
	// whose score counts it, so that another word can replace it there.
	Feedback Feedback `json:"feedback,omitempty"`
	Counted  Sort     `json:"counted,omitzero"`
}

// Sort is a sort of thing that is told: what a Score is of.
type Sort struct {
	Thread ThreadName `json:"thread"`
	Source string     `json:"source"` // sense
	Kind   Kind       `json:"kind"`
}

// TellingState is where an incident is in its life with the person.
type TellingState string

const (
	TellingOpen         TellingState = "open"         // asked for, not told yet
	TellingTold         TellingState = "told"         // told, no answer yet
	TellingAcknowledged TellingState = "acknowledged" // the person answered
	TellingSnoozed      TellingState = "snoozed"      // the person wants to hear of it later
	TellingDismissed    TellingState = "dismissed"    // the person wants to hear no more of it
	TellingResolved     TellingState = "resolved"     // it is over
	TellingReopened     TellingState = "reopened"     // it was over or dismissed, and is asked for again
)

// Feedback is the person's word on whether being told was of use.
type Feedback string

const (
	Useful    Feedback = "useful"
	NotUseful Feedback = "not_useful"
	Dismissed Feedback = "dismissed"
	Ignored   Feedback = "ignored" // a day passed without an answer
	Missed    Feedback = "missed"  // it should have been told
)

// Request is a thread's request that the person be told, with the incident that it
// is about.
type Request struct {
	Incident IncidentKey `json:"incident"`
	Asked
}

// Asked is what is asked in a request.
type Asked struct {
	Tick       int64      `json:"tick"`
	At         time.Time  `json:"at"`
	Entry      EntryID    `json:"entry"`
	Thread     ThreadName `json:"thread"`
	Rule       string     `json:"rule,omitempty"` // the reflex rule, or the model
	Kind       Kind       `json:"kind"`
	Source     string     `json:"source"` // the sense of the observation that it is about
	Summary    string     `json:"summary"`
	Importance int        `json:"importance"` // 1 to 10
	// Scored: the person's habits are part of its importance, so that no Score counts
	// as well.
	Scored bool      `json:"scored,omitempty"`
	Reason string    `json:"reason"`
	Fact   string    `json:"fact,omitempty"`   // what changes what the person would do about it
	Remark string    `json:"remark,omitempty"` // of the model that weighed it, for explanations alone
	Due    time.Time `json:"due,omitzero"`
	// Evidence is what the request cites, the observation that it is about first.
	Evidence []Citation `json:"evidence"`
}

// Told is one time that an incident was told, with what it was like then: it
// speaks again only when one of these has changed in a way that matters.
type Told struct {
	Tick   int64     `json:"tick"`
	At     time.Time `json:"at"`
	Why    string    `json:"why,omitempty"` // why it was told again: "worse", "reminder"
	Digest bool      `json:"digest,omitempty"`
	// Outcome is what a deliberation on it came to, OutcomePending while that is
	// under way; "" where the person was told by rules.
	Outcome      OutcomeKind `json:"outcome,omitempty"`
	Sort         Sort        `json:"sort,omitzero"` // who had it told
	Severity     Severity    `json:"severity"`
	Band         Band        `json:"band,omitempty"` // of its due time
	Due          time.Time   `json:"due,omitzero"`
	Status       string      `json:"status,omitempty"`       // attribute "status" of what it is about
	Participants []string    `json:"participants,omitempty"` // sorted, at most 32
	// Changes is the last counted change of each observation, by which a request
	// about a pair or a pattern is known to say nothing new.
	Changes map[Ref]int64 `json:"changes,omitempty"`
}

// Heard reports whether the person heard of it that time, or read it.
func (t Told) Heard() bool { return t.Outcome == "" || t.Outcome.Tells() }

// Heard is the last time that the person heard of an incident, or read it; ok is
// false for never. What a deliberation kept back, or has under way, is none.
func (t *Telling) Heard() (last Told, ok bool) {
	if t == nil {
		return Told{}, false
	}
	for _, told := range slices.Backward(t.Told) {
		if told.Heard() {
			return told, true
		}
	}
	return Told{}, false
}

// Deliberating reports whether a deliberation on an incident is under way, as
// far as is on record.
func (t *Telling) Deliberating() bool {
	return t != nil && slices.ContainsFunc(t.Told, func(told Told) bool { return told.Outcome == OutcomePending })
}

// Presence is whether now is a natural pause in what the person does.
type Presence struct {
	State PresenceState `json:"state"`
	// Since is since when it is so, as far as is known; Until how long it will
	// be, where that is known: the end of a meeting.
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	// Why is in plain words: "in “Standup” until 10:30".
	Why string `json:"why,omitempty"`
}

// PresenceState is one of what can be told of a person from outside.
type PresenceState string

const (
	PresenceUnknown PresenceState = "unknown" // nothing is known: as good a moment as any
	PresenceLooking PresenceState = "looking" // used the command line just now: a natural pause
	PresenceIdle    PresenceState = "idle"    // at the machine, hands off it for a moment: a natural pause
	PresenceAway    PresenceState = "away"    // locked, or idle for long
	PresenceEngaged PresenceState = "engaged" // typing: what can wait, waits a little
	PresenceBusy    PresenceState = "busy"    // in a meeting by the calendar
)

// Score is how telling things of one sort has fared: calibration.
type Score struct {
	Thread ThreadName `json:"thread"`
	Source string     `json:"source"` // sense
	Kind   Kind       `json:"kind"`
	// Counts of the person's last word on each incident of that sort.
	Useful    int       `json:"useful,omitempty"`
	NotUseful int       `json:"not_useful,omitempty"`
	Dismissed int       `json:"dismissed,omitempty"`
	Ignored   int       `json:"ignored,omitempty"`
	Missed    int       `json:"missed,omitempty"`
	Updated   time.Time `json:"updated,omitzero"`
}

// Notice is what the daemon has to say about itself.
type Notice struct {
	NoticeKey
	At   time.Time `json:"at"`   // since when it is so
	Text string    `json:"text"` // one plain sentence
	Next string    `json:"next"` // what to do
}

// The codes of notices that guard: somebody changed what decides over effects, or tried
// to approve without the right to.
const (
	NoticeTouched    = "configuration_touched"
	NoticePassphrase = "passphrase_guessed"
)

// Guards reports whether a notice is told at once: by it the person learns of what
// another may have done in their name.
func (k NoticeKey) Guards() bool { return k.Code == NoticeTouched || k.Code == NoticePassphrase }

// NoticeKey is the identity of a notice: a code and what it is about.
type NoticeKey struct {
	Code string `json:"code"` // "sense_blind", "document_rejected"
	Key  string `json:"key"`  // the sense, the file; "" where the code says it all
}
