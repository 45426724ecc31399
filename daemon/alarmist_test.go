package daemon_test

import (
	"context"
	"slices"
	"testing"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// alarmist asks that everything that is new to it be told.
type alarmist struct{ name subconscious.ThreadName }

func (a alarmist) Name() subconscious.ThreadName { return a.name }
func (a alarmist) Mode() string                  { return threads.Reflex }

func (a alarmist) Think(_ context.Context, s subconscious.Snapshot) (threads.Answer, error) {
	thought := subconscious.Thought{Thread: a.name}
	for _, o := range s.Fields[a.name].New {
		thought.Findings = append(thought.Findings, subconscious.Finding{
			Kind: subconscious.KindObservation, Summary: "The " + string(a.name) + " sees " + o.Title, Importance: 7,
			Evidence: []string{string(o.Ref())}, Escalate: true, EscalateReason: "it is new",
		})
	}
	return threads.Answer{Thought: thought}, nil
}

// What two threads ask to tell at one tick is told once.
func TestTwoThreadsAskTheSame(t *testing.T) {
	w := newWorld(t)
	w.options.Threads = []threads.Thread{alarmist{subconscious.Watcher}, alarmist{subconscious.Dreamer}}
	w.begin()
	w.disk.set(90)
	var verdicts []string
	for _, d := range w.tick().Decisions {
		verdicts = append(verdicts, string(d.Incident)+" "+string(d.Verdict)+" "+string(d.Reason))
	}
	if want := []string{"health:disk:/srv tell escalate", "health:disk:/srv drop duplicate"}; !slices.Equal(verdicts, want) {
		t.Fatalf("the verdicts are %q, want %q", verdicts, want)
	}
	if again := w.tick().Decisions; len(again) > 0 {
		t.Errorf("nothing changed, and it is asked for: %+v", again)
	}
	w.disk.set(97)
	if worse := w.tick().Decisions; len(worse) == 0 || worse[0].Verdict != "tell" || worse[0].Again != "worse" {
		t.Errorf("it worsened, and the verdicts are %+v", worse)
	}
}
