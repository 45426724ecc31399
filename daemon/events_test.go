package daemon_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Whatever the API shows has its event when it changes, with the id by which it can
// be asked for, and none of them holds a word of anybody.
func TestEvents(t *testing.T) {
	w := newApproving(t, 1)
	ctx := t.Context()
	p := w.proposal("unit-0")
	if code := w.approve(p); code != "" {
		t.Fatal(code)
	}
	message, posted := client.Ask(ctx, w.client, api.PostMessage, api.PostRequest{Conversation: "work", Text: "the word plover"})
	memory, kept := client.Ask(ctx, w.client, api.PostMemory, api.MemoryAddition{Text: "the word plover"})
	_, forgot := client.Ask(ctx, w.client, api.PostForget, api.MemoryForget{ID: memory.ID})
	_, asked := client.Ask(ctx, w.client, api.PostCommand, api.CommandRequest{Kind: subconscious.CommandNote, Text: "the word plover"})
	_, paused := client.Ask(ctx, w.client, api.PostPause, api.PauseBody{})
	_, resumed := client.Ask(ctx, w.client, api.PostResume, api.Nothing{})
	if err := errors.Join(posted, kept, forgot, asked, paused, resumed); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.ics); err != nil {
		t.Fatal(err)
	}
	report := w.tick()
	seen := map[api.EventKind][]string{}
	if err := client.Follow(ctx, w.client, api.EventsQuery{Past: true, End: true}, func(e api.Event) error {
		seen[e.Kind] = append(seen[e.Kind], e.Of)
		if strings.Contains(asJSON(t, e), "plover") || e.At.IsZero() {
			t.Errorf("an event: %+v", e)
		}
		return nil
	}, nil); err != nil {
		t.Fatal(err)
	}
	runs, err := client.Ask(ctx, w.client, api.GetRuns, api.RunQuery{})
	if err != nil || len(runs.Runs) != 1 {
		t.Fatalf("%+v, %v", runs, err)
	}
	box := w.inbox()
	for kind, of := range map[api.EventKind]string{
		api.EventTick: asJSON(t, report.Tick), api.EventIncident: string(box[0].ID), api.EventProposal: p.ID,
		api.EventRun: runs.Runs[0].ID, api.EventDeliberation: p.Deliberation, api.EventDelivery: "phone", api.EventMessage: "work/" + asJSON(t, message.ID),
		api.EventMemory: memory.ID, api.EventCommand: "1", api.EventNotice: "sense_blind", api.EventSense: "calendar/home", api.EventPause: "",
	} {
		if !slices.Contains(seen[kind], of) {
			t.Errorf("%s: %q is not among %q", kind, of, seen[kind])
		}
	}
	for kind, least := range map[api.EventKind]int{api.EventProposal: 2, api.EventRun: 2, api.EventDeliberation: 2, api.EventDelivery: 2, api.EventMemory: 2, api.EventPause: 2, api.EventSense: 2} {
		if len(seen[kind]) < least {
			t.Errorf("%s: %q", kind, seen[kind])
		}
	}
}

// A stream ends with the daemon, with a word, and goes on with the next one.
func TestEventsOverARestart(t *testing.T) {
	w := newApproving(t, 0)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var ticks []string
	done := errors.New("seen")
	err := client.Follow(ctx, w.client, api.EventsQuery{Past: true}, func(e api.Event) error {
		if e.Kind != api.EventTick {
			return nil
		}
		switch ticks = append(ticks, e.Of); len(ticks) {
		case 2:
			w.stop()
			w.begin()
			w.tick()
		case 4:
			return done
		default:
			w.tick()
		}
		return nil
	}, nil)
	if !errors.Is(err, done) || !slices.Equal(ticks, []string{"1", "2", "3", "4"}) {
		t.Errorf("%v, %v", ticks, err)
	}
}
