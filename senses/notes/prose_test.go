package notes_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestProse reads testdata/prose/labelled.txtar, each line of it as a note of
// its own, and says how many of the obligations and appointments in prose are
// found, and how many of what is found are some.
func TestProse(t *testing.T) {
	testutil.Archives(t, *update, "testdata/prose/labelled.txtar", 1, prose)
}

func prose(t *testing.T, _ string, archive *txtar.Archive) {
	at := seen(t, archive)
	w := newWorld(t)
	for _, f := range archive.Files {
		for n, line := range strings.Split(strings.TrimSpace(string(f.Data)), "\n") {
			w.writeAt(fmt.Sprintf("%s/%03d.md", f.Name, n+1), line+"\n", at)
		}
	}
	w.tick(at)
	promised := map[string][]subconscious.Observation{}
	for _, items := range w.standing {
		for _, o := range items {
			promised[o.Attrs["file"]] = append(promised[o.Attrs["file"]], o)
		}
	}
	var got strings.Builder
	yes, no, hits, wrong := 0, 0, 0, 0
	for _, f := range archive.Files {
		mine := strings.HasSuffix(f.Name, "/yes")
		for n, line := range strings.Split(strings.TrimSpace(string(f.Data)), "\n") {
			found := promised[fmt.Sprintf("%s/%03d.md", f.Name, n+1)]
			switch {
			case mine:
				yes++
				hits += min(len(found), 1)
			default:
				no++
				wrong += min(len(found), 1)
			}
			if mine || len(found) > 0 {
				fmt.Fprintf(&got, "%s: %s\n", f.Name, line)
				for _, o := range found {
					fmt.Fprintf(&got, "    %s %q due %s (%s)\n", o.Attrs["form"], o.Title, o.Due.Format("Mon 2006-01-02 15:04"), o.Attrs["date_text"])
				}
			}
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got.String())})
	precision, recall := float64(hits)/float64(max(hits+wrong, 1)), float64(hits)/float64(max(yes, 1))
	t.Logf("%d obligations and appointments, %d other lines: precision %.3f, recall %.3f", yes, no, precision, recall)
	if yes < 40 || no < 60 {
		t.Fatalf("%d lines of yes and %d of no; want at least 40 and 60", yes, no)
	}
	if precision < 0.95 || recall < 0.80 {
		t.Errorf("precision is %.3f and recall %.3f; want at least 0.95 and 0.80", precision, recall)
	}
}
