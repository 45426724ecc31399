package notify

import (
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// State is where a delivery is.
type State string

const (
	StatePending State = "pending" // waits to be sent, or sent again
	StateSending State = "sending" // is being sent, or its channel is asked whether it arrived
	StateSent    State = "sent"    // the channel took it
	StateUnknown State = "unknown" // it may have arrived, and is not sent again
	StateFailed  State = "failed"  // the channel refused it for good
	StateExpired State = "expired" // it came to be of no use before it could be sent
)

// Delivery is what became of one message on one channel.
type Delivery struct {
	ID       int64                   `json:"id"`
	Channel  string                  `json:"channel"`
	Kind     Kind                    `json:"kind"`
	Incident subconscious.IncidentID `json:"-"`
	Proposal string                  `json:"-"`  // that it asks about, for KindProposal
	At       time.Time               `json:"at"` // when it was decided
	State    State                   `json:"state"`
	Sent     time.Time               `json:"sent,omitzero"` // when the channel took it; zero where it did not
	Attempts int                     `json:"attempts"`
	// Repeated: it was sent again, and may have arrived twice.
	Repeated bool `json:"repeated,omitempty"`
	Urgent   bool `json:"-"`
	// Title and Text are the whole message, whatever of it the channel carries.
	Title   string    `json:"title"`
	Text    string    `json:"text,omitempty"`
	Expires time.Time `json:"-"`               // zero: a day after At
	Error   string    `json:"error,omitempty"` // of the last attempt that failed, in a plain sentence
	Next    string    `json:"next,omitempty"`  // what to do about it
	// Due is when it is sent again at the earliest, while it is pending.
	Due time.Time `json:"-"`
}

// Undelivered counts what did not arrive for certain, and what still waits.
type Undelivered struct {
	Waiting int // pending, or being sent
	Unknown int
	Failed  int
	Expired int
}

// ChannelState is how a channel does.
type ChannelState string

const (
	ChannelOK      ChannelState = "ok"
	ChannelFailing ChannelState = "failing" // the last message was not taken
	ChannelResting ChannelState = "resting" // it failed in a row, or asks to be left alone
)

// ChannelStatus is how one channel fares.
type ChannelStatus struct {
	ID      string       `json:"id"`
	Kind    string       `json:"kind"`
	Content Content      `json:"content"`
	State   ChannelState `json:"state"`
	// Until is when a resting channel is tried again.
	Until time.Time `json:"-"`
	// Answers: answers come back over it. AnswersError is why they do not now.
	Answers      bool   `json:"answers"`
	AnswersError string `json:"answers_error,omitempty"`
	// Answered is when the last one came, of a test too; zero for never. Refused
	// counts what came and was no valid answer, RefusedSince is when the first did.
	Answered     time.Time `json:"-"`
	Refused      int       `json:"strange,omitempty"`
	RefusedSince time.Time `json:"strange_since,omitzero"`
	Last         time.Time `json:"last,omitzero"`   // when it last took a message; zero for never
	Error        string    `json:"error,omitempty"` // where State is not ok
	Next         string    `json:"next,omitempty"`  // what to do about Error
	Waiting      int       `json:"waiting"`         // messages not sent yet
}

// manyStrange is from how many strange answers on somebody else writes to the
// reply topic: a button that is pressed twice is one.
const manyStrange = 10

// Flooded reports whether somebody else writes to where answers come back.
func (c ChannelStatus) Flooded() bool { return c.Refused >= manyStrange }

// Reply is what the person answered to a message.
type Reply struct {
	Answer   Answer
	Incident subconscious.IncidentID // "" for none
	// Proposal that AnswerLater and AnswerReject are about, exactly the one that
	// was shown; "" for other answers.
	Proposal string
	Channel  string
	At       time.Time
}
