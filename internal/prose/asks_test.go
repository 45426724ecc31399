package prose_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// labelled is a file of testdata: its lines by the name of their part.
type labelled struct {
	now   time.Time
	parts []part
}

type part struct {
	name  string
	lines []line
}

type line struct {
	text string
	day  string // behind "=>"; "" where none is
}

func readLabelled(t testing.TB, path string) labelled {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	zone := testutil.Zone(t, "Europe/Berlin")
	first, _, _ := strings.Cut(string(archive.Comment), "\n")
	l := labelled{}
	if l.now, err = time.ParseInLocation("2006-01-02 15:04", strings.TrimPrefix(first, "now: "), zone); err != nil {
		t.Fatalf("%s: first line: %v", path, err)
	}
	for _, f := range archive.Files {
		p := part{name: f.Name}
		for text := range strings.Lines(string(f.Data)) {
			text, day, _ := strings.Cut(strings.TrimSpace(text), " => ")
			p.lines = append(p.lines, line{text: strings.ReplaceAll(text, `\n`, "\n"), day: day})
		}
		l.parts = append(l.parts, p)
	}
	return l
}

// TestAsks reads testdata/asks.txtar.
func TestAsks(t *testing.T) {
	l := readLabelled(t, "testdata/asks.txtar")
	yes, no := 0, 0
	for _, p := range l.parts {
		_, want, _ := strings.Cut(p.name, "/")
		for _, line := range p.lines {
			asks := prose.Asks(line.text, l.now)
			if want == "no" {
				no++
				if len(asks) > 0 {
					t.Errorf("%s: %q is read as a %s", p.name, line.text, asks[0].Form)
				}
				continue
			}
			yes++
			if len(asks) != 1 {
				t.Errorf("%s: %q asks %d times, want once", p.name, line.text, len(asks))
				continue
			}
			if a := asks[0]; string(a.Form) != want {
				t.Errorf("%s: %q is read as a %s", p.name, line.text, a.Form)
			} else if got := dayOf(a.Dated, a.Date.Due); got != line.day {
				t.Errorf("%s: %q names the day %q, want %q", p.name, line.text, got, line.day)
			}
		}
	}
	t.Logf("%d lines that ask, %d that do not", yes, no)
	if yes < 60 || no < 100 {
		t.Fatalf("%d lines that ask and %d that do not; want at least 60 and 100", yes, no)
	}
}

func dayOf(dated bool, due time.Time) string {
	if !dated {
		return ""
	}
	return due.Format("2006-01-02")
}

// TestLimits reads testdata/limits.txtar.
func TestLimits(t *testing.T) {
	table(t, "testdata/limits.txtar", 50, 50, func(text string, now time.Time) []time.Time {
		var days []time.Time
		for _, l := range prose.Of(text, now).Limits() {
			days = append(days, l.Date.Due)
		}
		return days
	})
}

// table checks each line of a file: those of the parts named "no" have no day, and
// the others the one behind "=>".
func table(t *testing.T, path string, leastYes, leastNo int, read func(text string, now time.Time) []time.Time) {
	t.Helper()
	l := readLabelled(t, path)
	yes, no := 0, 0
	for _, p := range l.parts {
		_, want, _ := strings.Cut(p.name, "/")
		for _, line := range p.lines {
			days := read(line.text, l.now)
			if want == "no" {
				no++
				if len(days) > 0 {
					t.Errorf("%s: %q has %v", p.name, line.text, days[0])
				}
				continue
			}
			yes++
			if len(days) != 1 {
				t.Errorf("%s: %q has %d, want one", p.name, line.text, len(days))
			} else if got := dayOf(!days[0].IsZero(), days[0]); got != line.day {
				t.Errorf("%s: %q is of the day %q, want %q", p.name, line.text, got, line.day)
			}
		}
	}
	t.Logf("%s: %d lines that have one, %d that have none", path, yes, no)
	if yes < leastYes || no < leastNo {
		t.Fatalf("%s: %d lines that have one and %d that have none; want at least %d and %d", path, yes, no, leastYes, leastNo)
	}
}

// TestLater reads testdata/later.txtar: whether anything is found, in four
// languages, of what.
func TestLater(t *testing.T) {
	l := readLabelled(t, "testdata/later.txtar")
	if len(l.parts) != 4 {
		t.Fatalf("%d parts, want 4", len(l.parts))
	}
	for _, p := range l.parts {
		what, want, _ := strings.Cut(p.name, "/")
		for _, line := range p.lines {
			found := 0
			switch what {
			case "asks":
				found = len(prose.Asks(line.text, l.now))
			case "limits":
				found = len(prose.Of(line.text, l.now).Limits())
			}
			if found > 0 != (want == "yes") {
				t.Errorf("%s: %q has %d", p.name, line.text, found)
			}
		}
	}
}
