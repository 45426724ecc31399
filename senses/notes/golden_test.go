package notes_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var update = flag.Bool("update", false, "rewrite what the cases of testdata want")

// TestPromises reads testdata/*.txtar. The comment says when the notes are
// seen first, each file but "want" is a note, and "want" lists the promises
// that stand.
func TestPromises(t *testing.T) {
	files, silent := 0, 0
	testutil.Archives(t, *update, "testdata/*.txtar", 1, func(t *testing.T, path string, archive *txtar.Archive) {
		at := seen(t, archive)
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
		archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
	})
	if files < 40 || silent < 15 {
		t.Fatalf("%d notes, %d lines in notes without a promise; want at least 40 and 15", files, silent)
	}
}

// seen takes what is wanted out of an archive, and returns when its notes are
// seen first.
func seen(t *testing.T, archive *txtar.Archive) time.Time {
	t.Helper()
	first, _, _ := strings.Cut(string(archive.Comment), "\n")
	at, err := time.ParseInLocation("2006-01-02 15:04", strings.TrimPrefix(first, "seen: "), berlin(t))
	if err != nil {
		t.Fatalf("first line: %v", err)
	}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	return at
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
