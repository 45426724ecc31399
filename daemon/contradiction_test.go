package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
)

// TestContradiction: of two things that are remembered and cannot both be, the librarian
// says so, until the person decides.
func TestContradiction(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	remember := func(format string, n int) api.MemoryRecord {
		r, err := w.d.AddMemory(t.Context(), api.MemoryAddition{Text: fmt.Sprintf(format, n, n)})
		if err != nil {
			t.Fatal(err)
		}
		return r.Record
	}
	said := func() (summary string) {
		for _, e := range w.d.State().Entries {
			if strings.Contains(e.Summary, "may disagree") {
				summary = e.Summary
			}
		}
		return summary
	}
	var older api.MemoryRecord
	n := 0
	w.until("it is noticed", func() bool { // once the memory is read in
		n++
		older = remember("Boiler %d was built in 19%02d", n)
		remember("Boiler %d was built in 18%02d", n)
		w.tick()
		return said() != ""
	})
	if got := said(); !strings.Contains(got, "subconsciousctl memory conflicts") || strings.Contains(got, "Boiler") {
		t.Errorf("%q", got)
	}
	if _, err := w.d.ForgetMemory(t.Context(), api.MemoryForget{ID: older.ID}); err != nil {
		t.Fatal(err)
	}
	w.ticks(2)
	if got := said(); got != "" {
		t.Errorf("it is decided, and still: %q", got)
	}
}
