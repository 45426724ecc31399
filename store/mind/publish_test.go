package mind_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// house is a state folder with a mind in memory beside it.
type house struct {
	dir, path string
	db        *store.DB
	minds     *mind.Store
	publisher *mind.Publisher
	state     subconscious.State
	log       bytes.Buffer
}

func newHouse(t testing.TB) *house {
	h := &house{dir: t.TempDir()}
	h.path = filepath.Join(h.dir, mind.DocumentName)
	h.minds, h.db = newStore(t, store.Memory)
	h.publisher = mind.NewPublisher(h.dir, h.minds, slog.New(slog.NewTextHandler(&h.log, nil)))
	return h
}

// tick commits a tick after d.
func (h *house) tick(t testing.TB, d time.Duration) mind.Commit {
	t.Helper()
	c := nextAfter(h.state, d)
	commit(t, h.db, h.minds, c)
	h.state = c.State
	return c
}

// publish publishes as the daemon does, which sets aside what it cannot read.
func (h *house) publish(t testing.TB, c mind.Commit) (written bool, aside string) {
	t.Helper()
	aside = h.setAside(t, c.Record.At)
	written, err := h.publisher.Publish(t.Context(), c.Record.Tick, c.Published)
	if err != nil {
		t.Fatal(err)
	}
	h.holds(t, c.Published)
	return written, aside
}

func (h *house) setAside(t testutil.T, at time.Time) (path string) {
	t.Helper()
	there, err := h.publisher.Foreign(context.Background())
	if err == nil && there != nil {
		path, err = h.publisher.SetAside(at)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (h *house) holds(t testing.TB, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(h.path); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("the document is %q, want %q: %v", got, want, err)
	}
}

func (h *house) put(t testing.TB, content string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(h.path), os.WriteFile(h.path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func (h *house) rejected(t testing.TB) (contents []string) {
	t.Helper()
	names, err := filepath.Glob(h.path + ".rejected-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		content := testutil.Read(t, name)
		contents = append(contents, string(content))
	}
	return contents
}

func TestPublish(t *testing.T) {
	h := newHouse(t)
	defer syscall.Umask(syscall.Umask(0))
	for n := range 3 {
		c := h.tick(t, time.Minute)
		if written, aside := h.publish(t, c); !written || aside != "" {
			t.Fatalf("tick %d: %v %q", n, written, aside)
		}
		if written, _ := h.publish(t, c); written {
			t.Error("the same bytes were written again")
		}
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("in the folder: %v %v", entries, err)
	}
	if stat, err := entries[0].Info(); err != nil || stat.Mode() != 0o600 {
		t.Errorf("mode %v: %v", stat.Mode(), err)
	}
}

func TestPublishRefusesWhatIsNotTheNewestCommitted(t *testing.T) {
	h := newHouse(t)
	old, c := h.tick(t, time.Minute), h.tick(t, time.Minute)
	h.publish(t, c)
	for name, publish := range map[string]func() (bool, error){
		"an older tick": func() (bool, error) {
			return h.publisher.Publish(t.Context(), old.Record.Tick, old.Published)
		},
		"another document": func() (bool, error) { return h.publisher.Publish(t.Context(), 2, []byte("{}")) },
		"a future tick":    func() (bool, error) { return h.publisher.Publish(t.Context(), 3, c.Published) },
	} {
		if _, err := publish(); err == nil {
			t.Errorf("%s was published", name)
		}
	}
	h.holds(t, c.Published)
}

func TestForeignFileIsSetAside(t *testing.T) {
	h := newHouse(t)
	h.publish(t, h.tick(t, time.Minute))
	h.put(t, "my own words")
	c := h.tick(t, time.Minute)
	if _, err := h.publisher.Publish(t.Context(), c.Record.Tick, c.Published); store.CodeOf(err) != store.CodeEdited {
		t.Errorf("it is not left for the next tick: %v", err)
	}
	h.holds(t, []byte("my own words"))
	_, aside := h.publish(t, c)
	if want := h.path + ".rejected-" + c.Record.At.UTC().Format("20060102T150405Z"); aside != want {
		t.Errorf("%q, want %s", aside, want)
	}
	// Another one in the same second does not overwrite the first.
	h.put(t, "my other words")
	if second := h.setAside(t, c.Record.At); second != aside+"-2" {
		t.Errorf("%q", second)
	}
	if _, err := h.publisher.Recover(t.Context()); err != nil {
		t.Error(err)
	}
	h.holds(t, c.Published)
	if got := h.rejected(t); fmt.Sprint(got) != "[my own words my other words]" {
		t.Errorf("set aside: %q", got)
	}
	if !strings.Contains(h.log.String(), "not ours") {
		t.Error("it was not logged")
	}
}

func TestOwnOlderVersionsAreNotForeign(t *testing.T) {
	h := newHouse(t)
	for range 20 {
		h.publish(t, h.tick(t, 5*time.Minute))
	}
	for tick := int64(1); tick <= 20; tick++ {
		h.put(t, string(document(tick)))
		if _, aside := h.publish(t, h.tick(t, 5*time.Minute)); aside != "" {
			t.Errorf("the document of tick %d was taken for foreign", tick)
		}
	}
	// After a long time switched off, and once the old ticks are swept.
	for range 40 {
		if _, aside := h.publish(t, h.tick(t, 24*40*time.Hour)); aside != "" {
			t.Fatal("the last document was taken for foreign")
		}
	}
}

func TestTwentyRejectedAreKept(t *testing.T) {
	h := newHouse(t)
	for n := range 25 {
		h.put(t, fmt.Sprintf("words %02d", n))
		// Twelve of them in one second.
		d := time.Second
		if n > 5 && n < 18 {
			d = 0
		}
		h.publish(t, h.tick(t, d))
	}
	kept := h.rejected(t)
	if len(kept) != 20 || strings.Count(h.log.String(), "removed the oldest") != 5 {
		t.Fatalf("%d kept", len(kept))
	}
	for n := 5; n < 25; n++ {
		if !strings.Contains(strings.Join(kept, ","), fmt.Sprintf("words %02d", n)) {
			t.Errorf("words %02d are lost", n)
		}
	}
}

func TestWhatElseCanStandInItsPlace(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	testutil.Write(t, other, document(1))
	cases := []struct {
		name, refused string
		make          func(path string) error
	}{
		{"folder", "is a folder", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"pipe", "is a named pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"link", "", func(path string) error { return os.Symlink(other, path) }},
		{"dangling link", "", func(path string) error { return os.Symlink("nowhere", path) }},
		{"empty file", "", func(path string) error { return os.WriteFile(path, nil, 0o600) }},
		{"huge file", "", func(path string) error { return os.WriteFile(path, make([]byte, 1<<20+1), 0o600) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			if err := c.make(h.path); err != nil {
				t.Fatal(err)
			}
			tick := h.tick(t, time.Minute)
			if c.refused == "" {
				if _, aside := h.publish(t, tick); aside == "" {
					t.Error("it was overwritten")
				} else if _, err := os.Lstat(aside); err != nil {
					t.Error("it was lost:", err)
				}
				if content, err := os.ReadFile(other); err != nil || !bytes.Equal(content, document(1)) {
					t.Error("the link was followed")
				}
				return
			}
			_, err := h.publisher.Publish(t.Context(), 1, tick.Published)
			if _, seen := h.publisher.Foreign(t.Context()); store.CodeOf(seen) != store.CodeDocument {
				t.Errorf("it is seen as %v", seen)
			}
			if store.CodeOf(err) != store.CodeDocument || !strings.Contains(err.Error(), c.refused) || !strings.Contains(err.Error(), "Move it away") {
				t.Errorf("got %v", err)
			}
			if entries, err := os.ReadDir(h.dir); err != nil || len(entries) != 1 {
				t.Errorf("left behind: %v %v", entries, err)
			}
			if err := os.Remove(h.path); err != nil {
				t.Fatal(err)
			}
			h.publish(t, tick)
		})
	}
}

func TestRecover(t *testing.T) {
	h := newHouse(t)
	if written, err := h.publisher.Recover(t.Context()); err != nil || written {
		t.Fatalf("a new mind: %v %v", written, err)
	}
	h.publish(t, h.tick(t, time.Minute))
	c := h.tick(t, time.Minute)
	leftovers := []string{".subconscious.json123456", ".subconscious.json.swp", ".subconscious.json"}
	for _, name := range leftovers {
		testutil.Write(t, filepath.Join(h.dir, name), "half")
	}
	for _, missing := range []bool{false, true} { // first an older version, then none
		if missing {
			if err := os.Remove(h.path); err != nil {
				t.Fatal(err)
			}
		}
		if written, err := h.publisher.Recover(t.Context()); err != nil || !written {
			t.Fatalf("missing %v: %v %v", missing, written, err)
		}
		h.holds(t, c.Published)
	}
	if written, err := h.publisher.Recover(t.Context()); err != nil || written {
		t.Fatalf("again: %v %v", written, err)
	}
	for i, name := range leftovers {
		if _, err := os.Stat(filepath.Join(h.dir, name)); (err == nil) != (i > 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whoever reads the file while it is published, edited and set aside sees a
// version that was committed, or the edit: never nothing, never a part.
func TestReadersSeeWholeVersions(t *testing.T) {
	h := newHouse(t)
	h.publish(t, h.tick(t, time.Minute))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			content, err := os.ReadFile(h.path)
			var tick int64
			if err == nil && string(content) != "mine" {
				if _, err = fmt.Sscanf(string(content), `{"version":1,"tick_count":%d}`, &tick); err == nil && !bytes.Equal(content, document(tick)) {
					err = fmt.Errorf("read %q", content)
				}
			}
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	edit := filepath.Join(h.dir, "edit")
	for n := range 100 {
		if n%5 == 0 {
			if err := errors.Join(os.WriteFile(edit, []byte("mine"), 0o600), os.Rename(edit, h.path)); err != nil {
				t.Fatal(err)
			}
		}
		h.publish(t, h.tick(t, time.Minute))
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// What was adopted is replaced; who puts it back afterwards means it.
func TestAdoptedFileIsReplaced(t *testing.T) {
	h := newHouse(t)
	h.publish(t, h.tick(t, time.Minute))
	h.put(t, "mine")
	there, err := h.publisher.Foreign(t.Context())
	if err != nil || there == nil {
		t.Fatal(there, err)
	}
	close := subconscious.Command{At: noon, Kind: subconscious.CommandClose, Entry: "w-a-1", By: subconscious.ByHand}
	if err := h.minds.Adopt(t.Context(), *there, []subconscious.Command{close, {Kind: "dance"}}); store.CodeOf(err) != store.CodeInput {
		t.Errorf("half of it was taken over: %v", err)
	}
	if again, err := h.publisher.Foreign(t.Context()); err != nil || again == nil {
		t.Errorf("it counts as taken over: %v %v", again, err)
	}
	if err := h.minds.Adopt(t.Context(), *there, []subconscious.Command{close}); err != nil {
		t.Fatal(err)
	}
	h.publisher = mind.NewPublisher(h.dir, h.minds, nil) // after a crash
	if pending, err := h.minds.Pending(t.Context()); err != nil || len(pending) != 1 {
		t.Errorf("%+v %v", pending, err)
	}
	if written, aside := h.publish(t, h.tick(t, time.Minute)); !written || aside != "" {
		t.Errorf("%v %q", written, aside)
	}
	if h.publisher.Touched() {
		t.Error("what was published counts as touched")
	}
	h.put(t, "mine")
	if !h.publisher.Touched() {
		t.Error("it does not count as touched")
	}
	if again, err := h.publisher.Foreign(t.Context()); err != nil || again == nil || h.publisher.Touched() {
		t.Errorf("it was overwritten by %v: %v", again, err)
	}
}

// After any sequence of ticks, crashes between commit and rename, edits and
// old versions put back, publishing leaves the newest committed version, and
// every edit is still somewhere.
func TestPublishedFileIsTheNewestCommitted(t *testing.T) {
	root := t.TempDir()
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		dir := filepath.Join(root, fmt.Sprint(run))
		if err := os.Mkdir(dir, 0o700); err != nil {
			r.Fatal(err)
		}
		db, err := store.Open(t.Context(), store.Options{Path: store.Memory}, mind.Migrations()...)
		if err != nil {
			r.Fatal(err)
		}
		defer db.Close()
		h := &house{dir: dir, path: filepath.Join(dir, mind.DocumentName), db: db, minds: mind.New(db)}
		h.publisher = mind.NewPublisher(dir, h.minds, nil)
		edits := map[string]bool{}
		for n := range rapid.IntRange(1, 12).Draw(r, "steps") {
			var err error
			switch rapid.SampledFrom([]string{"publish", "commit", "recover", "edit", "old", "remove"}).Draw(r, "step") {
			case "publish", "commit":
				c := next(h.state)
				if err = tryCommit(t.Context(), db, h.minds, c); err == nil && n%2 == 0 {
					h.setAside(r, c.Record.At)
					_, err = h.publisher.Publish(t.Context(), c.Record.Tick, c.Published)
				}
				h.state = c.State
			case "recover":
				if _, err = h.publisher.Recover(t.Context()); store.CodeOf(err) == store.CodeEdited {
					err = nil // and is left
				}
			case "edit":
				text := fmt.Sprint("edit ", n)
				edits[text] = true
				// The edit before this one was overwritten by its own author.
				if last, err := os.ReadFile(h.path); err == nil {
					delete(edits, string(last))
				}
				err = os.WriteFile(h.path, []byte(text), 0o600)
			case "old":
				if last, err := os.ReadFile(h.path); err == nil {
					delete(edits, string(last))
				}
				if h.state.TickCount > 0 {
					err = os.WriteFile(h.path, document(1+int64(n)%h.state.TickCount), 0o600)
				}
			case "remove":
				if last, err := os.ReadFile(h.path); err == nil {
					delete(edits, string(last))
				}
				err = os.RemoveAll(h.path)
			}
			if err != nil {
				r.Fatal(err)
			}
		}
		h.setAside(r, noon)
		if _, err := h.publisher.Recover(t.Context()); err != nil {
			r.Fatal(err)
		}
		there, err := os.ReadFile(h.path)
		if h.state.TickCount > 0 && !bytes.Equal(there, document(h.state.TickCount)) {
			r.Fatalf("the document is %q after %d ticks: %v", there, h.state.TickCount, err)
		}
		for _, text := range append(h.rejected(t), string(there)) {
			delete(edits, text)
		}
		if len(edits) > 0 {
			r.Fatalf("lost: %v", edits)
		}
	})
}
