package senses_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestViewIsIndexed(t *testing.T) {
	b := newBook(t)
	a, c := item("a", "1"), item("c", "1")
	a.Title, a.Links, a.Due = "Quarterly budget review", []string{"invoice:4711"}, noon.Add(40*time.Hour)
	c.Title, c.Links, c.Due = "The budget of the review board", []string{"invoice:4711", "notes:a"}, noon.Add(20*time.Hour)
	b.tick([]senses.Collected{standingSet("notes", "n", "", a, c, item("d", "1"))})
	b.reopen()
	v := b.ledger.View()
	names := func(list []subconscious.Observation) (names string) {
		for _, o := range list {
			names += o.ID
		}
		return names
	}
	first, second := "a", "c"
	if subconscious.NewRef("notes", "c") < subconscious.NewRef("notes", "a") {
		first, second = "c", "a"
	}
	for _, test := range []struct {
		key   string
		limit int
		want  string
		count int
	}{
		{"invoice:4711", 10, first + second, 2},
		{"invoice:4711", 1, first, 2},
		{"invoice:4711", 0, "", 2},
		{"notes:a", 10, first + second, 2}, // its own identity, and a link to it
		{"term:budget", 10, first + second, 2},
		{"term:quarterly", 10, "a", 1},
		{"budget", 10, "", 0},
		{"term:absent", 10, "", 0},
	} {
		got, count := v.Sharing(test.key, test.limit)
		if names(got) != test.want || count != test.count {
			t.Errorf("Sharing(%q, %d) = %q, %d, want %q, %d", test.key, test.limit, names(got), count, test.want, test.count)
		}
	}
	due := func(from, to time.Duration) string {
		var list []subconscious.Observation
		v.Due(noon.Add(from), noon.Add(to), func(o subconscious.Observation) bool { list = append(list, o); return true })
		return names(list)
	}
	for _, test := range []struct {
		from, to time.Duration
		want     string
	}{{0, 72 * time.Hour, "ca"}, {20 * time.Hour, 40 * time.Hour, "c"}, {21 * time.Hour, 41 * time.Hour, "a"}, {50 * time.Hour, 60 * time.Hour, ""}} {
		if got := due(test.from, test.to); got != test.want {
			t.Errorf("due from %v to %v: %q, want %q", test.from, test.to, got, test.want)
		}
	}
	s := b.tick([]senses.Collected{standingSet("notes", "n", "", item("d", "1"))})
	if got, count := s.View().Sharing("invoice:4711", 10); len(got) != 0 || count != 0 {
		t.Errorf("what is gone is still shared: %v", short(got))
	}
	if got, count := v.Sharing("invoice:4711", 10); len(got) != 2 || count != 2 {
		t.Errorf("the older view lost what it held: %v", short(got))
	}
}

// TestOldViewsWhileStaging has threads that read an old view while later ticks
// stage and commit. The race detector does the rest.
func TestOldViewsWhileStaging(t *testing.T) {
	b := newBook(t)
	items := make([]subconscious.Observation, 200)
	for i := range items {
		items[i] = item(fmt.Sprint(i), "0")
		items[i].Due = noon.Add(time.Duration(i) * time.Hour)
		items[i].Links = []string{"shared:link"}
	}
	collected := func() []senses.Collected { return []senses.Collected{standingSet("calendar", "c", "", items...)} }
	old := b.tick(collected(), subconscious.Watcher).View()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				n := 0
				old.All(func(o subconscious.Observation) bool {
					if o.Fingerprint != "0" {
						t.Errorf("an old view shows %s", o.Fingerprint)
					}
					n++
					return true
				})
				old.Due(noon, noon.Add(1000*time.Hour), func(subconscious.Observation) bool { n++; return true })
				list, count := old.Sharing("shared:link", 1000)
				if n != 400 || len(list) != 200 || count != 200 || old.Len() != 200 {
					t.Errorf("an old view changed: %d, %d, %d", n, len(list), count)
				}
			}
		})
	}
	for i := range 10 {
		for j := i; j < len(items); j += 7 {
			items[j].Fingerprint = fmt.Sprint(i + 1)
		}
		b.tick(collected(), subconscious.Oracle)
		b.ledger.View()
	}
	close(stop)
	readers.Wait()
}

func TestObservationsCanBeReadBack(t *testing.T) {
	b := newBook(t)
	first, second := item("a", "1"), item("a", "2")
	first.Text, second.Text = "the first text", "the second text"
	collected := func(items ...subconscious.Observation) []senses.Collected {
		return []senses.Collected{standingSet("notes", "n", "", items...)}
	}
	b.tick(collected(first), subconscious.Watcher)
	b.tick(collected(second), subconscious.Watcher)
	b.tick(collected(), subconscious.Watcher)
	b.reopen()
	ref := subconscious.NewRef("notes", "a")
	for _, test := range []struct {
		seq  int64
		text string
		ok   bool
	}{{0, "the second text", true}, {1, "the first text", true}, {2, "the second text", true}, {3, "the second text", true}, {4, "", false}} {
		o, ok, err := b.ledger.Observation(t.Context(), subconscious.Citation{Ref: ref, Seq: test.seq})
		if err != nil || ok != test.ok || o.Text != test.text {
			t.Errorf("@%d: %q, %t, %v, want %q, %t", test.seq, o.Text, ok, err, test.text, test.ok)
		}
	}
	if _, ok, err := b.ledger.Observation(t.Context(), subconscious.Citation{Ref: "notes:aaaaaaaaaa", Seq: 1}); ok || err != nil {
		t.Errorf("the change of another observation: %t, %v", ok, err)
	}
	s := b.ledger.Stage(b.at, nil)
	e := s.Evidence([]subconscious.Ref{ref, "notes:aaaaaaaaaa", ref}, map[subconscious.Ref][]subconscious.ThreadName{ref: {"watcher"}}, nil)
	if len(e) != 1 || !e[0].Gone || e[0].Standing || e[0].Latest.Text != "" || len(e[0].Occurrences) != 3 || len(e[0].ShownTo) != 1 {
		t.Errorf("evidence %+v", e)
	}
	for i := range 10 {
		b.tick(collected(item("a", fmt.Sprint("again", i))), subconscious.Watcher)
	}
	b.reopen()
	h := b.ledger.Stage(b.at, nil).History(ref)
	if len(h) != senses.MaxOccurrences || h[len(h)-1].Seq != 13 || h[0].Seq != 6 {
		t.Errorf("history %+v", h)
	}
}

func TestPendingIsBounded(t *testing.T) {
	b := newBook(t)
	const n = 450
	var changes []subconscious.Observation
	for i := range n {
		o := change(item(fmt.Sprint(i), "1"), subconscious.Momentary)
		if i < 20 {
			o.Severity = subconscious.Warning
		}
		changes = append(changes, o)
	}
	b.tick([]senses.Collected{brings("files", "f", senses.Batch{Changes: changes[:300]})}, subconscious.Oracle)
	b.reopen()
	s := b.tick([]senses.Collected{brings("files", "f", senses.Batch{Changes: changes[300:]})}, subconscious.Oracle)
	list, overflow := s.Pending(subconscious.Watcher)
	if len(list) != senses.MaxPending || overflow != n-senses.MaxPending {
		t.Fatalf("%d wait and %d overflowed", len(list), overflow)
	}
	for i, o := range list {
		want := fmt.Sprint(i)
		if i >= 20 {
			want = fmt.Sprint(n - senses.MaxPending + i)
		}
		if o.ID != want {
			t.Fatalf("number %d is %s, want %s: the severe, then the latest", i, o.ID, want)
		}
	}
	b.reopen()
	s = b.ledger.Stage(b.at, nil)
	if again, o := s.Pending(subconscious.Watcher); len(again) != len(list) || o != overflow {
		t.Errorf("after a restart %d wait and %d overflowed", len(again), o)
	}
	see(s, subconscious.Watcher)
	b.commit(s)
	b.reopen()
	if list, overflow := b.ledger.Stage(b.at, nil).Pending(subconscious.Watcher); len(list) != 0 || overflow != 0 {
		t.Errorf("after a healthy run %d wait and %d overflowed", len(list), overflow)
	}
}

func TestThreadsComeAndGo(t *testing.T) {
	b := newBook(t)
	configure := func(threads ...subconscious.ThreadName) {
		t.Helper()
		if err := b.ledger.Configure([]senses.SenseID{{Sense: "notes", ID: "n"}}, threads...); err != nil {
			t.Fatal(err)
		}
	}
	collected := []senses.Collected{standingSet("notes", "n", "", item("a", "1"), item("b", "1"))}
	b.tick(collected, subconscious.Threads()...)
	configure(subconscious.Watcher, "gardener")
	s := b.tick(collected)
	same(t, "a new thread", pending(s, "gardener"), []string{"appeared a/1", "appeared b/1"})
	same(t, "an old one", pending(s, subconscious.Watcher), []string(nil))
	s = b.tick([]senses.Collected{standingSet("notes", "n", "", item("a", "2"), item("b", "1"))}, "gardener")
	same(t, "one that is not there", pending(s, subconscious.Oracle), []string(nil))
	b.reopen()
	configure(subconscious.Watcher, "gardener", subconscious.Oracle)
	s = b.tick(collected[:0])
	same(t, "one that is back", pending(s, subconscious.Oracle), []string{"changed a/2"})
	same(t, "the new one", pending(s, "gardener"), []string(nil))
	var many []subconscious.ThreadName
	for i := range 65 {
		many = append(many, subconscious.ThreadName(fmt.Sprint("t", i)))
	}
	if err := b.ledger.Configure(nil, many...); err == nil {
		t.Error("65 threads can be told apart")
	}
	b.ledger.Interest(func(thread subconscious.ThreadName, o subconscious.Observation) bool {
		return thread != subconscious.Watcher || o.ID != "b"
	})
	s = b.tick([]senses.Collected{standingSet("notes", "n", "", item("a", "3"), item("b", "3"))})
	same(t, "one who does not look at b", pending(s, subconscious.Watcher), []string{"changed a/3"})
}

func TestStandingIsBounded(t *testing.T) {
	b := newBook(t)
	items := make([]subconscious.Observation, senses.MaxStanding)
	for i := range items {
		items[i] = item(fmt.Sprint(i), "1")
	}
	b.ledger.Adopt(b.ledger.Stage(b.at, []senses.Collected{standingSet("calendar", "c", "a", items...)}))
	s := b.ledger.Stage(b.at, []senses.Collected{standingSet("calendar", "c", "b", item("x", "1"), item("y", "1"))})
	if len(s.Changes()) != 0 || s.View().Len() != senses.MaxStanding {
		t.Errorf("%d changes, %d stand", len(s.Changes()), s.View().Len())
	}
	if h := s.Health()[0]; h.State != senses.Degraded || !strings.Contains(h.Error, "2 observations more than the 50000") || h.Standing != senses.MaxStanding {
		t.Errorf("health %+v", h)
	}
}

func TestUnchangedTickWritesNothing(t *testing.T) {
	b := newBook(t)
	due := item("a", "1")
	due.Due, due.Until = noon.Add(100*time.Hour), noon.Add(200*time.Hour)
	collected := []senses.Collected{standingSet("notes", "n", "", due), blind("mail", "m", "no")}
	collected[0].Batch.Cursor = []byte("cursor")
	b.tick(collected, subconscious.Threads()...)
	before := b.writes()
	for range 5 {
		b.tick(collected, subconscious.Threads()...)
	}
	if after := b.writes(); after != before {
		t.Errorf("five unchanged ticks changed %d rows", after-before)
	}
}

// writes counts the rows that were changed on the one connection.
func (b *book) writes() (n int) {
	b.t.Helper()
	err := b.db.Read(b.t.Context(), func(tx *store.Tx) error {
		return tx.QueryRowContext(b.t.Context(), `SELECT total_changes()`).Scan(&n)
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

func TestOldChangesArePruned(t *testing.T) {
	b := newBook(t)
	happens := func(id string) []senses.Collected {
		o := change(item(id, "1"), subconscious.Momentary)
		o.At = b.at
		return []senses.Collected{brings("files", "f", senses.Batch{Changes: []subconscious.Observation{o}})}
	}
	b.tick(happens("old"), subconscious.Watcher) // the others have not seen it
	b.tick(happens("seen"), subconscious.Threads()...)
	b.tick([]senses.Collected{standingSet("notes", "n", "", item("stands", "1"))}, subconscious.Threads()...)
	for range 31 * 24 {
		b.at = b.at.Add(time.Hour)
		b.tick(nil)
	}
	b.reopen()
	count := func(table string) (n int) {
		if err := b.db.Read(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n)
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count("ledger_changes"); n != 0 {
		t.Errorf("%d changes are kept after 31 days", n)
	}
	if n := count("ledger_observations"); n != 1 {
		t.Errorf("%d observations are kept after 31 days, want the one that stands", n)
	}
	for id, want := range map[string]bool{"files:old": false, "notes:stands": true} {
		sense, name, _ := strings.Cut(id, ":")
		_, ok, err := b.ledger.Observation(t.Context(), subconscious.Citation{Ref: subconscious.NewRef(sense, name)})
		if ok != want || err != nil {
			t.Errorf("%s can be read back: %t, %v", id, ok, err)
		}
	}
	s := b.tick(happens("new"))
	if seq := s.Changes()[0].Seq; seq != 4 {
		t.Errorf("the next change is number %d, want 4", seq)
	}
}

func TestStageLeavesNoTrace(t *testing.T) {
	b := newBook(t)
	first := standingSet("notes", "n", "", item("a", "1"))
	b.tick([]senses.Collected{first}, subconscious.Watcher)
	collected := []senses.Collected{standingSet("notes", "n", "", item("a", "2"), item("b", "1")), blind("mail", "m", "no")}
	collected[0].Batch.Cursor, collected[0].Batch.Rows = []byte("next"), []senses.Row{{Key: "k", Value: []byte("v")}}
	given := testutil.JSON(t, collected)
	one := b.ledger.Stage(b.at, collected)
	see(one, subconscious.Oracle)
	two := b.ledger.Stage(b.at, collected)
	if diff := cmp.Diff(one.Changes(), two.Changes(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("staged again: %s", diff)
	}
	same(t, "the oracle", pending(two, subconscious.Oracle), []string{"appeared a/2", "appeared b/1"})
	if c := b.ledger.Cursor("notes", "n"); c != nil {
		t.Errorf("the cursor has moved to %q", c)
	}
	failed := errors.New("the disk is full")
	err := b.db.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(two.Persist(t.Context(), tx), failed)
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	same(t, "rows after a commit that failed", b.rows("notes", "n"), map[string]string{})
	b.commit(two)
	same(t, "rows", b.rows("notes", "n"), map[string]string{"k": "v"})
	if c := b.ledger.Cursor("notes", "n"); string(c) != "next" {
		t.Errorf("the cursor is %q", c)
	}
	if now, err := json.Marshal(collected); err != nil || string(now) != string(given) {
		t.Errorf("Stage changed what it was given: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a Staged that was overtaken can be adopted")
		}
	}()
	b.ledger.Adopt(one)
}

func TestNotesOfThePerson(t *testing.T) {
	b := newBook(t)
	if err := b.ledger.Configure(nil); err != nil {
		t.Fatal(err)
	}
	notes := []senses.Note{{ID: "1", At: noon, Text: "buy milk"}, {ID: "2", At: noon, Text: "call by Tuesday", Due: noon.Add(24 * time.Hour)}}
	s := b.tick([]senses.Collected{senses.Notes(b.at, notes, senses.Cleaner{})}, subconscious.Threads()...)
	if got := s.Changes(); len(got) != 2 || got[0].Trust != subconscious.Owner || got[0].Title != "buy milk" || got[0].Ref().Sense() != senses.Person {
		t.Fatalf("changes %+v", got)
	}
	if len(s.Health()) != 0 {
		t.Error("the person has a health record")
	}
	b.reopen()
	b.at = noon.Add(25 * time.Hour)
	same(t, "after a day", len(b.tick(nil).Changes()), 1)
	b.at = noon.Add(7 * 24 * time.Hour)
	same(t, "after a week", len(b.tick(nil).Changes()), 1)
	if n := b.ledger.View().Len(); n != 0 {
		t.Errorf("%d notes stand", n)
	}
}
