package notes_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// until is what stands behind a line that holds something to do: the moment until when.
var until = regexp.MustCompile(` *\{\{[-0-9: ]+\}\}`)

// TestWholeNotes: of what the writers of whole notes have to do within three days, so
// much is found, and of what is found, so much is theirs to do.
func TestWholeNotes(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/whole/notes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	at := seen(t, archive)
	last := time.Date(at.Year(), at.Month(), at.Day()+3, 0, 0, 0, 0, at.Location())
	marked, found, right := 0, 0, 0
	for _, f := range archive.Files {
		w := newWorld(t)
		w.writeAt(f.Name, until.ReplaceAllString(string(f.Data), ""), at)
		w.tick(at)
		dated := map[string]bool{}
		for _, items := range w.standing {
			for _, o := range items {
				if !o.Due.IsZero() && o.Due.Before(last) {
					dated[o.Attrs["line"]] = true
				}
			}
		}
		for n, line := range strings.Split(string(f.Data), "\n") {
			mine, told := until.MatchString(line), dated[strconv.Itoa(n+1)]
			if mine {
				marked++
			}
			if told {
				found++
			}
			if mine && told {
				right++
			}
		}
	}
	recall, precision := float64(right)/float64(marked), float64(right)/float64(max(found, 1))
	t.Logf("%d notes, %d things to do: recall %.2f, precision %.2f", len(archive.Files), marked, recall, precision)
	if marked < 100 || recall < 0.50 || precision < 0.57 {
		t.Errorf("of %d things %.2f are found, and of what is found %.2f are some; want 0.50 and 0.57 of at least 100", marked, recall, precision)
	}
}
