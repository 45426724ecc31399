// Package notify brings messages to the person: channels behind one interface,
// and a durable outbox over them. The drivers are in the folders below it, and
// each passes the suite in notify/notifytest.
//
// It stores the tables notify_outbox, notify_answers, notify_replies and notify_key. The tick
// posts in its transaction and wakes the outbox, which the daemon starts and
// stops; inbox, status and doctor read what became of messages.
package notify

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Notifier sends messages over one channel.
type Notifier interface {
	// Send returns when the channel has taken the message or refused it. An
	// error that is no *Error counts as Unknown: it may have arrived.
	Send(ctx context.Context, message Message) (Receipt, error)
}

// Listener is a Notifier over which answers come back.
type Listener interface {
	// Listen hands on the tokens of buttons as they are pressed, until ctx is
	// done. It connects again by itself where the connection breaks; what take
	// refuses is none of its business. It says how it fares by status, nil for
	// well.
	Listen(ctx context.Context, take func(ctx context.Context, token string), status func(error)) error
}

// Keeper is a Listener whose service keeps what was written to it until it is
// read.
type Keeper interface {
	Listener
	// Keep says, before Listen, at which place an earlier one ended; "" for none.
	// Listen then calls strange for each thing written there that is no answer
	// and is not handed on, and reached with each place up to which all was.
	Keep(place string, strange func(), reached func(ctx context.Context, place string))
}

// Verifier is a Notifier whose service can be asked whether a message arrived.
type Verifier interface {
	// Arrived reports whether the service has the message, which was sent at
	// since for the first time: the same Sequence, or the same words where the
	// service knows no sequences. It says no only where it would have been
	// found: any doubt is an error. One of *Error with Unavailable asks to be
	// asked again; any other means that nobody can tell.
	Arrived(ctx context.Context, message Message, since time.Time) (bool, error)
}

// Prober is a Notifier that can be tried without a message being sent: whether
// its secret is there, whether its server answers, and whether it lets one in.
type Prober interface {
	Probe(ctx context.Context) Probed
}

// Probed is what trying a channel showed.
type Probed struct {
	// Detail is what is so, Problem what is wrong: one of the two is set, and
	// Next beside Problem.
	Detail, Problem, Next string
	// Locked: it wants signing in, or refuses the way in which one did.
	Locked bool
}

// Message is one message as a channel sends it.
type Message struct {
	// Sequence is the same for each sending of one message, and for each message
	// of one incident, so that a server that can replaces the first by the second.
	Sequence string                  `json:"sequence"`
	Kind     Kind                    `json:"kind"`
	Incident subconscious.IncidentID `json:"incident,omitempty"`
	// Proposal that it asks about, for KindProposal.
	Proposal string `json:"proposal,omitempty"`
	// Title is who or what it is and the point, Text what was said, when, and what
	// changes what to do: plain text, at most 240 characters together. Text may be empty.
	Title  string `json:"title"`
	Text   string `json:"text,omitempty"`
	Urgent bool   `json:"urgent,omitempty"`
	// Priority is what is to be done about it: 5 act now, 4 soon, 3 by
	// tomorrow, 2 this week, 1 nothing: it is for the record.
	Priority int `json:"priority"`
	// Repeated: it may have arrived before. Drivers need not show it, the
	// outbox has put it into the words.
	Repeated bool `json:"repeated,omitempty"`
	// Link is opened where the message is tapped; empty for none.
	Link string `json:"link,omitempty"`
	// Buttons, at most 3.
	Buttons []Button `json:"buttons,omitempty"`
}

// The priorities of messages.
const (
	ForTheRecord = 1 + iota
	ThisWeek
	Today
	WithinTheHour
	Now
)

// Kind is what a message is about.
type Kind string

const (
	KindIncident Kind = "incident"
	// KindProposal asks the person to decide on a proposal. It can be put off or
	// rejected over a channel; approved it is at home alone.
	KindProposal Kind = "proposal"
	KindDigest   Kind = "digest"
	KindNotice   Kind = "notice" // the daemon about itself
	KindRun      Kind = "run"    // an action is carried out
	// KindClear takes back what a message of an incident told.
	KindClear Kind = "clear"
	// KindAnswered says what was answered, in the place of the message.
	KindAnswered Kind = "answered"
	KindTest     Kind = "test"
)

// Button is one answer that the person can give.
type Button struct {
	Label  string `json:"label"`
	Answer Answer `json:"answer"`
	// Token proves the answer; it works once.
	Token string `json:"token"`
}

// Answer is what a button says. None of them approves anything, and none may:
// what comes over a channel has passed through the hands of others.
type Answer string

const (
	AnswerUseful  Answer = "useful"
	AnswerNotNow  Answer = "not_now"
	AnswerDismiss Answer = "dismiss"
	// AnswerTomorrow, AnswerNotUseful and AnswerMute: again tomorrow; not worth having
	// been told; no more of it.
	AnswerTomorrow  Answer = "tomorrow"
	AnswerNotUseful Answer = "not_useful"
	AnswerMute      Answer = "mute"
	// AnswerLater and AnswerReject are of a proposal: it is spoken of again
	// later, or never carried out.
	AnswerLater  Answer = "later"
	AnswerReject Answer = "reject"
)

// Receipt is what a channel said when it took a message.
type Receipt struct {
	ID string    `json:"id,omitempty"` // the channel's own
	At time.Time `json:"at,omitzero"`
}

// Trouble is what kind of failure sending met.
type Trouble string

const (
	// Refused: it did not arrive and never will: a wrong key, a bad topic.
	Refused Trouble = "refused"
	// Unavailable: it did not arrive, and may later: no connection, a limit.
	Unavailable Trouble = "unavailable"
	// Unknown: it may have arrived: the connection broke after it was sent.
	Unknown Trouble = "unknown"
)

// Error is a failure to send, in words for people.
type Error struct {
	Trouble Trouble
	Text    string        // what happened, in a plain sentence
	Next    string        // what to do
	After   time.Duration // Unavailable: how long the channel asked to be left alone
	Err     error
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Content is how much of a message a channel may carry.
type Content string

const (
	ContentFull  Content = "full"  // title and text
	ContentTitle Content = "title" // who or what, and when: nothing that was said
	ContentNone  Content = "none"  // that there is something, and its id
)

// Channel is a configured Notifier.
type Channel struct {
	ID      string // of the configuration
	Kind    string // ntfy, shoutrrr, desktop, stdout
	Content Content
	// Buttons: the channel can show them, and answers come back.
	Buttons bool
	// Replaces: an answer is confirmed there, in the place of the message.
	Replaces bool
	// Home: it is read beside a command line, and names the command that explains.
	Home     bool
	Notifier Notifier
}
