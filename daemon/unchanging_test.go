package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// unchanging fills the world with what stands for weeks, of every sense.
func (w *world) unchanging() *world {
	w.t.Helper()
	for i := range 50 {
		testutil.Write(w.t, filepath.Join(w.files, fmt.Sprintf("folder-%d/file-%d.md", i%5, i)), "some words\n")
	}
	testutil.Write(w.t, filepath.Join(w.notes, "plans.md"), "- [ ] renew the passport by 18 December 2026\n- [ ] sort the photographs\n")
	w.calendar(event{"wedding@example.org", "Wedding", start.Add(20 * 24 * time.Hour), 8 * time.Hour})
	w.disk.set(90)
	return w
}

// Over a world in which nothing changes nothing is found: what stands, stands.
func TestUnchangingWorld(t *testing.T) {
	t.Parallel()
	const steady = 12
	all := 300
	if testing.Short() {
		all = 60
	}
	w := newWorld(t).unchanging().begin()
	var documents []subconscious.Document
	for i := range all {
		report := w.tick()
		documents = append(documents, w.document())
		if i < steady {
			continue
		}
		for _, r := range report.Threads {
			if r.Findings > 0 {
				t.Fatalf("tick %d: the %s made %d findings", report.Tick, r.Name, r.Findings)
			}
		}
		if len(report.Changes) > 0 {
			t.Fatalf("tick %d changed %+v", report.Tick, report.Changes)
		}
	}
	first, last := entries(documents[steady]), entries(documents[all-1])
	if asJSON(t, first) != asJSON(t, last) {
		t.Fatalf("the entries of tick %d and those of tick %d differ:\n%s\n%s", steady, all, asJSON(t, first), asJSON(t, last))
	}
	if len(last) != 2 {
		t.Fatalf("there are %d entries, want the disk and the dated promise:\n%s", len(last), w.summaries())
	}
	w.now("/srv", 3)
	w.now("renew the passport", 3)
	rows, bytes := 0, 0
	w.query(fmt.Sprint("SELECT length(inputs) + length(report) + length(document) FROM mind_ticks ORDER BY tick DESC LIMIT ", all*2/3), func(scan func(...any) error) error {
		var size int
		err := scan(&size)
		rows, bytes = rows+1, bytes+size
		return err
	})
	const most = 1 << 10 // of a tick in which nothing happened: 100 MB a year
	if average := bytes / rows; average > most {
		t.Errorf("the row of an unchanged tick has %d bytes on average, more than %d", average, most)
	}
	t.Logf("the row of an unchanged tick has %d bytes on average", bytes/rows)
}

// written is how many bytes this process has handed to the system to write; ok
// is false where the system does not say.
func written(b testing.TB) (bytes int64, ok bool) {
	b.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if n, err := fmt.Sscanf(line, "wchar: %d", &bytes); err == nil && n == 1 {
			return bytes, true
		}
	}
	return 0, false
}

// BenchmarkUnchangedTick is a tick in which nothing happened, and what it
// writes.
func BenchmarkUnchangedTick(b *testing.B) {
	w := newWorld(b).unchanging().begin()
	w.ticks(12)
	before, ok := written(b)
	n := 0
	for b.Loop() {
		w.clock.advance(slot)
		if _, err := w.d.TickAs(b.Context(), subconscious.Scheduled); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.StopTimer()
	if after, _ := written(b); ok {
		b.ReportMetric(float64(after-before)/float64(n), "written-B/op")
	}
}
