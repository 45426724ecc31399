package deliberate_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// refusingMind takes no outcome of one incident, and notes in which order it
// took the others.
type refusingMind struct {
	*world
	refused subconscious.IncidentKey
	took    *[]string
}

// Conclude implements deliberate.Mind.
func (m refusingMind) Conclude(ctx context.Context, tx *store.Tx, c subconscious.Command, refund bool) error {
	if c.Incident == m.refused {
		return errors.New("it is not taken")
	}
	*m.took = append(*m.took, string(c.Incident))
	return m.world.Conclude(ctx, tx, c, refund)
}

// TestTurns: a flood of escalations keeps back none that is of no use soon, and one
// that cannot be ended keeps back no other.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{scene: scene{NoModel: true}}
		w.at, w.ran = noon, map[string]deliberate.Ran{}
		var took []string
		db := opened(t, store.Memory)
		defer db.Close()
		o := w.options(db)
		o.Mind = refusingMind{w, "stuck", &took}
		worker, err := deliberate.New(o)
		if err != nil {
			t.Fatal(err)
		}
		for i, one := range []struct {
			incident subconscious.IncidentKey
			expires  time.Duration
			critical bool
		}{{"stuck", 0, true}, {"first", 0, false}, {"later", 5 * time.Hour, false}, {"soon", 10 * time.Minute, false}, {"critical", 0, true}} {
			e := w.theEscalation(noon.Add(time.Duration(i-10) * time.Second))
			e.Incident, e.Critical = one.incident, one.critical
			if one.expires > 0 {
				e.Template.Expires = noon.Add(one.expires)
			}
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return worker.Add(t.Context(), tx, e) }); err != nil {
				t.Fatal(err)
			}
		}
		begins(t, worker)
		time.Sleep(9 * time.Minute)
		if err := worker.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []string{"critical", "soon", "first", "later"}; !slices.Equal(took, want) {
			t.Errorf("it took %q, want %q", took, want)
		}
	})
}
