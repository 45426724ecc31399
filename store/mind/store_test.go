package mind_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// noon is when sample ticks begin.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 5, time.FixedZone("", 3600))

func TestMain(m *testing.M) {
	if what := os.Getenv("MIND_TEST_CHILD"); what != "" {
		os.Exit(runChild(what, os.Args[len(os.Args)-1]))
	}
	os.Exit(m.Run())
}

func newStore(t testing.TB, path string) (*mind.Store, *store.DB) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: path}, mind.Migrations()...)
	testutil.Opened(t, db, err)
	return mind.New(db), db
}

func commit(t testing.TB, db *store.DB, minds *mind.Store, c mind.Commit) {
	t.Helper()
	if err := tryCommit(t.Context(), db, minds, c); err != nil {
		t.Fatal(err)
	}
}

func tryCommit(ctx context.Context, db *store.DB, minds *mind.Store, c mind.Commit) error {
	return db.Write(ctx, func(tx *store.Tx) error { return minds.Commit(ctx, tx, c) })
}

// next returns what a tick after state leaves, five minutes later, with the
// state otherwise unchanged.
func next(state subconscious.State) mind.Commit {
	return nextAfter(state, 5*time.Minute)
}

func nextAfter(state subconscious.State, d time.Duration) mind.Commit {
	if state.LastTick.IsZero() {
		state.LastTick = noon
	}
	state.TickCount++
	state.LastTick = state.LastTick.Add(d)
	return mind.Commit{
		State: state,
		Record: mind.Record{Tick: state.TickCount, At: state.LastTick, Kind: subconscious.Scheduled,
			Inputs: fmt.Appendf(nil, `{"tick":%d}`, state.TickCount), Report: fmt.Appendf(nil, `{"tick":%d,"changes":[]}`, state.TickCount)},
		Published: document(state.TickCount),
	}
}

func document(tick int64) []byte { return fmt.Appendf(nil, `{"version":1,"tick_count":%d}`, tick) }

func load(t testing.TB, minds *mind.Store) subconscious.State {
	t.Helper()
	state, err := minds.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func entry(id string) subconscious.Entry {
	return subconscious.Entry{ID: subconscious.EntryID(id), List: subconscious.ActiveThreads, Kind: subconscious.KindObservation,
		Summary: "Disk is filling", Strength: 3, Importance: 5, Created: noon, LastSeen: noon, Incident: subconscious.IncidentKey("health:" + id),
		Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: "health:abcdefghij", Seq: 4}, Standing: true}}}
}

func TestNewMind(t *testing.T) {
	minds, _ := newStore(t, store.Memory)
	state := load(t, minds)
	if state.Version != subconscious.SchemaVersion || state.TickCount != 0 || !state.LastTick.IsZero() || state.Entries == nil {
		t.Fatalf("state of a new mind: %+v", state)
	}
	for _, name := range subconscious.Threads() {
		if _, ok := state.Threads[name]; !ok {
			t.Errorf("no state of thread %s", name)
		}
	}
}

func TestStateSurvivesARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mind.db")
	minds, db := newStore(t, path)
	c := next(load(t, minds))
	c.State.Entries = []subconscious.Entry{entry("w-disk-1"), entry("w-disk-2")}
	c.State.Parked = []subconscious.Entry{entry("w-disk-3")}
	c.State.History = []subconscious.EscalationRecord{{At: noon, Incident: "health:w-disk-1", Outcome: "told"}}
	c.State.Threads[subconscious.Oracle] = subconscious.ThreadState{NoveltyPressure: 4, Journal: "look ahead"}
	c.State.Closed = []subconscious.ClosedIncident{{At: noon, Incident: "health:w-disk-4", Summary: "Disk is full"}}
	commit(t, db, minds, c)
	last := next(c.State)
	// A last tick that is not the record's time, in another zone.
	last.State.LastTick = noon.In(time.FixedZone("", -7*3600)).Add(time.Second)
	last.State.Parked, last.State.Entries = nil, []subconscious.Entry{}
	commit(t, db, minds, last)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	minds, _ = newStore(t, path)
	got := load(t, minds)
	if diff := cmp.Diff(last.State, got); diff != "" {
		t.Fatal(diff)
	}
	if want, text := last.State.LastTick.Format(time.RFC3339Nano), got.LastTick.Format(time.RFC3339Nano); text != want {
		t.Errorf("the last tick reads %s, want %s", text, want)
	}
}

func TestFailedTransactionCommitsNothing(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	c := next(load(t, minds))
	c.State.Entries = []subconscious.Entry{entry("w-disk-1")}
	c.Incidents = []subconscious.Incident{{Key: "health:w-disk-1"}}
	stop := errors.New("later step failed")
	if err := db.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(minds.Commit(t.Context(), tx, c), stop)
	}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if state := load(t, minds); state.TickCount != 0 || len(state.Entries) != 0 {
		t.Fatalf("%+v", state)
	}
	commit(t, db, minds, c)
	if diff := cmp.Diff(c.State, load(t, minds)); diff != "" {
		t.Fatal(diff)
	}
}

func TestCommitRefusesNonsense(t *testing.T) {
	big := []byte(strings.Repeat("x", 1<<20+1))
	cases := map[string]func(*mind.Commit){
		"the state counts":          func(c *mind.Commit) { c.Record.Tick++ },
		"no time or no kind":        func(c *mind.Commit) { c.Record.Kind = "" },
		"has no key":                func(c *mind.Commit) { c.Incidents = []subconscious.Incident{{}} },
		"input 7 does not wait":     func(c *mind.Commit) { c.Consumed = map[int64]string{7: "done"} },
		"the document has":          func(c *mind.Commit) { c.Published = big },
		"more than 65536":           func(c *mind.Commit) { c.Log = []mind.LogEntry{{Entry: "e", At: noon, JSON: big}} },
		"no entry or no time":       func(c *mind.Commit) { c.Log = []mind.LogEntry{{}} },
		"no code or no time":        func(c *mind.Commit) { c.Raise = []mind.Notice{{}} },
		"bytes are more than 41943": func(c *mind.Commit) { c.Record.Inputs = append(append(append(append(big, big...), big...), big...), 1) },
	}
	minds, db := newStore(t, store.Memory)
	for want, spoil := range cases {
		c := next(load(t, minds))
		spoil(&c)
		if err := tryCommit(t.Context(), db, minds, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
	commit(t, db, minds, next(load(t, minds)))
	again := next(subconscious.State{})
	if err := tryCommit(t.Context(), db, minds, again); err == nil {
		t.Error("tick 1 was committed twice")
	}
}

func TestIncidents(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	find := func(keys []subconscious.IncidentKey, links ...string) (found []string) {
		incidents, err := minds.Incidents(t.Context(), keys, links)
		if err != nil {
			t.Fatal(err)
		}
		for _, incident := range incidents {
			found = append(found, string(incident.Key))
		}
		return found
	}
	c := next(load(t, minds))
	c.Incidents = []subconscious.Incident{
		{Key: "b", Links: []string{"b", "unit:x"}, Recorded: map[subconscious.Ref][]int64{"health:abcdefghij": {3, 4}}, Days: []string{"2026-03-02"}},
		{Key: "a", Links: []string{"a", "unit:x", "disk:/"}},
		{Key: "c"},
	}
	commit(t, db, minds, c)
	got, err := minds.Incidents(t.Context(), []subconscious.IncidentKey{"b"}, nil)
	if err != nil || !cmp.Equal(got, c.Incidents[:1]) {
		t.Fatalf("%v: %s", err, cmp.Diff(c.Incidents[:1], got))
	}
	many := make([]subconscious.IncidentKey, 1200)
	for i := range many {
		many[i] = subconscious.IncidentKey(fmt.Sprint("none-", i))
	}
	for _, c := range []struct {
		got, want []string
	}{
		{find(nil), nil},
		{find(nil, "unit:x"), []string{"a", "b"}},
		{find([]subconscious.IncidentKey{"c", "a"}, "unit:x", "disk:/"), []string{"a", "b", "c"}},
		{find(append(many, "c")), []string{"c"}},
		{find(nil, "unit:y", "' OR 1=1 --"), nil},
	} {
		if !cmp.Equal(c.got, c.want) {
			t.Errorf("found %q, want %q", c.got, c.want)
		}
	}
	c = next(c.State)
	c.Incidents = []subconscious.Incident{{Key: "a", Links: []string{"unit:z"}, Changes: 2}}
	commit(t, db, minds, c)
	if got := find(nil, "unit:x", "disk:/", "a"); !cmp.Equal(got, []string{"b"}) {
		t.Errorf("by the old links: %q", got)
	}
	if got := find(nil, "unit:z"); !cmp.Equal(got, []string{"a"}) {
		t.Errorf("by the new link: %q", got)
	}
}

// Whatever is committed is read back, however it was packed.
func TestRecordsComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		db, err := store.Open(t.Context(), store.Options{Path: store.Memory}, mind.Migrations()...)
		if err != nil {
			r.Fatal(err)
		}
		defer db.Close()
		minds := mind.New(db)
		short := rapid.SliceOfN(rapid.Byte(), 0, 8)
		body := rapid.OneOf(short, short, short, rapid.SliceOfN(rapid.Byte(), 120, 150), rapid.SampledFrom([][]byte{
			nil, {}, []byte("same"), []byte(strings.Repeat(`{"a":1}`, 200)), []byte(strings.Repeat(`{"a":1}`, 200) + "x")}))
		var want []mind.Record
		var docs [][]byte
		state := subconscious.State{}
		for range rapid.IntRange(1, 30).Draw(r, "ticks") {
			c := next(state)
			c.Record.Inputs, c.Record.Report, c.Published = body.Draw(r, "inputs"), body.Draw(r, "report"), body.Draw(r, "document")
			if err := tryCommit(t.Context(), db, minds, c); err != nil {
				r.Fatal(err)
			}
			state, want, docs = c.State, append([]mind.Record{c.Record}, want...), append([][]byte{c.Published}, docs...)
		}
		got, err := minds.Records(t.Context(), 0, 1000)
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatal(diff)
		}
		for i, record := range want {
			doc, ok, err := minds.Document(t.Context(), record.Tick)
			if err != nil || ok != (docs[i] != nil) || string(doc) != string(docs[i]) {
				r.Fatalf("document of tick %d: %v %v: %d bytes %.20q, want %d %.20q", record.Tick, ok, err, len(doc), doc, len(docs[i]), docs[i])
			}
		}
	})
}

// What is longer than deflate looks back, and what is hardly smaller packed.
func TestLongRecordsComeBack(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	var noise strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&noise, "%x,", uint32(i)*2654435761)
	}
	state := load(t, minds)
	for n := range 30 {
		c := next(state)
		c.Record.Inputs = fmt.Appendf(nil, "%d %s %d", n, noise.String(), n)
		c.Record.Report = []byte(noise.String()[n:])
		c.Published = []byte(noise.String()[:100*n])
		commit(t, db, minds, c)
		state = c.State
		got, ok, err := minds.Record(t.Context(), c.Record.Tick)
		if diff := cmp.Diff(c.Record, got); diff != "" || !ok || err != nil {
			t.Fatalf("tick %d: %v %v", c.Record.Tick, ok, err)
		}
	}
}

func TestRecordsByPage(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	state := load(t, minds)
	for range 5 {
		c := next(state)
		commit(t, db, minds, c)
		state = c.State
	}
	for _, c := range []struct {
		before int64
		limit  int
		want   []int64
	}{{0, 2, []int64{5, 4}}, {4, 2, []int64{3, 2}}, {2, 9, []int64{1}}, {1, 9, nil}, {0, 0, nil}} {
		records, err := minds.Records(t.Context(), c.before, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, record := range records {
			got = append(got, record.Tick)
		}
		if !cmp.Equal(got, c.want) {
			t.Errorf("before %d: %d, want %d", c.before, got, c.want)
		}
	}
	if _, ok, err := minds.Record(t.Context(), 6); ok || err != nil {
		t.Errorf("a record of a tick that was not: %v %v", ok, err)
	}
	if record, ok, err := minds.Record(t.Context(), 3); !ok || err != nil || string(record.Inputs) != `{"tick":3}` {
		t.Errorf("%+v %v %v", record, ok, err)
	}
}

func TestUnreadableStateIsAnError(t *testing.T) {
	for name, spoil := range map[string]string{
		"unknown part":        "INSERT INTO mind_state (part, hash, body) VALUES ('soul', x'', x'')",
		"the mind's entries":  "UPDATE mind_state SET body = x'00' WHERE part = 'entries'",
		"the state has versi": "UPDATE mind_state SET body = (SELECT body FROM mind_state WHERE part = 'version2') WHERE part = 'version'",
	} {
		minds, db := newStore(t, store.Memory)
		c := next(load(t, minds))
		if strings.HasPrefix(name, "the state has") {
			c.State.Version, spoil = 2, "SELECT 1"
		}
		commit(t, db, minds, c)
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.ExecContext(t.Context(), spoil)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := minds.Load(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
