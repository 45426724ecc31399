package senses_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// book is a ledger on a database in memory with a clock.
type book struct {
	t      testing.TB
	db     *store.DB
	ledger *senses.Ledger
	at     time.Time
}

func openMemory(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), store.Options{Path: store.Memory}, senses.Migrations()...)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func newBook(t testing.TB) *book {
	t.Helper()
	db := openMemory(t)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &book{t: t, db: db, at: noon}
	b.reopen()
	return b
}

func (b *book) reopen() {
	b.t.Helper()
	ledger, err := senses.OpenLedger(context.Background(), b.db)
	if err != nil {
		b.t.Fatal(err)
	}
	b.ledger = ledger
}

func (b *book) commit(s *senses.Staged) {
	b.t.Helper()
	ctx := context.Background()
	if err := b.db.Write(ctx, func(tx *store.Tx) error { return s.Persist(ctx, tx) }); err != nil {
		b.t.Fatal(err)
	}
	b.ledger.Adopt(s)
}

// tick stages, lets the threads see all that waits for them, and commits.
func (b *book) tick(collected []senses.Collected, healthy ...subconscious.ThreadName) *senses.Staged {
	b.t.Helper()
	s := b.ledger.Stage(b.at, collected)
	for _, thread := range healthy {
		see(s, thread)
	}
	b.commit(s)
	b.at = b.at.Add(5 * time.Minute)
	return s
}

func see(s *senses.Staged, thread subconscious.ThreadName) []subconscious.Observation {
	list, _ := s.Pending(thread)
	var refs []subconscious.Ref
	for _, o := range list {
		refs = append(refs, o.Ref())
	}
	s.Seen(thread, refs)
	return list
}

// standingSet is what a sense with one complete set brings.
func standingSet(sense, id, scope string, items ...subconscious.Observation) senses.Collected {
	return brings(sense, id, senses.Batch{Sets: []senses.Set{{Scope: scope, Items: items}}})
}

func brings(sense, id string, batch senses.Batch) senses.Collected {
	clean, lost := senses.Cleaner{}.Batch(noon.Add(1000*24*time.Hour), senses.SenseID{Sense: sense, ID: id}, batch)
	if lost.Refused > 0 {
		panic(lost.String())
	}
	return senses.Collected{Sense: sense, ID: id, Batch: clean, Health: senses.Health{State: senses.OK}}
}

func blind(sense, id, why string) senses.Collected {
	return senses.Collected{Sense: sense, ID: id, Health: senses.Health{State: senses.Blind, Error: why}}
}

func item(id, class string) subconscious.Observation {
	return subconscious.Observation{ID: id, Kind: "item", Title: "Item " + id + " is " + class, Fingerprint: class,
		At: noon, Trust: subconscious.Machine}
}

func change(o subconscious.Observation, change subconscious.Change) subconscious.Observation {
	o.Change = change
	return o
}

// short lists observations as "appeared a/1".
func short(list []subconscious.Observation) []string {
	var lines []string
	for _, o := range list {
		line := fmt.Sprintf("%s %s/%s", o.Change, o.ID, o.Fingerprint)
		if o.BandOnly {
			line += " band " + string(o.Band)
		}
		lines = append(lines, line)
	}
	return lines
}

func pending(s *senses.Staged, thread subconscious.ThreadName) []string {
	list, _ := s.Pending(thread)
	return short(list)
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestSetsAreDiffed(t *testing.T) {
	b := newBook(t)
	severe := item("a", "1")
	severe.Severity = subconscious.Warning
	due := severe
	due.Due = noon.Add(200 * time.Hour)
	reworded := due
	reworded.Title, reworded.Text = "Another reading", "More to read"
	for i, step := range []struct {
		items []subconscious.Observation
		want  []string
	}{
		{[]subconscious.Observation{item("a", "1"), item("b", "1")}, []string{"appeared a/1", "appeared b/1"}},
		{[]subconscious.Observation{item("b", "1"), item("a", "1")}, nil},
		{[]subconscious.Observation{item("a", "1"), item("a", "2"), item("b", "2")}, []string{"changed b/2"}},
		{[]subconscious.Observation{severe}, []string{"changed a/1", "gone b/2"}},
		{[]subconscious.Observation{due}, []string{"changed a/1"}},
		{[]subconscious.Observation{reworded}, nil},
		{nil, []string{"gone a/1"}},
		{[]subconscious.Observation{item("a", "1")}, []string{"appeared a/1"}},
	} {
		s := b.tick([]senses.Collected{standingSet("notes", "one", "file", step.items...)}, subconscious.Threads()...)
		same(t, fmt.Sprintf("changes of collect %d", i), short(s.Changes()), step.want)
		b.reopen()
	}
	s := b.tick([]senses.Collected{standingSet("notes", "one", "another file"), blind("notes", "two", "no")})
	same(t, "another scope, another instance", short(s.Changes()), []string(nil))
	if n := b.ledger.View().Len(); n != 1 {
		t.Errorf("%d observations stand, want 1", n)
	}
}

func TestExplicitChanges(t *testing.T) {
	a1, a2 := item("a", "1"), item("a", "2")
	past := a1
	past.Until = noon.Add(-time.Hour)
	for _, test := range []struct {
		name   string
		before []subconscious.Observation
		now    []subconscious.Observation
		want   []string
	}{
		{"appears", nil, []subconscious.Observation{change(a1, "appeared")}, []string{"appeared a/1"}},
		{"changes without having appeared", nil, []subconscious.Observation{change(a1, "changed")}, []string{"appeared a/1"}},
		{"is told again", []subconscious.Observation{change(a1, "appeared")}, []subconscious.Observation{change(a1, "appeared")}, nil},
		{"changes", []subconscious.Observation{change(a1, "appeared")}, []subconscious.Observation{change(a2, "changed")}, []string{"changed a/2"}},
		{"changes and changes back", []subconscious.Observation{change(a1, "appeared")},
			[]subconscious.Observation{change(a2, "changed"), change(a1, "changed")}, nil},
		{"goes", []subconscious.Observation{change(a1, "appeared")}, []subconscious.Observation{change(a1, "gone")}, []string{"gone a/1"}},
		{"goes without having been there", nil, []subconscious.Observation{change(a1, "gone")}, nil},
		{"comes and goes", nil, []subconscious.Observation{change(a1, "appeared"), change(a1, "gone")}, []string{"momentary a/1"}},
		{"goes and returns", []subconscious.Observation{change(a1, "appeared")},
			[]subconscious.Observation{change(a1, "gone"), change(a1, "appeared")}, []string{"appeared a/1"}},
		{"happens", nil, []subconscious.Observation{change(a1, "momentary"), change(a2, "momentary")}, []string{"momentary a/2"}},
		{"happens to what stands", []subconscious.Observation{change(a1, "appeared")},
			[]subconscious.Observation{change(a2, "momentary")}, []string{"changed a/1"}},
		{"was over when it was seen", nil, []subconscious.Observation{change(past, "appeared")}, []string{"momentary a/1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBook(t)
			b.tick([]senses.Collected{brings("mail", "x", senses.Batch{Changes: test.before})}, subconscious.Threads()...)
			s := b.tick([]senses.Collected{brings("mail", "x", senses.Batch{Changes: test.now})})
			same(t, "changes", short(s.Changes()), test.want)
			again := b.tick([]senses.Collected{brings("mail", "x", senses.Batch{})})
			same(t, "changes of the next collect", short(again.Changes()), []string(nil))
		})
	}
}

func TestClaimsOfSeveral(t *testing.T) {
	b := newBook(t)
	one := func(items ...subconscious.Observation) senses.Collected {
		return standingSet("calendar", "one", "", items...)
	}
	two := func(items ...subconscious.Observation) senses.Collected {
		return standingSet("calendar", "two", "", items...)
	}
	for i, step := range []struct {
		collected []senses.Collected
		want      []string
	}{
		{[]senses.Collected{one(item("e", "1")), two(item("e", "1"))}, []string{"appeared e/1"}},
		{[]senses.Collected{two(item("e", "2"))}, nil}, // the word of the first counts
		{[]senses.Collected{one(item("e", "3"))}, []string{"changed e/3"}},
		{[]senses.Collected{one()}, []string{"changed e/2"}}, // now that of the second
		{[]senses.Collected{one(item("e", "2")), two()}, nil},
		{[]senses.Collected{one()}, []string{"gone e/2"}},
	} {
		s := b.tick(step.collected, subconscious.Threads()...)
		same(t, fmt.Sprintf("changes of collect %d", i), short(s.Changes()), step.want)
		b.reopen()
	}
	// Who is trusted less neither moves nor cancels what another holds, whoever came first.
	owned := func(id, class string) subconscious.Observation {
		o := item(id, class)
		o.Trust = subconscious.Owner
		return o
	}
	for i, step := range []struct {
		collected []senses.Collected
		want      []string
	}{
		{[]senses.Collected{one(item("f", "1"))}, []string{"appeared f/1"}},
		{[]senses.Collected{two(owned("f", "2"))}, []string{"changed f/2"}},
		{[]senses.Collected{one(item("f", "3"))}, nil},
		{[]senses.Collected{one()}, nil},
		{[]senses.Collected{one(item("f", "4"))}, nil},
		{[]senses.Collected{two(owned("f", "5"))}, []string{"changed f/5"}},
		{[]senses.Collected{two()}, []string{"changed f/4"}},
		{[]senses.Collected{one()}, []string{"gone f/4"}},
	} {
		s := b.tick(step.collected, subconscious.Threads()...)
		same(t, fmt.Sprintf("changes of collect %d of two that are trusted otherwise", i), short(s.Changes()), step.want)
		b.reopen()
	}
	// An observation that moves from one scope to another never went.
	move := func(from, to []subconscious.Observation) senses.Collected {
		return brings("notes", "n", senses.Batch{Sets: []senses.Set{{Scope: "a.md", Items: from}, {Scope: "b.md", Items: to}}})
	}
	p := []subconscious.Observation{item("promise", "open")}
	b.tick([]senses.Collected{move(p, nil)}, subconscious.Threads()...)
	s := b.tick([]senses.Collected{move(nil, p)})
	same(t, "changes of a move", short(s.Changes()), []string(nil))
	s = b.tick([]senses.Collected{standingSet("notes", "n", "a.md")})
	same(t, "after the move", short(s.Changes()), []string(nil))
}

func TestNewnessIsPerThread(t *testing.T) {
	const w, o = subconscious.Watcher, subconscious.Oracle
	collected := func(items ...subconscious.Observation) []senses.Collected {
		return []senses.Collected{standingSet("notes", "n", "", items...)}
	}
	severe := item("a", "2")
	severe.Severity = subconscious.Critical
	for _, test := range []struct {
		name     string
		collects [][]senses.Collected
		want     []string // for the oracle, who fails until the end; the watcher never does
	}{
		{"appeared", [][]senses.Collected{collected(item("a", "1")), nil}, []string{"appeared a/1"}},
		{"appeared and changed", [][]senses.Collected{collected(item("a", "1")), collected(item("a", "2"))}, []string{"appeared a/2"}},
		{"came and went", [][]senses.Collected{collected(item("a", "1")), collected()}, []string{"momentary a/1"}},
		{"came, went and returned", [][]senses.Collected{collected(item("a", "1")), collected(), collected(item("a", "2"))}, []string{"appeared a/2"}},
		{"two observations", [][]senses.Collected{collected(item("a", "1")), collected(item("a", "2"), item("b", "1")), collected(item("a", "3"), item("b", "1"))},
			[]string{"appeared b/1", "appeared a/3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBook(t)
			var s *senses.Staged
			for _, collected := range test.collects {
				s = b.tick(collected, w)
				same(t, "the watcher after a healthy run", pending(s, w), []string(nil))
				b.reopen()
			}
			same(t, "the oracle", pending(s, o), test.want)
			s = b.tick(nil, o)
			same(t, "the oracle after a healthy run", pending(s, o), []string(nil))
		})
	}
	t.Run("known to a thread", func(t *testing.T) {
		b := newBook(t)
		b.tick(collected(item("a", "1")), w, o)
		b.tick(collected(severe), w)
		b.reopen()
		s := b.tick(collected(item("a", "3")), w)
		list, _ := s.Pending(o)
		same(t, "after two changes", short(list), []string{"changed a/3"})
		if list[0].Severity != subconscious.Critical {
			t.Errorf("severity %d, want the highest of what was not seen", list[0].Severity)
		}
		s = b.tick(collected(), w)
		same(t, "after it went", pending(s, o), []string{"gone a/3"})
		b.reopen()
		s = b.tick(collected(item("a", "1")))
		same(t, "after it returned", pending(s, o), []string{"appeared a/1"})
		same(t, "the other one", pending(s, w), []string{"appeared a/1"})
	})
	t.Run("known once and told that it went", func(t *testing.T) {
		b := newBook(t)
		b.tick(collected(item("a", "1")), w, o)
		b.tick(collected(), w, o)
		b.reopen()
		b.tick(collected(item("a", "1")), w)
		s := b.tick(collected(), w)
		same(t, "one who missed the second time", pending(s, o), []string{"momentary a/1"})
	})
	t.Run("returned and entered a band", func(t *testing.T) {
		b := newBook(t)
		due := item("a", "1")
		due.Due = noon.Add(30 * time.Hour)
		b.tick(collected(due), w, o)
		b.tick(collected(), w)
		b.tick(collected(due), w)
		b.at = due.Due.Add(-23 * time.Hour)
		s := b.tick(collected(due), w)
		same(t, "changes", short(s.Changes()), []string{"changed a/1 band 24h"})
		same(t, "what was not seen", pending(s, o), []string{"appeared a/1"})
	})
	t.Run("nobody ever knew", func(t *testing.T) {
		b := newBook(t)
		b.tick(collected(item("a", "1")))
		s := b.tick(collected())
		same(t, "changes", short(s.Changes()), []string{"momentary a/1"})
		e := s.Evidence([]subconscious.Ref{subconscious.NewRef("notes", "a")}, nil, nil)
		if len(e) != 1 || e[0].Gone || e[0].Standing {
			t.Errorf("evidence of what came and went unseen: %+v", e)
		}
	})
}

func TestShown(t *testing.T) {
	const w = subconscious.Watcher
	ref := subconscious.NewRef("notes", "a")
	b := newBook(t)
	shown := func(s *senses.Staged, want bool) {
		t.Helper()
		if got := s.Shown(w, ref); got != want {
			t.Errorf("shown: %t, want %t", got, want)
		}
	}
	s := b.ledger.Stage(b.at, []senses.Collected{standingSet("notes", "n", "", item("a", "1"))})
	shown(s, false)
	see(s, w)
	shown(s, true)
	b.commit(s)
	b.reopen()
	s = b.tick(nil)
	shown(s, true)
	if s.Shown(subconscious.Oracle, ref) {
		t.Error("shown to a thread that never ran")
	}
	s = b.tick([]senses.Collected{standingSet("notes", "n", "", item("a", "2"))})
	shown(s, false)
	s = b.tick([]senses.Collected{standingSet("notes", "n", "")}, w)
	shown(s, false)
}

func TestBandsAreForTheOracleAlone(t *testing.T) {
	event := item("e", "plain")
	event.Due = noon.Add(50 * time.Hour)
	collected := []senses.Collected{standingSet("calendar", "c", "", event)}
	b := newBook(t)
	s := b.tick(collected, subconscious.Threads()...)
	if got := s.Changes()[0]; got.Band != subconscious.Band72h || got.BandOnly {
		t.Errorf("it appeared as %+v", got)
	}
	b.at = event.Due.Add(-24*time.Hour - time.Minute)
	same(t, "just before the band", short(b.tick(collected, subconscious.Threads()...).Changes()), []string(nil))
	b.at = event.Due.Add(-24 * time.Hour)
	s = b.ledger.Stage(b.at, collected)
	same(t, "changes", short(s.Changes()), []string{"changed e/plain band 24h"})
	same(t, "the oracle", pending(s, subconscious.Oracle), []string{"changed e/plain band 24h"})
	for _, thread := range []subconscious.ThreadName{subconscious.Watcher, subconscious.Librarian, subconscious.Dreamer} {
		same(t, string(thread), pending(s, thread), []string(nil))
		if !s.Shown(thread, subconscious.NewRef("calendar", "e")) {
			t.Errorf("to %s it was shown before the band", thread)
		}
	}
	b.commit(s)
	b.reopen()
	// Days without a tick: one change, in the band that it is in then.
	b.at = event.Due.Add(30 * time.Minute)
	s = b.tick(nil)
	same(t, "the oracle, later", pending(s, subconscious.Oracle), []string{"changed e/plain band now"})
	b.at = event.Due.Add(-30 * time.Hour)
	same(t, "after the clock was set back", short(b.tick(collected).Changes()), []string(nil))
	b.at = event.Due.Add(2 * time.Hour)
	same(t, "at the end", short(b.tick(collected).Changes()), []string{"changed e/plain band past"})
	b.at = event.Due.Add(200 * time.Hour)
	same(t, "after the end", short(b.tick(collected).Changes()), []string(nil))
}

func TestUntil(t *testing.T) {
	b := newBook(t)
	promise := item("p", "open")
	promise.Until = noon.Add(time.Hour)
	longer := promise
	longer.Until = noon.Add(2 * time.Hour)
	collected := func(o subconscious.Observation) []senses.Collected {
		return []senses.Collected{standingSet("notes", "n", "", o)}
	}
	b.tick(collected(promise), subconscious.Threads()...)
	same(t, "a later end is no change", short(b.tick(collected(longer)).Changes()), []string(nil))
	b.reopen()
	b.at = promise.Until
	same(t, "at the end that was", short(b.tick(nil).Changes()), []string(nil))
	b.at = longer.Until
	same(t, "at the end", short(b.tick(nil).Changes()), []string{"gone p/open"})
	same(t, "told again", short(b.tick(collected(longer)).Changes()), []string(nil))
	if n := b.ledger.View().Len(); n != 0 {
		t.Errorf("%d observations stand", n)
	}
}
