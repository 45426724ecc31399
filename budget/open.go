package budget

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Budget lets calls through as far as its limits reach. It is safe for
// concurrent use, and the only one that writes its tables.
//
// A day is the local day of Charge.At, but neither a clock nor a zone that is
// set to and fro opens a budget twice:
//
//   - A clock that goes back to an earlier day finds there what that day had
//     used, and what all later days have used counts there too. Whoever comes
//     back from a wrong future pays for it for one day, not until then.
//   - A zone further east in which it is tomorrow already begins no new day
//     before the old one is over in every zone in which it was counted.
//
// So no local day and no month ever counts more than its limit. A clock that
// jumps ahead cannot be told from one that was off for long, and begins a day.
type Budget struct {
	db *store.DB
	// before is the last ticket of earlier processes.
	before Ticket

	// writing is held, before mu, by whoever writes debits. batches counts how
	// often, for the sweep of what is old.
	writing sync.Mutex
	batches int

	mu     sync.Mutex
	config Config
	ledger *ledger
	closed bool
	// settled is closed at the next settlement; nil while nobody waits for it.
	settled chan struct{}
	// open are the debits of this process that are not settled.
	open map[Ticket]debit
	// pending are settled and counted, and not known to be on disk.
	pending []settlement
	queue   []*request // debits that wait to be written
	// late are debits of an earlier process that were settled by this one.
	late map[Ticket]bool
}

// Open returns the budget kept in db, which was opened with Migrations. The
// configuration must be valid.
func Open(ctx context.Context, db *store.DB, config Config) (*Budget, error) {
	b := &Budget{db: db, ledger: newLedger(""), open: map[Ticket]debit{}, late: map[Ticket]bool{}}
	if err := b.SetConfig(config); err != nil {
		return nil, err
	}
	err := db.Read(ctx, func(tx *store.Tx) error {
		day, newest, err := now(ctx, tx)
		if err != nil || day == "" {
			return err
		}
		b.before = newest
		b.ledger, err = load(ctx, tx, day, false)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("budget: open: %w", err)
	}
	return b, nil
}

// SetConfig sets other limits, which hold from the next debit on. With an
// error, those that hold stay.
func (b *Budget) SetConfig(config Config) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("budget: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	config.Threads = slices.Clone(config.Threads)
	b.config = config
	return nil
}

// writeTimeout bounds how long a debit waits for the database, whoever asked
// for it: others may be written with it.
const writeTimeout = 10 * time.Second

// Close writes what is settled and ends the budget: later debits fail. It may
// be called more than once.
func (b *Budget) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	done := b.settlements()
	if len(done) == 0 {
		return nil
	}
	if err := b.db.Write(ctx, func(tx *store.Tx) error { return putSettlements(ctx, tx, done) }); err != nil {
		return fmt.Errorf("budget: close: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(done)
	return nil
}

// Migrations returns the steps that make the tables of this package.
//
// A day is local, "2026-11-21"; its month are the first seven characters.
// Money is in billionths of a dollar, times are nanoseconds since 1970.
func Migrations() []store.Migration { return store.Migrations("budget", migrations) }
