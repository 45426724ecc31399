//go:build failpoints

package daemon_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The crash tests need the points that fail on purpose:
// go test -tags failpoints -run 'Crash|Failpoint' ./daemon

// mortal is a world whose mind is killed, with hands that go on changing it, and
// what is true of it.
type mortal struct {
	*world
	random *rand.Rand

	mu     sync.Mutex
	number int            // of what was done: sizes and words are never the same twice
	sizes  map[string]int // of the files that are there
	lines  int            // promises that were written
	events int            // events in the calendar
	said   map[int64]string
}

func newMortal(t *testing.T, seed uint64) *mortal {
	m := &mortal{world: newWorld(t), random: rand.New(rand.NewPCG(seed, 7)), sizes: map[string]int{}, said: map[int64]string{}}
	m.options.Now = nil // time goes on
	m.begin()
	m.commits() // the baseline
	m.stop()
	return m
}

// failsAt runs a tick in which a point fails once.
func (w *world) failsAt(point string) error {
	w.t.Helper()
	restore, err := failpoint.Set(point+"=error*1", "")
	if err != nil {
		w.t.Fatal(err)
	}
	defer restore()
	w.clock.advance(slot)
	_, err = w.d.TickAs(context.Background(), subconscious.Scheduled)
	return err
}

// commits runs a tick that must be committed.
func (m *mortal) commits() {
	m.t.Helper()
	report, err := m.d.TickAs(context.Background(), subconscious.Scheduled)
	if err != nil || !report.Published {
		m.t.Fatalf("a tick: published %v, %s, %v", report.Published, report.Error, err)
	}
}

// change does one thing to the world.
func (m *mortal) change() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.number++
	text := strings.Repeat("x", m.number)
	name := fmt.Sprintf("file-%d.md", m.random.IntN(15))
	path := filepath.Join(m.files, name)
	_, there := m.sizes[name]
	switch kind := m.random.IntN(10); {
	case kind < 3:
		testutil.Write(m.t, path, text)
		m.sizes[name] = len(text)
	case kind < 5:
		save(m.t, path, text)
		m.sizes[name] = len(text)
	case kind < 6 && there:
		if err := os.Remove(path); err != nil {
			m.t.Error(err)
		}
		delete(m.sizes, name)
	case kind < 7 && there:
		to := fmt.Sprintf("moved-%d.md", m.random.IntN(5))
		if err := os.Rename(path, filepath.Join(m.files, to)); err != nil {
			m.t.Error(err)
		}
		m.sizes[to] = m.sizes[name]
		delete(m.sizes, name)
	case kind < 8:
		m.events = 1 + m.random.IntN(5)
		var all []event
		for i := range m.events {
			all = append(all, event{fmt.Sprintf("event-%d@example.org", i), fmt.Sprintf("Event %d", i),
				time.Now().Add(time.Duration(i+2)*time.Hour + time.Duration(m.number)*time.Second), time.Hour})
		}
		save(m.t, m.ics, icsOf(all...))
	default:
		m.lines++
		m.append(filepath.Join(m.notes, fmt.Sprintf("list-%d.md", m.lines/100)), fmt.Sprintf("- [ ] mend thing number %d\n", m.number))
	}
}

func (m *mortal) append(path, line string) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Error(err)
		return
	}
	_, err = file.WriteString(line)
	if err := errors.Join(err, file.Close()); err != nil {
		m.t.Error(err)
	}
}

// life is a daemon process over the world, from its start to its death: that
// long after its start, or after its first tick.
func (m *mortal) life(kill time.Duration, afterTick bool, env ...string) (killed bool) {
	m.t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), "DAEMON_TEST_CHILD=ticks", childDir+"="+m.dir), env...)
	command.Stderr = m.log
	lines := testutil.Started(m.t, command)
	ended := make(chan struct{})
	var hands sync.WaitGroup
	hands.Go(func() { // changes go on until it is dead
		pause := time.NewTicker(3 * time.Millisecond)
		defer pause.Stop()
		for {
			select {
			case <-ended:
				return
			case <-pause.C:
				m.change()
			}
		}
	})
	until := kill
	if afterTick {
		until = time.Minute
	}
	death := time.AfterFunc(until, func() {
		if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			m.t.Error(err)
		}
	})
	m.listen(lines, func() {
		if afterTick {
			death.Reset(kill)
		}
	})
	err := command.Wait()
	death.Stop()
	close(ended)
	hands.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		m.t.Fatalf("it ended by itself: %v", err)
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signal() == syscall.SIGKILL
}

// listen notes what the process says until it says no more.
func (m *mortal) listen(lines *bufio.Scanner, begun func()) {
	begun = sync.OnceFunc(begun)
	for lines.Scan() {
		begun()
		words := strings.Fields(lines.Text())
		if len(words) != 3 || words[0] != "tick" {
			m.t.Errorf("it said %q", lines.Text())
			continue
		}
		n, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			m.t.Error(err)
		}
		if before, twice := m.said[n]; twice {
			m.t.Errorf("tick %d was committed twice: %s and %s", n, before, words[2])
		}
		m.said[n] = words[2]
	}
}

// recovers starts the mind again and holds it to what is true.
func (m *mortal) recovers() {
	m.t.Helper()
	m.begin()
	count := m.d.State().TickCount
	if document := m.document(); document.TickCount != count {
		m.t.Fatalf("the document is of tick %d, the mind at tick %d", document.TickCount, count)
	}
	m.intact()
	for tick, hash := range m.said {
		document, ok, err := m.d.Mind().Document(context.Background(), tick)
		if err != nil || !ok || tick > count {
			m.t.Fatalf("tick %d was committed and is not there: %v; the mind is at tick %d", tick, err, count)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(document)); got != hash {
			m.t.Fatalf("the document of tick %d is another one now", tick)
		}
	}
	m.commits()
	if got := m.d.State().TickCount; got != count+1 {
		m.t.Fatalf("the tick after %d has the number %d", count, got)
	}
	m.knows()
	m.stop()
}

// knows compares what the senses know with what is true.
func (m *mortal) knows() {
	m.t.Helper()
	if got := m.sense("notes", "notes").Standing; got != m.lines {
		m.t.Errorf("%d promises stand, %d were written", got, m.lines)
	}
	if got := m.sense("calendar", "home").Standing; got != m.events {
		m.t.Errorf("%d events stand, %d are in the calendar", got, m.events)
	}
	var known []string
	m.query("SELECT key FROM ledger_rows WHERE sense = 'files' AND id = 'work'", func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		known = append(known, key)
		return err
	})
	known = slices.DeleteFunc(known, func(key string) bool { return !strings.HasSuffix(key, ".md") })
	slices.Sort(known)
	if want := slices.Sorted(maps.Keys(m.sizes)); !slices.Equal(known, want) {
		m.t.Errorf("it knows the files %v, there are %v", known, want)
	}
	m.told()
}

// told goes through every change that was recorded: the last one of each file
// that is there says how it is, and none was recorded twice.
func (m *mortal) told() {
	m.t.Helper()
	type change struct{ action, size string }
	all, last := map[string]map[change]bool{}, map[string]change{}
	words := map[string]int{}
	m.query("SELECT observation FROM ledger_changes ORDER BY seq", func(scan func(...any) error) error {
		var text string
		var o subconscious.Observation
		if err := errors.Join(scan(&text), json.Unmarshal([]byte(text), &o)); err != nil {
			return err
		}
		if o.Sense == "notes" && o.Kind == "promise" {
			words[o.Title]++
		}
		if o.Sense != "files" || !strings.HasSuffix(o.ID, ".md") {
			return nil
		}
		name, c := strings.TrimPrefix(o.ID, "work/"), change{o.Attrs["action"], o.Attrs["size"]}
		if c.size == "0" { // seen between being emptied and being written
			last[name] = c
			return nil
		}
		if c == last[name] || c.action != "deleted" && all[name][c] {
			m.t.Errorf("%s was %s (size %s) twice", name, c.action, c.size)
		}
		if all[name] == nil {
			all[name] = map[change]bool{}
		}
		all[name][c], last[name] = true, c
		return nil
	})
	for name, size := range m.sizes {
		if got := last[name]; got.size != strconv.Itoa(size) || got.action == "deleted" {
			m.t.Errorf("%s has %d bytes, and what was last told of it is %+v", name, size, got)
		}
	}
	for title, n := range words {
		if n != 1 {
			m.t.Errorf("%q was told %d times", title, n)
		}
	}
}

// TestCrashAtRandom kills a daemon at random moments while changes go on.
func TestCrashAtRandom(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 8
	}
	m := newMortal(t, 11)
	for round := range rounds {
		// Now and then while it starts.
		if !m.life(time.Duration(5+m.random.IntN(300))*time.Millisecond, round%4 != 0) {
			t.Fatal("it died of something else")
		}
		m.recovers()
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d kills, %d ticks said, %d changes", rounds, len(m.said), m.number)
	if len(m.said) < rounds*3/4 {
		t.Errorf("only %d ticks were seen in %d rounds: it was killed too early", len(m.said), rounds)
	}
}

// TestCrashAtEachPoint kills it before, inside and after the commit, and around
// publishing.
func TestCrashAtEachPoint(t *testing.T) {
	m := newMortal(t, 13)
	for i, point := range []string{"tick.commit.before", "tick.commit.inside", "mind.commit", "store.begun", "store.commit", "store.committed",
		"tick.commit.after", "publish.written", "publish.rename", "publish.renamed"} {
		if !m.life(time.Minute, false, "SUBCONSCIOUS_FAILPOINTS="+point+"=kill@0.2", "SUBCONSCIOUS_FAILPOINTS_SEED="+strconv.Itoa(i+1)) {
			t.Fatalf("%s: it did not kill", point)
		}
		m.recovers()
		if t.Failed() {
			t.Fatalf("at %s", point)
		}
	}
}

// TestFailpointsLoseNothing makes a tick fail at each point: what it was about
// is told by the next one, once.
func TestFailpointsLoseNothing(t *testing.T) {
	for point, committed := range map[string]bool{
		"tick.commit.before": false, "tick.commit.inside": false, "mind.commit": false,
		// It was done, although a failure was told.
		"tick.commit.after": true,
		"publish.rename":    true, "publish.renamed": true, "publish.written": true,
	} {
		t.Run(point, func(t *testing.T) {
			w := newWorld(t).begin()
			w.tick()
			testutil.Write(t, filepath.Join(w.files, "new.service"), "x")
			testutil.Write(t, filepath.Join(w.notes, "today.md"), "I will send the report by Friday.\n")
			w.disk.set(90)
			w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: "call the plumber by Tuesday"})
			w.await()
			err := w.failsAt(point)
			if (err == nil) != committed {
				t.Fatalf("the tick: %v, want it committed: %v", err, committed)
			}
			if !committed && w.status().Tick.Error == "" {
				t.Fatal("the status does not say that the tick failed")
			}
			w.tick()
			if got := w.status().Tick; got.Error != "" || got.Count != 2+int64(map[bool]int{true: 1}[committed]) {
				t.Fatalf("the status says %+v", got)
			}
			for text, standing := range map[string]bool{"new.service": false, "send the report": true, "/srv": true, "plumber": true} {
				want := 3
				if committed && !standing {
					want = 2
				}
				w.now(text, want)
			}
		})
	}
}
