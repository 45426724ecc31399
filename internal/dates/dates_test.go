package dates_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	cases, negatives := 0, 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
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
		if *update {
			archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got.String())})
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if len(archive.Files) != 2 {
			t.Fatalf("%s has no file want; run with -update", file)
		}
		compare(t, file, got.String(), string(archive.Files[1].Data))
	}
	if cases < 120 || negatives < 25 {
		t.Fatalf("%d cases, %d of them negative; want at least 120 and 25", cases, negatives)
	}
}

func compare(t *testing.T, file, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			line := "(nothing)"
			if i < len(w) {
				line = w[i]
			}
			t.Errorf("%s: %s\n got %s\nwant %s", file, g[max(0, i-1)], g[i], line)
			if strings.HasPrefix(line, "    ") {
				continue
			}
			return
		}
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
