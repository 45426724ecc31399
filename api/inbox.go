package api

import (
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// InboxQuery says which incidents are wanted.
type InboxQuery struct {
	// All shows those that are over, dismissed or were dropped too.
	All bool `query:"all"`
	// Before is a page's mark, from Inbox.Before; "" for the newest.
	Before string `query:"before" is:"mark"`
	Limit  int    `query:"limit"` // 1 to 100; 0 is 20
}

// IncidentQuery names an incident.
type IncidentQuery struct {
	ID subconscious.IncidentID `path:"id" is:"incident"`
}

// Inbox is one page of incidents, and what waits.
type Inbox struct {
	Incidents []InboxIncident `json:"incidents"`
	Before    string          `json:"before,omitempty"`
	// Channels is how many channels messages go out over; with none what is
	// told is here alone.
	Channels int                   `json:"channels"`
	Presence subconscious.Presence `json:"presence"`
	// QuietUntil is when quiet hours end, zero outside them.
	QuietUntil time.Time `json:"quiet_until,omitzero"`
	// NextDigest is when the next daily digest is due, zero for none.
	NextDigest time.Time `json:"next_digest,omitzero"`
}

// InboxIncident is one incident as the person sees it.
type InboxIncident struct {
	ID         subconscious.IncidentID   `json:"id"`
	State      subconscious.TellingState `json:"state"`
	Since      time.Time                 `json:"since"`
	Summary    string                    `json:"summary"`
	Reason     string                    `json:"reason"` // why somebody asked that it be told
	Thread     subconscious.ThreadName   `json:"thread"`
	Kind       subconscious.Kind         `json:"kind"`
	Importance int                       `json:"importance"`
	Severity   subconscious.Severity     `json:"severity"`
	Due        time.Time                 `json:"due,omitzero"`
	Standing   bool                      `json:"standing"`
	// Waits with Held, the gate's reason, and Until: it is judged again.
	Waits bool      `json:"waits,omitempty"`
	Held  string    `json:"held,omitempty"`
	Until time.Time `json:"until,omitzero"`
	// Told is when it was told last, zero for never; Times how often.
	Told     time.Time             `json:"told,omitzero"`
	Times    int                   `json:"times,omitempty"`
	Feedback subconscious.Feedback `json:"feedback,omitempty"`
	Remind   time.Time             `json:"remind,omitzero"`
	// Delivery is how its last message fared over each channel.
	Delivery []Delivery `json:"delivery"`
	// Deliberating: a deliberation on it is under way, or waits.
	Deliberating bool `json:"deliberating,omitempty"`
	// Outcome is that of the last deliberation on it, with its one sentence.
	Outcome       subconscious.OutcomeKind `json:"outcome,omitempty"`
	OutcomeReason string                   `json:"outcome_reason,omitempty"`
	// Proposal is the newest on it that waits for the person's word.
	Proposal string `json:"proposal,omitempty"`
}

// Delivery is what became of one message on one channel, and ChannelStatus how
// one channel fares.
type (
	Delivery      = notify.Delivery
	ChannelStatus = notify.ChannelStatus
)

// IncidentExplanation answers "why" of an incident: why it was told or kept
// back, on what it rests, and how it was delivered.
type IncidentExplanation struct {
	Incident     InboxIncident          `json:"incident"`
	Record       subconscious.Incident  `json:"record"`
	Entries      []subconscious.EntryID `json:"entries"` // live ones, and those that asked
	Observations []CitedObservation     `json:"observations"`
	// Decisions of the gate, oldest first.
	Decisions  []Decision `json:"decisions"`
	Deliveries []Delivery `json:"deliveries"`
	// Deliberations on it, oldest first.
	Deliberations []Deliberation `json:"deliberations"`
	// Confidence is how its importance and the calibration of its sort come to
	// what they come to, in plain words.
	Confidence string `json:"confidence"`
}

// MissedRequest says what should have been told.
type MissedRequest struct {
	// As is the name of the agent that speaks; empty for the person.
	As   string `json:"as,omitempty" is:"agent"`
	Text string `json:"text"`
	// Teach has it counted, where it was missed and the person says so; else
	// nothing changes.
	Teach bool `json:"teach,omitempty"`
}

// MaxMissed is the longest account of what was missed, in bytes.
const MaxMissed = 2000

func (m *MissedRequest) check() error {
	if err := firstError(checkText(elsewhere, "text", m.Text, MaxMissed), checkAs(m.As)); err != nil {
		return err
	}
	m.Text = strings.TrimSpace(subconscious.Printable(m.Text))
	if m.Text == "" {
		return badRequest("write what should have been told, in a few words", "text: it is empty")
	}
	return nil
}

// Trace says where something was let pass, from the observation to the gate.
type Trace struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
	// Candidates are the observations that it could be, the likeliest first; the
	// first is the one that is traced.
	Candidates []CitedObservation `json:"candidates"`
	// Steps are the ways that it went, in order, and Verdict the one sentence
	// that says where it ended.
	Steps   []TraceStep `json:"steps"`
	Verdict string      `json:"verdict"`
	// Proposal is the change that would have caught it.
	Proposal string `json:"proposal"`
	// Incident that it belongs to, where it has one.
	Incident subconscious.IncidentID `json:"incident,omitempty"`
	// Missed: it was seen, and no message of it arrived. Counted: that was
	// taught.
	Missed  bool `json:"missed"`
	Counted bool `json:"counted"`
}

// TraceStep is one station of a trace.
type TraceStep struct {
	Stage string    `json:"stage"` // sense, thread, finding, mechanics, gate, delivery
	At    time.Time `json:"at,omitzero"`
	Tick  int64     `json:"tick,omitempty"`
	Who   string    `json:"who,omitempty"` // the sense, thread, rule or channel
	OK    bool      `json:"ok"`            // it passed here
	Text  string    `json:"text"`
}

// Calibration is what was learnt of each sort of thing that is told.
type Calibration struct {
	Scores []ScoreStatus `json:"scores"`
	// PushFrom and DigestFrom are the confidences from which on something is
	// pushed, and put into the digest.
	PushFrom   float64 `json:"push_from"`
	DigestFrom float64 `json:"digest_from"`
	// Letters are what was learnt of letters.
	Letters []HabitStatus `json:"letters,omitempty"`
}

// HabitStatus is what the person's acts say of the letters of a sender, a domain or a
// list.
type HabitStatus struct {
	Name string `json:"name"` // "anna@example.com", "@example.com", "list:club"
	// Moves is by how much it moves the score of such a letter: 0.7 makes one that was
	// as likely as not two in three. All of a letter's count, where they come to 1.
	Moves float64 `json:"moves"`
	Acts  int     `json:"acts"` // from how many it was learnt, fading
}

// ScoreStatus is a score and what it does.
type ScoreStatus struct {
	subconscious.Score
	// Weight is what importance is multiplied by; 1 changes nothing.
	Weight float64 `json:"weight"`
	// Needs is the least importance, 1 to 10, with which such a thing is
	// pushed now.
	Needs int `json:"needs"`
}

// CalibrationRequest names scores to forget, where empty fields match all, or with
// Letters one habit. Without anything it names all of both.
type CalibrationRequest struct {
	Thread subconscious.ThreadName `json:"thread,omitempty" is:"calibrated"`
	Source string                  `json:"source,omitempty" is:"calibrated"`
	Kind   subconscious.Kind       `json:"kind,omitempty" is:"calibrated"`
	// Letters is the name of a habit.
	Letters string `json:"letters,omitempty" is:"habit"`
}

// ChannelTestRequest is the body of POST /v1/channels/test.
type ChannelTestRequest struct {
	// Channel is the id of one; empty means all.
	Channel string `json:"channel,omitempty" is:"channel"`
}

// ChannelRenewal is the body of POST /v1/channels/renew, which needs the channel.
type ChannelRenewal struct {
	Channel string `json:"channel" is:"channel"`
}
