package daemon_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

func (w *world) missed(text string) api.Trace {
	return w.traced(api.MissedRequest{Text: text, Teach: true})
}

func (w *world) traced(request api.MissedRequest) api.Trace {
	w.t.Helper()
	trace, err := w.d.Missed(w.t.Context(), request)
	if err != nil {
		w.t.Fatal(err)
	}
	if trace.Verdict == "" || trace.Proposal == "" || trace.Steps == nil {
		w.t.Fatalf("the trace of %q says nothing: %+v", request.Text, trace)
	}
	return trace
}

func stages(trace api.Trace) string {
	var all []string
	for _, s := range trace.Steps {
		mark := "-"
		if s.OK {
			mark = "+"
		}
		all = append(all, mark+s.Stage)
	}
	return strings.Join(all, " ")
}

// What was missed is followed to where it was let pass.
func TestMissedIsTraced(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	w.options.Config.Escalation.PushFrom = 0.6 // a disk at its warning level is worth a message
	w.options.Config.QuietHours.From, w.options.Config.QuietHours.To = "10:00", "20:00"
	w.begin()
	w.tick()
	if trace := w.missed("the ferry to Naxos was cancelled"); len(trace.Candidates) != 0 || !strings.Contains(trace.Verdict, "No sense") {
		t.Errorf("of what nobody saw: %+v", trace)
	}

	testutil.Write(t, filepath.Join(w.notes, "todo.md"), "- [ ] order the lanterns for the pavilion by 2026-12-20\n")
	w.ticks(2)
	trace := w.missed("you should have told me about the lanterns")
	if !strings.HasPrefix(stages(trace), "+sense +thread") || !strings.HasSuffix(stages(trace), "+finding +mechanics -gate") ||
		!strings.Contains(trace.Verdict, "did not ask that") {
		t.Errorf("of what nobody asked to tell: %s: %s", stages(trace), trace.Verdict)
	}

	w.disk.set(88)
	w.tick()
	w.pushed(phone, "in quiet hours")
	w.traced(api.MissedRequest{Text: "the disk /srv was full"}) // which counts nothing
	trace = w.missed("the disk /srv was full")
	if trace.Incident == "" || !trace.Missed || !trace.Counted || !strings.Contains(trace.Verdict, "It waits to be told: quiet hours until") || !strings.Contains(trace.Proposal, "quiet_hours") {
		t.Errorf("of what quiet hours held: %s: %s", stages(trace), trace.Verdict)
	}
	w.tick() // which takes it to heart
	inbox := w.inbox()
	if len(inbox) != 1 || inbox[0].Feedback != subconscious.Missed {
		t.Errorf("the inbox holds %+v", inbox)
	}
	report, err := w.d.Report(t.Context(), start)
	if err != nil || report.Missed != 2 { // nobody saw the ferry
		t.Errorf("the report tells of %d missed, %v", report.Missed, err)
	}
	calibration, err := w.d.Calibration(t.Context())
	if err != nil || len(calibration.Scores) != 1 || calibration.Scores[0].Missed != 1 {
		t.Fatalf("the calibration is %+v, %v", calibration, err)
	}
	if calibration, err = w.d.ResetCalibration(t.Context(), api.CalibrationRequest{}); err != nil || len(calibration.Scores) != 0 {
		t.Errorf("after a reset the calibration is %+v, %v", calibration, err)
	}
}

// mute is a thread that finds nothing.
type mute struct{ threads.Thread }

func (m mute) Think(context.Context, subconscious.Snapshot) (threads.Answer, error) {
	return threads.Answer{Thought: subconscious.Thought{Thread: m.Name()}}, nil
}

// What threads looked at and said nothing of they can be sent after, by a command
// that works as it is printed, whatever is in the title.
func TestMissedPrintsAFocus(t *testing.T) {
	w := newWorld(t)
	w.options.Threads = []threads.Thread{mute{reflex.New(subconscious.Watcher)}, mute{reflex.New(subconscious.Dreamer)}}
	w.begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.files, "$(reboot) `x` \"invoice.pdf"), "words\n")
	w.tick()
	trace := w.traced(api.MissedRequest{Text: "the invoice.pdf"})
	if want := "`subconsciousctl focus watcher \"work reboot x invoice pdf was\"`;"; !strings.Contains(trace.Proposal, want) || !trace.Missed || trace.Counted ||
		!strings.HasPrefix(trace.Verdict, "The watcher and the dreamer looked at it") {
		t.Errorf("%+v", trace)
	}
}

// What was seen long ago is followed from then on, and not from now back.
func TestMissedLongAgo(t *testing.T) {
	t.Parallel()
	ticks := 620 // twice as many as are traced
	if testing.Short() {
		ticks = 310
	}
	w := newWorld(t).begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.notes, "todo.md"), "- [ ] order the lanterns for the pavilion by 2026-12-20\n")
	w.ticks(2)
	w.hurries(ticks)
	trace := w.missed("you should have told me about the lanterns")
	if !strings.HasSuffix(stages(trace), "+finding +mechanics -gate") || !strings.Contains(trace.Verdict, "did not ask that") {
		t.Errorf("long after: %s: %s", stages(trace), trace.Verdict)
	}
}

// Of what arrived nothing is learnt: that nobody looked is no fault of the gate.
func TestMissedThatArrived(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	w.fills(97)
	w.pushed(phone, "critical", "/srv")
	trace := w.missed("the disk /srv was full")
	if trace.Incident == "" || !strings.Contains(trace.Verdict, "a channel took it") {
		t.Errorf("of what was told: %s: %s", stages(trace), trace.Verdict)
	}
	w.tick()
	if inbox := w.inbox(); len(inbox) != 1 || inbox[0].Feedback != "" {
		t.Errorf("the inbox holds %+v", inbox)
	}
}
