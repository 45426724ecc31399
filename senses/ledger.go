package senses

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Ledger keeps what stands, numbers every change, and knows what each thread
// has not been shown. One tick is one Stage; what it works out counts for
// nothing until it is persisted in the tick's transaction and adopted.
//
// Its methods may be called from several goroutines, but only one Staged at a
// time can be adopted.
type Ledger struct {
	db *store.DB

	mu      sync.Mutex
	records *records
	config  configuration
}

var _ RowReader = (*Ledger)(nil)

// configuration is what the daemon was configured with; the next Stage applies
// it.
type configuration struct {
	senses     map[SenseID]bool // nil: all
	threads    []subconscious.ThreadName
	interested func(subconscious.ThreadName, subconscious.Observation) bool
}

// OpenLedger reads the ledger back from the database, which has been opened
// with Migrations. Until Configure is called every sense counts as configured,
// and the threads are the built-in ones.
func OpenLedger(ctx context.Context, db *store.DB) (*Ledger, error) {
	l := &Ledger{db: db, config: configuration{threads: subconscious.Threads()}}
	err := db.Read(ctx, func(tx *store.Tx) error {
		var err error
		l.records, err = load(ctx, tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return l, nil
}

// Configure says which sense instances and which threads there are; no threads
// means the built-in ones. It takes effect with the next Stage that is adopted:
// what a sense that is no longer there held to stand leaves without
// announcement. All that is known of it is kept for 30 days, with its cursor and
// its rows, and where it is back by then nothing is new. Everything that stands is new
// to a thread that was not there before. The sense "person" is always there.
func (l *Ledger) Configure(senses []SenseID, threads ...subconscious.ThreadName) error {
	if len(threads) == 0 {
		threads = subconscious.Threads()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	names := len(l.records.slots)
	for _, thread := range threads {
		if l.records.slots.bit(thread) == 0 {
			names++
		}
	}
	if names > maxThreads {
		return fmt.Errorf("configure the ledger: %d names of threads, past ones included: it can tell %d apart", names, maxThreads)
	}
	configured := map[SenseID]bool{{Sense: Person}: true}
	for _, id := range senses {
		configured[id] = true
	}
	l.config.senses, l.config.threads = configured, slices.Clone(threads)
	return nil
}

// Interest limits what waits for a thread to what it looks at. It must depend
// on its arguments alone. Without it everything is for every thread.
func (l *Ledger) Interest(interested func(subconscious.ThreadName, subconscious.Observation) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.config.interested = interested
}

// Cursor returns the cursor that was last committed for a sense instance, nil
// before its first collect.
func (l *Ledger) Cursor(sense, id string) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.records.sources[SenseID{sense, id}].cursor)
}

// View returns what stands as of the last commit.
func (l *Ledger) View() *View {
	l.mu.Lock()
	defer l.mu.Unlock()
	return newView(l.records)
}

// Adopt makes what was staged the ledger's own, after the transaction in which
// it was persisted has been committed. It panics when another Staged was
// adopted since this one was made: its changes would be numbered twice.
func (l *Ledger) Adopt(s *Staged) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.ledger != l || l.records != s.base {
		panic("senses: Adopt of a Staged that another one has overtaken")
	}
	l.records = s.now
	s.now = s.now.copy() // later changes to s must not reach the ledger
}

// Observation returns the change that is cited, with its text. ok is false for
// what the ledger does not know, or no longer: changes are kept for 30 days,
// and those of an observation that stands for as long as it does where nothing
// happened to it since.
func (l *Ledger) Observation(ctx context.Context, citation subconscious.Citation) (o subconscious.Observation, ok bool, err error) {
	l.mu.Lock()
	t := l.records.get(citation.Ref)
	l.mu.Unlock()
	if t != nil && (citation.Seq == 0 || citation.Seq == t.latest.Seq) {
		o, ok = *t.latest, true
		citation.Seq = t.latest.Seq
		if t.phase == standing {
			return o, true, nil
		}
	}
	read, found, err := store.One(ctx, l.db, store.JSONValue[subconscious.Observation],
		`SELECT observation FROM ledger_changes WHERE seq = ? AND ref = ?`, citation.Seq, string(citation.Ref))
	if err != nil {
		return subconscious.Observation{}, false, fmt.Errorf("read observation %s: %w", citation, err)
	}
	if found {
		return read, true, nil
	}
	return o, ok, nil
}

// Rows implements RowReader over what was last committed.
func (l *Ledger) Rows(ctx context.Context, sense, id string, yield func(key string, value []byte) bool) error {
	stop := errors.New("enough")
	err := l.db.Each(ctx, func(rows *sql.Rows) error {
		var key string
		var value sql.RawBytes
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
		if !yield(key, value) {
			return stop
		}
		return nil
	}, `SELECT key, value FROM ledger_rows WHERE sense = ? AND id = ?`, sense, id)
	if err != nil && !errors.Is(err, stop) {
		return fmt.Errorf("read the rows of %s: %w", SenseID{sense, id}, err)
	}
	return nil
}

// BlindPeriod is a time in which a sense could not see.
type BlindPeriod struct {
	Sense string    `json:"sense"`
	ID    string    `json:"id"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to,omitzero"` // zero while it lasts
	Error string    `json:"error,omitempty"`
}

// BlindPeriods returns the periods of blindness that had not ended at the time
// since, oldest first.
func (l *Ledger) BlindPeriods(ctx context.Context, since time.Time) ([]BlindPeriod, error) {
	periods, err := store.All(ctx, l.db, func(p *BlindPeriod) []any {
		return []any{&p.Sense, &p.ID, store.Time(&p.From), store.Time(&p.To), &p.Error}
	}, `SELECT sense, id, began * 1000000, ended * 1000000, error FROM ledger_blind
		WHERE ended IS NULL OR ended >= ? ORDER BY began, sense, id`, since.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("read blind periods: %w", err)
	}
	return periods, nil
}

// Health returns the health of the configured senses as of the last commit, in
// order of their names.
func (l *Ledger) Health() []Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.records.health()
}
