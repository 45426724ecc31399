package daemon_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// phoned gives the mind a channel that keeps what it is sent.
func phoned(w *world) *notifytest.Recorder {
	phone := &notifytest.Recorder{}
	w.options.Channels = []notify.Channel{{ID: "phone", Kind: "recorder", Content: notify.ContentFull, Buttons: true, Notifier: phone}}
	w.options.Config.QuietHours.To = w.options.Config.QuietHours.From // none
	return phone
}

// pushes are the titles of what was pushed so far, without digests; it waits
// until all of it has been sent.
func (w *world) pushes(phone *notifytest.Recorder) []string {
	w.t.Helper()
	w.rests()
	var titles []string
	for _, m := range phone.Messages() {
		if m.Kind == notify.KindIncident {
			titles = append(titles, m.Title)
		}
	}
	return titles
}

func (w *world) pushed(phone *notifytest.Recorder, what string, want ...string) {
	w.t.Helper()
	got := w.pushes(phone)
	if len(got) != len(want) {
		w.t.Fatalf("%s: %d pushes, want %d: %q", what, len(got), len(want), got)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			w.t.Fatalf("%s: push %d is %q, and not about %q", what, i, got[i], want[i])
		}
	}
}

// chatterer says at each tick of all that stands on the machine, in other words
// each time, that it must be told. It cites a fresh note beside it.
type chatterer struct{ n int }

func (c *chatterer) Name() subconscious.ThreadName { return subconscious.Dreamer }
func (c *chatterer) Mode() string                  { return threads.Reflex }

func (c *chatterer) Think(_ context.Context, s subconscious.Snapshot) (threads.Answer, error) {
	c.n++
	thought := subconscious.Thought{Thread: subconscious.Dreamer}
	kinds := []subconscious.Kind{subconscious.KindIdea, subconscious.KindConnection, subconscious.KindQuestion, subconscious.KindChallenge}
	s.World.Of("health", func(o subconscious.Observation) bool {
		evidence := []string{string(o.Ref())}
		for _, fresh := range s.Fields[subconscious.Dreamer].New {
			evidence = append(evidence, string(fresh.Ref()))
		}
		thought.Findings = append(thought.Findings, subconscious.Finding{
			Kind: kinds[c.n%len(kinds)], Summary: fmt.Sprintf("Thought %d: %s, is it not dreadful?", c.n, o.Title), Importance: 9,
			Evidence: evidence, Escalate: true, EscalateReason: "I must say so again",
		})
		return true
	})
	return threads.Answer{Thought: thought}, nil
}

// fails is a unit that ran out of room on the disk.
func (m *machine) fails(unit string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reading.Units = append(m.reading.Units, health.Unit{
		Name: unit, Result: "exit-code", ExitCode: 1, Status: "write /srv/dump: no space left on device", Since: start,
	})
}

// One thing is told once: a disk that fills over hours, which a note names and a
// unit fails for, reworded each tick, over 300 ticks and 20 restarts; and once
// more when it gets worse.
func TestOneThingIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := phoned(w)
	w.options.Threads = []threads.Thread{reflex.New(subconscious.Watcher), reflex.New(subconscious.Librarian), reflex.New(subconscious.Oracle), &chatterer{}}
	w.begin()
	for percent := uint64(60); percent < 84; percent += 2 { // two hours
		w.disk.set(percent)
		w.tick()
	}
	w.pushed(phone, "it fills", "/srv will be full")
	w.disk.set(88)
	w.ticks(12)
	w.pushed(phone, "over its threshold, as was told", "/srv")
	testutil.Write(t, filepath.Join(w.notes, "todo.md"), "# Server\n\n- [ ] make room on /srv, which fills up\n")
	w.ticks(5)
	ticks := 300
	if testing.Short() {
		ticks = 60
	}
	for i := range ticks {
		if i%(ticks/20) == 0 {
			w.restart()
		}
		if i%7 == 0 { // something fresh to cite beside it
			testutil.Write(t, filepath.Join(w.files, fmt.Sprintf("file-%d.md", i)), "words")
		}
		w.disk.set(87 + uint64(i)%3)
		w.tick()
	}
	w.pushed(phone, "while it stays", "/srv")
	w.disk.set(97)
	w.ticks(12)
	w.pushed(phone, "when it gets worse", "/srv", "/srv")
	w.disk.fails("dump.service")
	w.ticks(12)
	w.pushed(phone, "when a unit fails for it", "/srv", "/srv")
	if status := w.status(); status.Budget.NotificationsToday == 0 && len(w.pushes(phone)) > 0 && sameDay(w) {
		t.Errorf("%d pushes are counted today", status.Budget.NotificationsToday)
	}
}

// sameDay: the whole test was one day of the mind's.
func sameDay(w *world) bool {
	return w.clock.Now().YearDay() == start.YearDay()
}

// toldOnce is a mind that has told of a disk, and the phone it told.
func toldOnce(t *testing.T) (*world, *notifytest.Recorder) {
	t.Helper()
	w := newWorld(t)
	phone := phoned(w)
	w.options.Config.Escalation.PushFrom = 0.6 // a disk at its warning level is worth a message
	w.fills(88)
	w.pushed(phone, "at first", "/srv")
	return w, phone
}

// What was dismissed is told again by nobody, until it gets worse.
func TestDismissedIsNotTold(t *testing.T) {
	w, phone := toldOnce(t)
	inbox := w.inbox()
	if len(inbox) != 1 || inbox[0].State != subconscious.TellingTold || inbox[0].Told.IsZero() {
		t.Fatalf("the inbox holds %+v", inbox)
	}
	w.command(subconscious.Command{Kind: subconscious.CommandDismiss, IncidentID: inbox[0].ID})
	for i := range 24 {
		w.disk.set(87 + uint64(i)%4)
		w.tick()
	}
	w.pushed(phone, "dismissed", "/srv")
	w.disk.set(97)
	w.ticks(3)
	w.pushed(phone, "dismissed, and worse than it was", "/srv", "/srv")
}

// Things that look alike are told apart: each once.
func TestThingsThatLookAlikeAreToldApart(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	w.options.Config.Escalation.PushFrom = 0.6 // a disk at its warning level is worth a message
	w.options.Config.Budget.EscalationsPerHour = 100
	w.begin()
	w.tick()
	w.disk.mu.Lock()
	w.disk.reading.Disks = []health.Disk{{Path: "/home", Used: 90 << 30, Available: 10 << 30}, {Path: "/var", Used: 91 << 30, Available: 9 << 30}}
	w.disk.reading.Units = []health.Unit{{Name: "alpha.service", Result: "exit-code", ExitCode: 1, Since: start}, {Name: "beta.service", Result: "exit-code", ExitCode: 1, Since: start}}
	w.disk.mu.Unlock()
	due := w.clock.Now().In(w.zone()).Add(100 * time.Minute).Format("2006-01-02 15:04")
	testutil.Write(t, filepath.Join(w.notes, "invoices.md"), fmt.Sprintf("- [ ] pay invoice 4711 by %s\n- [ ] pay invoice 4712 by %s\n", due, due))
	w.ticks(30)
	got := w.pushes(phone)
	for _, what := range []string{"/home", "/var", "alpha", "beta", "4711", "4712"} {
		n := 0
		for _, title := range got {
			if strings.Contains(title, what) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is told %d times: %q", what, n, got)
		}
	}
	if len(got) != 6 {
		t.Errorf("%d pushes: %q", len(got), got)
	}
}

// A button's answer comes back, is taken by the next tick, and is learnt from.
func TestAnswersAreLearntFrom(t *testing.T) {
	w, phone := toldOnce(t)
	messages := phone.Messages()
	buttons := messages[len(messages)-1].Buttons
	i := slices.IndexFunc(buttons, func(b notify.Button) bool { return b.Answer == notify.AnswerUseful })
	if i < 0 || len(buttons) != 3 {
		t.Fatalf("the buttons are %+v", buttons)
	}
	for range 2 { // it works once
		_ = w.d.Outbox().Take(t.Context(), buttons[i].Token)
	}
	w.tick()
	inbox := w.inbox()
	if len(inbox) != 1 || inbox[0].State != subconscious.TellingAcknowledged || inbox[0].Feedback != subconscious.Useful {
		t.Fatalf("the inbox holds %+v", inbox)
	}
	calibration, err := w.d.Calibration(t.Context())
	if err != nil || len(calibration.Scores) != 1 || calibration.Scores[0].Useful != 1 || calibration.Scores[0].Weight <= 1 {
		t.Fatalf("the calibration is %+v, %v", calibration, err)
	}
	report, err := w.d.Report(t.Context(), start)
	if err != nil || report.Told != 1 || report.Useful != 1 {
		t.Errorf("the report tells of %d told, %d useful, %v", report.Told, report.Useful, err)
	}
}

// "Tomorrow" is told again tomorrow, if it still stands; what was dismissed for good
// only once it is critical, however much worse it gets before.
func TestTomorrowAndMuted(t *testing.T) {
	t.Parallel()
	w, phone := toldOnce(t)
	buttons := phone.Messages()[0].Buttons
	i := slices.IndexFunc(buttons, func(b notify.Button) bool { return b.Answer == notify.AnswerTomorrow })
	if err := w.d.Outbox().Take(t.Context(), buttons[i].Token); err != nil {
		t.Fatal(err)
	}
	w.ticks(12)
	if inbox := w.inbox(); len(inbox) != 1 || inbox[0].State != subconscious.TellingSnoozed || inbox[0].Until.Hour() != 8 {
		t.Fatalf("the inbox holds %+v", inbox)
	}
	w.pushed(phone, "today", "/srv")
	w.ticks(24 * 12)
	w.pushed(phone, "tomorrow", "/srv", "/srv")
	w.command(subconscious.Command{Kind: subconscious.CommandDismiss, IncidentID: w.inbox()[0].ID, Forever: true})
	w.tick()
	w.disk.set(94)
	w.ticks(12)
	w.pushed(phone, "muted", "/srv", "/srv")
	w.disk.set(99)
	w.ticks(12)
	w.pushed(phone, "critical", "/srv", "/srv", "/srv")
}
