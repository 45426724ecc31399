package daemon_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// fullSlowly is a mind whose disk is full, and whose model hangs at its N-th
// answer on that.
func fullSlowly(t *testing.T, hangs int) (*world, *notifytest.Recorder, *modeltest.Server) {
	w := newWorld(t)
	phone := phoned(w)
	server := w.deliberating(plays(
		[]models.ToolCall{calls("health", `{}`)},
		[]models.ToolCall{calls("remember", `{"text":"The disk is small.","kind":"fact"}`)},
		[]models.ToolCall{calls("notify_person", `{"text":"Move the films away.","reason":"it is full"}`)},
	))
	w.hangs(server, hangs)
	return w, phone, server
}

// hangs begins the mind, has its disk fill, and waits until the model hangs at its
// N-th answer on that.
func (w *world) hangs(server *modeltest.Server, n int) {
	w.t.Helper()
	w.begin()
	w.tick()
	w.disk.set(97)
	server.SetTroubles(modeltest.Nth(modeltest.HangBefore, n))
	w.tick()
	w.until("the model hangs", func() bool { return server.Count() == n })
	w.held = true
}

// once holds the end to one telling, one memory, and a record without a seam.
func (w *world) once(phone *notifytest.Recorder, resumed int) {
	w.t.Helper()
	w.concluded()
	w.ticks(2)
	w.pushed(phone, "of the full disk", "/srv")
	got := w.onlyDeliberation()
	if got.Outcome != subconscious.OutcomeTold || got.Template || got.Resumed != resumed || len(got.Rounds) != 3 || len(w.memories()) != 1 {
		w.t.Errorf("%d memories, and the deliberation is %s", len(w.memories()), asJSON(w.t, got))
	}
	if !strings.Contains(texts(phone), "Move the films away") {
		w.t.Errorf("told: %s", texts(phone))
	}
}

// A deliberation that a stop interrupts goes on at the next start, where it was,
// and tells once.
func TestStoppedWhileItDeliberates(t *testing.T) {
	t.Parallel()
	for hangs := 1; hangs <= 3; hangs++ {
		t.Run(fmt.Sprint("at answer ", hangs), func(t *testing.T) {
			w, phone, server := fullSlowly(t, hangs)
			if n := len(w.status().Deliberating); n != 1 || len(phone.Messages()) != 0 {
				t.Fatalf("%d under way; told: %s", n, texts(phone))
			}
			w.restart()
			w.once(phone, 1)
			if n := server.Count(); n != 4 {
				t.Errorf("%d requests, and one was broken off", n)
			}
		})
	}
}

// Ticks go on while a model thinks, see what is under way, and give it to nobody
// else.
func TestTicksWhileItDeliberates(t *testing.T) {
	w, phone, server := fullSlowly(t, 2)
	for range 3 {
		w.clock.advance(5 * time.Second)
		w.tickAs(subconscious.Scheduled)
	}
	if n := len(w.status().Deliberating); n != 1 || server.Count() != 2 || len(phone.Messages()) != 0 {
		t.Errorf("%d under way after %d requests; told: %s", n, server.Count(), texts(phone))
	}
	w.restart() // which ends the request that hangs
	w.once(phone, 1)
}

// Who pauses the mind has no ticks; what was being thought over is ended and
// told, and counted at the first tick after that.
func TestPausedWhileItDeliberates(t *testing.T) {
	ctx := context.Background()
	w, phone, server := fullSlowly(t, 2)
	if _, err := w.d.Pause(ctx, api.PauseRequest{}); err != nil {
		t.Fatal(err)
	}
	server.SetTroubles()
	w.restart()
	w.rests()
	if _, err := w.d.TickAs(ctx, subconscious.Scheduled); err == nil {
		t.Error("it ticks, though it is paused")
	}
	w.pushed(phone, "while it is paused", "/srv")
	if pending, err := w.d.Mind().Pending(ctx); err != nil || len(pending) != 1 || pending[0].Kind != subconscious.CommandOutcome {
		t.Errorf("what waits for a tick is %s, %v", asJSON(t, pending), err)
	}
	if _, err := w.d.Pause(ctx, api.PauseRequest{Resume: true}); err != nil {
		t.Fatal(err)
	}
	w.once(phone, 1)
	history := w.document().EscalationHistory
	if last := history[len(history)-1]; last.Outcome != "told" || last.Deliberation == "" {
		t.Errorf("the history ends with %+v", last)
	}
}

// One tick by itself waits for what it leads to, and for what an earlier process
// left.
func TestOnceWaitsForTheDeliberation(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]bool{"of its own tick": false, "of an earlier process": true} {
		t.Run(name, func(t *testing.T) {
			var w *world
			var phone *notifytest.Recorder
			if leave {
				w, phone, _ = fullSlowly(t, 2)
				w.stop()
			} else {
				w = newWorld(t)
				phone = phoned(w)
				w.deliberating(plays([]models.ToolCall{calls("health", `{}`)}, []models.ToolCall{calls("notify_person", `{"text":"Move the films away.","reason":"it is full"}`)}))
				w.begin()
				w.tick()
				w.stop()
				w.disk.set(97)
			}
			w.clock.advance(10 * time.Second)
			var out bytes.Buffer
			if err := daemon.RunOnce(context.Background(), w.options, &out); err != nil {
				t.Fatal(err)
			}
			states := map[string]int{}
			w.query("SELECT state FROM escalations", func(scan func(...any) error) error {
				var state string
				err := scan(&state)
				states[state]++
				return err
			})
			if len(states) != 1 || states["ended"] != 1 {
				t.Errorf("the deliberations are %v", states)
			}
			w.begin()
			w.tick()
			w.pushed(phone, "once", "/srv")
			if !strings.Contains(texts(phone), "Move the films away") {
				t.Errorf("told: %s", texts(phone))
			}
		})
	}
}

// What the person answers while it is thought over is not told and leads to
// nothing, whatever the model asks for, and whether a tick has seen the answer.
func TestAnsweredWhileItDeliberates(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]models.ToolCall{
		"dismissed": callDismiss, "told": calls("notify_person", `{"text":"Move the films away.","reason":"it is full"}`),
		"acted": calls("propose_action", `{"action":"mark","arguments":{},"reason":"so"}`),
	} {
		for _, ticks := range []int{0, 1} {
			t.Run(fmt.Sprint(name, ", seen by ticks: ", ticks), func(t *testing.T) { answeredMeanwhile(t, request, ticks) })
		}
	}
}

func answeredMeanwhile(t *testing.T, request models.ToolCall, ticks int) {
	w := newWorld(t)
	phone := phoned(w)
	mark := filepath.Join(t.TempDir(), "mark")
	w.options.Config.Actions = []actions.Action{{Name: "mark", Description: "Marks it.", Command: []string{"touch", mark}, Approval: escalate.ApproveTainted}}
	server := w.deliberating(plays([]models.ToolCall{request}))
	w.hangs(server, 1)
	open := w.status().Deliberating
	if len(open) != 1 {
		t.Fatalf("under way: %s", asJSON(t, open))
	}
	w.command(subconscious.Command{Kind: subconscious.CommandAck, IncidentID: open[0].Incident, Feedback: subconscious.Useful})
	for range ticks {
		w.clock.advance(5 * time.Second)
		w.tickAs(subconscious.Scheduled)
	}
	w.restart()
	w.concluded()
	w.ticks(3)
	w.pushed(phone, "at all")
	if _, err := os.Stat(mark); err == nil || server.Count() != 1 {
		t.Errorf("the action ran: %v; %d requests", err == nil, server.Count())
	}
	all := w.deliberationsOn("")
	if i := slices.IndexFunc(all, func(d api.Deliberation) bool { return d.Outcome == subconscious.OutcomeDismissed }); len(all) != 1 || i < 0 {
		t.Errorf("the deliberations are %s", asJSON(t, all))
	}
	inbox, err := w.d.Inbox(context.Background(), api.InboxQuery{All: true, Limit: 10})
	if err != nil || len(inbox.Incidents) != 1 || inbox.Incidents[0].Feedback != subconscious.Useful {
		t.Errorf("the inbox holds %s, %v", asJSON(t, inbox), err)
	}
}

// What was interrupted and goes on in quiet hours waits until they are over: it
// costs nobody's sleep, and no money. Then rules tell it.
func TestQuietHoursWhileItDeliberates(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	w.options.Config.Escalation.Critical = nil
	server := w.deliberating(plays([]models.ToolCall{calls("notify_person", `{"text":"Move the films away.","reason":"it is full"}`)}))
	w.hangs(server, 1)
	w.stop()
	w.options.Config.QuietHours = escalate.Hours{From: "12:15", To: "13:00"}
	w.clock.advance(10 * time.Minute)
	w.begin()
	w.concluded()
	w.pushed(phone, "in quiet hours")
	if n := server.Count(); n != 1 {
		t.Errorf("%d requests in quiet hours", n)
	}
	if last := w.onlyDeliberation(); last.Outcome != subconscious.OutcomeSnoozed || last.Until.Format("15:04") != "13:00" {
		t.Errorf("the deliberation is %s", asJSON(t, last))
	}
	w.ticks(8) // until one o'clock
	w.concluded()
	w.pushed(phone, "when they are over", "/srv")
}
