package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// faulty does what it wraps, or else what it is told to.
type faulty struct {
	mu sync.Mutex
	do func(ctx context.Context) error // nil: nothing is wrong
}

func (f *faulty) set(do func(ctx context.Context) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.do = do
}

func (f *faulty) hit(ctx context.Context) error {
	f.mu.Lock()
	do := f.do
	f.mu.Unlock()
	if do == nil {
		return nil
	}
	return do(ctx)
}

func fails(context.Context) error  { return errors.New("a made-up fault") }
func panics(context.Context) error { panic("a made-up panic") }

// hangs returns what blocks, whatever its context says, until it is released.
func hangs(t *testing.T) (do func(context.Context) error, release func()) {
	released := make(chan struct{})
	release = sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	return func(context.Context) error {
		<-released
		return errors.New("too late")
	}, release
}

// thread is a reflex thread that can be made to fail.
type thread struct {
	*reflex.Thread
	faulty
}

func (t *thread) Think(ctx context.Context, s subconscious.Snapshot) (threads.Answer, error) {
	if err := t.hit(ctx); err != nil {
		return threads.Answer{}, err
	}
	return t.Thread.Think(ctx, s)
}

// withFaultyWatcher gives the mind a watcher that can be made to fail.
func withFaultyWatcher(w *world) *thread {
	watcher := &thread{Thread: reflex.New(subconscious.Watcher)}
	w.options.Threads = []threads.Thread{watcher}
	for _, name := range []subconscious.ThreadName{subconscious.Librarian, subconscious.Oracle, subconscious.Dreamer} {
		w.options.Threads = append(w.options.Threads, reflex.New(name))
	}
	return watcher
}

func threadOf(t *testing.T, report api.TickReport, name subconscious.ThreadName) api.ThreadReport {
	t.Helper()
	i := slices.IndexFunc(report.Threads, func(r api.ThreadReport) bool { return r.Name == string(name) })
	if i < 0 {
		t.Fatalf("no %s in %+v", name, report.Threads)
	}
	return report.Threads[i]
}

// A thread that fails for three ticks misses nothing afterwards, and the others
// go on meanwhile.
func TestFailingThreadMissesNothing(t *testing.T) {
	for name, fault := range map[string]func(context.Context) error{"an error": fails, "a panic": panics} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			watcher := withFaultyWatcher(w)
			w.begin()
			w.tick()
			watcher.set(fault)
			for i := range 3 {
				testutil.Write(t, filepath.Join(w.files, fmt.Sprintf("file-%d.service", i)), "x")
				if i == 1 {
					w.disk.set(90)
					w.calendar(event{"review@example.org", "Review", w.clock.Now().Add(time.Hour), time.Hour})
				}
				r := threadOf(t, w.tick(), subconscious.Watcher)
				if r.Mode != "failed" || !strings.Contains(r.Reason, "made-up") {
					t.Fatalf("the report says %+v", r)
				}
			}
			w.now("Review", 3)
			w.now("/srv", 0)
			if got := w.document().ThreadState[subconscious.Watcher]; got.Health != "failed" {
				t.Fatalf("the document says %+v", got)
			}
			if err := w.d.Health(context.Background()); err == nil || !strings.Contains(err.Error(), "watcher failed") {
				t.Fatalf("healthz says %v", err)
			}
			watcher.set(nil)
			if r := threadOf(t, w.tick(), subconscious.Watcher); r.Mode != "reflex" || r.Findings != 4 {
				t.Fatalf("the report says %+v", r)
			}
			for _, text := range []string{"file-0.service", "file-1.service", "file-2.service", "/srv"} {
				w.now(text, 3)
			}
			if err := w.d.Health(context.Background()); err != nil {
				t.Fatal(err)
			}
			w.strengths("/srv", 3)
			w.now("file-0.service", 2)
		})
	}
}

// A thread that hangs makes the tick poorer, is not asked again before it is
// back, and then is shown what it missed.
func TestHangingThread(t *testing.T) {
	w := newWorld(t)
	watcher := withFaultyWatcher(w)
	w.options.Config.Threads.Deadline = 100 * time.Millisecond
	w.begin()
	w.tick()
	hang, release := hangs(t)
	watcher.set(hang)
	w.disk.set(90)
	w.calendar(event{"review@example.org", "Review", w.clock.Now().Add(time.Hour), time.Hour})
	if r := threadOf(t, w.tick(), subconscious.Watcher); r.Mode != "failed" || !strings.Contains(r.Reason, "did not answer") {
		t.Fatalf("the report says %+v", r)
	}
	w.now("Review", 3)
	if r := threadOf(t, w.tick(), subconscious.Watcher); r.Mode != "failed" || !strings.Contains(r.Reason, "has not come back") {
		t.Fatalf("the report says %+v", r)
	}
	watcher.set(nil)
	release()
	w.until("the watcher is back", func() bool { return threadOf(t, w.tick(), subconscious.Watcher).Mode == "reflex" })
	w.now("/srv", 3)
}

// sense is a made-up sense of what stands, which can be made to fail.
type sense struct {
	faulty
	rack *rack
}

// rack is what stands; it outlives the sense.
type rack struct {
	mu     sync.Mutex
	titles []string
	state  int // another one is a change of all of them
}

func (s *rack) worsen(state int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state + 1
}

func (s *rack) add(title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.titles = append(s.titles, title)
}

func (s *sense) Name() string { return "health" }
func (s *sense) ID() string   { return "rack" }

func (s *sense) Collect(ctx context.Context, at time.Time, _ []byte) (senses.Batch, error) {
	if err := s.hit(ctx); err != nil {
		return senses.Batch{}, err
	}
	s.rack.mu.Lock()
	defer s.rack.mu.Unlock()
	set := senses.Set{Scope: "all"}
	for _, title := range s.rack.titles {
		set.Items = append(set.Items, subconscious.Observation{ID: title, Sense: "health", Instance: "rack", Kind: "unit", At: at,
			Title: title, Fingerprint: fmt.Sprint(s.rack.state), Severity: subconscious.Warning, Trust: subconscious.Machine})
	}
	return senses.Batch{Sets: []senses.Set{set}, Cursor: []byte(fmt.Sprint(len(set.Items), s.rack.state))}, nil
}

func withFaultySense(w *world) *sense {
	s := &sense{rack: &rack{}}
	w.options.Senses = func(senses.RowReader) ([]senses.Sense, error) { return []senses.Sense{s}, nil }
	return s
}

func (w *world) sense(kind, id string) api.SenseStatus {
	w.t.Helper()
	for _, s := range w.status().Senses {
		if s.Kind == kind && s.ID == id {
			return s
		}
	}
	w.t.Fatalf("no sense %s %s", kind, id)
	return api.SenseStatus{}
}

// A sense that fails is blind, which is noticed once, shown, and over when it
// sees again; what stood stands, and what came meanwhile is told.
func TestFailingSenseIsNoticedAndLosesNothing(t *testing.T) {
	for name, fault := range map[string]func(context.Context) error{"an error": fails, "a panic": panics} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := withFaultySense(w)
			s.rack.add("pump one failed")
			w.begin()
			w.strengths("pump one", 3)
			s.set(fault)
			s.rack.add("pump two failed")
			w.disk.set(90)
			w.strengths("pump one", 3, 3)
			w.now("/srv", 3) // the other senses see
			w.now("pump two", 0)
			if got := w.sense("health", "rack"); got.State != "blind" || !strings.Contains(got.Error, "made-up") {
				t.Fatalf("the status says %+v", got)
			}
			n, ok := w.notice("sense_blind")
			if !ok || !strings.Contains(n.Text, "rack has been blind since") || n.Next == "" {
				t.Fatalf("the notice says %+v", n)
			}
			since := n.At
			w.restart()
			w.tick()
			if n, _ := w.notice("sense_blind"); !n.At.Equal(since) {
				t.Fatalf("the notice was raised again at %v, first at %v", n.At, since)
			}
			if err := w.d.Health(context.Background()); err == nil || !strings.Contains(err.Error(), "is blind") {
				t.Fatalf("healthz says %v", err)
			}
			s.set(nil)
			w.until("it sees again", func() bool { w.tick(); return w.sense("health", "rack").State == "ok" })
			if n, ok := w.notice("sense_blind"); ok {
				t.Fatalf("still noticed: %+v", n)
			}
			w.now("pump one", 3)
			w.now("pump two", 3)
			periods, err := w.d.BlindPeriods(context.Background(), start)
			if err != nil || len(periods) != 1 || periods[0].To.Sub(periods[0].From) < 2*slot {
				t.Fatalf("blind periods: %+v, %v", periods, err)
			}
		})
	}
}

// A sense that hangs holds up no tick for longer than its share.
func TestHangingSense(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Config.TickTimeout = time.Second
	w.options.Config.Threads.Deadline = time.Second
	s := withFaultySense(w)
	w.begin()
	w.tick()
	hang, release := hangs(t)
	s.set(hang)
	s.rack.add("pump one failed")
	w.disk.set(90)
	began := time.Now()
	w.tick()
	if took := time.Since(began); took > patience {
		t.Fatalf("the tick took %v", took)
	}
	w.now("/srv", 3)
	if got := w.sense("health", "rack"); got.State != "blind" {
		t.Fatalf("the status says %+v", got)
	}
	w.tick()
	if got := w.sense("health", "rack"); got.State != "blind" || !strings.Contains(got.Error, "hangs") && !strings.Contains(got.Error, "goes on") {
		t.Fatalf("the status says %+v", got)
	}
	s.set(nil)
	release()
	w.until("it sees again", func() bool { w.tick(); return w.sense("health", "rack").State == "ok" })
	w.now("pump one", 3)
}

// A calendar that is not one is seen in part, and what it held stands.
func TestUnreadableCalendar(t *testing.T) {
	w := newWorld(t).begin()
	w.calendar(event{"review@example.org", "Review", start.Add(3 * time.Hour), time.Hour})
	w.strengths("Review", 0) // three hours ahead it counts little
	testutil.Write(t, w.ics, "this is no calendar\n")
	w.tick()
	if got := w.sense("calendar", "home"); got.State != "degraded" || !strings.Contains(got.Error, "BEGIN:VCALENDAR") {
		t.Fatalf("the status says %+v", got)
	}
	if _, ok := w.notice("sense_degraded"); !ok {
		t.Fatal("not noticed")
	}
	w.clock.advance(time.Hour)
	w.strengths("Review", 3) // within two hours now
	w.calendar(event{"review@example.org", "Review", start.Add(3 * time.Hour), time.Hour})
	w.strengths("Review", 3)
	if _, ok := w.notice("sense_degraded"); ok {
		t.Fatal("still noticed")
	}
}
