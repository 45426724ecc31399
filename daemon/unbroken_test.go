package daemon_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// What the person says of a reminder that no thread asked for is taken like
// any other word, and stops no tick.
func TestAnswerToAReminderThatNoThreadAsked(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	w.begin()
	w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: "the boiler makes a noise"})
	w.ticks(2)
	w.pushed(phone, "nobody asked for it")
	id := w.now("boiler", 3).ID
	w.command(subconscious.Command{Kind: subconscious.CommandRemind, Entry: id, Until: w.clock.Now().Add(2 * slot)})
	w.ticks(3)
	w.pushed(phone, "when it was asked for", "boiler")
	w.command(subconscious.Command{Kind: subconscious.CommandAck, Entry: id, Feedback: subconscious.Useful})
	w.ticks(2)
	if inbox := w.inbox(); len(inbox) != 1 || inbox[0].Feedback != subconscious.Useful {
		t.Errorf("the inbox holds %+v", inbox)
	}
}

// farsighted asks at its first tick to tell of the machine, due in centuries.
type farsighted struct{ due time.Time }

func (f *farsighted) Name() subconscious.ThreadName { return subconscious.Oracle }
func (f *farsighted) Mode() string                  { return threads.Reflex }

func (f *farsighted) Think(_ context.Context, s subconscious.Snapshot) (threads.Answer, error) {
	thought := subconscious.Thought{Thread: subconscious.Oracle}
	s.World.Of("notes", func(o subconscious.Observation) bool {
		thought.Findings = append(thought.Findings, subconscious.Finding{
			Kind: subconscious.KindPreparation, Summary: "The roof has to be made new", Importance: 9, Due: f.due,
			Evidence: []string{string(o.Ref())}, Escalate: true, EscalateReason: "it takes long",
		})
		return true
	})
	return threads.Answer{Thought: thought}, nil
}

// A due time beyond all reckoning, of a model or of a calendar, stops no tick
// and no message.
func TestDueInCenturies(t *testing.T) {
	for _, due := range []time.Time{time.Date(2250, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
		w := newWorld(t)
		phone := phoned(w)
		w.options.Threads = []threads.Thread{reflex.New(subconscious.Watcher), reflex.New(subconscious.Librarian), &farsighted{due}, reflex.New(subconscious.Dreamer)}
		w.begin()
		w.tick()
		testutil.Write(t, w.notes+"/roof.md", "The roof is old, says the mason.\n- [ ] ask for the roof by 2026-11-24\n")
		w.ticks(3)
		if kinds := w.kindsSent(phone); kinds[notify.KindIncident]+kinds[notify.KindDigest] == 0 && !strings.Contains(w.log.String(), "roof") {
			t.Logf("sent: %v, inbox %+v", kinds, w.inbox())
		}
	}
}

// A machine that wakes in the middle of a meeting knows of it.
func TestMeetingThatBeganInSleep(t *testing.T) {
	w := newWorld(t)
	phoned(w)
	w.options.Signals = func(time.Time) presence.Signals { return presence.Signals{} }
	w.calendar(event{"review@example.org", "Long review", start.Add(2 * time.Hour), 2 * time.Hour})
	w.begin()
	w.tick()
	w.clock.advance(150 * time.Minute)
	w.tick()
	if state := w.status().Presence.State; state != subconscious.PresenceBusy {
		t.Errorf("in the meeting the person is %s", state)
	}
}

// A clock that was ahead for a while leaves nothing behind that holds the person's
// attention until that time comes.
func TestClockThatWasAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := phoned(w)
	w.begin()
	w.tick()
	w.clock.advance(3 * 365 * 24 * time.Hour)
	w.tick()
	w.disk.set(97)
	w.tick()
	w.pushed(phone, "while the clock is ahead", "/srv")
	w.disk.set(50)
	w.tick()
	w.clock.advance(-3 * 365 * 24 * time.Hour)
	w.ticks(2)
	if spent := w.status().Budget.NotificationsToday; spent != 0 {
		t.Errorf("%d notifications of a day to come are counted", spent)
	}
	w.disk.set(98)
	w.ticks(2)
	w.pushed(phone, "when the clock is right", "/srv", "/srv")
	testutil.Write(t, filepath.Join(w.notes, "todo.md"), "- [ ] send the plans to the mason by 2026-11-24 20:00\n")
	w.ticksUntil(start.Add(26 * time.Hour))
	if kinds := w.kindsSent(phone); kinds[notify.KindDigest] != 1 {
		t.Errorf("sent: %v, inbox %+v", kinds, w.inbox())
	}
}

// However much is told and waits, what a tick looks at has room in its record:
// what is named and what waits comes first.
func TestGateLooksAtWhatHasRoom(t *testing.T) {
	all := map[subconscious.IncidentKey]subconscious.Incident{}
	for i := range 100 {
		incident := subconscious.Incident{Key: subconscious.IncidentKey(fmt.Sprintf("mail:%03d", i)), Recorded: map[subconscious.Ref][]int64{},
			Telling: &subconscious.Telling{State: subconscious.TellingTold, Waits: i >= 90}}
		for n := range 64 {
			incident.Recorded[subconscious.NewRef("mail", fmt.Sprint(i, n))] = []int64{1}
		}
		all[incident.Key] = incident
	}
	got := daemon.GateIncidents(all, []subconscious.IncidentKey{"mail:089"})
	var keys []string
	for _, incident := range got {
		keys = append(keys, string(incident.Key))
	}
	if len(got) < 11 || len(got) > 20 || !slices.IsSorted(keys) || !slices.Contains(keys, "mail:089") || !slices.Contains(keys, "mail:090") || !slices.Contains(keys, "mail:099") {
		t.Errorf("looked at: %v", keys)
	}
}
