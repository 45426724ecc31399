package api

import (
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The states of a deliberation.
const (
	DeliberationWaiting = "waiting"
	DeliberationRunning = "running"
	DeliberationEnded   = "ended"
)

// Deliberation is how a frontier model, or the template in its place, dealt with
// one incident that was to be told.
type Deliberation struct {
	ID       string                  `json:"id"`
	Incident subconscious.IncidentID `json:"incident"`
	Tick     int64                   `json:"tick"` // whose decision it is about
	At       time.Time               `json:"at"`
	Ended    time.Time               `json:"ended,omitzero"`
	State    string                  `json:"state"` // waiting, running, ended
	// Outcome is empty until it has ended; Reason is one sentence.
	Outcome subconscious.OutcomeKind `json:"outcome,omitempty"`
	Reason  string                   `json:"reason,omitempty"`
	// Until is when what was snoozed is told.
	Until time.Time `json:"until,omitzero"`
	// Model is "PROVIDER/MODEL", empty where none was asked.
	Model string `json:"model,omitempty"`
	// Template: rules told the person in the model's place; Problem says why.
	Template bool   `json:"template,omitempty"`
	Problem  string `json:"problem,omitempty"`
	// Prompt is what the model was shown first. Its texts are empty once they
	// were deleted by age.
	Prompt DeliberationPrompt  `json:"prompt"`
	Rounds []DeliberationRound `json:"rounds"`
	// Taint says whose words the model was shown in all: owner, machine, agent,
	// outsider.
	Taint []subconscious.Trust    `json:"taint"`
	Cited []subconscious.Citation `json:"cited"`
	// Recalled are the memories that it was shown, by where they stood among what was
	// found. They are known for 30 days.
	Recalled []memory.Recalled `json:"recalled,omitempty"`
	// Proposal and Run are what it led to, "" for nothing; ProposalState is what
	// became of the proposal, "" where that is known no more.
	Proposal      string        `json:"proposal,omitempty"`
	ProposalState ProposalState `json:"proposal_state,omitempty"`
	Run           string        `json:"run,omitempty"`
	By            string        `json:"by,omitempty"` // that approved it, as in Proposal
	Cost          float64       `json:"cost"`         // US dollars
	// Resumed is how often it was taken up again after the daemon had ended.
	Resumed int `json:"resumed,omitempty"`
}

// DeliberationPrompt is what a model was shown before its first answer.
type DeliberationPrompt struct {
	System string `json:"system,omitempty"`
	User   string `json:"user,omitempty"`
}

// DeliberationRound is one question and its answer.
type DeliberationRound struct {
	N         int                `json:"n"` // from 1
	At        time.Time          `json:"at"`
	Answer    string             `json:"answer,omitempty"` // its text, beside the calls
	Calls     []DeliberationCall `json:"calls"`
	TokensIn  int                `json:"tokens_in"` // all that it read
	TokensOut int                `json:"tokens_out"`
	Cost      float64            `json:"cost"` // US dollars
	LatencyMS float64            `json:"latency_ms"`
	// Problem is why there was no answer.
	Problem string `json:"problem,omitempty"`
}

// DeliberationCall is one tool that a model asked for.
type DeliberationCall struct {
	Tool string `json:"tool"`
	// Arguments are as the model wrote them, which need not be JSON.
	Arguments string `json:"arguments"`
	// Result is as the model was shown it.
	Result string `json:"result,omitempty"`
	// Shown says whose words the result held.
	Shown []subconscious.Trust `json:"shown"`
	// Judgement is the policy's, of a request for an effect; nil for reading.
	Judgement *escalate.Judgement `json:"judgement,omitempty"`
}

// DeliberatingStatus is a deliberation that waits or is under way.
type DeliberatingStatus struct {
	ID       string                  `json:"id"`
	Incident subconscious.IncidentID `json:"incident"`
	Summary  string                  `json:"summary"`
	State    string                  `json:"state"` // waiting, running
	Since    time.Time               `json:"since"`
}
