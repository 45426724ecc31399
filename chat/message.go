package chat

import (
	"errors"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Author is who says something.
type Author string

const (
	Person Author = "person"
	Agent  Author = "agent"
	Mind   Author = "mind"
)

// Trust is the most that a word of that author is worth; Message.Trust is what
// it is. An author that is none of the three is an outsider.
func Trust(author Author) subconscious.Trust {
	switch author {
	case Person:
		return subconscious.Owner
	case Agent:
		return subconscious.Agent
	case Mind:
		return subconscious.Machine
	}
	return subconscious.Outsider
}

// Message is one thing that was said.
type Message struct {
	ID           int64     `json:"id"`           // rising, never given twice
	Conversation string    `json:"conversation"` // "" begins a new one
	At           time.Time `json:"at"`           // zero, or later than now, is now
	Author       Author    `json:"author"`
	// Name is the agent's; for the mind "" is "deliberation"; the person has
	// none. It is letters, digits, and - _ . within.
	Name string `json:"name,omitempty"`
	// Trust is never more than that of its author. Zero is that of its author,
	// and for the mind an outsider's: it says itself what it was shown.
	Trust subconscious.Trust `json:"trust,omitempty"`
	// Text is plain and redacted, of at most MaxText bytes.
	Text string `json:"text"`
	// Key makes posting idempotent: the same key of the same author and name
	// posts once. It is not read back.
	Key          string `json:"-"`
	Deliberation string `json:"deliberation,omitempty"`
	Proposal     string `json:"proposal,omitempty"`
}

// Conversation is a row of messages.
type Conversation struct {
	// ID is "c-…" or a name that was given: letters, digits, and - _ . within.
	ID       string    `json:"id"`
	Title    string    `json:"title,omitempty"` // the beginning of its first message
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	Messages int       `json:"messages"`
	Last     string    `json:"last,omitempty"` // the beginning of its last message
	LastID   int64     `json:"-"`              // the ID of its last message
}

// The bounds of a message: text and names in bytes.
const (
	MaxText = 16 << 10
	MaxName = 64
)

// The bounds of the log, where Options say nothing else.
const (
	MaxMessages      = 1_000_000
	MaxConversations = 10_000
	// Kept is how long a message is kept.
	Kept = 366 * 24 * time.Hour
)

var (
	// ErrFull: there are as many messages or conversations as are kept.
	ErrFull = errors.New("the log of conversations is full")
	// ErrNotFound: there is no such conversation or message.
	ErrNotFound = errors.New("no such conversation")
	// ErrInvalid: a message or query that cannot be taken.
	ErrInvalid = errors.New("invalid message")
)

// Query says what is looked for.
type Query struct {
	// Words are any text; what holds more and rarer ones of them comes first.
	Words string
	// Conversation and Author, if set, are the only ones that are searched.
	Conversation string
	Author       Author
	// Since leaves out what is older.
	Since time.Time
	// Limit is 1 to 100; 0 is 10.
	Limit int
}

// Found is a message that was found. A higher score fits better; scores of
// different queries do not compare.
type Found struct {
	Message
	Score float64 `json:"score"`
	// Beside: it has none of the words, and stands beside what does.
	Beside bool `json:"-"`
}
