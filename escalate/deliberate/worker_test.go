package deliberate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// sceneOf reads a scene as the files of testdata have it.
func sceneOf(t testing.TB, text string) *world {
	t.Helper()
	w := &world{}
	if err := json.Unmarshal([]byte(text), &w.scene); err != nil {
		t.Fatal(err)
	}
	return w
}

// ready sets the clock of a world.
func (w *world) ready() *world {
	w.at, w.ran = noon, map[string]deliberate.Ran{}
	return w
}

// rememberThenTell remembers at once, and tells a minute after.
const rememberThenTell = `{"Answers":[{"calls":[{"name":"remember","arguments":{"text":"so","kind":"fact"}}]},
	{"takes":60,"calls":[{"name":"notify_person","arguments":{"text":"Look.","reason":"now"}}]}]}`

// stopped begins with a scene, and stops within it.
func stopped(t *testing.T, db *store.DB, scene string) (*world, *deliberate.Worker) {
	t.Helper()
	w := sceneOf(t, scene)
	worker := w.begin(t, db)
	time.Sleep(30 * time.Second)
	if err := worker.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w, worker
}

// TestStopGoesOn stops the worker while a model is asked, and wants the next one
// to go on from there, without asking again what was answered.
func TestStopGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, store.Memory)
		defer db.Close()
		w, worker := stopped(t, db, rememberThenTell)
		if open, err := worker.Open(t.Context()); len(open) != 1 || err != nil {
			t.Fatalf("%d wait: %v", len(open), err)
		}
		again := started(t, w.options(db))
		ends(t, again)
		if err := errors.Join(again.Stop(t.Context()), again.Stop(t.Context())); err != nil {
			t.Fatal(err)
		}
		r, happened := outcome(t, db, again)
		checkOne(t, r, happened)
		if r.Resumed != 1 || r.Outcome.Kind != subconscious.OutcomeTold || r.Fallback != "" || len(w.asked) != 3 {
			t.Errorf("resumed %d times, %s, asked %d times, by rule: %s", r.Resumed, r.Outcome.Kind, len(w.asked), r.Fallback)
		}
		if last := w.asked[2].Messages; len(last) != 3 || last[2].Text != "kept as m-1" {
			t.Errorf("it was shown %+v", last)
		}
	})
}

// TestApprovalAtResume: an action that was let through and has not begun when the
// worker stops begins no more where it needs the person's word since.
func TestApprovalAtResume(t *testing.T) {
	for approval, want := range map[escalate.Approval]subconscious.OutcomeKind{
		escalate.ApproveNever: subconscious.OutcomeActed, escalate.ApproveAlways: subconscious.OutcomeProposed,
	} {
		synctest.Test(t, func(t *testing.T) {
			db := opened(t, store.Memory)
			defer db.Close()
			w := sceneOf(t, `{"Actions":[{"Name":"clean","Approval":"never"}],"Words":[{"trust":"owner","source":"evidence"}],
				"Answers":[{"calls":[{"name":"propose_action","arguments":{"action":"clean","reason":"so"}}]},
				{"calls":[{"name":"propose_action","arguments":{"action":"clean","reason":"so"}}]}]}`)
			w.held = true
			worker := w.begin(t, db)
			time.Sleep(time.Second)
			if err := worker.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.held, w.Actions[0].Approval = false, approval
			again := started(t, w.options(db))
			r, happened := concluded(t, db, again)
			checkOne(t, r, happened)
			if r.Outcome.Kind != want || len(w.ran) != map[bool]int{true: 1}[want == subconscious.OutcomeActed] {
				t.Errorf("with approval %s it is %s, and %d ran; asked %d times", approval, r.Outcome.Kind, len(w.ran), len(w.asked))
			}
		})
	}
}

// TestDeadlineGoesOn stops the worker and starts it again when the deadline is
// over.
func TestDeadlineGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, store.Memory)
		defer db.Close()
		w, _ := stopped(t, db, `{"Answers":[{"takes":100}]}`)
		options := w.options(db)
		options.Now = func() time.Time { return noon.Add(time.Hour) }
		r, happened := concluded(t, db, started(t, options))
		checkOne(t, r, happened)
		if r.Told.Kind != deliberate.TellTemplate || len(w.asked) != 1 {
			t.Errorf("told as %s, asked %d times", r.Told.Kind, len(w.asked))
		}
	})
}

// TestOrder takes what is critical first, then the oldest.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, store.Memory)
		defer db.Close()
		w := sceneOf(t, `{"NoModel":true}`).ready()
		var order []string
		options := w.options(db)
		options.Ended = func(id string) { order = append(order, id) }
		worker, err := deliberate.New(options)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			for name, minutes := range map[string]int{"new": 0, "older": 1, "oldest": 2, "critical": 0} {
				e := w.theEscalation(noon.Add(-time.Duration(minutes) * time.Minute))
				e.Incident, e.Person, e.Critical = subconscious.IncidentKey(name), subconscious.IncidentID(name), name == "critical"
				if err := worker.Add(t.Context(), tx, e); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"new", "older", "oldest", "critical"} {
			all, err := worker.Of(t.Context(), subconscious.IncidentID(name))
			if err != nil || len(all) != 1 {
				t.Fatal(err)
			}
			want[all[0].ID] = name
		}
		if err := worker.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		ends(t, worker)
		for id := range want {
			if r, err := worker.Record(t.Context(), id); err != nil || r.Outcome.Kind != subconscious.OutcomeTold || !strings.Contains(r.Fallback, "no model") {
				t.Errorf("%+v: %v", r, err)
			}
		}
		if open, err := worker.Open(t.Context()); err != nil || len(open) != 0 {
			t.Errorf("still open: %+v, %v", open, err)
		}
		if err := worker.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, id := range order {
			names = append(names, want[id])
		}
		if got := strings.Join(names, " "); got != "critical oldest older new" {
			t.Error(got)
		}
	})
}

// TestSweep keeps what was said 30 days, and the escalation a year.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, store.Memory)
		defer db.Close()
		w := sceneOf(t, `{"Answers":[{"calls":[{"name":"dismiss","arguments":{"reason":"x"}}]}]}`)
		worker := w.begin(t, db)
		ends(t, worker)
		if err := worker.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			days, escalations, steps int
			system                   string
		}{{29, 1, 4, "Deliberate."}, {31, 1, 0, ""}, {364, 1, 0, ""}, {366, 0, 0, ""}} {
			if err := worker.Sweep(t.Context(), noon.AddDate(0, 0, step.days)); err != nil {
				t.Fatal(err)
			}
			all, err := worker.Of(t.Context(), "i-disk-ab")
			if err != nil || len(all) != step.escalations {
				t.Fatalf("after %d days: %d escalations, %v", step.days, len(all), err)
			}
			if step.escalations > 0 && (len(all[0].Steps) != step.steps || all[0].System != step.system || all[0].Outcome == nil) {
				t.Errorf("after %d days: %d steps, told %q", step.days, len(all[0].Steps), all[0].System)
			}
		}
		if _, err := worker.Record(t.Context(), "d-none"); !errors.Is(err, deliberate.ErrUnknown) {
			t.Error(err)
		}
	})
}

// TestPurse opens the purse with what is left of an escalation, once for each
// escalation, and closes it.
func TestPurse(t *testing.T) {
	w := sceneOf(t, `{"Answers":[{"money":5,"calls":[{"name":"notify_person","arguments":{"text":"Look.","reason":"now"}}]}]}`)
	r, _ := play(t, w)
	if len(w.opened) != 1 || w.opened[0] != 500_000_000 || w.closed != 1 || r.Cost != 5 || r.Outcome.Cost != 5 {
		t.Errorf("opened with %v, closed %d times, cost %d", w.opened, w.closed, r.Cost)
	}
}

// TestRecordIsBounded has a model that writes and reads more than is kept: it
// ends all the same, and what was left out is marked.
func TestRecordIsBounded(t *testing.T) {
	w := sceneOf(t, `{"Readings":{"read_file":{"Text":"x","Big":20000,"Words":[{"trust":"machine","source":"file"}]}}}`)
	long := strings.Repeat("words and more ", 5000)
	for range 7 {
		a := scripted{Text: long}
		if err := json.Unmarshal([]byte(`[{"name":"read_file","arguments":{},"times":2}]`), &a.Calls); err != nil {
			t.Fatal(err)
		}
		w.Answers = append(w.Answers, a)
	}
	r, happened := play(t, w)
	checkOne(t, r, happened)
	size, cut := 0, 0
	for _, s := range r.Steps {
		size += len(s.Text)
		if s.Cut {
			cut++
		}
	}
	if size > 256<<10 || cut == 0 {
		t.Errorf("%d bytes are kept, %d steps are cut", size, cut)
	}
}

func TestAddRefuses(t *testing.T) {
	db := opened(t, store.Memory)
	defer db.Close()
	w := (&world{}).ready()
	worker, err := deliberate.New(w.options(db))
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*deliberate.Escalation){
		"no tick":     func(e *deliberate.Escalation) { e.Tick = 0 },
		"no incident": func(e *deliberate.Escalation) { e.Incident = "" },
		"no time":     func(e *deliberate.Escalation) { e.At = time.Time{} },
		"no words":    func(e *deliberate.Escalation) { e.Template = escalate.Message{} },
		"too large":   func(e *deliberate.Escalation) { e.Reason = strings.Repeat("x", 70<<10) },
	} {
		e := w.theEscalation(noon)
		spoil(&e)
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return worker.Add(t.Context(), tx, e) }); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	if err := worker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if worker.Start(t.Context()) == nil {
		t.Error("it was started twice")
	}
	if err := worker.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := deliberate.New(deliberate.Options{}); err == nil {
		t.Error("a worker needs a database")
	}
}
