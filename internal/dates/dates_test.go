package dates_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite what the cases of testdata want")

// TestFind reads testdata/*.txtar. The comment of an archive says when now is;
// each line of its file "in" is one case, and "want" has what was found in it.
func TestFind(t *testing.T) {
	cases, negatives := 0, 0
	testutil.Archives(t, *update, "testdata/*.txtar", 1, func(t *testing.T, file string, archive *txtar.Archive) {
		now, err := time.ParseInLocation("2006-01-02 15:04", strings.TrimSpace(strings.TrimPrefix(string(archive.Comment), "now:")), testutil.Zone(t, "Europe/Berlin"))
		if err != nil {
			t.Fatalf("%s: first line: %v", file, err)
		}
		var got strings.Builder
		for line := range strings.Lines(string(archive.Files[0].Data)) {
			line = strings.TrimRight(line, "\n")
			found := describe(dates.Find(line, now))
			if cases++; found == "-" {
				negatives++
			}
			fmt.Fprintf(&got, "%s\n    %s\n", line, found)
		}
		archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got.String())})
	})
	if cases < 120 || negatives < 25 {
		t.Fatalf("%d cases, %d of them negative; want at least 120 and 25", cases, negatives)
	}
}

func describe(matches []dates.Match) string {
	if len(matches) == 0 {
		return "-"
	}
	var parts []string
	for _, m := range matches {
		part := fmt.Sprintf("[%s] %s", m.Text, m.Due.Format("Mon 2006-01-02 15:04"))
		if m.DateOnly {
			part += " day"
		}
		if m.Deadline {
			part += " deadline"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " | ")
}
