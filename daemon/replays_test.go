package daemon_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func (w *world) replaysOf(set ...string) api.Replays {
	w.t.Helper()
	again, err := w.d.Replays(w.t.Context(), api.ReplayQuery{Set: strings.Join(set, "\n")})
	if err != nil {
		w.t.Fatal(err)
	}
	return again
}

// eventful is a mind to which much has happened, the same for each seed.
func eventful(t *testing.T, ticks int, change func(*world)) *world {
	w := newWorld(t)
	change(w)
	watcher := withFaultyWatcher(w)
	w.begin()
	random := rand.New(rand.NewPCG(3, 4))
	for i := range ticks {
		w.varied(random, i, watcher)
		w.clock.advance(time.Duration(1+random.IntN(40)) * time.Minute)
		w.tickAs([]subconscious.TickKind{subconscious.Scheduled, subconscious.Early, subconscious.CatchUp}[random.IntN(3)])
	}
	return w
}

// A mind that goes on from tick to tick under the settings that it had comes to the
// very same, whatever happened; and under others to what another mind came to that had
// those, and saw the same.
func TestReplaysComeToWhatWouldHaveBeen(t *testing.T) {
	t.Parallel()
	all := 120
	if testing.Short() {
		all = 60
	}
	w := eventful(t, all, func(*world) {})
	for _, set := range [][]string{nil, {"escalation.cooldown=30m", "mechanics.gain=2", "escalation.critical=[disk, unit, machine, event]"}} {
		again := w.replaysOf(set...)
		t.Logf("%d ticks, %d pushes, %d digests", again.Ticks, again.Pushes.Then, again.Digests.Then)
		if again.Ticks != all || again.Differ+again.Missing+again.Older > 0 || again.Pushes.Then == 0 || again.Pushes.Now != again.Pushes.Then || again.Digests.Now != again.Digests.Then {
			t.Errorf("under %q: %+v", set, again)
		}
	}
	other := eventful(t, all, func(w *world) {
		w.options.Config.QuietHours = escalate.Hours{From: "08:00", To: "08:00"}
		w.options.Config.Budget.NotificationsPerDay = 2
		w.options.Config.Escalation.PushFrom, w.options.Config.Escalation.DigestFrom = 0.5, 0.2
		w.options.Config.Escalation.Digest.Daily = "12:00"
	}).replaysOf()
	again := w.replaysOf("quiet_hours.from=08:00", "budget.notifications_per_day=2", "escalation.push_from=0.5", "escalation.digest_from=0.2", "escalation.digest.daily=12:00")
	t.Logf("under others %d pushes, %d digests", other.Pushes.Then, other.Digests.Then)
	if again.Pushes.Now != other.Pushes.Then || again.Digests.Now != other.Digests.Then || again.Pushes.Now == again.Pushes.Then || again.Differ == 0 {
		t.Errorf("%d pushes and %d digests would have been, and were %d and %d", again.Pushes.Now, again.Digests.Now, other.Pushes.Then, other.Digests.Then)
	}
}

// Under other settings what was held is told, once, and what was told is not; what
// was kept is kept otherwise.
func TestReplaysUnderOtherSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.now = start.Add(12 * time.Hour) // midnight in Berlin
	s := withFaultySense(w)
	w.fills(90)
	s.rack.add("the pump in the northern waterworks has failed")
	w.ticksUntil(start.Add(23 * time.Hour))
	then := w.replaysOf("quiet_hours.from=08:00")
	if then.Pushes.Then == 0 {
		t.Fatalf("nothing was told: %+v", then)
	}
	// Told at once instead of in the morning, and as often.
	if then.Pushes.Now != then.Pushes.Then || then.Differ < 2 || len(then.Differing[0].Decisions) == 0 || then.Differing[0].At.Hour() >= 8 {
		t.Errorf("without quiet hours: %+v", then)
	}
	if none := w.replaysOf("budget.notifications_per_day=0", "escalation.critical=[]"); none.Pushes.Now != 0 {
		t.Errorf("with nothing allowed: %+v", none)
	}
	kept := w.replaysOf("mechanics.start_strength=9")
	if kept.Differ == 0 || kept.Differing[0].Changes[0].Now.To != 9 {
		t.Errorf("with more strength: %+v", kept)
	}
	if one, err := w.d.Replays(t.Context(), api.ReplayQuery{Tick: 2, Set: "mechanics.start_strength=9"}); err != nil || one.Ticks != 1 || one.Differ != 1 {
		t.Errorf("of one tick: %+v, %v", one, err)
	}
	if none, err := w.d.Replays(t.Context(), api.ReplayQuery{Since: w.clock.Now().Add(time.Hour)}); err != nil || none.Ticks != 0 {
		t.Errorf("of none: %+v, %v", none, err)
	}
	for set, want := range map[string]string{
		"schedule=* * * * *":         "no setting that ticks record; there are budget.notifications_per_day",
		"escalation.push_from=much":  `"much" is not a number`,
		"escalation.push_from=0.1":   "must not be more than push_from",
		"escalation.cooldown=30":     "has no unit",
		"escalation.critical=":       "no value",
		"mechanics.patterns=99":      "must be 1 to 5",
		"quiet_hours.from=noon":      "quiet_hours",
		"escalation.critical=[yeti]": "yeti",
	} {
		_, err := w.d.Replays(t.Context(), api.ReplayQuery{Set: set})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}
