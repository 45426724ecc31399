package mind

import (
	"context"
	"embed"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Store keeps the state of one mind. It is safe for concurrent use.
type Store struct {
	db     *store.DB
	packer store.Packer
	// The sweeps over tables that are not in the order in which rows expire
	// go on from here; after a restart they begin again.
	sweptLog, sweptIncidents, sweptGone, sweptDecisions atomic.Int64
}

// New returns the store of the mind in db, which was opened with Migrations.
func New(db *store.DB) *Store { return &Store{db: db} }

// Commit is what one tick leaves behind.
type Commit struct {
	// State is the new state; its TickCount is Record.Tick.
	State subconscious.State
	// Incidents are new ones and those that changed.
	Incidents []subconscious.Incident
	// Consumed says for each input that the tick took what was done with it.
	Consumed map[int64]string
	Record   Record
	// Counts are added to those of the tick's day, and stay.
	Counts map[string]int
	Log    []LogEntry
	// Calls are requests to models made for this tick, or noted with it.
	Calls []ModelCall
	// Published is the document that will be published for this tick, at most
	// 1 MiB: its hash must be known before the file is there. Nil publishes
	// nothing.
	Published []byte
	// Raise and Resolve are notices that begin and end with this tick,
	// ToldNotices those that were told.
	Raise       []Notice
	Resolve     []NoticeKey
	ToldNotices []NoticeKey
	// Decisions are those of the gate that are new.
	Decisions []Decision
	// Pushes are what this tick took of the person's attention.
	Pushes []Push
	// Scores are those that changed.
	Scores []subconscious.Score
	// Habits are those that changed.
	Habits []subconscious.Habit
	// Digests are those that were due.
	Digests Digests
}

// Commit writes a tick in the transaction tx. What did not change is not
// written. It also removes, in small steps, what is older than it is kept:
// records, log, decisions and dropped entries for 30 days (a year where the
// incident was told), consumed inputs and calls of models for 30 days, pushes
// for 40 days, what was missed for a year, incidents for a year after they
// were last seen.
func (s *Store) Commit(ctx context.Context, tx *store.Tx, c Commit) error {
	if c.State.TickCount != c.Record.Tick {
		return fmt.Errorf("mind: commit: the state counts %d ticks and the record is of tick %d", c.State.TickCount, c.Record.Tick)
	}
	p := &s.packer
	steps := []struct {
		name string
		do   func() error
	}{
		{"state", func() error { return putState(ctx, tx, p, c.State, c.Record.At) }},
		{"incidents", func() error { return putIncidents(ctx, tx, c.Incidents, c.Record.At) }},
		{"inputs", func() error { return consume(ctx, tx, c.Record.Tick, c.Consumed) }},
		{"record", func() error { return putRecord(ctx, tx, p, c.Record, c.State.LastTick, c.Published) }},
		{"counts", func() error { return putCounts(ctx, tx, c.Record.At, c.Counts) }},
		{"log", func() error { return logTable.add(ctx, tx, c.Log) }},
		{"calls", func() error { return callTable.add(ctx, tx, c.Calls) }},
		{"notices", func() error { return putNotices(ctx, tx, c) }},
		{"decisions", func() error { return putDecisions(ctx, tx, c.Decisions) }},
		{"pushes", func() error { return pushTable.add(ctx, tx, c.Pushes) }},
		{"scores", func() error { return putScores(ctx, tx, c.Scores, c.Record.At) }},
		{"habits", func() error { return putHabits(ctx, tx, c.Habits) }},
		{"digests", func() error { return putDigests(ctx, tx, c.Digests) }},
		{"sweep", func() error { return s.sweep(ctx, tx, c.Record.Tick, c.Record.At, c.State) }},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("mind: commit %s of tick %d: %w", step.name, c.Record.Tick, err)
		}
	}
	return failpoint.Hit("mind.commit")
}

// before returns the column of the time that lies d before at.
func before(at time.Time, d time.Duration) int64 { return at.Add(-d).UnixNano() }

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package.
//
// Times are two columns: nanoseconds since 1970 in UTC, by which rows are
// compared, and the zone's offset in seconds, so that a time is read back as
// it was written.
func Migrations() []store.Migration { return store.Migrations("store/mind", migrations) }
