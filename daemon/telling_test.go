package daemon_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// kindsSent counts the messages of each kind, when all is sent.
func (w *world) kindsSent(phone *notifytest.Recorder) map[notify.Kind]int {
	w.t.Helper()
	w.pushes(phone)
	kinds := map[notify.Kind]int{}
	for _, m := range phone.Messages() {
		kinds[m.Kind]++
	}
	return kinds
}

// What the daemon has to say about itself is told once, when it lasts, and
// apart from the person's own budget.
func TestNoticesAreToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := phoned(w)
	w.begin()
	w.tick()
	testutil.Write(t, w.ics, "this is no calendar")
	w.ticks(3)
	if kinds := w.kindsSent(phone); len(kinds) != 0 {
		t.Fatalf("what may mend itself was told at once: %v", kinds)
	}
	w.ticks(30)
	if kinds := w.kindsSent(phone); kinds[notify.KindNotice] != 1 || len(kinds) != 1 {
		t.Fatalf("in three hours of blindness: %v", kinds)
	}
	status := w.status()
	if status.Budget.NotificationsToday != 0 {
		t.Errorf("%d notifications are counted", status.Budget.NotificationsToday)
	}
	w.calendar()
	w.ticks(3)
	testutil.Write(t, w.ics, "nor is this")
	w.ticks(12)
	if kinds := w.kindsSent(phone); kinds[notify.KindNotice] != 2 {
		t.Errorf("blind again: %v", kinds)
	}
}

// What can wait goes into the digest of the next morning, once.
func TestDigestTellsWhatCanWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := phoned(w)
	w.begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.notes, "todo.md"), "- [ ] send the plans to the mason by 2026-11-24 20:00\n")
	w.ticksUntil(start.Add(26 * time.Hour))
	kinds := w.kindsSent(phone) // waits until they are
	messages := phone.Messages()
	if kinds[notify.KindDigest] != 1 || kinds[notify.KindIncident] != 0 {
		t.Fatalf("sent: %v %+v", kinds, messages)
	}
	if last := messages[len(messages)-1]; !strings.Contains(last.Title+last.Text, "mason") {
		t.Errorf("the digest says %q %q", last.Title, last.Text)
	}
}

// A meeting holds back what is not urgent, until it ends; a restart in the
// middle of it changes nothing.
func TestMeetingHoldsBack(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	w.options.Signals = func(time.Time) presence.Signals { return presence.Signals{} }
	w.calendar(event{"standup@example.org", "Long standup", start.Add(20 * time.Minute), time.Hour})
	w.begin()
	w.ticks(4) // it begins
	testutil.Write(t, filepath.Join(w.files, "authorized_keys"), "key")
	w.tick()
	w.pushed(phone, "in the meeting")
	inbox := w.inbox()
	if len(inbox) == 0 || !inbox[0].Waits || inbox[0].Held != "presence" {
		t.Fatalf("the inbox holds %+v", inbox)
	}
	w.restart()
	w.ticks(3)
	w.pushed(phone, "in the meeting, after a restart")
	w.ticks(12)
	w.pushed(phone, "after the meeting", "authorized_keys")
}

// A channel that is down holds nothing up, loses nothing, and is seen.
func TestChannelThatIsDown(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	phone.Fail(&notify.Error{Trouble: notify.Unavailable, Text: "the server does not answer", Next: "start it", Err: errors.New("refused")})
	w.fills(97)
	w.until("it is tried", func() bool { return len(phone.Attempts()) > 0 })
	w.until("the status shows it", func() bool {
		status := w.status()
		return len(status.Channels) == 1 && status.Channels[0].State != "ok" && status.Channels[0].Waiting == 1
	})
	phone.Fail(nil)
	w.clock.advance(time.Hour)
	w.d.Outbox().Wake()
	w.pushed(phone, "when it is up again", "/srv")
}

// Whoever looks at a prompt, the status or the inbox disturbs no tick.
func TestLookingBesideTicks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phoned(w)
	w.begin()
	ctx, cancel := context.WithCancel(t.Context())
	var hands sync.WaitGroup
	for range 2 {
		hands.Go(func() {
			for ctx.Err() == nil {
				for _, thread := range subconscious.Threads() {
					if _, err := w.d.Prompt(ctx, string(thread)); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
				w.status()
				w.inbox()
			}
		})
	}
	for i := range uint64(20) {
		w.disk.set(80 + i)
		w.tick()
	}
	cancel()
	hands.Wait()
}

// On trial nothing is told, and the note of the day says what would have been.
func TestTrialTellsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := phoned(w)
	w.options.Config.Escalation.Trial = true
	w.begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.files, "authorized_keys"), "key")
	w.tick()
	if sent := w.pushes(phone); len(sent) != 0 {
		t.Errorf("the phone rang: %q", sent)
	}
	note, err := os.ReadFile(filepath.Join(w.options.Config.StateDir, "trial", start.Format(time.DateOnly)+".md"))
	if err != nil || !strings.HasPrefix(string(note), "- ") || !strings.Contains(string(note), "authorized_keys") {
		t.Errorf("the note says %q: %v", note, err)
	}
}
