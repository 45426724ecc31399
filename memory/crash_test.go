//go:build failpoints

package memory_test

import (
	"context"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/memory"
)

// TestCutBetweenTombstoneAndErasure: what was to be forgotten is erased at the next start,
// and is not written until then either.
// It needs the points that fail on purpose: go test -tags failpoints ./memory
func TestCutBetweenTombstoneAndErasure(t *testing.T) {
	for _, point := range []string{"memory.buried", "store.commit"} {
		folder := t.TempDir()
		s, db := remembered(t, folder, memory.Options{})
		record := add(t, s, owners(whole))
		restore, err := failpoint.Set(point+"=error", "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Forget(t.Context(), record.ID)
		restore()
		if err == nil {
			t.Fatalf("%s: nothing was cut", point)
		}
		if got, err := s.Add(context.Background(), strangers(secret)); err != nil || got.Reason != memory.WasForgotten {
			t.Errorf("%s: %+v, %v", point, got, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s, _ = remembered(t, folder, memory.Options{})
		if gone, err := s.Mend(t.Context()); gone != 1 || err != nil {
			t.Errorf("%s: %d records are gone, %v", point, gone, err)
		}
		if found := inFiles(t, folder, "quicksilver", "Nora"); found > 0 {
			t.Errorf("%s: it is found %d times", point, found)
		}
	}
}
