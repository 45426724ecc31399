package deliberate_test

import (
	"testing"
	"testing/synctest"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// paid plays a scene with a real budget behind the model, whose tokens cost so
// many dollars a million, and returns what the day counts.
func paid(t *testing.T, config budget.Config, price float64, big int) (r deliberate.Record, o budget.Overview) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), store.Options{Path: store.Memory}, append(migrations(), budget.Migrations()...)...)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		spend, err := budget.Open(t.Context(), db, config)
		if err != nil {
			t.Fatal(err)
		}
		purse := budget.NewPurse(spend)
		w := sceneOf(t, `{"Readings":{"read_file":{"Text":"x","Words":[{"trust":"machine","source":"file"}]}},"Answers":[
			{"calls":[{"name":"read_file","arguments":{}}]},{"calls":[{"name":"notify_person","arguments":{"text":"Look.","reason":"now"}}]}]}`).ready()
		w.Readings["read_file"] = reading{Text: "x", Big: big, Words: w.Readings["read_file"].Words}
		options := w.options(db)
		options.Purse = purse
		generator := models.NewBudget(w, models.StackOptions{By: models.Identity{Provider: "test", Model: "frontier"}, Meter: purse,
			Rate: models.Rate{Price: models.Price{Input: price, Output: price}}, Now: options.Now})
		options.Asker = func() deliberate.Asker {
			a := w.asker()
			a.Generator = generator
			return a
		}
		worker := w.adds(t, options, noon)
		begins(t, worker)
		var happened []string
		r, happened = concluded(t, db, worker)
		checkOne(t, r, happened)
		if o, err = spend.Spent(t.Context(), noon); err != nil {
			t.Fatal(err)
		}
	})
	return r, o
}

// TestMoney pays two answers of 1,100 tokens, and counts them once.
func TestMoney(t *testing.T) {
	r, o := paid(t, budget.DefaultConfig(), 10, 0)
	want := budget.Sum{Money: 2 * budget.Dollars(0.011), Tokens: 2200, Calls: 2}
	if o.Today != want || o.Running != (budget.Sum{}) || r.Fallback != "" || r.Outcome == nil || r.Outcome.Cost != int64(want.Money) {
		t.Errorf("counted %+v, running %+v, outcome %+v, by rule %q", o.Today, o.Running, r.Outcome, r.Fallback)
	}
}

// TestNoMoney tells by rule where the day, or the cap of an escalation, has no
// room for a first answer, and counts nothing.
func TestNoMoney(t *testing.T) {
	none := budget.DefaultConfig()
	none.MoneyPerDay = 0.001
	for name, c := range map[string]struct {
		config budget.Config
		price  float64
	}{"the day": {none, 10}, "the cap": {budget.DefaultConfig(), 1000}} {
		r, o := paid(t, c.config, c.price, 0)
		if o.Today != (budget.Sum{}) || r.Outcome.Kind != subconscious.OutcomeTold || r.Fallback == "" {
			t.Errorf("%s: counted %+v, outcome %+v, by rule %q", name, o.Today, r.Outcome, r.Fallback)
		}
		if want := "It is a warning. Free some room on it. (told by rule: there is no money left for the model)"; r.Told.Text != want {
			t.Errorf("%s: %q", name, r.Told.Text)
		}
	}
}

// TestLittleMoney shows a model less of what it read where the purse has not
// enough for all of it.
func TestLittleMoney(t *testing.T) {
	r, o := paid(t, budget.DefaultConfig(), 45, 20_000)
	want := budget.Sum{Money: 2 * budget.Dollars(0.0495), Tokens: 2200, Calls: 2}
	if o.Today != want || r.Fallback != "" || len(r.Steps) != 6 {
		t.Errorf("counted %+v, by rule %q", o.Today, r.Fallback)
	}
}
