package senses_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// scripted is a sense that does what it is told.
type scripted struct {
	name, id string
	collect  func(ctx context.Context, at time.Time, cursor []byte) (senses.Batch, error)
	hints    chan struct{}
	stop     func(context.Context) error
}

func (s *scripted) Name() string           { return s.name }
func (s *scripted) ID() string             { return s.id }
func (s *scripted) Hints() <-chan struct{} { return s.hints }
func (s *scripted) Stop(ctx context.Context) error {
	if s.stop == nil {
		return nil
	}
	return s.stop(ctx)
}
func (s *scripted) Collect(ctx context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	return s.collect(ctx, at, cursor)
}

func fine(id string) *scripted {
	return &scripted{name: "fine", id: id, collect: func(context.Context, time.Time, []byte) (senses.Batch, error) {
		return senses.Batch{Changes: []subconscious.Observation{{
			ID: "item", Kind: "item", Title: "An item", Change: subconscious.Momentary, Trust: subconscious.Machine}}}, nil
	}}
}

func noCursor(string, string) []byte { return nil }

func collector(t *testing.T, options senses.CollectorOptions) *senses.Collector {
	t.Helper()
	if options.Random == nil {
		options.Random = func() float64 { return 0 }
	}
	c, err := senses.NewCollector(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := c.Stop(ctx); err != nil && !strings.Contains(err.Error(), "expected") {
			t.Errorf("Stop: %v", err)
		}
	})
	return c
}

func TestCollectWaitsForAllAndForNoneTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var asked atomic.Int32
		hung := &scripted{name: "hung", collect: func(context.Context, time.Time, []byte) (senses.Batch, error) {
			asked.Add(1)
			<-release
			return senses.Batch{Cursor: []byte("late")}, nil
		}}
		slow := &scripted{name: "slow", collect: func(ctx context.Context, _ time.Time, _ []byte) (senses.Batch, error) {
			<-ctx.Done()
			return senses.Batch{}, ctx.Err()
		}}
		c := collector(t, senses.CollectorOptions{Senses: []senses.Sense{hung, fine("a"), slow, fine("b")},
			Deadline: 10 * time.Second, Deadlines: map[senses.SenseID]time.Duration{{Sense: "slow"}: 2 * time.Second}})
		start := time.Now()
		got := c.Collect(t.Context(), start, noCursor)
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("Collect took %v, want the longest deadline", took)
		}
		states := []senses.State{senses.Blind, senses.OK, senses.Blind, senses.OK}
		for i, want := range states {
			if got[i].Health.State != want {
				t.Errorf("%s: state %s (%s), want %s", got[i].Sense, got[i].Health.State, got[i].Health.Error, want)
			}
		}
		if len(got[1].Batch.Changes) != 1 {
			t.Errorf("a sense that answered brought %d changes, want 1", len(got[1].Batch.Changes))
		}
		// While it hangs it is not asked again, and holds nobody up; the slow one
		// does not hang and is.
		again := time.Now()
		got = c.Collect(t.Context(), again, noCursor)
		if took := time.Since(again); took > 2*time.Second {
			t.Errorf("Collect beside a sense that hangs took %v", took)
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("a sense that hangs was asked %d times", n)
		}
		if e := got[0].Health.Error; !strings.Contains(e, "hangs since") {
			t.Errorf("the health of a sense that hangs says %q", e)
		}
		close(release)
		synctest.Wait()
		got = c.Collect(t.Context(), time.Now(), noCursor)
		if n := asked.Load(); n != 2 || got[0].Health.State != senses.OK || string(got[0].Batch.Cursor) != "late" {
			t.Errorf("after it answered: asked %d times, %+v", n, got[0].Health)
		}
	})
}

// hanging is a sense that collects when it is released.
func hanging() (hung *scripted, release chan struct{}) {
	release = make(chan struct{})
	return &scripted{name: "hung", collect: func(context.Context, time.Time, []byte) (senses.Batch, error) {
		<-release
		return senses.Batch{}, nil
	}}, release
}

func TestCollectEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung, release := hanging()
		c := collector(t, senses.CollectorOptions{Senses: []senses.Sense{hung}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		got := c.Collect(ctx, start, noCursor)
		if took := time.Since(start); took != time.Second {
			t.Errorf("Collect took %v, want 1s", took)
		}
		if got[0].Health.State != senses.Blind || !got[0].Health.Next.IsZero() {
			t.Errorf("health: %+v", got[0].Health)
		}
		close(release)
	})
}

func TestPanicsAreContained(t *testing.T) {
	var log bytes.Buffer
	panicking := &scripted{name: "panicking", collect: func(context.Context, time.Time, []byte) (senses.Batch, error) {
		panic("the first line with key=hunter2\nand a second")
	}}
	exiting := &scripted{name: "exiting", collect: func(context.Context, time.Time, []byte) (senses.Batch, error) {
		runtime.Goexit()
		return senses.Batch{}, nil
	}}
	c := collector(t, senses.CollectorOptions{Senses: []senses.Sense{panicking, exiting, fine("")},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted:password]") }})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var got []senses.Collected
	for range 2 {
		got = c.Collect(t.Context(), at, noCursor)
	}
	if want := "it panicked: the first line with key=[redacted:password]"; got[0].Health.State != senses.Blind || got[0].Health.Error != want {
		t.Errorf("health %+v, want blind and %q", got[0].Health, want)
	}
	if got[1].Health.State != senses.Blind {
		t.Errorf("a sense that ends its goroutine: %+v", got[1].Health)
	}
	if got[2].Health.State != senses.OK {
		t.Errorf("the sense beside them: %+v", got[2].Health)
	}
	if n := strings.Count(log.String(), "a sense panicked"); n != 1 {
		t.Errorf("the stack was logged %d times, want once", n)
	}
	if !strings.Contains(log.String(), "collector_test.go") {
		t.Errorf("the log has no stack: %s", log.String())
	}
}

func TestBreakerBacksOff(t *testing.T) {
	var asked int
	broken := true
	sense := &scripted{name: "mail", id: "work", collect: func(context.Context, time.Time, []byte) (senses.Batch, error) {
		asked++
		if broken {
			return senses.Batch{}, errors.New("connection refused")
		}
		return senses.Batch{}, nil
	}}
	for _, test := range []struct {
		name   string
		random float64
		waits  []time.Duration
	}{
		{"no jitter", 0, []time.Duration{1, 2, 4, 8, 16, 30, 30, 30}},
		{"most jitter", 0.999999999, []time.Duration{48, 96, 192, 384, 768, 1440, 1440, 1440}},
	} {
		t.Run(test.name, func(t *testing.T) {
			unit := time.Minute
			if test.random > 0 {
				unit = time.Second
			}
			c := collector(t, senses.CollectorOptions{Senses: []senses.Sense{sense}, Random: func() float64 { return test.random }})
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			asked, broken = 0, true
			for range 2 {
				if h := c.Collect(t.Context(), at, noCursor)[0].Health; !h.Next.IsZero() {
					t.Fatalf("it backs off before three failures: %+v", h)
				}
			}
			for i, wait := range test.waits {
				h := c.Collect(t.Context(), at, noCursor)[0].Health
				if asked != i+3 {
					t.Fatalf("collect %d: asked %d times", i, asked)
				}
				if got := h.Next.Sub(at).Round(time.Second); got != wait*unit {
					t.Errorf("after %d failures it waits %v, want %v", i+3, got, wait*unit)
				}
				c.Collect(t.Context(), h.Next.Add(-time.Millisecond), noCursor)
				if asked != i+3 {
					t.Errorf("it was asked before its next try")
				}
				at = h.Next
			}
			broken = false
			if h := c.Collect(t.Context(), at, noCursor)[0].Health; h.State != senses.OK || h.Error != "" || !h.Next.IsZero() || !h.Since.Equal(at) {
				t.Errorf("after it could see again: %+v", h)
			}
			broken = true
			if h := c.Collect(t.Context(), at, noCursor)[0].Health; !h.Next.IsZero() {
				t.Errorf("one failure after a success and it backs off: %+v", h)
			}
			// Neither does it keep out who is asked to try again.
			for range 3 {
				c.Collect(t.Context(), at, noCursor)
			}
			before := asked
			c.Collect(t.Context(), at, noCursor)
			c.Retry()
			c.Collect(t.Context(), at, noCursor)
			if asked != before+1 {
				t.Errorf("asked %d times where once to try again, want 1", asked-before)
			}
			// A clock that was set back by hours keeps nobody out.
			for range 2 {
				c.Collect(t.Context(), at, noCursor)
			}
			before = asked
			c.Collect(t.Context(), at.Add(-5*time.Hour), noCursor)
			if asked != before+1 {
				t.Errorf("after the clock was set back it is not asked")
			}
		})
	}
}

func TestHealthSaysWhatIsWrong(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	batch := senses.Batch{}
	var failure error
	sense := &scripted{name: "files", id: "work", collect: func(context.Context, time.Time, []byte) (senses.Batch, error) {
		return batch, failure
	}}
	c := collector(t, senses.CollectorOptions{Senses: []senses.Sense{sense}})
	if h := c.Health(at)[0]; h.State != senses.Starting || !h.Since.Equal(at) {
		t.Errorf("before the first collect: %+v", h)
	}
	steps := []struct {
		batch   senses.Batch
		failure error
		want    senses.Health
	}{
		{senses.Batch{Starting: true}, nil, senses.Health{State: senses.Starting, Since: at}},
		{senses.Batch{}, nil, senses.Health{State: senses.OK, Since: at.Add(time.Minute)}},
		{senses.Batch{}, nil, senses.Health{State: senses.OK, Since: at.Add(time.Minute)}},
		{senses.Batch{Degraded: "out of watches"}, nil, senses.Health{State: senses.Degraded, Since: at.Add(3 * time.Minute), Error: "out of watches"}},
		{senses.Batch{Changes: []subconscious.Observation{{}}}, nil, senses.Health{State: senses.Degraded, Since: at.Add(3 * time.Minute),
			Error: "1 left out (an observation without a kind of change)"}},
		{senses.Batch{}, errors.New("permission denied"), senses.Health{State: senses.Blind, Since: at.Add(5 * time.Minute), Error: "permission denied"}},
		{senses.Batch{Cursor: make([]byte, senses.MaxCursor+1)}, nil, senses.Health{State: senses.Blind, Since: at.Add(5 * time.Minute),
			Error: "its cursor has 4194305 bytes; 4194304 are kept: narrow what it looks at"}},
		{senses.Batch{}, nil, senses.Health{State: senses.OK, Since: at.Add(7 * time.Minute)}},
	}
	for i, step := range steps {
		batch, failure = step.batch, step.failure
		now := at.Add(time.Duration(i) * time.Minute)
		got := c.Collect(t.Context(), now, noCursor)[0].Health
		step.want.ID, step.want.Kind = "work", "files"
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("collect %d: %s", i, diff)
		}
		if diff := cmp.Diff(got, c.Health(now)[0]); diff != "" {
			t.Errorf("Health after collect %d: %s", i, diff)
		}
	}
}

func TestHintsAreMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, ended := fine("a"), fine("b"), fine("c")
		a.hints, b.hints, ended.hints = make(chan struct{}), make(chan struct{}), make(chan struct{})
		close(ended.hints)
		c := collector(t, senses.CollectorOptions{Senses: []senses.Sense{a, b, ended}})
		synctest.Wait()
		for range 3 {
			a.hints <- struct{}{}
			b.hints <- struct{}{}
		}
		synctest.Wait()
		<-c.Hints()
		select {
		case <-c.Hints():
			t.Error("several hints are more than one")
		default:
		}
		b.hints <- struct{}{}
		<-c.Hints()
	})
}

func TestStopWaitsAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := 0
		well := fine("well")
		well.stop = func(context.Context) error { stopped++; return nil }
		waits := &scripted{name: "waits", collect: func(ctx context.Context, _ time.Time, _ []byte) (senses.Batch, error) {
			<-ctx.Done()
			return senses.Batch{}, ctx.Err()
		}}
		c := collector(t, senses.CollectorOptions{Senses: []senses.Sense{well, waits}})
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Collect(t.Context(), time.Now(), noCursor)
		}()
		synctest.Wait()
		start := time.Now()
		for range 2 {
			if err := c.Stop(t.Context()); err != nil {
				t.Errorf("Stop: %v", err)
			}
		}
		<-done
		if took := time.Since(start); took != 0 {
			t.Errorf("a collect that keeps to its context held Stop up for %v", took)
		}
		if stopped != 1 {
			t.Errorf("a sense was stopped %d times", stopped)
		}
		if h := c.Collect(t.Context(), time.Now(), noCursor)[0].Health; h.State != senses.Blind {
			t.Errorf("a sense is asked after Stop: %+v", h)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		hung, release := hanging()
		panics := fine("panics")
		panics.stop = func(context.Context) error { panic("expected") }
		c, err := senses.NewCollector(senses.CollectorOptions{Senses: []senses.Sense{hung, panics}})
		if err != nil {
			t.Fatal(err)
		}
		c.Collect(t.Context(), time.Now(), noCursor)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		err = c.Stop(ctx)
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("Stop took %v", took)
		}
		for _, want := range []string{"hung: it still hangs", "stop fine/panics: it panicked: expected"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Stop: %v, want %q in it", err, want)
			}
		}
		close(release)
	})
}

func TestCollectorRefusesSensesItCannotTellApart(t *testing.T) {
	for _, test := range []struct {
		name    string
		options senses.CollectorOptions
	}{
		{"twice the same", senses.CollectorOptions{Senses: []senses.Sense{fine("a"), fine("a")}}},
		{"nil", senses.CollectorOptions{Senses: []senses.Sense{nil}}},
		{"no name", senses.CollectorOptions{Senses: []senses.Sense{&scripted{}}}},
		{"the person's", senses.CollectorOptions{Senses: []senses.Sense{&scripted{name: senses.Person}}}},
		{"negative deadline", senses.CollectorOptions{Deadline: -1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := senses.NewCollector(test.options); err == nil {
				t.Error("no error")
			}
		})
	}
}
