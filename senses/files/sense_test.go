package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestConformance(t *testing.T) {
	w := newWorld(t, true)
	w.write("there/before.txt", "here all along")
	name := func(n int) string { return w.path("things/" + strings.Repeat("x", n) + ".txt") }
	versions := 0
	put := func(t testing.TB, n int) {
		versions++
		if err := os.MkdirAll(w.path("things"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name(n), []byte(strings.Repeat("v", versions)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	moved := w.root + ".away"
	sensetest.Run(t, sensetest.Harness{
		OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense {
			s, err := New(Config{ID: "work", Path: w.root}, Options{Options: folder.Options{Watcher: w.watcher, Rows: rows}, Wait: patience})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Add:    put,
		Change: put,
		Remove: func(t testing.TB, n int) {
			if err := os.Remove(name(n)); err != nil {
				t.Fatal(err)
			}
		},
		Await:          func(testing.TB, senses.Sense) { w.await() },
		Momentary:      true,
		SilentBaseline: true,
		Break: func(t testing.TB) {
			if err := os.Rename(w.root, moved); err != nil {
				t.Fatal(err)
			}
		},
		Mend: func(t testing.TB) {
			if err := os.Rename(moved, w.root); err != nil {
				t.Fatal(err)
			}
		},
	})
}

func TestChanges(t *testing.T) {
	cases := []struct {
		name   string
		before map[string]string
		do     func(w *world)
		want   []string
	}{
		{"created", nil, func(w *world) { w.write("a/b.txt", "1") }, []string{"created a/b.txt"}},
		{"saved", map[string]string{"a.txt": "1"}, func(w *world) { w.write("a.txt", "22") }, []string{"changed a.txt"}},
		{"deleted", map[string]string{"a.txt": "1"}, func(w *world) { w.remove("a.txt") }, []string{"deleted a.txt"}},
		{"renamed", map[string]string{"a.txt": "1"}, func(w *world) { w.rename("a.txt", "b.txt") }, []string{"renamed b.txt < a.txt"}},
		{"renamed over another", map[string]string{"a.txt": "1", "b.txt": "22"}, func(w *world) { w.rename("a.txt", "b.txt") }, []string{"renamed b.txt < a.txt"}},
		{"swapped", map[string]string{"a.txt": "1", "b.txt": "22"}, func(w *world) {
			w.rename("a.txt", "c")
			w.rename("b.txt", "a.txt")
			w.rename("c", "b.txt")
		}, []string{"changed a.txt", "changed b.txt"}},
		{"rotated", map[string]string{"app.log": "1", "app.log.1": "22"}, func(w *world) {
			w.rename("app.log.1", "app.log.2")
			w.rename("app.log", "app.log.1")
			w.write("app.log", "333")
		}, []string{"changed app.log", "changed app.log.1", "created app.log.2"}},
		{"came and went", nil, func(w *world) { w.write("a.txt", "1"); w.remove("a.txt") }, nil},
		{"touched only", map[string]string{"a.txt": "1"}, func(w *world) { w.must(os.Chmod(w.path("a.txt"), 0o600)) }, nil},
		{"folder renamed", map[string]string{"old/a": "1", "old/in/b": "22", "x": "3"}, func(w *world) { w.rename("old", "new") }, []string{"renamed new/ < old"}},
		{"folder renamed deep", map[string]string{"p/old/a": "1", "p/old/in/b": "22", "p/x": "3"}, func(w *world) { w.rename("p/old", "q/new") }, []string{"renamed q/new/ < p/old"}},
		{"folder renamed, a file in it saved and one deleted and one added", map[string]string{"old/a": "1", "old/b": "22", "old/c": "333"}, func(w *world) {
			w.rename("old", "new")
			w.write("new/a", "4444")
			w.remove("new/b")
			w.write("new/d", "55555")
		}, []string{"changed new/a", "created new/d", "deleted old/b", "renamed new/ < old"}},
		{"file moved out of a folder that stays", map[string]string{"old/a": "1"}, func(w *world) { w.rename("old/a", "new/a") }, []string{"renamed new/a < old/a"}},
		{"folder moved into one that is there", map[string]string{"old/a": "1", "new/b": "22"}, func(w *world) {
			w.rename("old/a", "new/a")
			w.remove("old")
		}, []string{"renamed new/a < old/a"}},
		{"folder deleted", map[string]string{"old/a": "1", "old/in/b": "22"}, func(w *world) { w.remove("old") }, []string{"deleted old/a", "deleted old/in/b"}},
		{"file becomes folder", map[string]string{"a": "1"}, func(w *world) { w.remove("a"); w.write("a/b", "22") }, []string{"created a/b", "deleted a"}},
		{"folder becomes file", map[string]string{"a/b": "1"}, func(w *world) { w.remove("a"); w.write("a", "22") }, []string{"created a", "deleted a/b"}},
		{"folder becomes symlink", map[string]string{"a/b": "1", "z/b": "22"}, func(w *world) { w.remove("a"); w.must(os.Symlink("z", w.path("a"))) }, []string{"deleted a/b"}},
		{"no file", nil, func(w *world) {
			w.must(syscall.Mkfifo(w.path("pipe"), 0o600))
			w.must(os.Symlink("/etc/passwd", w.path("link")))
		}, nil},
		{"odd names", nil, func(w *world) { w.write("a\nb\x01\xff.txt", "1") }, []string{"created a\nb\x01\\xff.txt"}},

		// How programs save.
		{"vim", map[string]string{"a.txt": "1"}, func(w *world) {
			w.write(".a.txt.swp", "swap")
			w.write("4913", "")
			w.remove("4913")
			w.rename("a.txt", "a.txt~")
			w.write("a.txt", "22")
			w.remove("a.txt~")
			w.remove(".a.txt.swp")
		}, []string{"changed a.txt"}},
		{"VS Code", map[string]string{"a.txt": "1"}, func(w *world) { w.write("a.txt", ""); w.write("a.txt", "22") }, []string{"changed a.txt"}},
		{"GNOME", map[string]string{"a.txt": "1"}, func(w *world) {
			w.write(".goutputstream-X1Y2Z3", "22")
			w.rename(".goutputstream-X1Y2Z3", "a.txt")
		}, []string{"changed a.txt"}},
		{"LibreOffice", map[string]string{"a.odt": "1"}, func(w *world) {
			w.write(".~lock.a.odt#", "me")
			w.write("lu1234abc.tmp", "22")
			w.rename("lu1234abc.tmp", "a.odt")
		}, []string{"changed a.odt"}},
		{"sed -i", map[string]string{"a.txt": "1"}, func(w *world) { w.write("sedA1b2C3", "22"); w.rename("sedA1b2C3", "a.txt") }, []string{"changed a.txt"}},
		{"emacs", map[string]string{"a.txt": "1"}, func(w *world) {
			w.write("#a.txt#", "22")
			w.must(os.Symlink("me@here", w.path(".#a.txt")))
			w.rename("a.txt", "a.txt~")
			w.write("a.txt", "22")
		}, []string{"changed a.txt"}},
		{"removed and written anew", map[string]string{"a.txt": "1"}, func(w *world) { w.remove("a.txt"); w.write("a.txt", "22") }, []string{"changed a.txt"}},
		{"download", nil, func(w *world) { w.write("a.iso.part", "1"); w.rename("a.iso.part", "a.iso") }, []string{"created a.iso"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, way := range []string{"watched", "walked", "while down"} {
				t.Run(way, func(t *testing.T) {
					w := newWorld(t, way == "watched")
					for name, text := range c.before {
						w.write(name, text)
					}
					w.start()
					if first := w.tick(); len(first) > 0 {
						t.Errorf("the first collect told %v", said(first))
					}
					w.tick()
					if way == "while down" {
						w.stop()
					}
					c.do(w)
					if way == "while down" {
						w.start()
					}
					w.tells(c.want...)
				})
			}
		})
	}
}

func TestWords(t *testing.T) {
	w := newWorld(t, true)
	w.config.Trust = subconscious.Owner
	for _, name := range []string{"report.md", "draft.txt", "old.txt", "src/main.c"} {
		w.write(name, name)
	}
	w.start()
	w.tick()
	w.write("report.md", "Costs rise by 4 %.\n")
	w.rename("draft.txt", "final.txt")
	w.rename("old.txt", "archive/old.txt")
	w.rename("src", "source")
	w.write("new.BIN", "\x00\x01")
	got := map[string]subconscious.Observation{}
	for _, o := range w.tick() {
		got[o.Title] = o
	}
	for _, title := range []string{
		"work/report.md was saved", "work/final.txt was renamed from draft.txt", "work/archive/old.txt was moved from old.txt",
		"the folder work/source was renamed from src (1 file)", "work/new.BIN was created",
	} {
		if _, ok := got[title]; !ok {
			t.Errorf("missing %q in %v", title, got)
		}
	}
	o := got["work/report.md was saved"]
	if o.Text != "Costs rise by 4 %." || o.Trust != subconscious.Owner || o.Change != subconscious.Momentary ||
		o.Attrs["size"] != "20" && o.Attrs["size"] != "19" || o.Attrs["ext"] != "md" || o.Attrs["dir"] != "." ||
		o.Attrs["path"] != filepath.Join(w.root, "report.md") || o.Severity != subconscious.Plain {
		t.Errorf("report.md: %+v", o)
	}
	if b := got["work/new.BIN was created"]; b.Text != "" || b.Attrs["ext"] != "bin" {
		t.Errorf("new.BIN: %+v", b)
	}
}

func TestSecretsAndConfiguration(t *testing.T) {
	w := newWorld(t, true)
	w.start()
	w.tick()
	secrets := []string{".env", "server.pem", "id_ed25519", "tls.key", "credentials.json", "safe.kdbx", ".netrc", ".pgpass", "wallet.dat", ".ssh/deploy", ".ssh/.env.example", ".ssh/crontab"}
	configs := []string{".ssh/config", "crontab", "etc/sshd_config", "app.service", ".bashrc"}
	plain := []string{"id_ed25519.pub", ".env.example", "notes.txt"}
	for _, names := range [][]string{secrets, configs, plain} {
		for _, name := range names {
			w.write(name, "content of "+name)
		}
	}
	got := map[string]subconscious.Observation{}
	for _, o := range w.tick() {
		got[strings.TrimPrefix(o.ID, "work/")] = o
	}
	for _, name := range secrets {
		if o := got[name]; o.Attrs["secret"] != "true" || o.Text != "" || o.Severity != subconscious.Notable {
			t.Errorf("secret %s: %+v", name, o)
		}
	}
	for _, name := range configs {
		if o := got[name]; o.Attrs["config"] != "true" || o.Attrs["secret"] != "" || o.Text == "" || o.Severity != subconscious.Notable {
			t.Errorf("configuration %s: %+v", name, o)
		}
	}
	for _, name := range plain {
		if o := got[name]; o.Attrs["secret"] != "" || o.Text == "" || o.Severity != subconscious.Plain {
			t.Errorf("plain %s: %+v", name, o)
		}
	}
	w.rename(".env", "visible.txt") // what was a secret is not read under its new name
	for _, o := range w.tick() {
		if o.Text != "" || o.Attrs["secret"] != "true" {
			t.Errorf("renamed secret: %+v", o)
		}
	}
}

func TestOwnFilesAreNoNews(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.write("state/mind.db", "1")
		w.options.Exclude = []string{w.path("state")}
		w.start()
		w.tick()
		w.write("state/mind.db", "22")
		w.write("export.md", subconscious.Mark+"\nwhat I think")
		w.write("mine.md", "what you think")
		w.tells("created mine.md")
		w.restart()
		w.rename("export.md", "other.md")
		w.tells()
		w.write("other.md", "now by hand")
		w.tells("changed other.md")
		w.write("export.md", subconscious.Mark)
		w.tells()
		w.remove("export.md")
		w.tells()
	})
}

func TestOwnFolderIsRefused(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{root, filepath.Join(root, "in")} {
		if _, err := New(Config{ID: "work", Path: path}, Options{Options: folder.Options{Exclude: []string{root}}}); err == nil || !strings.HasPrefix(err.Error(), "path: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestIgnoreRulesChange(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.write(".gitignore", "build/\n*.log\n")
		w.write("build/out.o", "1")
		w.write("a.log", "1")
		w.write("b.txt", "1")
		w.start()
		w.tick()
		w.write("build/out.o", "22")
		w.write("a.log", "22")
		w.tells()
		w.write(".gitignore", "*.txt\n") // takes in what was there all along
		w.tells("changed .gitignore")
		w.write("build/out.o", "333")
		w.write("b.txt", "333")
		w.write("build/new.o", "1")
		w.tells("changed build/out.o", "created build/new.o")
		w.write("build/.gitignore", "!*.txt\n")
		w.write("build/c.txt", "1") // ignored until now, so perhaps not new
		w.tells("created build/.gitignore")
		w.write("build/c.txt", "22")
		w.tells("changed build/c.txt")
		w.stop()
		w.config.Ignore = []string{"build/"}
		w.start()
		w.tells()
		w.stop()
		w.write("d.md", "1")
		w.config.Ignore = nil
		w.start()
		w.tells() // what was configured away and what is new cannot be told apart
	})
}

func TestAnotherFolderUnderTheSameName(t *testing.T) {
	w := newWorld(t, false)
	w.write("a.txt", "1")
	w.start()
	w.tick()
	w.stop()
	w.root = t.TempDir()
	w.config.Path = w.root
	w.write("b.txt", "1")
	w.start()
	w.tells()
	if len(w.kept.All) != 1 {
		t.Errorf("rows of the other folder are left: %v", w.kept.All)
	}
}

func TestLargeFoldersAreReadInTheBackground(t *testing.T) {
	w := newWorld(t, false)
	for i := range 300 {
		w.write(filepath.Join("d", strings.Repeat("x", i%50+1), strings.Repeat("y", i%7+1)), "1")
	}
	w.options.Wait = time.Nanosecond
	w.start()
	unfinished := &walk{cancel: func() {}, done: make(chan struct{})}
	w.sense.commits.Begin(nil)
	w.sense.walk = unfinished
	deadline := time.Now().Add(patience)
	starting := 0
	for {
		b, err := w.sense.Collect(context.Background(), time.Unix(1, 0), nil)
		w.must(err)
		if !b.Starting {
			if len(b.Changes) > 0 || len(b.Rows) == 0 {
				t.Errorf("the first collect: %d changes, %d rows", len(b.Changes), len(b.Rows))
			}
			break
		}
		if starting++; b.Cursor != nil || len(b.Rows) > 0 || !strings.Contains(b.Degraded, "files so far") {
			t.Errorf("while it goes on: %+v", b)
		}
		if w.sense.walk == unfinished {
			w.sense.walk = nil // the next collect begins one of its own
		}
		if time.Now().After(deadline) {
			t.Fatal("it never ends")
		}
	}
	if starting == 0 {
		t.Error("the first collect waited for a walk that goes on")
	}
}

func TestOutOfWatches(t *testing.T) {
	w := newWorld(t, false)
	for _, name := range []string{"a", "b", "c", "d"} {
		w.write(name+"/file", "1")
	}
	watcher, err := watch.New(watch.Options{Limit: 2})
	w.must(err)
	defer func() { w.must(watcher.Close()) }()
	w.options.Watcher = watcher
	w.start()
	defer w.stop()
	deadline := time.Now().Add(patience)
	for {
		b := w.collect()
		w.kept.Keep(b)
		if strings.Contains(b.Degraded, "2 file watches") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not degraded: %q", b.Degraded)
		}
	}
	w.write("d/file", "22")
	w.tells("changed d/file")
}

func TestRootMissing(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.write("a.txt", "1")
		w.start()
		w.tick()
		w.must(os.Rename(w.root, w.root+"-away"))
		_, err := w.sense.Collect(context.Background(), time.Unix(1, 0), w.kept.Cursor)
		if err == nil || !strings.Contains(err.Error(), "create it, mount it") {
			t.Errorf("root missing: %v", err)
		}
		w.must(os.Rename(w.root+"-away", w.root))
		w.write("a.txt", "22")
		w.tells("changed a.txt")
	})
}

func TestUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	both(t, func(t *testing.T, w *world) {
		w.write("shut/a.txt", "1")
		w.write("b.txt", "1")
		w.start()
		w.tick()
		w.must(os.Chmod(w.path("shut"), 0))
		w.write("b.txt", "22")
		b := w.collect()
		w.kept.Keep(b)
		if !strings.Contains(b.Degraded, w.path("shut")) || len(said(b.Changes)) != 1 {
			t.Errorf("%q, %v", b.Degraded, said(b.Changes))
		}
		w.must(os.Chmod(w.path("shut"), 0o755))
		w.write("shut/a.txt", "22")
		w.tells("changed shut/a.txt")
	})
}

func TestTooManyFiles(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.options.MaxFiles = 5
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			w.write(name, "1")
		}
		w.start()
		b := w.collect()
		w.kept.Keep(b)
		if len(b.Rows) > 5 || !strings.Contains(b.Degraded, "more than 5 files") {
			t.Errorf("%d rows, %q", len(b.Rows), b.Degraded)
		}
		for range 3 {
			if told := w.tick(); len(told) > 0 {
				t.Errorf("told %v", said(told))
			}
		}
	})
}

// TestTooMuchWasTouched: no more files are looked at than are followed, and what is
// known of the others stays.
func TestTooMuchWasTouched(t *testing.T) {
	w := newWorld(t, true)
	w.options.MaxFiles = 5
	for _, name := range []string{"in/a/old", "in/b/old", "old"} {
		w.write(name, "1")
	}
	w.start()
	w.tick()
	for n := range 20 {
		w.write(fmt.Sprintf("in/%c/new%d", 'a'+n%4, n), "1")
	}
	w.await()
	w.sense.Drain()
	w.sense.Touched["."] = struct{}{}
	disk, err := folder.OpenDisk(w.root)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if _, there, err := w.sense.look(t.Context(), disk); err != nil || len(there) > 5 || !w.sense.missed.Full {
		t.Errorf("%d files, full %t, %v", len(there), w.sense.missed.Full, err)
	}
	if told := w.tick(); len(told) > 0 || w.sense.known.files > 5 {
		t.Errorf("%d files, told %v", w.sense.known.files, said(told))
	}
}

// A collect in the middle of a save that removes the file first.
func TestSaveInProgress(t *testing.T) {
	w := newWorld(t, true)
	w.write("a.txt", "1")
	w.start()
	w.tick()
	w.sense.vanishing = 300 * time.Millisecond
	w.remove("a.txt")
	w.await()
	saved := make(chan struct{})
	time.AfterFunc(30*time.Millisecond, func() {
		defer close(saved)
		if err := os.WriteFile(w.path("a.txt"), []byte("22"), 0o644); err != nil {
			t.Error(err)
		}
	})
	told := w.collect()
	<-saved
	w.kept.Keep(told)
	if got := said(told.Changes); len(got) != 1 || got[0] != "changed a.txt" {
		t.Errorf("told %v", got)
	}
	w.tells()
}
