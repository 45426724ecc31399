package daemon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// What happens to a file is momentary: it fades in three documents.
func TestFilesAreToldOnceAndFade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := func(name string) string { return filepath.Join(w.files, name) }
	testutil.Write(t, path("report.service"), "first\n")
	testutil.Write(t, path("old.service"), "old\n")
	w.begin()
	w.tick()
	if got := entries(w.document()); len(got) != 0 {
		t.Fatalf("the first collect is not silent: %v", got)
	}

	testutil.Write(t, path("budget.service"), "a,b\n")
	w.strengths("budget.service", 3, 2, 1, 0, 0)

	save(t, path("report.service"), "second\n")
	w.tick()
	e := w.now("report.service", 3)
	if !strings.Contains(e.Summary, "saved") {
		t.Fatalf("an atomic save is told as %q", e.Summary)
	}
	for _, e := range entries(w.document()) {
		if strings.Contains(e.Summary, ".swp") {
			t.Fatalf("the temporary file is told of: %q", e.Summary)
		}
	}
	w.strengths("report.service", 2, 1, 0)

	if err := os.Rename(path("old.service"), path("new.service")); err != nil {
		t.Fatal(err)
	}
	w.tick()
	if e := w.now("new.service", 3); !strings.Contains(e.Summary, "renamed from old.service") {
		t.Fatalf("a rename is told as %q", e.Summary)
	}
	w.strengths("new.service", 2, 1, 0)

	if err := os.Remove(path("new.service")); err != nil {
		t.Fatal(err)
	}
	w.tick()
	if e := w.now("new.service", 3); !strings.Contains(e.Summary, "deleted") {
		t.Fatalf("a deletion is told as %q", e.Summary)
	}
	w.strengths("new.service", 2, 1, 0)
}

// A file that keeps being saved grows.
func TestFileSavedAgainGrows(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	path := filepath.Join(w.files, "draft.service")
	for i, want := range []int{3, 4, 5, 6} {
		save(t, path, strings.Repeat("x", i+1))
		w.tick()
		w.now("draft.service", want)
	}
	w.strengths("draft.service", 5, 4, 3, 2, 1, 0)
}

// A disk stands while it is over its threshold: 3 3 3 3, critical 4 4 4 4, freed
// 1 and over.
func TestDiskFillsAndIsFreed(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	w.disk.set(90)
	w.strengths("/srv", 3, 3, 3, 3)
	id := w.now("/srv", 3).ID
	w.disk.set(97)
	w.strengths("/srv", 4, 4, 4, 4)
	w.disk.set(40)
	w.strengths("/srv", 1)
	e := w.now("/srv", 1)
	if !e.Over || e.ID != id {
		t.Fatalf("freed, it is %+v; it began as %s", e, id)
	}
	w.strengths("/srv", 0)
}

// Two events that overlap are told once, as their clash: it names both.
func TestClashingEvents(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	at := w.clock.Now().Add(slot + 20*time.Minute)
	review, dentist := event{"review@example.org", "Review", at, 45 * time.Minute}, event{"dentist@example.org", "Dentist", at.Add(20 * time.Minute), 30 * time.Minute}
	w.calendar(review, dentist)
	w.tick()
	clash := w.now("Clash", 3)
	for _, name := range []string{"Review 12:30", "Dentist 12:50"} {
		if w.now(name, 3).ID != clash.ID {
			t.Fatalf("%s is told beside the clash", name)
		}
	}
	if clash.Kind != "risk" || !clash.Due.Equal(at) || len(clash.Evidence) != 2 {
		t.Fatalf("the clash is %+v", clash)
	}
	w.strengths("Clash", 4) // one of them is 15 minutes ahead now
	review.start = at.Add(3 * time.Hour)
	w.calendar(review, dentist)
	w.strengths("Clash", 1, 0)
}

// An event ends when it begins, whatever clashed with it.
func TestEventBegins(t *testing.T) {
	w := newWorld(t).begin()
	w.calendar(event{"review@example.org", "Review", start.Add(25 * time.Minute), time.Hour})
	w.strengths("Review", 3, 4, 4, 4, 1, 0) // 20, 15, 10, 5, 0 minutes ahead
}

// A promise stands, with its date, until it is ticked off.
func TestPromiseStandsUntilTickedOff(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	path := filepath.Join(w.notes, "today.md")
	testutil.Write(t, path, "I will send the report by Friday.\n")
	w.strengths("send the report", 3, 3, 3)
	e := w.now("send the report", 3)
	if want := time.Date(2026, 11, 27, 17, 0, 0, 0, time.UTC); !e.Due.Equal(want) || e.Kind != "deadline" {
		t.Fatalf("it is a %s due %v, want a deadline due %v", e.Kind, e.Due, want)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w.strengths("send the report", 1, 0)
}

// What stood before a restart stands after it, once, and what happened meanwhile
// is told once.
func TestRestartRepeatsNothing(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	w.disk.set(90)
	testutil.Write(t, filepath.Join(w.notes, "today.md"), "- [ ] send the report by Friday\n")
	w.ticks(2)
	before := w.document()
	state := asJSON(t, w.d.State())
	threads := w.status().Threads
	w.stop()
	testutil.Write(t, filepath.Join(w.files, "meanwhile.service"), "new\n")
	w.begin()
	if got := asJSON(t, w.d.State()); got != state {
		t.Fatalf("the state after the restart is another:\n%s\n%s", got, state)
	}
	for i, thread := range w.status().Threads {
		if thread.Last.IsZero() || !thread.Last.Equal(threads[i].Last) {
			t.Errorf("the %s last ran at %v, after the restart at %v", thread.Name, threads[i].Last, thread.Last)
		}
	}
	w.tickAs("early")
	after := w.document()
	if got, want := len(entries(after)), len(entries(before))+1; got != want {
		t.Fatalf("%d entries after the restart, want %d:\n%s", got, want, w.summaries())
	}
	w.now("meanwhile.service", 3)
	w.strengths("meanwhile.service", 3, 2, 1, 0) // the early tick did not count
	w.now("send the report", 3)
	w.now("/srv", 3)
}
