package notifytest

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func smallDriver(f flaw) Driver {
	return Driver{Open: func(t testing.TB) Service { return openSmall(t, f) }, Faults: Faults(), Secrets: []string{key},
		Buttons: true, Sequence: true, Link: true, Urgent: true}
}

func TestSoundDriver(t *testing.T) { Run(t, smallDriver(sound)) }

// Each flaw is found by the check that is meant to find it.
func TestFlaws(t *testing.T) {
	for f, want := range map[flaw]string{leaks1: "tells refuses", leaks2: "tells down", prints: "shows no secret", untyped: "tells cuts",
		wordless: "tells broken", trusting: "tells refuses", impatient: "tells limits", pessimist: "tells refuses", optimist: "tells cuts",
		deaf: "is cancelled at once", eager: "a cancelled context sends nothing", gulps: "reads no endless answer",
		doubles: "sends what it is given", mumbles: "sends what it is given", injects: "sends hostile words", calm: "sends what it is given",
		buttonless: "sends what it is given", unsequenced: "sends the same sequence again", shared: "sends at the same time",
		unhearing: "takes answers", clinging: "takes answers", choosy: "takes answers", frail: "recovers",
		credulous: "tells what arrived", hopeful: "tells whether what was cut arrived", blinded: "cannot tell what arrived: down"} {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			all := checks()
			n := slices.IndexFunc(all, func(c check) bool { return c.name == want })
			if n < 0 {
				t.Fatalf("there is no check %q", want)
			}
			d := smallDriver(f)
			d.patience = time.Second
			s := d.Open(t)
			if all[n].fault != Healthy {
				s.Fail(all[n].fault)
			}
			if err := all[n].run(t.Context(), d, s); err == nil {
				t.Errorf("%q does not find it", want)
			}
		})
	}
}

func TestNamesOfChecks(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range checks() {
		if seen[c.name] {
			t.Errorf("%q is there twice", c.name)
		}
		seen[c.name] = true
	}
}
