package daemon_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// refused starts the mind, which must fail with all of these words, and leave
// nothing behind that keeps the next one from starting.
func (w *world) refused(words ...string) {
	w.t.Helper()
	d, err := daemon.New(w.options)
	if err == nil {
		err = d.Start(context.Background())
	}
	if err == nil {
		w.t.Fatal("it started")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			w.t.Errorf("the error does not say %q: %v", word, err)
		}
	}
	if d != nil {
		if err := d.Stop(context.Background()); err != nil {
			w.t.Errorf("stop after a start that failed: %v", err)
		}
	}
}

// Each step of Start can fail; what the earlier ones began is ended, and the
// next start, with the cause gone, goes well. Leaks are looked for at the end.
func TestStartFailsCleanlyAtEachStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		broken func(w *world) (mend func())
		words  []string
	}{
		"options": {func(w *world) func() {
			w.options.Config.StateDir = "state"
			return func() { w.options.Config.StateDir = w.state }
		}, []string{"not an absolute path"}},
		"lock": {func(w *world) func() {
			w.options.Config.StateDir = w.ics
			return func() { w.options.Config.StateDir = w.state }
		}, []string{"is a file and not a folder"}},
		"store": {func(w *world) func() {
			path := filepath.Join(w.state, "mind.db")
			testutil.Write(w.t, path, strings.Repeat("this is no database\n", 300))
			return func() { w.remove(path) }
		}, []string{"mind.db"}},
		"threads": {func(w *world) func() {
			w.options.Threads = []threads.Thread{reflex.New(subconscious.Oracle), reflex.New(subconscious.Oracle)}
			return func() { w.options.Threads = nil }
		}, []string{"twice"}},
		"senses": {func(w *world) func() {
			w.options.Senses = func(senses.RowReader) ([]senses.Sense, error) { return nil, errors.New("a made-up fault") }
			return func() { w.options.Senses = nil }
		}, []string{"made-up"}},
		"a sense inside the state folder": {func(w *world) func() {
			w.options.Config.Senses.Notes[0].Path = w.state
			return func() { w.options.Config.Senses.Notes[0].Path = w.notes }
		}, []string{"own folder"}},
		"schedule": {func(w *world) func() {
			w.options.Unscheduled, w.options.Config.Schedule = false, "@every 5m"
			return func() { w.options.Unscheduled = true }
		}, []string{"drifts"}},
		"api": {func(w *world) func() {
			w.options.NoSocket = false
			path := filepath.Join(w.state, "socket")
			if err := os.Mkdir(path, 0o700); err != nil {
				w.t.Fatal(err)
			}
			return func() { w.remove(path) }
		}, []string{"socket"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			mend := c.broken(w)
			w.refused(c.words...)
			mend()
			w.begin()
			w.tick()
		})
	}
}

func (w *world) remove(path string) {
	w.t.Helper()
	if err := os.RemoveAll(path); err != nil {
		w.t.Fatal(err)
	}
}

func TestStopIsIdempotent(t *testing.T) {
	w := newWorld(t)
	d, err := daemon.New(w.options)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(context.Background()); err != nil {
		t.Fatalf("stop before the start: %v", err)
	}
	if err := d.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := d.Start(context.Background()); err == nil {
		t.Fatal("it started twice")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := d.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if _, err := d.TickAs(context.Background(), subconscious.Manual); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Fatalf("a tick after the stop: %v", err)
	}
	if err := d.Start(context.Background()); err == nil {
		t.Fatal("it started again")
	}
}

// Who is asked to end while it starts ends well.
func TestEndedWhileItStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Unscheduled = false
	for i := range 20 {
		d, err := daemon.New(w.options)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(time.Duration(i)*time.Millisecond, cancel)
		if i == 0 {
			cancel()
		}
		if err := d.Run(ctx); err != nil {
			t.Fatalf("ended after %d ms: %v", i, err)
		}
		timer.Stop()
		cancel()
	}
	w.options.Unscheduled = true
	w.begin()
	w.tick()
}

// A tick that hangs, in a thread or in a sense that does not listen to its
// context, is abandoned within ten seconds, and loses nothing.
func TestStopDuringAHangingTick(t *testing.T) {
	t.Parallel()
	for name, hangIn := range map[string]func(w *world, hang func(context.Context) error) *faulty{
		"a thread": func(w *world, hang func(context.Context) error) *faulty {
			watcher := withFaultyWatcher(w)
			watcher.set(hang)
			return &watcher.faulty
		},
		"a sense": func(w *world, hang func(context.Context) error) *faulty {
			s := withFaultySense(w)
			s.set(hang)
			return &s.faulty
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			inside := make(chan struct{})
			hang, release := hangs(t)
			entered := sync.OnceFunc(func() { close(inside) })
			fault := hangIn(w, func(ctx context.Context) error {
				entered()
				return hang(ctx)
			})
			w.options.Unscheduled = false // the first tick comes by itself
			w.disk.set(90)
			d := begun(t, "", w.options).d
			select {
			case <-inside:
			case <-time.After(patience):
				t.Fatal("no tick began")
			}
			began := time.Now()
			err := d.Stop(context.Background())
			if took := time.Since(began); took > patience {
				t.Fatalf("the stop took %v", took)
			}
			if err == nil || !strings.Contains(err.Error(), "back") && !strings.Contains(err.Error(), "hangs") {
				t.Fatalf("the stop does not say what hung: %v", err)
			}
			release()
			fault.set(nil)
			w.options.Unscheduled = true
			w.begin()
			if got := w.d.State().TickCount; got != 0 {
				t.Fatalf("%d ticks were committed", got)
			}
			w.strengths("/srv", 3)
		})
	}
}

func TestTwoDaemonsOnOneFolder(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	w.refused("another daemon", fmt.Sprint(os.Getpid()), "--state-dir")
	w.tick() // the first one goes on
	w.restart()
	w.tick()
}

func TestSocketAndPermissions(t *testing.T) {
	w := newWorld(t)
	w.options.NoSocket = false
	if err := os.Chmod(w.state, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.state, "socket")
	// A daemon that was killed leaves its socket behind.
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	w.begin()
	w.tick()
	for path, want := range map[string]os.FileMode{w.state: 0o700, path: 0o600, filepath.Join(w.state, "mind.db"): 0o600, filepath.Join(w.state, "subconscious.json"): 0o600} {
		stat, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := stat.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	if !strings.Contains(w.log.String(), "was open to other users") {
		t.Error("the log does not say that the folder was closed to others")
	}
	connection, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := connection.Close(); err != nil {
		t.Fatal(err)
	}
	w.stop()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
}

func TestNewerDatabaseIsLeftUntouched(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	w.stop()
	path := filepath.Join(w.state, "mind.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("PRAGMA user_version = 999")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	before := testutil.Read(t, path)
	w.refused("newer version", "Install the newer version")
	after, err := os.ReadFile(path)
	if err != nil || string(before) != string(after) {
		t.Fatalf("the database was touched: %v", err)
	}
}

// A document that people broke is set aside, and said so until it is seen to.
func TestBrokenDocumentIsSetAside(t *testing.T) {
	for name, running := range map[string]bool{"while it runs": true, "while it is stopped": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).begin()
			w.disk.set(90)
			w.ticks(2)
			path := filepath.Join(w.state, "subconscious.json")
			if !running {
				w.stop()
			}
			testutil.Write(t, path, `{"version": 1, "oops`)
			if !running {
				w.begin()
			}
			w.strengths("/srv", 3)
			n, ok := w.notice("document_rejected")
			if !ok || n.Next == "" {
				t.Fatalf("the notice is %+v", n)
			}
			asides, err := filepath.Glob(path + ".rejected-*")
			if err != nil || len(asides) != 1 || !strings.Contains(n.Text, asides[0]) {
				t.Fatalf("set aside: %v, %v; the notice says %q", asides, err, n.Text)
			}
			if text, err := os.ReadFile(asides[0]); err != nil || !strings.Contains(string(text), "oops") {
				t.Fatalf("what was set aside is %q, %v", text, err)
			}
			w.tick()
			if again, _ := filepath.Glob(path + ".rejected-*"); len(again) != 1 {
				t.Fatalf("set aside again: %v", again)
			}
		})
	}
}

// What cannot be published is said, and published when it can be.
func TestUnpublishedDocument(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	path := filepath.Join(w.state, "subconscious.json")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(slot)
	w.disk.set(90)
	report, err := w.d.TickAs(context.Background(), subconscious.Scheduled)
	if err != nil || report.Published || report.Error == "" {
		t.Fatalf("the report says published %v, %q; %v", report.Published, report.Error, err)
	}
	if n, ok := w.notice("document_unpublished"); !ok || !strings.Contains(n.Text, "a folder") {
		t.Fatalf("the notice is %+v", n)
	}
	w.remove(path)
	w.strengths("/srv", 3)
	if _, ok := w.notice("document_unpublished"); ok {
		t.Fatal("still noticed")
	}
}
