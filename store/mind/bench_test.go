package mind_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// typical returns a state with all lists full, ten entries parked, and what a
// tick in it leaves.
func typical(b testing.TB, state subconscious.State) mind.Commit {
	b.Helper()
	state.Entries, state.Parked = nil, nil
	for i := range 28 {
		one := entry(fmt.Sprintf("w-invoice-%d", i))
		one.Summary = fmt.Sprintf("The invoice %d of the workshop at example.com is open since last week, and asks for an answer", 4711*i)
		if i < 18 {
			state.Entries = append(state.Entries, one)
		} else {
			state.Parked = append(state.Parked, one)
		}
	}
	return full(b, next(state))
}

// full gives a commit a record and a document of the usual size: the inputs
// hold the whole state.
func full(b testing.TB, c mind.Commit) mind.Commit {
	b.Helper()
	inputs := testutil.JSON(b, map[string]any{"at": c.Record.At, "tick": c.Record.Tick, "state": c.State})
	c.Record.Inputs = inputs
	c.Record.Report = fmt.Appendf(nil, `{"tick":%d,"at":%q,"elapsed_ms":%d,"senses":[{"id":"health","state":"ok"},{"id":"notes","state":"ok"}],"threads":[{"name":"watcher","mode":"reflex","shown":0,"rejected":{}}],"changes":[]}`,
		c.Record.Tick, c.Record.At.Format(time.RFC3339), c.Record.Tick%17)
	doc := testutil.JSON(b, map[string]any{"version": 1, "tick_count": c.State.TickCount, "last_tick": c.State.LastTick, "active_threads": c.State.Entries})
	c.Published = doc
	return c
}

// run commits what step makes of the last state, n times, and reports what a
// tick adds to the write-ahead log.
func run(b *testing.B, step func(mind.Commit, int) mind.Commit) {
	path := filepath.Join(b.TempDir(), "mind.db")
	minds, db := newStore(b, path)
	c := typical(b, load(b, minds))
	commit(b, db, minds, c)
	wal := func() int64 {
		stat, err := os.Stat(path + "-wal")
		if err != nil {
			b.Fatal(err)
		}
		return stat.Size()
	}
	var written, counted int64
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		c = step(c, i)
		before := wal()
		b.StartTimer()
		commit(b, db, minds, c)
		b.StopTimer()
		// A log that was brought into the file begins anew and does not grow.
		if grown := wal() - before; grown > 0 {
			written, counted = written+grown, counted+1
		}
		b.StartTimer()
	}
	if counted > 0 {
		b.ReportMetric(float64(written)/float64(counted), "walB/op")
	}
}

// BenchmarkCommitUnchanged is a tick in which nothing happened.
func BenchmarkCommitUnchanged(b *testing.B) {
	run(b, func(c mind.Commit, _ int) mind.Commit { return full(b, next(c.State)) })
}

// reinforced is a tick in which one entry is.
func reinforced(c mind.Commit, i int) (mind.Commit, *subconscious.Entry) {
	c = next(c.State)
	entries := slices.Clone(c.State.Entries)
	changed := &entries[i%len(entries)]
	changed.Strength, changed.LastSeen = 3+i%5, c.Record.At
	c.State.Entries = entries
	return c, changed
}

// BenchmarkCommitTypical is a tick that reinforces an entry, with one changed
// incident and two log lines.
func BenchmarkCommitTypical(b *testing.B) {
	run(b, func(c mind.Commit, i int) mind.Commit {
		c, changed := reinforced(c, i)
		c.Incidents = []subconscious.Incident{{Key: changed.Incident, Links: []string{string(changed.Incident)}, Changes: i, LastSeen: c.Record.At}}
		for _, what := range []string{"reinforced", "faded"} {
			c.Log = append(c.Log, mind.LogEntry{Entry: changed.ID, Incident: changed.Incident, Tick: c.Record.Tick, At: c.Record.At, What: what, JSON: []byte(`{"from":3,"to":5}`)})
		}
		return full(b, c)
	})
}

// BenchmarkCommitTold is a typical tick that also tells somebody: an incident
// with its telling, three decisions, a push and a score.
func BenchmarkCommitTold(b *testing.B) {
	run(b, func(c mind.Commit, i int) mind.Commit {
		c, changed := reinforced(c, i)
		id := subconscious.IncidentID(fmt.Sprint("i-invoice-", i%len(c.State.Entries)))
		telling := waiting(id, c.Record.At)
		telling.Waits, telling.State, telling.Told = false, subconscious.TellingTold, []subconscious.Told{{At: c.Record.At}}
		c.Incidents = []subconscious.Incident{{Key: changed.Incident, Links: []string{string(changed.Incident)}, Changes: i, LastSeen: c.Record.At, Telling: telling}}
		c.Decisions = []mind.Decision{decided(id, c.Record.At, mind.VerdictTell, "escalate"), decided("i-fair-1", c.Record.At, "hold", "presence"), decided("i-swap-2", c.Record.At, "drop", "duplicate")}
		c.Pushes = []mind.Push{{At: c.Record.At, Kind: "incident"}}
		c.Scores = []subconscious.Score{{Thread: subconscious.Watcher, Source: "health", Kind: subconscious.KindAnomaly, Useful: i, Updated: c.Record.At}}
		return full(b, c)
	})
}

// years returns a mind with 50,000 incidents, of which a hundred are live, and
// 20,000 decisions.
func years(b *testing.B) *mind.Store {
	minds, db := newStore(b, filepath.Join(b.TempDir(), "mind.db"))
	c := next(load(b, minds))
	for i := range 50_000 {
		id := subconscious.IncidentID(fmt.Sprint("i-invoice-", i))
		telling := waiting(id, noon.Add(time.Duration(i)*time.Minute))
		if i%500 != 0 {
			telling.Waits, telling.State = false, subconscious.TellingResolved
		}
		telling.Told, telling.Feedback = []subconscious.Told{{At: telling.Since}}, subconscious.Useful
		c.Incidents = append(c.Incidents, subconscious.Incident{Key: subconscious.IncidentKey("key of " + id), LastSeen: noon, Telling: telling})
		if i%5 < 2 {
			c.Decisions = append(c.Decisions, decided(id, telling.Since, mind.VerdictTell, "escalate"))
		}
	}
	commit(b, db, minds, c)
	return minds
}

// BenchmarkTellingQueries are what each tick, and what the person asks of years
// of incidents.
func BenchmarkTellingQueries(b *testing.B) {
	minds := years(b)
	for name, ask := range map[string]func() error{
		"live":     func() error { _, err := minds.LiveIncidents(b.Context(), 500); return err },
		"by id":    func() error { _, _, err := minds.IncidentByID(b.Context(), "i-invoice-777"); return err },
		"inbox":    func() error { _, _, err := minds.Inbox(b.Context(), mind.InboxQuery{Limit: 20}); return err },
		"all":      func() error { _, _, err := minds.Inbox(b.Context(), mind.InboxQuery{All: true, Limit: 20}); return err },
		"feedback": func() error { _, err := minds.FeedbackCounts(b.Context(), noon.AddDate(0, 1, 0)); return err },
		"decided":  func() error { _, err := minds.DecisionCounts(b.Context(), noon.AddDate(0, 0, 33)); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A tick in which nothing happened adds two pages to the log, its row and that it
// was, and now and then a few more when a page of the table is full.
func TestUnchangedTickWritesLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mind.db")
	minds, db := newStore(t, path)
	c := typical(t, load(t, minds))
	commit(t, db, minds, c)
	size := func() int64 {
		stat, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return stat.Size()
	}
	const ticks, frame = 100, 4096 + 24
	before := size()
	for range ticks {
		c = full(t, next(c.State))
		commit(t, db, minds, c)
	}
	if written := (size() - before) / ticks; written < 2*frame || written > 3*frame {
		t.Errorf("an unchanged tick writes %d bytes", written)
	}
	if n := rows(t, db, "SELECT count(*) FROM mind_ticks WHERE base IS NULL"); n > ticks/20+2 {
		t.Errorf("%d of %d ticks are packed on their own", n, ticks)
	}
}

func BenchmarkLoad(b *testing.B) {
	minds, db := newStore(b, filepath.Join(b.TempDir(), "mind.db"))
	commit(b, db, minds, typical(b, load(b, minds)))
	for b.Loop() {
		load(b, minds)
	}
}

// BenchmarkOpen is the start of a daemon: open, load, recover the document.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "mind.db")
	minds, db := newStore(b, path)
	commit(b, db, minds, typical(b, load(b, minds)))
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		db, err := store.Open(b.Context(), store.Options{Path: path}, mind.Migrations()...)
		if err != nil {
			b.Fatal(err)
		}
		minds := mind.New(db)
		load(b, minds)
		if _, err := mind.NewPublisher(dir, minds, nil).Recover(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// bare is what publishing cannot do without: a temporary file, synced, renamed,
// and the folder synced.
func bare(dir string, content []byte) error {
	temporary, err := os.CreateTemp(dir, "bare")
	if err != nil {
		return err
	}
	if _, err := temporary.Write(content); err != nil {
		return err
	}
	if err := errors.Join(temporary.Sync(), temporary.Close(), os.Rename(temporary.Name(), filepath.Join(dir, "bare.json"))); err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// BenchmarkPublish times publishing and the bare minimum in the same folder,
// each first in every other round, so that both meet the same disk; ratio is
// the one by the other.
func BenchmarkPublish(b *testing.B) {
	dir := b.TempDir()
	minds, db := newStore(b, filepath.Join(dir, "mind.db"))
	publisher := mind.NewPublisher(dir, minds, nil)
	c := typical(b, load(b, minds))
	var ours, least time.Duration
	timed := func(sum *time.Duration, do func() error) {
		start := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		*sum += time.Since(start)
	}
	for i := 0; b.Loop(); i++ {
		c = full(b, next(c.State))
		commit(b, db, minds, c)
		if i%2 == 0 {
			timed(&least, func() error { return bare(dir, c.Published) })
		}
		timed(&ours, func() error {
			_, err := publisher.Publish(b.Context(), c.Record.Tick, c.Published)
			return err
		})
		if i%2 == 1 {
			timed(&least, func() error { return bare(dir, c.Published) })
		}
	}
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "publish-µs/op")
	b.ReportMetric(float64(least.Microseconds())/float64(b.N), "bare-µs/op")
	b.ReportMetric(float64(ours)/float64(least), "ratio")
}
