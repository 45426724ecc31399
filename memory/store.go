// Package memory keeps what lasts: facts, insights and notes that the person,
// the deliberation and the mechanics want to have at hand later.
//
// There are three lanes, by the least trusted word that a record rests on. What
// agents or strangers said is in an index of its own, never found by a trusted
// search, and without any influence on what one finds or in which order, until
// the person confirms it.
//
// A correction is a new record: the old one is superseded, and never deleted but by
// the person. It stores the tables memory_*. The daemon opens it; the deliberation,
// the API and the tick call it.
package memory

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/recall"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/store"
)

// Where what agents say is kept.
const (
	OfProject    = "project"    // in a lane of their own, for agents of the same project
	OfQuarantine = "quarantine" // with what strangers say
)

// Config says how memory is kept.
type Config struct {
	Agents string `mapstructure:"agents" about:"Where what agents remember is kept: project, where agents of the same project find it; or quarantine, where you alone do."`
}

// DefaultConfig keeps what agents say by their project.
func DefaultConfig() Config { return Config{Agents: OfProject} }

// Validate checks what is configured.
func (c Config) Validate() error {
	if c.Agents != OfProject && c.Agents != OfQuarantine {
		return fmt.Errorf("agents: %.40q is unknown; use %s or %s", c.Agents, OfProject, OfQuarantine)
	}
	return nil
}

// Options say what a Store works with. The zero value is ready for use.
type Options struct {
	// Now is the mind's clock; nil is time.Now.
	Now func() time.Time
	// Redact takes secrets out of a text before it is stored, and must change
	// nothing when it is run again; nil is redact.Text.
	Redact func(string) string
	// Logger gets what goes wrong beside what is asked for; nil is none.
	Logger *slog.Logger
	// World is asked for what records cite; nil knows of nothing.
	World World
	// Path are the folders in which git is looked for; nil is program.DefaultPath.
	Path []string
	// Git is how long git may take for all that one call looks at; 0 is 20 ms.
	Git time.Duration
	// Apart puts the words of agents into quarantine, too.
	Apart bool
	// MaxLane and MaxAgent bound how many active records a lane and an agent have;
	// 0 is the constant of that name.
	MaxLane, MaxAgent int
	// Tombstones are of what was forgotten, which is not written again; nil: they are
	// known until the end of the process.
	Tombstones *Tombstones
	// Unshow drops the texts of prompts and steps that showed what is erased, in the
	// transaction, and returns how many; nil: there are none.
	Unshow func(ctx context.Context, tx *store.Tx, of Erasure) (int, error)
	// Backups are the files of the backups that were made since a time; nil: there are
	// none.
	Backups func(since time.Time) []string
}

// Store is the memory kept in a database. It is safe for concurrent use.
type Store struct {
	db      *store.DB
	options Options
	ranked  ranked
}

// New returns the memory in db, which was opened with Migrations.
func New(db *store.DB, options Options) *Store {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Redact == nil {
		options.Redact = redact.Text
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if options.Tombstones == nil {
		options.Tombstones = newTombstones()
	}
	options.MaxLane = cmp.Or(options.MaxLane, MaxLane)
	options.MaxAgent = cmp.Or(options.MaxAgent, MaxAgent)
	s := &Store{db: db, options: options}
	s.ranked.lanes = map[Lane]*recall.Index{}
	for _, lane := range Lanes() {
		s.ranked.lanes[lane] = recall.New()
	}
	return s
}

// now is the time as it is stored.
func (s *Store) now() time.Time { return time.Unix(0, s.options.Now().UnixNano()).UTC() }

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package. Times are
// nanoseconds since 1970.
func Migrations() []store.Migration { return store.Migrations("memory", migrations) }
