// Package chat keeps what the person, the agents and the mind say to each
// other: a log of conversations that can be read, searched and listened to.
//
// The person's words are the owner's, an agent's are that agent's. What the
// mind says itself is kept with the taint that it was written under, and is
// never evidence.
//
// It stores the tables chat_conversations, chat_messages, chat_counts and the
// index chat_words. The daemon opens it; the API, the deliberation and the
// sense of conversations call it.
package chat

import (
	"cmp"
	"embed"
	"io"
	"log/slog"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/recall"
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
	ranked  ranked
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
	return &Log{db: db, options: options, ranked: ranked{Index: recall.New()}}
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package. Times are
// nanoseconds since 1970.
func Migrations() []store.Migration { return store.Migrations("chat", migrations) }
