package notes_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

var example = regexp.MustCompile("(?m)^\\|[^|]*\\| `([^`]+)` \\| (\\w*) ?\\| ?([^|]*?) ?\\|$")

// TestPage reads the examples of docs/notes.md, each as a note of its own.
func TestPage(t *testing.T) {
	at := time.Date(2026, 11, 18, 10, 0, 0, 0, berlin(t))
	rows := example.FindAllStringSubmatch(string(testutil.Read(t, "../../docs/notes.md")), -1)
	if len(rows) < 20 {
		t.Fatalf("%d examples", len(rows))
	}
	for _, row := range rows {
		w := newWorld(t)
		w.writeAt("today.md", row[1]+"\n", at)
		w.tick(at)
		got := ""
		for _, o := range w.promises() {
			if got += o.Attrs["form"]; !o.Due.IsZero() {
				got += o.Due.Format(" Mon 2 Jan 15:04")
			}
			if o.Until.Before(o.Due.Add(time.Hour)) && o.Until.After(o.Due) && !o.Due.IsZero() {
				got += o.Until.Format(", until 15:04")
			}
		}
		if want := strings.TrimSpace(row[2] + " " + row[3]); got != want {
			t.Errorf("%q is %q, and on the page %q", row[1], got, want)
		}
	}
}
