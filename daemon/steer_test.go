package daemon_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// command puts a request of the person into the inputs.
func (w *world) command(c subconscious.Command) {
	w.t.Helper()
	c.At, c.By = w.clock.Now(), "person"
	if _, err := w.d.Command(context.Background(), c); err != nil {
		w.t.Fatal(err)
	}
}

func codeOf(err error) api.Code {
	var refusal *api.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

func TestNoteStandsToItsDate(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: "call the plumber by Tuesday"})
	if got := w.status().Pending; len(got) != 1 {
		t.Fatalf("pending: %v", got)
	}
	w.strengths("plumber", 3, 3, 3)
	if got := w.status().Pending; len(got) != 0 {
		t.Fatalf("still pending: %v", got)
	}
	if e := w.now("plumber", 3); !e.Due.Equal(time.Date(2026, 11, 24, 17, 0, 0, 0, time.UTC)) {
		t.Fatalf("its due time is %v", e.Due)
	}
	w.restart()
	w.strengths("plumber", 3)
}

func TestNoteWithoutADateStandsAWeek(t *testing.T) {
	w := newWorld(t).begin()
	w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: "the boiler makes a noise"})
	w.strengths("boiler", 3, 3)
	w.clock.advance(6 * 24 * time.Hour)
	w.strengths("boiler", 3)
	w.clock.advance(25 * time.Hour)
	w.strengths("boiler", 1, 0)
}

// TestLongestNote takes the longest note that the API lets through.
func TestLongestNote(t *testing.T) {
	w := newWorld(t).begin()
	w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: strings.Repeat("boiler ", api.MaxNote)[:api.MaxNote]})
	c := subconscious.Command{Kind: subconscious.CommandNote, Text: strings.Repeat("x", api.MaxNote+1), At: w.clock.Now(), By: "person"}
	if _, err := w.d.Command(t.Context(), c); codeOf(err) != api.CodeBadRequest {
		t.Errorf("a longer one: %v", err)
	}
}

func TestCloseHoldsUntilItIsWorse(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	w.disk.set(90)
	w.strengths("/srv", 3, 3)
	w.command(subconscious.Command{Kind: subconscious.CommandClose, Entry: w.now("/srv", 3).ID})
	w.strengths("/srv", 0, 0)
	state := asJSON(t, w.d.State())
	w.restart()
	if got := asJSON(t, w.d.State()); got != state {
		t.Fatalf("the state after the restart is another:\n%s\n%s", got, state)
	}
	w.strengths("/srv", 0)
	w.disk.set(97)
	w.strengths("/srv", 3, 3)
}

func TestConfirmPromotesWhatIsInNoActiveThread(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	w.disk.set(90)
	w.strengths("/srv", 3)
	id := w.now("/srv", 3).ID
	w.command(subconscious.Command{Kind: subconscious.CommandConfirm, Entry: id})
	w.tick()
	if e := w.now("/srv", 3); e.ID != id {
		t.Fatalf("it became %s", e.ID)
	}
	if got := w.document().Insights; len(got) != 0 {
		t.Fatalf("it stands in the active threads and was promoted: %v", got)
	}
	why, err := w.d.Why(context.Background(), id)
	if err != nil || !why.Incident.Confirmed {
		t.Fatalf("%+v, %v", why.Incident, err)
	}
}

func TestFocusIsShown(t *testing.T) {
	w := newWorld(t).begin()
	w.command(subconscious.Command{Kind: subconscious.CommandFocus, Thread: subconscious.Oracle, Text: "the journey to the coast"})
	w.tick()
	if got := w.document().ThreadState[subconscious.Oracle].FocusHint; got != "the journey to the coast" {
		t.Fatalf("the hint is %q", got)
	}
}

// TestFocusWidensTheFieldOfRules: rules cannot read a hint, so that what they were
// never shown and what it speaks of goes into their field, once.
func TestFocusWidensTheFieldOfRules(t *testing.T) {
	w := newWorld(t).begin()
	testutil.Write(t, filepath.Join(w.notes, "house.md"), "- [ ] have the boiler looked at\n- [ ] paint the fence\n")
	w.strengths("boiler", 0, 0)
	w.command(subconscious.Command{Kind: subconscious.CommandFocus, Thread: subconscious.Librarian, Text: "the boiler"})
	w.tick() // carries it out
	w.strengths("boiler", 3, 3)
	w.strengths("fence", 0)
}

func TestCommandsAboutNothingAreRefused(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	for _, c := range []subconscious.Command{
		{Kind: subconscious.CommandClose, Entry: "w-nothing-1"},
		{Kind: subconscious.CommandConfirm, Entry: "w-nothing-1"},
		{Kind: subconscious.CommandFocus, Thread: "nobody", Text: "x"},
	} {
		c.At, c.By = w.clock.Now(), "person"
		if _, err := w.d.Command(context.Background(), c); codeOf(err) != api.CodeNotFound {
			t.Errorf("%s: %v", c.Kind, err)
		}
	}
	if _, err := w.d.Think(context.Background(), api.TickRequest{Thread: "nobody"}); codeOf(err) != api.CodeNotFound {
		t.Errorf("tick: %v", err)
	}
	if _, err := w.d.Why(context.Background(), "w-nothing-1"); codeOf(err) != api.CodeNotFound {
		t.Errorf("why: %v", err)
	}
	if _, err := w.d.Tick(context.Background(), 99); codeOf(err) != api.CodeNotFound {
		t.Errorf("record: %v", err)
	}
}

func TestPauseHoldsAcrossARestart(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	pause := func(request api.PauseRequest) {
		if _, err := w.d.Pause(context.Background(), request); err != nil {
			t.Fatal(err)
		}
	}
	refused := func() {
		t.Helper()
		for _, kind := range []subconscious.TickKind{subconscious.Scheduled, subconscious.Manual} {
			if _, err := w.d.TickAs(context.Background(), kind); codeOf(err) != api.CodePaused {
				t.Fatalf("a %s tick of a paused mind: %v", kind, err)
			}
		}
	}
	pause(api.PauseRequest{})
	refused()
	w.restart()
	refused()
	if !w.status().Mind.Paused {
		t.Fatal("the status does not say so")
	}
	testutil.Write(t, filepath.Join(w.files, "meanwhile.service"), "x")
	pause(api.PauseRequest{Resume: true})
	w.strengths("meanwhile.service", 3, 2)

	pause(api.PauseRequest{For: time.Hour})
	refused()
	w.clock.advance(61 * time.Minute)
	w.tick()
}

func TestDryRunCommitsAndLosesNothing(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	before, count := w.document(), w.d.State().TickCount
	testutil.Write(t, filepath.Join(w.files, "new.service"), "x")
	testutil.Write(t, filepath.Join(w.notes, "today.md"), "I will send the report by Friday.\n")
	w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: "call the plumber by Tuesday"})
	w.disk.set(90)
	w.calendar(event{"review@example.org", "Review", w.clock.Now().Add(time.Hour), time.Hour})
	var first string
	for range 3 {
		w.await()
		report, err := w.d.Think(context.Background(), api.TickRequest{DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, c := range report.Changes {
			said = append(said, string(c.What)+" "+c.Summary)
		}
		slices.Sort(said)
		if first == "" {
			first = strings.Join(said, "\n")
		}
		if got := strings.Join(said, "\n"); len(said) != 5 || got != first || !report.DryRun {
			t.Fatalf("a dry run found %s, the first one %s", got, first)
		}
	}
	if after := w.document(); asJSON(t, after) != asJSON(t, before) || w.d.State().TickCount != count {
		t.Fatalf("a dry run changed the document:\n%s\n%s", asJSON(t, before), asJSON(t, after))
	}
	if len(w.status().Pending) != 1 {
		t.Fatal("a dry run took the note")
	}
	w.tick()
	for _, text := range []string{"new.service", "send the report", "plumber", "/srv", "Review"} {
		w.now(text, 3)
	}
}

func TestOneThreadIsAskedAlone(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.files, "new.service"), "x")
	w.calendar(event{"review@example.org", "Review", w.clock.Now().Add(time.Hour), time.Hour})
	w.await()
	report, err := w.d.Think(context.Background(), api.TickRequest{Thread: "oracle"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Threads {
		if asked := r.Mode != "skipped"; asked != (r.Name == "oracle") {
			t.Fatalf("%s was asked: %v", r.Name, asked)
		}
	}
	w.now("Review", 3)
	w.now("new.service", 0)
	w.strengths("new.service", 3) // nothing was lost to those who were not asked
}

func TestWhyNamesObservationThreadAndRule(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.notes, "today.md"), "I will send the report by Friday.\n")
	w.tick()
	e := w.now("send the report", 3)
	why, err := w.d.Why(context.Background(), e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(why.Observations) == 0 || why.Observations[0].Observation.Sense != "notes" || !why.Observations[0].Standing {
		t.Fatalf("it rests on %+v", why.Observations)
	}
	if len(why.Steps) == 0 || why.Steps[0].Thread != "oracle" || why.Steps[0].Rule != "oracle.deadline" || why.Place != "listed" {
		t.Fatalf("it came by %+v, place %s", why.Steps, why.Place)
	}
}

// TestStatusShowsWhatWaitsForRoom fills the list of what is followed.
func TestStatusShowsWhatWaitsForRoom(t *testing.T) {
	w := newWorld(t).begin()
	w.tick()
	for _, what := range []string{"plumber", "dentist", "bakery", "library", "garage", "florist", "notary"} {
		w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: "call the " + what})
	}
	w.tick()
	status := w.status()
	listed, parked := len(status.Subconscious.ActiveThreads), len(status.Parked)
	if listed != 5 || parked != 2 {
		t.Fatalf("%d listed, %d parked", listed, parked)
	}
	for _, e := range status.Parked {
		why, err := w.d.Why(t.Context(), e.ID)
		if err != nil || why.Place != "parked" || why.Entry.Summary != e.Summary {
			t.Errorf("%s: %s, %q, %v", e.ID, why.Place, why.Entry.Summary, err)
		}
	}
}
