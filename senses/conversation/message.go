package conversation

import (
	"context"
	"time"
)

const (
	// Name is the name of the sense.
	Name = "conversation"
	// LogID is the instance of the mind's own log, which is always there.
	LogID = "chat"
)

// Author is who said something.
type Author string

const (
	Person Author = "person"
	Agent  Author = "agent"
	// Mind is the daemon itself, whose words are never reported.
	Mind Author = "mind"
)

// Message is one message of the mind's own log.
type Message struct {
	// ID grows with each message of the log.
	ID           int64
	Conversation string
	// Own: the person began the conversation, so that its name is theirs.
	Own    bool
	Author Author
	// Name is the agent's, "" where it is not known.
	Name string
	At   time.Time
	Text string
}

// Log is the mind's own log of conversations.
type Log interface {
	// After returns at most limit messages with a greater ID, in the order of
	// their IDs. Fewer than limit mean that there are no more.
	After(ctx context.Context, id int64, limit int) ([]Message, error)
}
