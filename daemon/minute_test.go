package daemon_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// plays has the mind tick as its schedule does until then, and returns at which minutes
// something arrived.
func (w *world) plays(arrived func() int, until time.Time) (minutes []string) {
	w.t.Helper()
	for had := arrived(); ; {
		now := w.clock.Now()
		next, kind := now.Truncate(slot).Add(slot), subconscious.Scheduled
		if at := w.d.Reminds(); at.After(now) && at.Before(next) {
			next, kind = at, subconscious.Early
		}
		if next.After(until) {
			w.clock.advance(until.Sub(now))
			return minutes
		}
		w.clock.advance(next.Sub(now))
		w.tickAs(kind)
		w.rests()
		if n := arrived(); n > had {
			had, minutes = n, append(minutes, w.clock.Now().In(w.zone()).Format("15:04"))
		}
	}
}

// What a person set a time for is told at that minute and once, whatever restarts: as a
// note, by `remind` and by `snooze`.
func TestRemindsAtTheMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := phoned(w)
	arrived := func() int { return len(w.pushes(phone)) }
	w.begin()
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	got := w.plays(arrived, at(31))
	save(t, filepath.Join(w.notes, "today.md"), "- [ ] oven off at 12:53\n")
	w.tickAs(subconscious.Early)
	if next := w.d.Reminds(); !next.Equal(at(53)) {
		t.Fatalf("the next reminder is at %v", next)
	}
	got = append(got, w.plays(arrived, at(52))...)
	w.restart()
	w.tickAs(subconscious.Early) // as the schedule begins
	got = append(got, w.plays(arrived, at(54))...)
	w.restart()
	w.tickAs(subconscious.Early)
	got = append(got, w.plays(arrived, at(61))...)
	w.command(subconscious.Command{Kind: subconscious.CommandSnooze, IncidentID: w.inbox()[0].ID, Until: at(73)})
	w.tickAs(subconscious.Early)
	if got = append(got, w.plays(arrived, at(180))...); !slices.Equal(got, []string{"12:53", "13:13"}) {
		t.Fatalf("the phone rang at %v: %q", got, w.pushes(phone))
	}
}

// What is snoozed beyond the time that it is due, and what is acknowledged though it was
// never told, is answered as such.
func TestAnswersSayWhatTheyMean(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Config.QuietHours = escalate.Hours{From: "12:01", To: "23:00"}
	w.begin()
	w.tick()
	save(t, filepath.Join(w.notes, "today.md"), "- [ ] oven off at 12:53\n")
	w.tick()
	due := start.Add(53 * time.Minute)
	answer := func(c subconscious.Command) api.CommandResult {
		t.Helper()
		c.At, c.By = w.clock.Now(), "person"
		result, err := w.d.Command(t.Context(), c)
		if err != nil || result.Pending != (result.Done == "") {
			t.Fatalf("%+v, %v", result, err)
		}
		return result
	}
	oven := entries(w.document())[0].ID
	if got := answer(subconscious.Command{Kind: subconscious.CommandAck, Entry: oven}); !strings.HasPrefix(got.Done, "nothing to acknowledge") {
		t.Errorf("acknowledged though nobody asked: %+v", got)
	}
	for w.clock.Now().Before(due.Add(-15 * time.Minute)) {
		w.tick()
	}
	for until, want := range map[time.Time]time.Time{due.Add(time.Hour): due, due: due, due.Add(-time.Minute): {}} {
		if got := answer(subconscious.Command{Kind: subconscious.CommandSnooze, Entry: oven, Until: until}); !got.Due.Equal(want) || got.Untold {
			t.Errorf("snoozed until %v: %+v", until, got)
		}
	}
	w.disk.set(88)
	w.tick()
	var disk subconscious.IncidentID
	for _, i := range w.inbox() {
		if i.Told.IsZero() && i.Waits && strings.Contains(i.Summary, "88") {
			disk = i.ID
		}
	}
	for _, want := range []bool{true, false} { // then it was read
		if got := answer(subconscious.Command{Kind: subconscious.CommandAck, IncidentID: disk}); got.Untold != want {
			t.Errorf("acknowledged: %+v", got)
		}
		w.tick()
	}
	answer(subconscious.Command{Kind: subconscious.CommandClose, Entry: oven})
	w.tick()
	if got := answer(subconscious.Command{Kind: subconscious.CommandRemind, Entry: oven, Until: w.clock.Now().Add(time.Hour)}); !strings.HasPrefix(got.Done, "nothing to remind of") {
		t.Errorf("to be reminded of what was closed: %+v", got)
	}
}
