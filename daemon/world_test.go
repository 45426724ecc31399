package daemon_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/subconscious/documenttest"
)

func TestMain(m *testing.M) {
	if what := os.Getenv("DAEMON_TEST_CHILD"); what != "" {
		os.Exit(runChild(what))
	}
	// What tests write is written to memory where there is such a folder: no test
	// cuts the power, and hundreds of minds wait for a disk for longer than they think.
	if hasMemory("/dev/shm") {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	goleak.VerifyTestMain(m)
}

const (
	// patience bounds whatever a test waits for.
	patience = 30 * time.Second
	// slot is the time between two ticks of a test.
	slot = 5 * time.Minute
)

// start is a Monday noon in Berlin.
var start = time.Date(2026, 11, 23, 11, 0, 0, 0, time.UTC)

// world is a machine with a mind that looks at it: real files, a real database,
// a made-up machine health and a made-up wall clock.
type world struct {
	t       testing.TB
	options daemon.Options
	// files and notes are watched folders, ics a calendar, state the mind's; all
	// are in dir.
	dir, files, notes, ics, state string
	disk                          *machine
	clock                         *wallClock
	d                             *daemon.Daemon
	log                           *testutil.Log
	fence                         *watch.Subscription
	marks                         int
	// held: a deliberation waits for an answer that the test keeps back.
	held bool
}

// newWorld makes the folders, empty, and does not start the mind.
func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, dir: dir, files: filepath.Join(dir, "files"), notes: filepath.Join(dir, "notes"), ics: filepath.Join(dir, "home.ics"),
		state: filepath.Join(dir, "state"), disk: &machine{}, clock: &wallClock{now: start}, log: &testutil.Log{}}
	for _, folder := range []string{w.files, w.notes, w.state} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.calendar()
	w.disk.set(50)
	config := configOf(dir)
	w.options = daemon.Options{
		Config: config, Version: "v0.0.0", Unscheduled: true, NoSocket: true, Now: w.clock.Now, Health: w.disk,
		Logger: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	t.Cleanup(func() {
		if w.d != nil {
			w.stop()
		}
		if t.Failed() {
			t.Log(w.log.String())
		}
	})
	return w
}

// begin starts the mind.
func (w *world) begin() *world {
	w.t.Helper()
	w.d = begun(w.t, "", w.options).d
	w.watches()
	return w
}

// watches returns when the folder of files is watched.
func (w *world) watches() {
	w.t.Helper()
	w.clock.quiet = w.rests
	var err error
	if w.fence, err = w.d.Watcher().Subscribe(w.files, watch.SubscribeOptions{Recursive: true}); err != nil {
		w.t.Fatal(err)
	}
	w.until("the folder is watched", func() bool {
		_, rescan, _ := w.fence.Drain()
		return !rescan
	})
}

// fills starts the mind, and lets the disk fill after its first tick.
func (w *world) fills(percent uint64) {
	w.t.Helper()
	w.begin()
	w.tick()
	w.disk.set(percent)
	w.tick()
}

// begun starts a mind of these options, of which nothing else is pretended.
func begun(t testing.TB, dir string, options daemon.Options) *world {
	t.Helper()
	d, err := daemon.New(options)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return &world{t: t, d: d, state: filepath.Join(dir, "state"), log: &testutil.Log{}}
}

func (w *world) until(what string, so func() bool) {
	w.t.Helper()
	testutil.Until(w.t, what, so)
}

func (w *world) stop() {
	w.t.Helper()
	if w.fence != nil {
		w.fence.Close()
		w.fence = nil
	}
	w.clock.quiet = nil
	if err := w.d.Stop(context.Background()); err != nil {
		w.t.Errorf("stop: %v", err)
	}
	w.d, w.held = nil, false
}

// rests returns when the workers of the mind have nothing to do, or wait for a
// model that is held.
func (w *world) rests() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	idle := w.d.Idle
	if w.held {
		idle = w.d.Outbox().Idle
	}
	if err := idle(ctx); err != nil {
		w.t.Fatalf("there is still something to do: %v", err)
	}
}

// restart ends the mind and starts it again.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.begin()
}

// await returns when the watcher has told of all that was done so far: it
// tells in order, and the fence hears of a mark that was left last.
func (w *world) await() {
	w.t.Helper()
	w.marks++
	mark := filepath.Join(w.files, fmt.Sprintf("mark-%d.tmp", w.marks))
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return // the folder is gone; there is nothing to be told
	}
	w.until("the watcher tells of "+mark, func() bool {
		touched, rescan, _ := w.fence.Drain()
		return rescan || slices.Contains(touched, mark)
	})
	if err := os.Remove(mark); err != nil {
		w.t.Fatal(err)
	}
}

// hurries runs ticks, and awaits nothing between them.
func (w *world) hurries(ticks int) {
	w.t.Helper()
	for range ticks {
		w.clock.advance(slot)
		if _, err := w.d.TickAs(w.t.Context(), subconscious.Scheduled); err != nil {
			w.t.Fatal(err)
		}
	}
}

// tick lets a slot pass and runs a scheduled tick.
func (w *world) tick() api.TickReport {
	w.t.Helper()
	w.clock.advance(slot)
	return w.tickAs(subconscious.Scheduled)
}

func (w *world) tickAs(kind subconscious.TickKind) api.TickReport {
	w.t.Helper()
	w.await()
	report, err := w.d.TickAs(context.Background(), kind)
	if err != nil {
		w.t.Fatalf("tick: %v", err)
	}
	if !report.Published {
		w.t.Fatalf("tick %d was not published: %s", report.Tick, report.Error)
	}
	return report
}

// ticks runs n of them.
func (w *world) ticks(n int) {
	w.t.Helper()
	for range n {
		w.tick()
	}
}

// ticksUntil runs them until then; in the short form the mind misses most.
func (w *world) ticksUntil(at time.Time) {
	w.t.Helper()
	for w.clock.Now().Before(at) {
		if testing.Short() {
			w.clock.advance(5 * slot)
		}
		w.tick()
	}
}

// document is subconscious.json as it is on disk.
func (w *world) document() subconscious.Document {
	w.t.Helper()
	data := testutil.Read(w.t, filepath.Join(w.state, "subconscious.json"))
	document, err := documenttest.Decode(data)
	if err != nil {
		w.t.Fatal(err)
	}
	return document
}

// entries are the document's, of all lists.
func entries(d subconscious.Document) []subconscious.DocumentEntry {
	return slices.Concat(d.ActiveThreads, d.Patterns, d.Hunches, d.Insights)
}

// entry is the one entry whose summary holds the text; ok is false where there
// is none. Two are an error: one thing is told once.
func (w *world) entry(text string) (found subconscious.DocumentEntry, ok bool) {
	w.t.Helper()
	for _, e := range entries(w.document()) {
		if strings.Contains(e.Summary, text) {
			if ok {
				w.t.Fatalf("%q is there twice: %q and %q", text, found.Summary, e.Summary)
			}
			found, ok = e, true
		}
	}
	return found, ok
}

// strengths runs a tick for each wanted strength of the entry that holds the
// text, and compares; 0 is an entry that is not there.
func (w *world) strengths(text string, want ...int) {
	w.t.Helper()
	var got []int
	for range want {
		w.tick()
		e, _ := w.entry(text)
		got = append(got, e.Strength)
	}
	if !slices.Equal(got, want) {
		w.t.Fatalf("strengths of %q: %v, want %v\n%s", text, got, want, w.summaries())
	}
}

// now compares the strength in the document as it is.
func (w *world) now(text string, want int) subconscious.DocumentEntry {
	w.t.Helper()
	e, _ := w.entry(text)
	if e.Strength != want {
		w.t.Fatalf("%q has strength %d, want %d\n%s", text, e.Strength, want, w.summaries())
	}
	return e
}

func (w *world) summaries() string {
	var out strings.Builder
	for _, e := range entries(w.document()) {
		fmt.Fprintf(&out, "  %d %s %s: %s\n", e.Strength, e.ID, e.Kind, e.Summary)
	}
	return out.String()
}

func (w *world) status() api.Status {
	w.t.Helper()
	status, err := w.d.Status(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return status
}

// notice is the one with that code, or false.
func (w *world) notice(code string) (api.Notice, bool) {
	w.t.Helper()
	for _, n := range w.status().Notices {
		if n.Code == code {
			return n, true
		}
	}
	return api.Notice{}, false
}

// write writes a file whole; save does as editors do: to a temporary file that
// takes the name.
func save(t testing.TB, path, text string) {
	t.Helper()
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".swp")
	testutil.Write(t, temporary, text)
	if err := os.Rename(temporary, path); err != nil {
		t.Fatal(err)
	}
}

// event is one of a calendar.
type event struct {
	uid, summary string
	start        time.Time
	length       time.Duration
}

// calendar writes the calendar with these events, as programs save it.
func (w *world) calendar(events ...event) {
	w.t.Helper()
	save(w.t, w.ics, icsOf(events...))
}

func icsOf(events ...event) string {
	lines := []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example.org//test//EN"}
	stamp := func(t time.Time) string { return t.UTC().Format("20060102T150405Z") }
	for _, e := range events {
		lines = append(lines, "BEGIN:VEVENT", "UID:"+e.uid, "DTSTAMP:20261101T000000Z", "DTSTART:"+stamp(e.start),
			"DTEND:"+stamp(e.start.Add(e.length)), "SUMMARY:"+e.summary, "END:VEVENT")
	}
	return strings.Join(append(lines, "END:VCALENDAR", ""), "\r\n")
}

// machine is a made-up machine with one disk.
type machine struct {
	mu      sync.Mutex
	reading health.Reading
}

// set fills the disk to that per cent.
func (m *machine) set(percent uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reading = health.Reading{Disks: []health.Disk{{Path: "/srv", Used: percent << 30, Available: (100 - percent) << 30}}}
}

// Read implements health.Reader.
func (m *machine) Read(ctx context.Context) (health.Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reading, ctx.Err()
}

// wallClock is a wall clock that stands until it is moved, which waits until
// nobody works by it.
type wallClock struct {
	quiet func()

	mu  sync.Mutex
	now time.Time
}

func (c *wallClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *wallClock) advance(d time.Duration) {
	if c.quiet != nil {
		c.quiet()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func asJSON(t testing.TB, v any) string { return string(testutil.JSON(t, v)) }

func (w *world) zone() *time.Location {
	w.t.Helper()
	zone, err := w.options.Config.Location(func(string) (string, bool) { return "", false })
	if err != nil {
		w.t.Fatal(err)
	}
	return zone
}

// inbox is what was told and what waits.
func (w *world) inbox() []api.InboxIncident {
	w.t.Helper()
	inbox, err := w.d.Inbox(context.Background(), api.InboxQuery{Limit: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	return inbox.Incidents
}
