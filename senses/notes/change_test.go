package notes_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func monday(t testing.TB) time.Time { return time.Date(2026, 11, 16, 10, 0, 0, 0, berlin(t)) }

// tell puts what was told of notes in a few words.
func tell(changes []subconscious.Observation) string {
	var said []string
	for _, o := range changes {
		said = append(said, o.Title+" ["+strings.ReplaceAll(o.Text, "\n", " / ")+"]")
	}
	return strings.Join(said, "; ")
}

// TestNotes does one thing after another and checks what is told of each.
func TestNotes(t *testing.T) {
	w := newWorld(t)
	at := monday(t)
	w.write("old.md", "An old note.\n")
	if told := w.tick(at); len(told) > 0 {
		t.Fatalf("the first collect tells of %s", tell(told))
	}
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"nothing", func() {}, ""},
		{"created", func() { w.write("new.md", "---\ntitle: x\n---\n# Plan\n\nFirst line.\n") }, "Note created: new.md [# Plan / First line.]"},
		{"added to", func() { w.write("old.md", "An old note.\nA new line about /var.\n") }, "Note changed: old.md [A new line about /var.]"},
		{"taken out", func() { w.write("old.md", "A new line about /var.\n") }, "Note changed: old.md [one line was taken out]"},
		{"a line moved", func() { w.write("new.md", "---\ntitle: x\n---\nFirst line.\n\n# Plan\n") }, ""},
		{"saved without a change", func() { w.write("old.md", "A new line about /var.\n") }, ""},
		{"white space", func() { w.write("old.md", "  A new line about /var.  \n\n\n") }, ""},
		{"renamed", func() { w.rename("old.md", "older.md") }, "Note renamed: old.md is now older.md []"},
		{"moved", func() { w.rename("older.md", "archive/older.md") }, "Note moved: older.md to archive []"},
		{"a folder renamed", func() { w.rename("archive", "attic") }, "Note moved: older.md to attic []"},
		{"deleted", func() { w.remove("new.md") }, "Note deleted: new.md []"},
		{"a folder deleted", func() { w.remove("attic") }, "Note deleted: older.md []"},
		{"hidden", func() { w.write(".x/a.md", "x\n"); w.write(".b.md", "x\n") }, ""},
		{"not a note", func() { w.write("a.png", "x"); w.write("b.json", "{}") }, ""},
		{"empty", func() { w.write("empty.md", "") }, "Note created: empty.md []"},
		{"marked", func() { w.write("export.md", "<!-- "+subconscious.Mark+" -->\n- [ ] ours\n") }, ""},
		{"marked and changed", func() { w.write("export.md", "<!-- "+subconscious.Mark+" -->\n- [ ] ours, too\n") }, ""},
		{"marked and deleted", func() { w.remove("export.md") }, ""},
		{"no text", func() { w.write("binary.txt", "a\x00b") }, ""},
	} {
		step.do()
		at = at.Add(5 * time.Minute)
		if got := tell(w.tick(at)); got != step.want {
			t.Errorf("%s: told %q, want %q", step.name, got, step.want)
		}
		w.restart()
		if again := w.tick(at); len(again) > 0 {
			t.Errorf("%s: told again after a restart: %s", step.name, tell(again))
		}
	}
}

func TestAddedTextIsBounded(t *testing.T) {
	w := newWorld(t)
	w.tick(monday(t))
	w.write("long.md", strings.Repeat("é", 3000)+"\nmore\n")
	told := w.tick(monday(t))
	if len(told) != 1 || utf8.RuneCountInString(told[0].Text) > 1000 || !utf8.ValidString(told[0].Text) {
		t.Fatalf("told %d changes, %d characters", len(told), utf8.RuneCountInString(told[0].Text))
	}
	var many strings.Builder
	for i := range 20_000 {
		many.WriteString(strings.Repeat("x", 1+i%7) + time.Unix(int64(i), 0).UTC().Format(time.DateTime) + "\n")
	}
	w.write("many.md", many.String())
	w.tick(monday(t))
	w.write("many.md", many.String()+"one more\n")
	if got := tell(w.tick(monday(t))); got != "Note changed: many.md []" {
		t.Errorf("told %q", got)
	}
	for key, row := range w.All {
		if len(row) > 32<<10 {
			t.Errorf("the row of %s has %d bytes", key, len(row))
		}
	}
}

func TestStandsUntilDone(t *testing.T) {
	for _, end := range []struct{ name, text string }{
		{"ticked off", "- [x] send the report by Friday\n"},
		{"struck through", "- [ ] ~~send the report by Friday~~\n"},
		{"said to be done", "- [ ] send the report by Friday (done)\n"},
		{"removed", "nothing\n"},
		{"quoted", "> - [ ] send the report by Friday\n"},
		{"marked", subconscious.Mark + "\n- [ ] send the report by Friday\n"},
		{"the file deleted", ""},
	} {
		t.Run(end.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("a.md", "- [ ] send the report by Friday\n")
			w.tick(monday(t))
			if _, stands := w.promises()["send the report by Friday"]; !stands {
				t.Fatalf("it does not stand: %v", w.promises())
			}
			if end.text != "" {
				w.write("a.md", end.text)
			} else {
				w.remove("a.md")
			}
			w.tick(monday(t))
			if left := w.promises(); len(left) > 0 {
				t.Errorf("it still stands: %v", left)
			}
		})
	}
	t.Run("seven days past its date", func(t *testing.T) {
		w := newWorld(t)
		w.write("a.md", "- [ ] send the report by 2026-11-20\n- [ ] some day\n")
		w.tick(monday(t))
		o := w.promises()["send the report by 2026-11-20"]
		if want := time.Date(2026, 11, 27, 18, 0, 0, 0, berlin(t)); !o.Until.Equal(want) {
			t.Errorf("it stands until %v, want %v", o.Until, want)
		}
		if some := w.promises()["some day"]; !some.Until.IsZero() || some.Severity != subconscious.Plain || o.Severity != subconscious.Notable {
			t.Errorf("until %v, severities %d and %d", some.Until, some.Severity, o.Severity)
		}
		w.write("a.md", "- [ ] send the report by 2026-11-20\n- [ ] some day\nedited\n")
		w.tick(monday(t).AddDate(0, 0, 12))
		if left := w.promises(); len(left) != 1 {
			t.Errorf("after an edit too late there stand %v", left)
		}
	})
}

// TestRelativeDates: a relative date is resolved once, and neither days nor
// edits nor restarts move it.
func TestRelativeDates(t *testing.T) {
	w := newWorld(t)
	at := monday(t)
	text := "I will send the report by Friday.\n"
	w.write("a.md", text)
	w.write("2026-11-12-talk.md", "I will print the slides tomorrow.\n")
	w.write("b.md", "---\ndate: 2026-11-10\n---\nI will book the room by Friday.\n")
	w.tick(at)
	want := map[string]string{
		"I will send the report by Friday": "2026-11-20 18:00",
		"I will print the slides tomorrow": "2026-11-13 18:00",
		"I will book the room by Friday":   "2026-11-13 18:00",
	}
	check := func(when string) {
		t.Helper()
		for title, due := range want {
			o, stands := w.promises()[title]
			if got := o.Due.Format("2006-01-02 15:04"); !stands || got != due {
				t.Errorf("%s: %q is due %s, want %s (stands: %v)", when, title, got, due, stands)
			}
		}
	}
	check("at first")
	for day := range 3 {
		at = at.AddDate(0, 0, 1)
		text += "Another line.\n" + strings.Repeat("x", day) + "\n"
		w.write("a.md", text)
		w.tick(at)
		check("a day later")
		w.restart()
		w.tick(at)
		check("after a restart")
	}
	w.rename("a.md", "c.md")
	at = at.AddDate(0, 0, 2) // Saturday: "by Friday" would be another one
	w.tick(at)
	check("renamed")
	w.write("c.md", "moved below\n\n"+text)
	w.tick(at)
	check("moved")

	w.write("c.md", "cut\n")
	w.tick(at)
	w.write("c.md", "pasted\n"+text)
	w.tick(at.Add(10 * time.Minute))
	check("cut and pasted")

	w.write("c.md", "cut\n")
	w.tick(at)
	w.write("c.md", text)
	w.tick(at.AddDate(0, 0, 1))
	want = map[string]string{"I will send the report by Friday": "2026-11-27 18:00"}
	check("written anew")
}

// TestRenameKeepsIdentity: the same promise in a renamed file is the same one,
// and a new file of the old name has promises of its own.
func TestRenameKeepsIdentity(t *testing.T) {
	w := newWorld(t)
	at := monday(t)
	w.write("a.md", "- [ ] call\n")
	w.tick(at)
	first := w.promises()["call"].ID
	w.rename("a.md", "b.md")
	w.tick(at)
	o := w.promises()["call"]
	if o.ID != first || o.Attrs["file"] != "b.md" || len(w.promises()) != 1 {
		t.Fatalf("renamed: %q in %s, want %q in b.md", o.ID, o.Attrs["file"], first)
	}
	w.restart()
	w.write("a.md", "- [ ] call\nanother\n")
	w.tick(at)
	ids := map[string]bool{}
	standing := 0
	for _, items := range w.standing {
		for _, o := range items {
			ids[o.ID] = true
			standing++
		}
	}
	if standing != 2 || len(ids) != 2 || !ids[first] {
		t.Errorf("%d stand under %v", standing, ids)
	}
	w.remove("b.md")
	w.tick(at)
	w.restart()
	w.tick(at)
	if left := w.promises(); len(left) != 1 || left["call"].ID == first {
		t.Errorf("left: %v", left)
	}
}

func TestWhatIsNotRead(t *testing.T) {
	w := newWorld(t)
	at := monday(t)
	outside := filepath.Join(t.TempDir(), "outside.md")
	testutil.Write(t, outside, "- [ ] outside\n")
	for link, target := range map[string]string{"link.md": outside, "dir": filepath.Dir(outside), "up": ".."} {
		if err := os.Symlink(target, filepath.Join(w.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	w.write("state/own.md", "- [ ] the daemon's own\n")
	w.write("skipped/a.md", "- [ ] ignored\n")
	w.write("draft-1.md", "- [ ] ignored as well\n")
	w.write("large.md", "- [ ] in a large file\n"+strings.Repeat("x", 1<<20))
	w.write("kept.md", "- [ ] kept\n")
	w.config.Ignore = []string{"skipped/", "draft-*"}
	s, err := notes.New(w.config, notes.Options{Rows: w, Exclude: []string{filepath.Join(w.dir, "state")}})
	if err != nil {
		t.Fatal(err)
	}
	w.sense = s
	batch := w.collect(at)
	w.commit(batch)
	if standing := w.promises(); len(standing) != 1 || standing["kept"].ID == "" {
		t.Errorf("standing: %v", standing)
	}
	if want := "large.md is not read: it is larger than 1024 KiB"; batch.Degraded != want {
		t.Errorf("degraded: %q, want %q", batch.Degraded, want)
	}
	w.remove("large.md")
	if batch := w.collect(at); batch.Degraded != "" {
		t.Errorf("degraded: %q", batch.Degraded)
	}
}

// TestGrownTooLarge: what stood in a file that can no longer be read is taken
// to stand, and the sense says that it cannot see it.
func TestGrownTooLarge(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "- [ ] call\n")
	w.tick(monday(t))
	w.write("a.md", "- [ ] call\n"+strings.Repeat("x", 1<<20))
	batch := w.collect(monday(t))
	w.commit(batch)
	if len(w.promises()) != 1 || batch.Degraded == "" || len(batch.Changes) > 0 {
		t.Errorf("standing %v, degraded %q, told %s", w.promises(), batch.Degraded, tell(batch.Changes))
	}
}

func TestUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	w := newWorld(t)
	w.write("sub/a.md", "- [ ] call\n")
	w.tick(monday(t))
	sub := filepath.Join(w.dir, "sub")
	if err := os.Chmod(sub, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(sub, 0o700) })
	batch := w.collect(monday(t))
	w.commit(batch)
	if len(w.promises()) != 1 || len(batch.Changes) > 0 || !strings.Contains(batch.Degraded, "sub") {
		t.Errorf("standing %v, told %s, degraded %q", w.promises(), tell(batch.Changes), batch.Degraded)
	}
}

func TestMissingFolder(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "- [ ] call\n")
	w.tick(monday(t))
	if err := os.Rename(w.dir, w.dir+"-away"); err != nil {
		t.Fatal(err)
	}
	_, err := w.sense.Collect(context.Background(), monday(t), w.Cursor)
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "the folder "+w.dir+" is not there; create it, mount it, or correct its path in the configuration" {
		t.Errorf("error %v", err)
	}
	if err := os.Rename(w.dir+"-away", w.dir); err != nil {
		t.Fatal(err)
	}
	if told := w.tick(monday(t)); len(told) > 0 {
		t.Errorf("told %s", tell(told))
	}
}

// TestEmptiedForASave: an editor that empties a file before it writes it has
// not taken everything out.
func TestEmptiedForASave(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "- [ ] call\n")
	now := time.Now().In(berlin(t))
	w.tick(now)
	w.write("a.md", "")
	stamp := now.Add(time.Minute)
	if err := os.Chtimes(filepath.Join(w.dir, "a.md"), stamp, stamp); err != nil {
		t.Fatal(err)
	}
	if told := w.tick(stamp.Add(time.Second / 2)); len(told) > 0 || len(w.promises()) != 1 {
		t.Errorf("told %s, standing %v", tell(told), w.promises())
	}
	if told := w.tick(stamp.Add(2 * time.Second)); len(told) != 1 || len(w.promises()) != 0 {
		t.Errorf("told %s, standing %v", tell(told), w.promises())
	}
}

// TestAnotherFolder: an instance that is pointed at another folder begins anew.
func TestAnotherFolder(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "- [ ] call\n")
	w.write("b.md", "- [ ] write\n")
	w.tick(monday(t))
	w.dir = t.TempDir()
	w.config.Path = w.dir
	w.write("a.md", "- [ ] call\n")
	w.restart()
	if told := w.tick(monday(t)); len(told) > 0 {
		t.Errorf("told %s", tell(told))
	}
	standing := w.promises()
	if len(standing) != 1 || !strings.HasPrefix(standing["call"].ID, w.dir) || len(w.All) != 1 {
		t.Errorf("standing %v, %d rows", standing, len(w.All))
	}
}

// TestBrokenRows: rows and cursors that this version did not write harm
// nothing.
func TestBrokenRows(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "- [ ] call\n")
	w.tick(monday(t))
	for _, row := range [][]byte{{}, {9}, []byte("nonsense of some length"), w.All["a.md"][:20]} {
		w.All["a.md"] = row
		w.restart()
		w.tick(monday(t))
		if len(w.promises()) != 1 {
			t.Errorf("row %q: standing %v", row, w.promises())
		}
	}
	w.Cursor = []byte("nonsense")
	w.restart()
	if told := w.tick(monday(t)); len(told) > 0 || len(w.promises()) != 1 {
		t.Errorf("told %s, standing %v", tell(told), w.promises())
	}
}

func TestValidate(t *testing.T) {
	good := notes.Config{ID: "notes", Path: "/n"}
	for _, c := range []struct {
		name   string
		change func(*notes.Config)
		want   string
	}{
		{"good", func(*notes.Config) {}, ""},
		{"id", func(c *notes.Config) { c.ID = "A b" }, "id: "},
		{"path", func(c *notes.Config) { c.Path = "notes" }, "path: "},
		{"ignore", func(c *notes.Config) { c.Ignore = []string{""} }, "ignore: "},
		{"trust", func(c *notes.Config) { c.Trust = "everyone" }, "trust: "},
	} {
		config := good
		c.change(&config)
		err := config.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := notes.New(notes.Config{ID: "n", Path: "/state/notes"}, notes.Options{Exclude: []string{"/state"}}); err == nil {
		t.Error("a folder within the daemon's own is accepted")
	}
}

// TestHints: a note that is saved asks for an early tick, and nothing else does.
func TestHints(t *testing.T) {
	w := newWorld(t)
	if w.sense.Hints() != nil {
		t.Error("hints without a watcher")
	}
	watcher, fence := sensetest.NewFence(t, w.dir)
	s, err := notes.New(w.config, notes.Options{Rows: w, Watcher: watcher})
	if err != nil {
		t.Fatal(err)
	}
	fence.Await(t)
	hinted := func(within time.Duration) bool {
		select {
		case <-s.Hints():
			return true
		case <-time.After(within):
			return false
		}
	}
	if w.write("photo.jpg", "x"); hinted(300 * time.Millisecond) {
		t.Error("what is no note asks for a tick")
	}
	if w.write("sub/today.md", "- 14:10 take the bread out\n"); !hinted(10 * time.Second) {
		t.Error("a note that was saved asks for none")
	}
}

// TestReplacedFolder puts something else where a folder was: the notes in it are
// gone, and nothing is complained of.
func TestReplacedFolder(t *testing.T) {
	for name, put := range map[string]func(w *world){
		"a file": func(w *world) { w.write("proj", "x") },
		"a link": func(w *world) {
			if err := os.Symlink("/", filepath.Join(w.dir, "proj")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			watcher, fence := sensetest.NewFence(t, w.dir)
			s, err := notes.New(w.config, notes.Options{Rows: w, Watcher: watcher})
			if err != nil {
				t.Fatal(err)
			}
			w.sense = s
			at := monday(t)
			w.write("proj/x.md", "- [ ] Send the plan by Friday.\n")
			for range 2 {
				fence.Await(t)
				w.tick(at)
				at = at.Add(time.Minute)
			}
			w.remove("proj")
			put(w)
			fence.Await(t)
			batch := w.collect(at)
			if got := tell(batch.Changes); got != "Note deleted: x.md []" || strings.Contains(batch.Degraded, "proj") {
				t.Errorf("told %q, and complained %q", got, batch.Degraded)
			}
		})
	}
}
