package daemon_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Sizes that a tick's record may have, in bytes.
const (
	medianRecord = 20 << 10
	largeRecord  = 100 << 10
)

// varied does something different before each tick.
func (w *world) varied(random *rand.Rand, i int, watcher *thread) {
	w.t.Helper()
	for range random.IntN(4) {
		name := filepath.Join(w.files, fmt.Sprintf("file-%d.md", random.IntN(12)))
		switch random.IntN(4) {
		case 0:
			testutil.Write(w.t, name, fmt.Sprint("words ", i))
		case 1:
			save(w.t, name, fmt.Sprint("other words ", i))
		case 2:
			if err := os.Rename(name, name+".bak"); err != nil && !os.IsNotExist(err) {
				w.t.Fatal(err)
			}
		case 3:
			if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
				w.t.Fatal(err)
			}
		}
	}
	switch i % 10 {
	case 1:
		w.disk.set(50 + random.Uint64N(50))
	case 3:
		at := w.clock.Now().Add(time.Duration(random.IntN(90)) * time.Minute)
		w.calendar(event{"review@example.org", "Lighthouse review", at, time.Hour}, event{"dentist@example.org", "Dentist", at.Add(30 * time.Minute), time.Hour})
	case 4:
		testutil.Write(w.t, filepath.Join(w.notes, fmt.Sprintf("day-%d.md", i/10%3)), fmt.Sprintf("- [ ] ask about room %d of the lighthouse by Friday\n", i))
	case 5:
		w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: fmt.Sprintf("the lighthouse has %d steps", i)})
	case 6:
		if all := entries(w.document()); len(all) > 0 {
			kind := []subconscious.CommandKind{subconscious.CommandClose, subconscious.CommandConfirm}[random.IntN(2)]
			w.command(subconscious.Command{Kind: kind, Entry: all[random.IntN(len(all))].ID})
		}
	case 7:
		watcher.set(fails)
	case 9:
		watcher.set(nil)
	}
}

// Every record replays to the bytes that were committed, and is of a fair size.
func TestReplayGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	all := 120
	if testing.Short() {
		all = 40
	}
	w := newWorld(t)
	watcher := withFaultyWatcher(w)
	w.begin()
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []subconscious.TickKind{subconscious.Scheduled, subconscious.Scheduled, subconscious.Manual, subconscious.Early, subconscious.CatchUp}
	states := map[int64]string{}
	for i := range all {
		w.varied(random, i, watcher)
		w.clock.advance(time.Duration(1+random.IntN(20)) * time.Minute)
		if i%31 == 30 {
			w.restart()
		}
		report := w.tickAs(kinds[random.IntN(len(kinds))])
		states[report.Tick] = asJSON(t, w.d.State())
	}
	records, err := w.d.Mind().Records(context.Background(), 0, all)
	if err != nil || len(records) != all {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, record := range records {
		w.replays(record, states[record.Tick])
	}
	median, largest, unpacked := w.sizes()
	t.Logf("records: median %d bytes, largest %d, and %d before it is packed", median, largest, unpacked)
	if median > medianRecord || largest > largeRecord {
		t.Errorf("records: median %d bytes, largest %d", median, largest)
	}
}

func (w *world) replays(record mind.Record, want string) {
	w.t.Helper()
	replayed, err := view.Replay(record)
	if err != nil {
		w.t.Fatal(err)
	}
	if got := asJSON(w.t, replayed.State); got != want {
		w.t.Fatalf("tick %d replays to\n%s\nand not to\n%s", record.Tick, got, want)
	}
	report, err := w.d.Tick(context.Background(), record.Tick)
	if err != nil {
		w.t.Fatal(err)
	}
	if got, want := asJSON(w.t, daemon.NewDecisions(record.Tick, report.At, replayed.Outcome)), asJSON(w.t, report.Decisions); got != want {
		w.t.Fatalf("tick %d is judged again as\n%s\nand not as\n%s", record.Tick, got, want)
	}
	document, err := subconscious.Project(replayed.State, w.options.Config.Mechanics.MaxTokens)
	if err != nil {
		w.t.Fatal(err)
	}
	published, ok, err := w.d.Mind().Document(context.Background(), record.Tick)
	if err != nil || !ok || !bytes.Equal(document, published) {
		w.t.Fatalf("tick %d replays to the document\n%s\nand not to\n%s\n%v", record.Tick, document, published, err)
	}
}

// sizes are what the records take in the database, in bytes, and as they are
// made, before they are packed.
func (w *world) sizes() (median, largest, unpacked int) {
	w.t.Helper()
	records, err := w.d.Mind().Records(context.Background(), 0, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range records {
		unpacked = max(unpacked, len(r.Inputs)+len(r.Report))
	}
	var all []int
	w.query("SELECT length(inputs) + length(report) FROM mind_ticks", func(scan func(...any) error) error {
		var size int
		err := scan(&size)
		all = append(all, size)
		return err
	})
	slices.Sort(all)
	return all[len(all)/2], all[len(all)-1], unpacked
}

// query reads the mind's database beside the mind.
func (w *world) query(query string, row func(scan func(...any) error) error) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.state, "mind.db")+"?mode=ro")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
}

// intact wants a database of the mind in which nothing is damaged.
func (w *world) intact() {
	w.t.Helper()
	w.query("PRAGMA integrity_check", func(scan func(...any) error) error {
		var said string
		err := scan(&said)
		if said != "ok" {
			w.t.Errorf("integrity_check: %s", said)
		}
		return err
	})
}

// The busiest tick there can be: fifty entries are parked, and fifty observations are
// found.
func TestLargestRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := withFaultySense(w)
	for i := range 60 {
		s.rack.add(fmt.Sprintf("the pump in hall %d of the northern waterworks has failed for want of pressure", i))
	}
	w.begin()
	w.ticks(2) // fifty are found at a tick; the others are not lost
	if got := len(w.d.State().Parked); got != 50 {
		t.Fatalf("%d are parked", got)
	}
	for i := range 8 { // each of them changes eight times
		s.rack.worsen(i)
		w.tick()
	}
	records, err := w.d.Mind().Records(context.Background(), 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[:1] {
		w.replays(record, asJSON(t, w.d.State()))
	}
	_, largest, unpacked := w.sizes()
	t.Logf("the largest record has %d bytes, and %d before it is packed", largest, unpacked)
	if largest > largeRecord {
		t.Errorf("the largest record has %d bytes, more than %d", largest, largeRecord)
	}
}

// TestReplay: a tick that is thought again comes to the same bytes; by other rules it
// is compared and never called the same; what is not on record is said so.
func TestReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := withFaultySense(w)
	s.rack.add("the pump in the northern waterworks has failed for want of pressure")
	w.begin()
	w.ticks(3)
	for n := range int64(3) {
		again, err := w.d.Replay(t.Context(), n+1)
		if err != nil || !again.Same || again.Other() || again.Document || len(again.Changes)+len(again.Decisions)+len(again.Told) > 0 {
			t.Errorf("tick %d: %+v, %v", n+1, again, err)
		}
	}
	for n, want := range map[int64]string{4: "has not been yet; the last was tick 3", 0: "not on record any more"} {
		_, err := w.d.Replay(t.Context(), n)
		if refused, ok := errors.AsType[*api.Error](err); !ok || refused.Code != api.CodeNotFound || !strings.Contains(refused.Text, want) {
			t.Errorf("tick %d: %v", n, err)
		}
	}
	record, _, err := w.d.Mind().Record(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	published, _, err := w.d.Mind().Document(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		old, new          string // of its inputs
		same, gone, other bool
	}{
		"as it was":        {same: true},
		"other mechanics":  {old: fmt.Sprintf(`"mechanics":%d`, aggregator.MechanicsVersion), new: `"mechanics":1`, other: true},
		"another gate":     {old: fmt.Sprintf(`"judging":%d`, escalate.Version), new: `"judging":1`, other: true},
		"another sight":    {old: "want of pressure", new: "want of water"},
		"no record at all": {old: `{"mechanics"`, new: `"mechanics"`, gone: true},
		"nowhere":          {old: `"zone":"`, new: `"zone":"Nowhere/`, gone: true},
	} {
		changed := record
		if c.old != "" {
			changed.Inputs = bytes.ReplaceAll(record.Inputs, []byte(c.old), []byte(c.new))
		}
		if c.old != "" && bytes.Equal(changed.Inputs, record.Inputs) {
			t.Fatalf("%s: %q is not in %s", name, c.old, record.Inputs)
		}
		again, err := daemon.Compare(changed, published)
		refused, ok := errors.AsType[*api.Error](err)
		if c.gone != (ok && refused.Code == api.CodeNotFound) || !c.gone && err != nil || again.Same != c.same || again.Other() != c.other {
			t.Errorf("%s: %+v, %v", name, again, err)
		}
		if differs := again.Document || len(again.Changes) > 0; !c.gone && differs != (name == "another sight") {
			t.Errorf("%s: %+v", name, again)
		}
	}
}
