package deliberate

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Escalation is a decision of the gate to tell a person of an incident, which is
// deliberated on first.
type Escalation struct {
	// ID is "d-" and ten characters; Add makes it of tick and incident.
	ID     string                  `json:"id"`
	Person subconscious.IncidentID `json:"person"` // the incident's name for people
	// Request is what was asked, with Tick and At of the decision.
	subconscious.Request
	// Critical: it is on the critical list. It goes before others, is told
	// whatever a model says, and has less time.
	Critical bool `json:"critical,omitempty"`
	// Again says why it is told again: "worse", "reminder"; "" the first time.
	Again string `json:"again,omitempty"`
	// Decision is the gate's, in words.
	Decision string `json:"decision,omitempty"`
	// Template is the message that the gate wrote. It is what is told where no
	// model says it better, and its title is that of whatever is told.
	Template escalate.Message `json:"template"`
	// Link opens what it is about; "" for nothing.
	Link string `json:"link,omitempty"`
}

// maxEscalation bounds what is kept of an escalation, as JSON.
const maxEscalation = 64 << 10

func (e Escalation) check() error {
	switch {
	case e.Tick < 1 || e.Incident == "" || e.At.IsZero():
		return errors.New("an escalation needs a tick, an incident and a time")
	case e.Template.Title == "" && e.Template.Text == "":
		return fmt.Errorf("the escalation of %s has no words to tell the person by rule", e.Incident)
	}
	return nil
}

// idOf is the id of the escalation of a tick and an incident.
func idOf(e Escalation) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", e.Tick, e.Incident))
	return "d-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:10]
}

// isLate reports whether the message is of no use any more.
func (e Escalation) isLate(at time.Time) bool {
	return !e.Template.Expires.IsZero() && !at.Before(e.Template.Expires)
}

// State is where an escalation is.
type State string

const (
	Waiting State = "waiting"
	Running State = "running"
	Ended   State = "ended"
)

// Record is an escalation and all that is known of how it went.
type Record struct {
	Escalation
	State    State     `json:"state"`
	Started  time.Time `json:"started,omitzero"`
	Deadline time.Time `json:"deadline,omitzero"`
	// Resumed counts how often it went on after an interruption.
	Resumed int `json:"resumed,omitempty"`
	// Cost is what the answers cost, in billionths of a US dollar.
	Cost int64     `json:"cost,omitempty"`
	Over time.Time `json:"over,omitzero"` // when it ended
	Ending
	// Steps are what was said and done, in order. They are kept for 30 days.
	Steps []Step `json:"steps,omitempty"`
	// System is what the model was told about its task.
	System string `json:"system,omitempty"`
}

// Ending is how an escalation ended, as it is stored.
type Ending struct {
	// Outcome is nil until it has ended.
	Outcome *subconscious.Outcome `json:"outcome,omitempty"`
	// Told is what the person was told; nil for nothing.
	Told *Told `json:"told,omitempty"`
	// Fallback says why the words of the gate were told, where they were.
	Fallback string `json:"fallback,omitempty"`
}

// Told is what a person was told.
type Told struct {
	Kind  TellingKind `json:"kind"`
	Title string      `json:"title"`
	Text  string      `json:"text"`
}

// StepKind is what happened in a step.
type StepKind string

const (
	StepOpened   StepKind = "opened"   // the model is to be shown the escalation
	StepAnswered StepKind = "answered" // it answered
	StepCalled   StepKind = "called"   // a tool that it asked for was run, or refused
	StepStarted  StepKind = "started"  // an action is about to be run
	StepFailed   StepKind = "failed"   // it did not answer
	StepEnded    StepKind = "ended"
)

// Step is one thing that was said or done in an escalation.
type Step struct {
	N     int       `json:"n"`
	At    time.Time `json:"at"`
	Kind  StepKind  `json:"kind"`
	Round int       `json:"round,omitempty"`
	// Text is what the model was shown at first, what it answered, what a tool
	// told it, or what failed.
	Text string `json:"text,omitempty"`
	// Words are whose words it was shown in this step, and Own the observations of
	// the incident.
	Words []escalate.Word    `json:"words,omitempty"`
	Own   []subconscious.Ref `json:"own,omitempty"`
	// Records are those of the memory that were shown or made in it.
	Records []string `json:"records,omitempty"`
	// Answer is set where the model answered, and Call where a tool was used.
	Answer *Answered `json:"answer,omitempty"`
	Call   *Called   `json:"call,omitempty"`
	// Cut: something of it was left out, for the bounds of a record.
	Cut bool `json:"cut,omitempty"`
}

// Answered is how a model answered.
type Answered struct {
	Calls []ToolCall `json:"calls,omitempty"`
	Stop  string     `json:"stop,omitempty"`
	Model string     `json:"model"` // PROVIDER/MODEL
	// Tokens that were taken in and given out, and what it cost in billionths
	// of a US dollar.
	Input    int           `json:"input,omitempty"`
	Output   int           `json:"output,omitempty"`
	Cost     int64         `json:"cost,omitempty"`
	Latency  time.Duration `json:"latency,omitempty"`
	Attempts int           `json:"attempts,omitempty"`
	Opaque   []byte        `json:"opaque,omitempty"`
}

// ToolCall is a request for a tool, as the model wrote it.
type ToolCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"`
}

// Called is how a tool was used.
type Called struct {
	ToolCall
	// Failed: the model was told that it did not work, or may not.
	Failed bool `json:"failed,omitempty"`
	// Judgement is the policy's, by Shown: whose words the model had been shown.
	Judgement *escalate.Judgement  `json:"judgement,omitempty"`
	Shown     []subconscious.Trust `json:"shown,omitempty"`
	// Made is the id of what came of it: a memory, a message, a proposal, a run.
	Made string `json:"made,omitempty"`
}
