// Package senses says what a sense is, collects from all of them without ever
// waiting past a deadline, and keeps the ledger of what stands.
//
// Each driver lives in a folder below and passes the suite of
// senses/sensetest. The ledger stores the tables ledger_counter,
// ledger_observations, ledger_changes, ledger_pending, ledger_threads,
// ledger_senses, ledger_rows and ledger_blind in mind.db. The daemon calls it
// once a tick.
package senses

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Sense looks at one source outside the daemon.
//
// A Sense is used by one goroutine at a time. It keeps no memory that matters:
// after a restart it is given the last cursor that was committed, and must
// report whatever changed since then, and nothing twice.
type Sense interface {
	// Name is the sense's name, the same for all instances: "files". ID is the
	// configured instance: "work".
	Name() string
	ID() string
	// Collect returns what changed since cursor, which is nil on the first
	// time. It must return soon after ctx is done. What comes with an error is
	// discarded, the cursor with it, and the sense is taken to be blind.
	Collect(ctx context.Context, at time.Time, cursor []byte) (Batch, error)
}

// Batch is what one Collect found.
type Batch struct {
	// Changes are momentary observations, and changes of standing observations
	// that the sense works out itself. One that goes and has a title is restated.
	Changes []subconscious.Observation
	// Sets are complete: all that stands in a scope. The ledger works out what
	// appeared, changed (by Fingerprint, Due, or Severity) and is gone. A scope that is not
	// mentioned is left as it is; one with no items has nothing standing.
	Sets []Set
	// Listing says what became of the entries of a list since the last batch, and so
	// of what was Left and is in no set of its scope that is given.
	Listing Listing
	// Cursor is kept for the next Collect; nil leaves the last one.
	Cursor []byte
	// Rows are changes to the instance's own keys and values, for what is too
	// large to be written with every cursor. They are kept in the same commit
	// as the cursor and read back through a RowReader.
	Rows []Row
	// Acts are what the person did with letters since the last Collect.
	Acts []subconscious.Act
	// Restamp, if set, gives the trust of what this instance reported before, where
	// the configuration has changed it. The ledger stamps all that it keeps of
	// the instance, and no thread is told.
	Restamp func(told subconscious.Observation) subconscious.Trust `json:"-"`
	// Degraded says in plain words what the sense cannot see just now although
	// it works ("out of watches: looking at the folders each tick instead").
	Degraded string
	// Aside says what is worth knowing where nothing is missing.
	Aside string
	// Starting says that the first collect is still going on.
	Starting bool
}

// Set is all that stands in one scope of a sense: a file's promises, a
// calendar's events.
type Set struct {
	Scope string
	Items []subconscious.Observation
	// Left: what the items are of is an entry of a list that is no longer in the
	// configuration (see Left). As far as they stood they stay as they were, out of sight,
	// until they are in a set of the scope that is not. Only their identities count.
	Left bool
}

// Listing is what became of the entries of a list in the configuration of a sense.
type Listing int

const (
	Unchanged Listing = iota // what was left stays
	Relisted                 // some left, or are back: what is in no set is gone
	Forgotten                // some left so long ago that what is in no set goes without a word
)

// Row is one key of a sense instance's own space. A nil Value deletes it.
type Row struct {
	Key   string
	Value []byte
}

// RowReader reads back the rows of a sense instance as they were last
// committed, together with its cursor.
type RowReader interface {
	// Rows calls yield for each row of the instance, in no particular order,
	// until yield returns false. The value is valid only during the call.
	Rows(ctx context.Context, sense, id string, yield func(key string, value []byte) bool) error
}

// Hinter is a sense that can ask for an early tick.
type Hinter interface {
	// Hints is readable whenever there may be something new.
	Hints() <-chan struct{}
}

// Stopper is a sense that owns goroutines or connections. Stop ends them and
// waits for them.
type Stopper interface {
	Stop(ctx context.Context) error
}

// State of a sense's health.
type State string

const (
	OK       State = "ok"
	Starting State = "starting" // the first collect still goes on
	Degraded State = "degraded" // it sees, but not all
	Blind    State = "blind"    // it does not see; what stood is taken to stand
	// left: it is not in the configuration any more; shown to nobody.
	left State = "left"
)

// Health of one sense.
type Health struct {
	ID    string    `json:"id"`
	Kind  string    `json:"kind"` // the sense's name
	State State     `json:"state"`
	Since time.Time `json:"since"` // since when the state is so
	// Error is what is wrong in plain words, and Next the next try.
	Error string    `json:"error,omitempty"`
	Next  time.Time `json:"next,omitzero"`
	// Standing is how many observations of this sense stand.
	Standing int `json:"standing"`
}

// SenseID names one configured instance of a sense.
type SenseID struct {
	Sense string // the sense's name: "files"
	ID    string // the instance: "work"
}

// String returns "files/work", or the name alone where there is no instance.
func (s SenseID) String() string {
	if s.ID == "" {
		return s.Sense
	}
	return s.Sense + "/" + s.ID
}

func compareSources(a, b SenseID) int {
	return cmp.Or(strings.Compare(a.Sense, b.Sense), strings.Compare(a.ID, b.ID))
}

// Collected is what one sense instance brought to a tick.
type Collected struct {
	Sense string
	ID    string
	// Batch is cleaned. It counts for nothing where Health.State is Blind.
	Batch  Batch
	Health Health
}
