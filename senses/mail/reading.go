package mail

import (
	"context"
	"errors"
	"time"
)

// maxReading is how much of a message Read returns, in bytes.
const maxReading = 16 << 10

// Reading is one message as it was read for somebody who asked for it. All of
// it is the word of an outsider, with secrets taken out.
type Reading struct {
	ID       string    `json:"id"` // "mid:…"
	Folder   string    `json:"folder"`
	From     string    `json:"from"` // "Name <address>"
	To       []string  `json:"to,omitempty"`
	Cc       []string  `json:"cc,omitempty"`
	Subject  string    `json:"subject"`
	Received time.Time `json:"received"`
	// Text is what can be read of it, at most 16 KiB; Cut says what is missing.
	Text        string   `json:"text"`
	Cut         []string `json:"cut,omitempty"`
	Attachments []string `json:"attachments,omitempty"`
	// Thread are the other messages of its thread that the sense knows, the
	// oldest first, at most 20.
	Thread []Threaded `json:"thread,omitempty"`
}

// Threaded is another message of a thread.
type Threaded struct {
	ID       string    `json:"id"`
	From     string    `json:"from"`
	Subject  string    `json:"subject"`
	Received time.Time `json:"received"`
}

// ErrUnknown is returned for a message that the sense does not know, or that
// is in none of its folders any more.
var ErrUnknown = errors.New("no such message is known: it is older than the look-back, was deleted, or lies in a folder that is not looked at")

// Read reads a message of the configured folders anew and leaves it unread.
// It is named by the ID of an observation ("mid:…") or by its reference
// ("mail:abcdefghij"). It may be called while a Collect goes on.
func (s *Sense) Read(ctx context.Context, id string) (Reading, error) {
	return Reading{}, ErrUnknown
}
