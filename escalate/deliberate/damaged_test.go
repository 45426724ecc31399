package deliberate_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/store"
)

// TestDamaged: an escalation of which something cannot be read is told by rule,
// or let go where nothing of it can be, and keeps back no other.
func TestDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		damage string
		told   bool
	}{
		"nothing":            {"", true},
		"a step":             {"UPDATE deliberation_steps SET body = x'00' WHERE n = 1", true},
		"a step of no kind":  {`UPDATE deliberation_steps SET body = CAST(x'00' || '{"kind":"answered"}' AS BLOB) WHERE n = 1`, true},
		"all bytes of steps": {"UPDATE deliberation_steps SET body = x'01ff'", true},
		"the escalation":     {"UPDATE escalations SET body = x'05'", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := opened(t, store.Memory)
				defer db.Close()
				w, _ := stopped(t, db, rememberThenTell)
				later := w.theEscalation(noon.Add(time.Hour))
				later.Tick, later.Incident, later.Person = 8, "disk:/srv", "i-disk-cd"
				again, err := deliberate.New(w.options(db))
				if err != nil {
					t.Fatal(err)
				}
				if err := db.Write(t.Context(), func(tx *store.Tx) error {
					if c.damage != "" {
						if _, err := tx.ExecContext(t.Context(), c.damage); err != nil {
							return err
						}
					}
					return again.Add(t.Context(), tx, later)
				}); err != nil {
					t.Fatal(err)
				}
				if err := again.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				ends(t, again)
				if err := again.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
				if other, err := again.Of(t.Context(), "i-disk-cd"); err != nil || len(other) != 1 || other[0].Told == nil {
					t.Errorf("the other escalation: %+v, %v", other, err)
				}
				first, err := again.Of(t.Context(), "i-disk-ab")
				if err != nil || len(first) > 0 != c.told || c.told && first[0].Told == nil {
					t.Errorf("told: %+v, %v", first, err)
				}
				if open, err := again.Open(t.Context()); err != nil || len(open) != 0 {
					t.Errorf("still open: %+v, %v", open, err)
				}
			})
		})
	}
}
