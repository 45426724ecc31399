package deliberate_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/store"
)

// TestCriticalGoesBefore has a critical escalation come while a model thinks about
// another: it is told within its own 45 seconds, and the other one goes on.
func TestCriticalGoesBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, store.Memory)
		defer db.Close()
		w := sceneOf(t, `{"Answers":[{"takes":90,"calls":[{"name":"notify_person","arguments":{"text":"Look.","reason":"now"}}]}]}`)
		worker := w.begin(t, db)
		time.Sleep(10 * time.Second)
		e := w.theEscalation(noon.Add(10 * time.Second))
		e.Incident, e.Person, e.Critical = "disk:/home", "i-home", true
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return worker.Add(t.Context(), tx, e) }); err != nil {
			t.Fatal(err)
		}
		worker.Wake()
		ends(t, worker)
		if err := worker.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		critical, err := worker.Of(t.Context(), "i-home")
		if err != nil || len(critical) != 1 {
			t.Fatal(err)
		}
		if after := critical[0].Over.Sub(e.At); after > 46*time.Second || critical[0].Told.Kind != deliberate.TellTemplate {
			t.Errorf("told as %s after %s", critical[0].Told.Kind, after)
		}
		other, err := worker.Of(t.Context(), "i-disk-ab")
		if err != nil || len(other) != 1 {
			t.Fatal(err)
		}
		if r := other[0]; r.Told.Kind != deliberate.TellTold || r.Resumed != 0 || !r.Started.Equal(noon) || r.Over.Sub(noon) > 150*time.Second {
			t.Errorf("told as %s, resumed %d times, from %s to %s", r.Told.Kind, r.Resumed, r.Started, r.Over)
		}
		if n := len(effectsOf(t, db)); n != 4 {
			t.Errorf("%d effects", n)
		}
	})
}
