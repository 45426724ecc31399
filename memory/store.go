package memory

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

// Options say what a Store works with. The zero value is ready for use.
type Options struct {
	// Now is the mind's clock; nil is time.Now.
	Now func() time.Time
	// Redact takes secrets out of a text before it is stored, and must change
	// nothing when it is run again; nil is redact.Text.
	Redact func(string) string
	// Logger gets what goes wrong beside what is asked for; nil is none.
	Logger *slog.Logger
	// MaxActive and MaxQuarantined bound how many records there are, archived
	// ones counted with the active; 0 is the constant of that name.
	MaxActive, MaxQuarantined int
}

// Store is the memory kept in a database. It is safe for concurrent use.
type Store struct {
	db      *store.DB
	options Options
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
	options.MaxActive = cmp.Or(options.MaxActive, MaxActive)
	options.MaxQuarantined = cmp.Or(options.MaxQuarantined, MaxQuarantined)
	return &Store{db: db, options: options}
}

// errNotBuilt marks the part of the surface that has no depth.
var errNotBuilt = errors.New("memory: not there")

// Remember writes a record in the caller's transaction, as Add does.
func (s *Store) Remember(ctx context.Context, tx *store.Tx, r Record) (Record, error) {
	return Record{}, errNotBuilt
}

// Add writes a record in a transaction of its own.
func (s *Store) Add(ctx context.Context, r Record) (Record, error) { return Record{}, errNotBuilt }

// Search returns the records that fit best, best first.
func (s *Store) Search(ctx context.Context, q Query) ([]Hit, error) { return nil, errNotBuilt }

// Get returns the record with that ID, whatever its status.
func (s *Store) Get(ctx context.Context, id string) (Record, error) { return Record{}, errNotBuilt }

// List returns records, the newest first.
func (s *Store) List(ctx context.Context, q Query) ([]Record, error) { return nil, errNotBuilt }

// Confirm takes a record out of quarantine, on the person's word alone.
func (s *Store) Confirm(ctx context.Context, id string) (Record, error) {
	return Record{}, errNotBuilt
}

// Forget erases a record.
func (s *Store) Forget(ctx context.Context, id string) error { return errNotBuilt }

// Count returns how many records there are.
func (s *Store) Count(ctx context.Context) (Count, error) { return Count{}, errNotBuilt }
