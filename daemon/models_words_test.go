package daemon_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// TestOneNoticeForOneCause: threads whose model fails share a notice, which
// names them all and says why once.
func TestOneNoticeForOneCause(t *testing.T) {
	server := lab(t, modeltest.Options{})
	w := newWorld(t).thinking(modeltest.OpenAI, server).begin()
	server.SetTroubles(modeltest.Always(modeltest.BadRequest))
	w.news(1)
	if n := len(asked(w.tick())); n < 2 {
		t.Fatalf("%d threads were asked", n)
	}
	notices := w.modelNotices()
	if len(notices) != 1 {
		t.Fatalf("there are the notices %+v", notices)
	}
	text := notices[0].Text
	if !strings.Contains(text, " and the ") || strings.Count(text, " think by rules: ") != 1 || strings.Count(text, usualModel) != 1 {
		t.Errorf("the notice is %q", text)
	}

	server.SetTroubles()
	w.clock.advance(time.Hour) // longer than any rest
	for i := range 2 {
		w.news(2 + i)
		w.tick()
	}
	if notices := w.modelNotices(); len(notices) > 0 {
		t.Errorf("after the fault there are the notices %+v", notices)
	}
}

// TestTestingCountsTheMindsDay: a test of the models is charged to the day of
// the mind's zone, not of another's.
func TestTestingCountsTheMindsDay(t *testing.T) {
	w := newWorld(t).thinking(modeltest.OpenAI, lab(t, modeltest.Options{}))
	w.options.Config.Timezone = "Europe/Berlin"
	w.begin()
	if tests, err := w.d.TestModels(context.Background(), "watcher"); err != nil || len(tests) != 1 || !tests[0].OK {
		t.Fatalf("the test came to %+v, %v", tests, err)
	}
	zone := testutil.Zone(t, "Europe/Berlin")
	midnight := time.Date(2026, 11, 24, 0, 0, 0, 0, zone)
	for _, l := range w.status().Budget.Limits {
		if strings.HasSuffix(l.Name, "per_day") && !l.Until.Equal(midnight) {
			t.Errorf("%s holds until %s", l.Name, l.Until)
		}
	}
}

// TestWhySaysWhatWasAsked: of an entry that a model made it is told which, what
// it was shown and what that cost; and a call that was refused is none.
func TestWhySaysWhatWasAsked(t *testing.T) {
	w := newWorld(t).thinking(modeltest.OpenAI, lab(t, modeltest.Options{Script: modeltest.Thinker()})).begin()
	w.news(1)
	report := w.tick()
	for _, c := range report.Changes {
		why, err := w.d.Why(context.Background(), c.Entry)
		if err != nil || len(why.Steps) == 0 {
			t.Fatalf("why %s: %+v, %v", c.Entry, why, err)
		}
		a := why.Steps[0].Asked
		if a == nil || a.Model != usualModel || a.Shown == 0 || a.Calls == 0 || a.Tokens == 0 || a.Cost <= 0 {
			t.Errorf("of %s it is told %+v", c.Entry, a)
		}
	}
	if len(report.Changes) == 0 {
		t.Error("the model made no entry")
	}
}

// TestRefusedCallsAreNotReported: what the budget did not let through was never
// asked, and the report does not count it.
func TestRefusedCallsAreNotReported(t *testing.T) {
	w := newWorld(t).thinking(modeltest.OpenAI, lab(t, modeltest.Options{}))
	w.options.Config.Budget.MoneyPerDay = 0
	w.begin()
	w.news(1)
	w.tick()
	report, err := w.d.Report(context.Background(), start.Add(-time.Hour))
	if err != nil || len(report.Models) != 0 || report.Budget.CallsToday != 0 {
		t.Errorf("reported are %+v and %d calls, %v", report.Models, report.Budget.CallsToday, err)
	}
}
