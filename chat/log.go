package chat

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/store"
)

// Options say what a Log works with. The zero value is ready for use.
type Options struct {
	// Now is the mind's clock; nil is time.Now.
	Now func() time.Time
	// Redact takes secrets out of a text before it is stored, and must change
	// nothing when it is run again; nil is redact.Text.
	Redact func(string) string
	// Logger gets what goes wrong beside what is asked for; nil is none.
	Logger *slog.Logger
	// MaxMessages and MaxConversations bound the log; 0 is the constant of that
	// name. The last tenth of each is the person's alone.
	MaxMessages, MaxConversations int
	// Kept is how long a message is kept; 0 is the constant of that name.
	Kept time.Duration
}

// Log is the log of conversations kept in a database. It is safe for
// concurrent use.
type Log struct {
	db      *store.DB
	options Options
}

// New returns the log in db, which was opened with Migrations.
func New(db *store.DB, options Options) *Log {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Redact == nil {
		options.Redact = redact.Text
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	options.MaxMessages = cmp.Or(options.MaxMessages, MaxMessages)
	options.MaxConversations = cmp.Or(options.MaxConversations, MaxConversations)
	options.Kept = cmp.Or(options.Kept, Kept)
	return &Log{db: db, options: options}
}

var errNotBuilt = errors.New("chat: not there")

// Post writes a message in the caller's transaction, as Add does.
func (l *Log) Post(ctx context.Context, tx *store.Tx, m Message) (Message, error) {
	return Message{}, errNotBuilt
}

// Add writes a message in a transaction of its own.
func (l *Log) Add(ctx context.Context, m Message) (Message, error) { return Message{}, errNotBuilt }

// Conversations returns up to limit conversations, those spoken in last first.
// Before is the LastID to go on after; 0 begins with the newest.
func (l *Log) Conversations(ctx context.Context, before int64, limit int) ([]Conversation, error) {
	return nil, errNotBuilt
}

// Messages returns up to limit messages of a conversation, the newest ones, in
// the order in which they were said. Before is the ID to stop short of; 0 is
// none.
func (l *Log) Messages(ctx context.Context, conversation string, before int64, limit int) ([]Message, error) {
	return nil, errNotBuilt
}

// After returns up to limit messages with an ID above id, in order.
func (l *Log) After(ctx context.Context, id int64, limit int) ([]Message, error) {
	return nil, errNotBuilt
}

// Search returns the messages that fit best, best first.
func (l *Log) Search(ctx context.Context, q Query) ([]Found, error) { return nil, errNotBuilt }

// Sweep erases the messages that are older than is kept, and returns how many.
func (l *Log) Sweep(ctx context.Context, at time.Time) (int, error) { return 0, errNotBuilt }
