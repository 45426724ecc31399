package senses_test

import (
	"context"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestBlindness(t *testing.T) {
	b := newBook(t)
	ref := subconscious.NewRef("mail", "m")
	since := b.at.Add(5 * time.Minute)
	b.tick([]senses.Collected{standingSet("mail", "work", "", item("m", "1"))}, subconscious.Threads()...)
	for range 3 {
		s := b.tick([]senses.Collected{blind("mail", "work", "connection refused")})
		same(t, "changes", short(s.Changes()), []string(nil))
		o, ok := s.View().Get(ref)
		if !ok || !o.AsOf.Equal(since) {
			t.Errorf("it stands: %t, as of %v, want %v", ok, o.AsOf, since)
		}
		if e := s.Evidence([]subconscious.Ref{ref}, nil, nil); len(e) != 1 || !e[0].Standing || !e[0].Latest.AsOf.Equal(since) {
			t.Errorf("evidence %+v", e)
		}
		h := s.Health()
		if len(h) != 1 || h[0].State != senses.Blind || !h[0].Since.Equal(since) || h[0].Standing != 1 || h[0].Error != "connection refused" {
			t.Errorf("health %+v", h)
		}
		b.reopen()
	}
	periods, err := b.ledger.BlindPeriods(t.Context(), noon)
	if err != nil || len(periods) != 1 || !periods[0].From.Equal(since) || !periods[0].To.IsZero() {
		t.Errorf("blind periods %+v, %v", periods, err)
	}
	ended := b.at
	s := b.tick([]senses.Collected{standingSet("mail", "work", "", item("m", "1"))})
	if o, _ := s.View().Get(ref); !o.AsOf.IsZero() {
		t.Errorf("it can be seen again, and stands as of %v", o.AsOf)
	}
	periods, err = b.ledger.BlindPeriods(t.Context(), noon)
	if err != nil || len(periods) != 1 || !periods[0].To.Equal(ended) {
		t.Errorf("blind periods %+v, %v, want one until %v", periods, err, ended)
	}
	if periods, err = b.ledger.BlindPeriods(t.Context(), ended.Add(time.Minute)); err != nil || len(periods) != 0 {
		t.Errorf("blind periods since then: %+v, %v", periods, err)
	}
}

func TestSensesLeaveWithoutAnnouncement(t *testing.T) {
	b := newBook(t)
	work, home := senses.SenseID{Sense: "calendar", ID: "work"}, senses.SenseID{Sense: "calendar", ID: "home"}
	configure := func(ids ...senses.SenseID) {
		t.Helper()
		if err := b.ledger.Configure(ids); err != nil {
			t.Fatal(err)
		}
	}
	collected := func() []senses.Collected {
		w := standingSet("calendar", "work", "", item("both", "1"), item("mine", "1"))
		w.Batch.Cursor = []byte("cursor")
		w.Batch.Rows = []senses.Row{{Key: "k", Value: []byte("v")}}
		return []senses.Collected{w, standingSet("calendar", "home", "", item("both", "1"))}
	}
	configure(work, home)
	b.tick(collected(), subconscious.Watcher)
	configure(home)
	s := b.tick(collected()[1:])
	same(t, "changes", short(s.Changes()), []string(nil))
	same(t, "what waits for a thread", pending(s, subconscious.Oracle), []string{"appeared both/1"})
	if n := s.View().Len(); n != 1 {
		t.Errorf("%d observations stand, want 1", n)
	}
	mine := subconscious.NewRef("calendar", "mine")
	if e := s.Evidence([]subconscious.Ref{mine}, nil, nil); len(e) != 1 || e[0].Standing || e[0].Gone {
		t.Errorf("evidence of what left: %+v", e)
	}
	if h := s.Health(); len(h) != 1 || h[0].ID != "home" {
		t.Errorf("health of %+v", h)
	}
	b.reopen()
	configure(home)
	s = b.tick(collected())
	same(t, "what is not configured is not taken in", short(s.Changes()), []string(nil))
	if c := b.ledger.Cursor("calendar", "work"); string(c) != "cursor" {
		t.Errorf("its cursor is %q", c)
	}
	same(t, "its rows", b.rows("calendar", "work"), map[string]string{"k": "v"})
	configure(work, home)
	s = b.tick(collected())
	same(t, "when it is back", short(s.Changes()), []string(nil))
	same(t, "what waits for a thread then", pending(s, subconscious.Oracle), []string{"appeared both/1", "appeared mine/1"})
	same(t, "and for one that had seen it", pending(s, subconscious.Watcher), []string(nil))

	configure(home)
	b.tick(collected()[1:])
	b.at = b.at.Add(30*24*time.Hour + time.Minute)
	b.reopen()
	configure(home)
	s = b.tick(collected()[1:])
	same(t, "changes after a month", short(s.Changes()), []string(nil))
	if c, rows := b.ledger.Cursor("calendar", "work"), b.rows("calendar", "work"); c != nil || len(rows) != 0 {
		t.Errorf("after a month there is still the cursor %q and %v", c, rows)
	}
	configure(work, home)
	same(t, "when it is back after a month", short(b.tick(collected()).Changes()), []string{"appeared mine/1"})
}

// An entry that leaves a list within a sense is as a sense that leaves.
func TestEntriesLeaveWithoutAnnouncement(t *testing.T) {
	set := func(left bool, items ...subconscious.Observation) senses.Set {
		return senses.Set{Scope: "s", Items: items, Left: left}
	}
	a, b2, kept := item("a", "1"), item("b", "1"), item("kept", "1")
	over := b2
	over.Until = noon.Add(-time.Hour)
	both := set(false, a, b2, kept)
	for _, test := range []struct {
		name    string
		sets    []senses.Set
		listing senses.Listing
		then    []senses.Set // those of the next tick
		stands  int          // after the first
		changes []string     // of the next
		waits   []string     // for who was shown nothing, then
	}{
		{"and is back", []senses.Set{set(false, kept), set(true, a, b2)}, senses.Relisted, []senses.Set{both}, 1, nil,
			[]string{"appeared a/1", "appeared b/1", "appeared kept/1"}},
		{"with what was never there", []senses.Set{set(false, kept), set(true, a, b2, item("c", "1"))}, senses.Relisted, []senses.Set{set(false, a, b2, kept, item("c", "1"))}, 1,
			[]string{"appeared c/1"}, []string{"appeared a/1", "appeared b/1", "appeared kept/1", "appeared c/1"}},
		{"and something changed, something ended", []senses.Set{set(false, kept), set(true, a, b2)}, senses.Relisted, []senses.Set{set(false, item("a", "2"), over, kept)}, 1,
			[]string{"changed a/2", "gone b/1"}, []string{"appeared kept/1", "appeared a/2", "momentary b/1"}},
		{"whole", []senses.Set{set(true, a, b2, kept)}, senses.Relisted, []senses.Set{both}, 0, nil, []string{"appeared a/1", "appeared b/1", "appeared kept/1"}},
		{"one of two", []senses.Set{set(false, b2, kept), set(true, a)}, senses.Relisted, []senses.Set{set(false, kept), set(true, a, b2)}, 2, nil, []string{"appeared kept/1"}},
		{"and something in it moves to another", []senses.Set{set(false, kept), set(true, a, b2)}, senses.Relisted, []senses.Set{set(false, kept, a), set(true, b2)}, 1, nil,
			[]string{"appeared a/1", "appeared kept/1"}},
		{"and is forgotten", []senses.Set{set(false, kept), set(true, a, b2)}, senses.Forgotten, []senses.Set{set(false, kept)}, 1, nil, []string{"appeared kept/1"}},
		{"and what is in it ends while nobody looks", []senses.Set{set(false, kept), set(true, a, b2)}, senses.Unchanged, []senses.Set{set(false, kept), set(true, a)}, 1, nil,
			[]string{"appeared kept/1"}},
		{"what is missing is not what was forgotten", []senses.Set{set(false, kept, b2), set(true, a)}, senses.Forgotten, []senses.Set{set(false, kept)}, 2, []string{"gone b/1"},
			[]string{"appeared kept/1", "momentary b/1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBook(t)
			b.tick([]senses.Collected{brings("mail", "m", senses.Batch{Sets: []senses.Set{both}})}, subconscious.Watcher)
			for range 2 { // and again after a restart
				s := b.tick([]senses.Collected{brings("mail", "m", senses.Batch{Sets: test.sets})}, subconscious.Watcher)
				same(t, "changes", short(s.Changes()), []string(nil))
				if n, h := s.View().Len(), s.Health()[0].Standing; n != test.stands || h != n {
					t.Errorf("%d stand, and %d by its health; want %d", n, h, test.stands)
				}
				b.reopen()
			}
			s := b.tick([]senses.Collected{brings("mail", "m", senses.Batch{Sets: test.then, Listing: test.listing})})
			same(t, "changes then", short(s.Changes()), test.changes)
			same(t, "what waits", pending(s, subconscious.Oracle), test.waits)
			same(t, "of it for who saw all", pending(s, subconscious.Watcher), test.changes)
			if test.listing != senses.Forgotten {
				return
			}
			s = b.tick([]senses.Collected{brings("mail", "m", senses.Batch{Sets: []senses.Set{set(false, a, kept)}})})
			same(t, "back after it was forgotten", short(s.Changes()), []string{"appeared a/1"})
		})
	}
}

// What two calendars hold in other words is no news when one of them leaves and
// comes back; what happened to it meanwhile is.
func TestWhoseWordCountsLeaves(t *testing.T) {
	b := newBook(t)
	work, home := senses.SenseID{Sense: "calendar", ID: "work"}, senses.SenseID{Sense: "calendar", ID: "home"}
	trusted, other := item("both", "1"), item("both", "2")
	trusted.Trust, other.Trust = subconscious.Owner, subconscious.Outsider
	all := func(o subconscious.Observation) []senses.Collected {
		return []senses.Collected{standingSet("calendar", "work", "", o), standingSet("calendar", "home", "", other)}
	}
	b.tick(all(trusted), subconscious.Threads()...)
	later := trusted
	later.Fingerprint = "3"
	for _, step := range []struct {
		ids       []senses.SenseID
		collected []senses.Collected
		changes   []string
		class     string
	}{
		{[]senses.SenseID{home}, all(trusted)[1:], nil, "2"},
		{[]senses.SenseID{home}, all(trusted)[1:], nil, "2"},
		{[]senses.SenseID{work, home}, all(trusted), nil, "1"},
		{nil, nil, nil, ""},
		{[]senses.SenseID{work, home}, all(later), []string{"changed both/3"}, "3"},
		{[]senses.SenseID{home}, all(trusted)[1:], nil, "2"},
		{[]senses.SenseID{work, home}, []senses.Collected{standingSet("calendar", "work", ""), standingSet("calendar", "home", "")}, []string{"gone both/2"}, ""},
	} {
		if err := b.ledger.Configure(step.ids); err != nil {
			t.Fatal(err)
		}
		s := b.tick(step.collected, subconscious.Threads()...)
		same(t, "changes", short(s.Changes()), step.changes)
		if o, _ := s.View().Get(subconscious.NewRef("calendar", "both")); o.Fingerprint != step.class {
			t.Errorf("%v: its class is %q, want %q", step.ids, o.Fingerprint, step.class)
		}
		b.reopen()
	}
}

func (b *book) rows(sense, id string) map[string]string {
	b.t.Helper()
	rows := map[string]string{}
	err := b.ledger.Rows(context.Background(), sense, id, func(key string, value []byte) bool {
		rows[key] = string(value)
		return true
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return rows
}

func TestRows(t *testing.T) {
	b := newBook(t)
	put := func(rows ...senses.Row) { b.tick([]senses.Collected{brings("files", "w", senses.Batch{Rows: rows})}) }
	put(senses.Row{Key: "a", Value: []byte("1")}, senses.Row{Key: "b", Value: []byte("2")}, senses.Row{Key: "empty", Value: []byte{}})
	put(senses.Row{Key: "a", Value: []byte("3")}, senses.Row{Key: "b"}, senses.Row{Key: "never there"})
	s := b.ledger.Stage(b.at, []senses.Collected{brings("files", "w", senses.Batch{Rows: []senses.Row{{Key: "c", Value: []byte("4")}}})})
	same(t, "rows", b.rows("files", "w"), map[string]string{"a": "3", "empty": ""})
	b.commit(s)
	same(t, "rows", b.rows("files", "w"), map[string]string{"a": "3", "c": "4", "empty": ""})
	same(t, "rows of another instance", b.rows("files", "x"), map[string]string{})
	n := 0
	if err := b.ledger.Rows(t.Context(), "files", "w", func(string, []byte) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("stopped after %d rows, %v", n, err)
	}
}
