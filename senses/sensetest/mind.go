package sensetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// mind is one sense with a ledger behind it.
type mind struct {
	t      testing.TB
	h      Harness
	db     *store.DB
	ledger *senses.Ledger
	sense  senses.Sense
	done   bool
}

// open makes a new mind over the source. It collects until the first collect is over.
func open(t testing.TB, h Harness) *mind {
	t.Helper()
	db, err := store.Open(context.Background(), store.Options{Path: ":memory:"}, senses.Migrations()...)
	if err != nil {
		t.Fatalf("open a database in memory: %v", err)
	}
	m := &mind{t: t, h: h, db: db}
	t.Cleanup(m.close)
	m.start()
	return m
}

// start opens ledger and sense, as a daemon does that starts.
func (m *mind) start() {
	m.t.Helper()
	ledger, err := senses.OpenLedger(context.Background(), m.db)
	if err != nil {
		m.t.Fatalf("open the ledger: %v", err)
	}
	m.ledger = ledger
	m.sense = m.h.OpenWith(m.t, ledger)
	if m.sense.Name() == "" {
		m.t.Fatal("the sense has no name")
	}
}

// stop ends the sense, as a daemon does that stops.
func (m *mind) stop() {
	m.t.Helper()
	if m.sense == nil {
		return
	}
	stopper, ok := m.sense.(senses.Stopper)
	m.sense = nil
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.h.patience)
	defer cancel()
	if err := stopper.Stop(ctx); err != nil {
		m.t.Errorf("stop the sense: %v", err)
	}
}

func (m *mind) restart() {
	m.t.Helper()
	m.stop()
	m.start()
}

func (m *mind) close() {
	if m.done {
		return
	}
	m.done = true
	m.stop()
	if err := m.db.Close(); err != nil {
		m.t.Errorf("close the database: %v", err)
	}
}

func (m *mind) await() {
	m.t.Helper()
	m.h.Await(m.t, m.sense)
}

// raw is one Collect with the last committed cursor. It checks what came, and
// that the sense neither changes the cursor it was given nor, later, what it
// handed over.
func (m *mind) raw() (senses.Batch, error) {
	m.t.Helper()
	at := m.h.Now()
	id := senses.SenseID{Sense: m.sense.Name(), ID: m.sense.ID()}
	cursor := m.ledger.Cursor(id.Sense, id.ID)
	given := slices.Clone(cursor)
	ctx, cancel := context.WithTimeout(context.Background(), m.h.patience)
	defer cancel()
	batch, err := m.sense.Collect(ctx, at, cursor)
	if string(given) != string(cursor) {
		m.t.Errorf("Collect changed the cursor that it was given from %q to %q", given, cursor)
	}
	if err != nil {
		return batch, err
	}
	for _, o := range batch.Changes {
		valid(m.t, id, o, false)
	}
	for _, set := range batch.Sets {
		for _, o := range set.Items {
			valid(m.t, id, o, true)
		}
	}
	return batch, nil
}

// valid checks one observation as the sense reported it.
func valid(t testing.TB, id senses.SenseID, o subconscious.Observation, inSet bool) {
	t.Helper()
	name := fmt.Sprintf("observation %.80q", o.ID)
	if o.ID == "" || o.Kind == "" {
		t.Errorf("%s: identity %q and kind %q must be set", name, o.ID, o.Kind)
	}
	if o.Title == "" && o.Change != subconscious.Gone {
		t.Errorf("%s: it has no title", name)
	}
	switch o.Trust {
	case subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider:
	default:
		t.Errorf("%s: trust %q is none that there is", name, o.Trust)
	}
	switch o.Change {
	case subconscious.Appeared, subconscious.Changed, subconscious.Gone, subconscious.Momentary:
	default:
		if !inSet || o.Change != "" {
			t.Errorf("%s: change %q is none that there is", name, o.Change)
		}
	}
	if o.Sense != "" && o.Sense != id.Sense || o.Instance != "" && o.Instance != id.ID {
		t.Errorf("%s: it names the sense %s/%s and comes from %s", name, o.Sense, o.Instance, id)
	}
	if o.Seq != 0 {
		t.Errorf("%s: it has number %d; the ledger numbers changes", name, o.Seq)
	}
	if o.Severity < subconscious.Plain || o.Severity > subconscious.Critical {
		t.Errorf("%s: severity %d is none that there is", name, o.Severity)
	}
	for _, text := range append([]string{o.ID, o.Kind, o.Title, o.Text, o.Fingerprint}, o.Links...) {
		if !utf8.ValidString(text) {
			t.Errorf("%s: %.40q is no valid UTF-8", name, text)
		}
	}
	for key, value := range o.Attrs {
		if key == "" || !utf8.ValidString(key) || !utf8.ValidString(value) {
			t.Errorf("%s: attribute %.40q=%.40q is no valid UTF-8", name, key, value)
		}
	}
	for _, link := range o.Links {
		if scheme, rest, ok := strings.Cut(link, ":"); !ok || scheme == "" || rest == "" {
			t.Errorf("%s: link %q has no scheme", name, link)
		}
	}
}

// stage puts a batch into the ledger without committing anything.
func (m *mind) stage(batch senses.Batch, err error) *senses.Staged {
	m.t.Helper()
	at := m.h.Now()
	id := senses.SenseID{Sense: m.sense.Name(), ID: m.sense.ID()}
	c := senses.Collected{Sense: id.Sense, ID: id.ID, Health: senses.Health{State: senses.OK}}
	if err != nil {
		c.Health.State, c.Health.Error = senses.Blind, err.Error()
		return m.ledger.Stage(at, []senses.Collected{c})
	}
	var lost senses.Cut
	if c.Batch, lost = (senses.Cleaner{}).Batch(at, id, batch); lost.Refused > 0 {
		m.t.Errorf("the ledger had to refuse part of the batch: %s", lost)
	}
	return m.ledger.Stage(at, []senses.Collected{c})
}

// commit makes what was staged the ledger's own; the watcher has seen it.
func (m *mind) commit(s *senses.Staged) {
	m.t.Helper()
	pending, _ := s.Pending(subconscious.Watcher)
	var refs []subconscious.Ref
	for _, o := range pending {
		refs = append(refs, o.Ref())
	}
	s.Seen(subconscious.Watcher, refs)
	ctx := context.Background()
	if err := m.db.Write(ctx, func(tx *store.Tx) error { return s.Persist(ctx, tx) }); err != nil {
		m.t.Fatalf("persist: %v", err)
	}
	m.ledger.Adopt(s)
}

// tick is one that goes well: what changed, and whether the sense is still
// at its first collect.
func (m *mind) tick() (changes []subconscious.Observation, starting bool) {
	m.t.Helper()
	batch, err := m.raw()
	if err != nil {
		m.t.Fatalf("Collect: %v", err)
	}
	staged := m.stage(batch, nil)
	m.commit(staged)
	return staged.Changes(), batch.Starting
}

// maxStarting bounds the collects that a first collect may take.
const maxStarting = 1000

// baseline collects until the first collect is over and returns all that it brought.
func (m *mind) baseline() []subconscious.Observation {
	m.t.Helper()
	var all []subconscious.Observation
	for range maxStarting {
		m.await()
		changes, starting := m.tick()
		all = append(all, changes...)
		if !starting {
			return all
		}
	}
	m.t.Fatalf("the first collect was not over after %d", maxStarting)
	return nil
}

// watch collects until it has seen something, and then as often again: what comes
// late, or twice, is seen too.
func (m *mind) watch() []subconscious.Observation {
	m.t.Helper()
	m.await()
	var all []subconscious.Observation
	for range m.h.Within {
		changes, _ := m.tick()
		all = append(all, changes...)
		if len(all) > 0 {
			break
		}
	}
	for range m.h.Within {
		changes, _ := m.tick()
		all = append(all, changes...)
	}
	return all
}
