package daemon_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// BenchmarkDemoStart is from the start of the demo to its first finished tick,
// published and printed.
func BenchmarkDemoStart(b *testing.B) {
	parent := b.TempDir()
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		out := &firstTick{done: cancel}
		if err := daemon.RunDemo(ctx, daemon.DemoOptions{Out: out, Log: &out.log, Parent: parent}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(out.took.Microseconds())/1000, "ms-to-first-tick")
	}
}

// firstTick notes when the demo has printed its first tick, and ends it.
type firstTick struct {
	began time.Time
	took  time.Duration
	done  func()
	log   strings.Builder
}

// Write implements io.Writer.
func (f *firstTick) Write(p []byte) (int, error) {
	if f.began.IsZero() {
		f.began = time.Now() // the greeting
	}
	if strings.Contains(string(p), "Ctrl-C ends it") {
		f.took = time.Since(f.began)
		f.done()
	}
	return len(p), nil
}

// standing is a sense in which n observations stand, some of which change each
// time.
type standing struct {
	id               string
	n, change, looks int
}

func (s *standing) Name() string { return "health" }
func (s *standing) ID() string   { return s.id }

// Collect implements senses.Sense. It works out the changes itself, as a large
// sense does.
func (s *standing) Collect(_ context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	batch := senses.Batch{Cursor: fmt.Append(nil, s.looks)}
	observe := func(i int, change subconscious.Change) {
		batch.Changes = append(batch.Changes, subconscious.Observation{ID: fmt.Sprint(s.id, " pump ", i), Sense: "health", Instance: s.id, Kind: "unit",
			Change: change, At: at, Title: fmt.Sprintf("pump %d of the waterworks has failed", i), Fingerprint: fmt.Sprint(s.looks),
			Severity: subconscious.Notable, Trust: subconscious.Machine})
	}
	if cursor == nil {
		for i := range s.n {
			observe(i, subconscious.Appeared)
		}
	} else {
		for i := range s.change {
			observe((s.looks*s.change+i)%s.n, subconscious.Changed)
		}
	}
	s.looks++
	return batch, nil
}

// BenchmarkTickStanding is a tick with ten changes while many observations
// stand.
func BenchmarkTickStanding(b *testing.B) {
	const most = 10_000 // of one sense at one collect
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newWorld(b)
			w.options.Senses = func(senses.RowReader) ([]senses.Sense, error) {
				all := []senses.Sense{&standing{id: "rack-0", n: min(n, most), change: 10}}
				for i := 1; i*most < n; i++ {
					all = append(all, &standing{id: fmt.Sprint("rack-", i), n: most})
				}
				return all, nil
			}
			w.options.Logger = nil
			w.begin()
			w.ticks(10)
			for b.Loop() {
				w.clock.advance(slot)
				if _, err := w.d.TickAs(b.Context(), subconscious.Scheduled); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			status, err := w.d.Status(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			stand := 0
			for _, s := range status.Senses {
				stand += s.Standing
			}
			if stand != n {
				b.Fatalf("%d observations stand", stand)
			}
		})
	}
}
