// Package message reads one mail message: who wrote it to whom, in which
// thread, whether to a list, in bulk or by machine, and what its text says.
//
// What it reads is hostile. Parse is bounded in bytes, nesting, parts and
// time, whatever it is given. It stores nothing; senses/mail calls it.
package message

import (
	"errors"
	"time"
)

// Address is a mailbox of a header.
type Address struct {
	Name string // decoded; "" where there is none
	Addr string // in lower case
}

// Invitation is the calendar part of a message.
type Invitation struct {
	UID    string
	Method string // "request", "cancel", "reply", …, in lower case
}

// Mark is what a server wrote on a message: that it took it in (Received), or what it
// found of its sender (Authentication-Results).
type Mark struct {
	Results bool
	Text    string
}

// Message is what is known of a message. All texts are valid UTF-8.
type Message struct {
	// ID is the Message-ID without brackets, the part behind the last "@" in
	// lower case, or its hash where it looks like a secret; Made is true where it
	// has none and ID is a hash of the header.
	ID   string
	Made bool
	// InReplyTo and References are identities of the same form, at most 32, the
	// oldest first.
	InReplyTo, References []string

	From, Sender Address
	ReplyTo      []Address
	To, Cc       []Address // at most 64 each
	Subject      string
	Date         time.Time // what the writer wrote; zero where it cannot be read

	// List is the List-Id, or "true" where other headers of lists are there.
	List string
	// Bulk: sent to many, by its headers (Precedence, List-Unsubscribe,
	// Feedback-ID, campaign headers, …), or because its text says how to be taken
	// off a list.
	Bulk bool
	// Automated: a machine wrote it (Auto-Submitted, no-reply senders, bounces,
	// delivery reports, out-of-office answers).
	Automated bool
	// Junk: a filter on its way called it so.
	Junk bool
	// Trace is what servers wrote on its way, the last one first, and whoever sent it
	// below them; at most 40.
	Trace []Mark
	// Urgent: its priority header says so.
	Urgent bool

	// Text is the readable text, at most 64 KiB of it: of alternatives the plain
	// one unless that is empty or says to look at the other, HTML without what is
	// hidden.
	Text string
	// Fresh is what this writer wrote: Text without quotations, forwarded
	// messages, signature, and the small print of lists and companies.
	Fresh string
	// Attachments are the names of attached files, at most 20; "" where one has
	// none.
	Attachments []string
	Invitation  *Invitation

	// Cut says in plain words what bounds left out, in the order met; empty where all was
	// read.
	Cut []string
}

// ErrNoMessage is returned of bytes that have no header at all.
var ErrNoMessage = errors.New("this is no mail message: it has no header")
