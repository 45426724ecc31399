package mail_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	ines     = "ines@example.com"
	password = "a-password"
)

// mind is the sense with a real ledger behind it, as the daemon has it.
type mind struct {
	t      testing.TB
	config mail.Config
	dial   func(context.Context) (net.Conn, error)
	at     time.Time
	db     *store.DB
	ledger *senses.Ledger
	sense  *mail.Sense
	// after is how many bytes may still be read before connections break, and
	// below 0 none does.
	after atomic.Int64
}

func newMind(t testing.TB, config mail.Config, at time.Time, dial func(context.Context) (net.Conn, error)) *mind {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: ":memory:"}, senses.Migrations()...)
	if err != nil {
		t.Fatal(err)
	}
	m := &mind{t: t, config: config, dial: dial, at: at, db: db}
	m.after.Store(-1)
	t.Cleanup(func() {
		m.stop()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	m.start()
	return m
}

// start opens ledger and sense, as after a crash: all that it knows was
// committed.
func (m *mind) start() {
	m.t.Helper()
	var err error
	if m.ledger, err = senses.OpenLedger(context.Background(), m.db); err != nil {
		m.t.Fatal(err)
	}
	m.sense, err = mail.New(m.config, mail.Options{
		Rows: m.ledger, Zone: func() *time.Location { return time.UTC },
		Password: func(context.Context) (secret.Value, error) { return secret.New(password), nil },
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := m.dial(ctx)
			if err != nil {
				return nil, err
			}
			return &brittle{Conn: conn, after: &m.after}, nil
		},
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *mind) stop() {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := m.sense.Stop(ctx); err != nil {
		m.t.Error(err)
	}
}

// brittle is a connection that breaks once a number of bytes was read.
type brittle struct {
	net.Conn
	after *atomic.Int64
}

func (b *brittle) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p)
	if b.after.Load() >= 0 && b.after.Add(-int64(n)) < 0 {
		b.after.Store(-1) // the next one holds
		_ = b.Close()
		return 0, fmt.Errorf("read: %w", net.ErrClosed)
	}
	return n, err
}

// collect is one that is staged and not committed.
func (m *mind) collect() (senses.Batch, *senses.Staged, error) {
	m.t.Helper()
	id := senses.SenseID{Sense: m.sense.Name(), ID: m.sense.ID()}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	given := m.ledger.Cursor(id.Sense, id.ID)
	batch, err := m.sense.Collect(ctx, m.at, slices.Clone(given))
	c := senses.Collected{Sense: id.Sense, ID: id.ID, Health: senses.Health{State: senses.OK}}
	if err != nil {
		c.Health.State, c.Health.Error = senses.Blind, err.Error()
		return batch, m.ledger.Stage(m.at, []senses.Collected{c}), err
	}
	var lost senses.Cut
	if c.Batch, lost = (senses.Cleaner{}).Batch(m.at, id, batch); lost.Refused > 0 {
		m.t.Errorf("the ledger refuses part of a batch: %s", lost)
	}
	return batch, m.ledger.Stage(m.at, []senses.Collected{c}), nil
}

// commit makes a collect the ledger's own.
func (m *mind) commit(staged *senses.Staged) []subconscious.Observation {
	m.t.Helper()
	pending, _ := staged.Pending(subconscious.Watcher)
	var refs []subconscious.Ref
	for _, o := range pending {
		refs = append(refs, o.Ref())
	}
	staged.Seen(subconscious.Watcher, refs)
	ctx := context.Background()
	if err := m.db.Write(ctx, func(tx *store.Tx) error { return staged.Persist(ctx, tx) }); err != nil {
		m.t.Fatal(err)
	}
	m.ledger.Adopt(staged)
	return staged.Changes()
}

// tick is a collect that goes well, and all that it brought. It looks on until the
// first collect is over.
func (m *mind) tick() []subconscious.Observation {
	m.t.Helper()
	var all []subconscious.Observation
	for range 1000 {
		batch, staged, err := m.collect()
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, m.commit(staged)...)
		if !batch.Starting {
			return all
		}
	}
	m.t.Fatal("the first collect does not end")
	return nil
}
