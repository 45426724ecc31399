package notes_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

var update = flag.Bool("update", false, "rewrite what the cases of testdata want")

// TestPromises reads testdata/*.txtar. The comment says when the notes are
// seen first, each file but "want" is a note, and "want" lists the promises
// that stand.
func TestPromises(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, silent := 0, 0
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(archive.Comment), "\n")
		at, err := time.ParseInLocation("2006-01-02 15:04", strings.TrimPrefix(first, "seen: "), berlin(t))
		if err != nil {
			t.Fatalf("%s: first line: %v", path, err)
		}
		want := ""
		if last := len(archive.Files) - 1; last >= 0 && archive.Files[last].Name == "want" {
			want = string(archive.Files[last].Data)
			archive.Files = archive.Files[:last]
		}
		w := newWorld(t)
		for _, f := range archive.Files {
			w.writeAt(f.Name, string(f.Data), at)
		}
		if changes := w.tick(at); len(changes) > 0 {
			t.Errorf("%s: the first collect tells of notes: %v", path, changes)
		}
		got := list(w)
		for _, f := range archive.Files {
			if files++; !strings.Contains(got, f.Name+":") {
				for line := range strings.Lines(string(f.Data)) {
					if strings.TrimSpace(line) != "" {
						silent++
					}
				}
			}
		}
		if *update {
			archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
			if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
		}
	}
	if files < 40 || silent < 15 {
		t.Fatalf("%d notes, %d lines in notes without a promise; want at least 40 and 15", files, silent)
	}
}

func list(w *world) string {
	var all []subconscious.Observation
	for _, items := range w.standing {
		all = append(all, items...)
	}
	slices.SortFunc(all, func(a, b subconscious.Observation) int {
		return cmp.Or(cmp.Compare(a.Attrs["file"], b.Attrs["file"]), cmp.Compare(len(a.Attrs["line"]), len(b.Attrs["line"])), cmp.Compare(a.Attrs["line"], b.Attrs["line"]), cmp.Compare(a.Title, b.Title))
	})
	var b strings.Builder
	for _, o := range all {
		fmt.Fprintf(&b, "%s:%s %s %q", o.Attrs["file"], o.Attrs["line"], o.Attrs["form"], o.Title)
		if !o.Due.IsZero() {
			fmt.Fprintf(&b, " due %s (%s)", o.Due.Format("Mon 2006-01-02 15:04"), o.Attrs["date_text"])
		}
		if h := o.Attrs["heading"]; h != "" {
			fmt.Fprintf(&b, " under %q", h)
		}
		for _, link := range o.Links[1:] {
			b.WriteString(" " + link)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
