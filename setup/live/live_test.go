package live

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// at opens a model at a server, which is paid for where it is not local.
func at(t *testing.T, server *modeltest.Server, local bool, limit float64) *models.Roster {
	t.Helper()
	config := models.DefaultConfig()
	config.Providers = []models.Provider{{ID: "mine", Kind: models.OpenAI, BaseURL: server.BaseURL(modeltest.OpenAI), Key: secret.Ref{Env: "MINE"}, Local: local, Schema: models.SchemaJSON}}
	config.Roles = []models.Role{{ID: "watcher", Provider: "mine", Model: modeltest.Model}}
	config.Prices = []models.Price{{Provider: "mine", Model: modeltest.Model, Input: 1, Output: 2}}
	limits := budget.DefaultConfig()
	limits.MoneyPerDay = limit
	opened, err := Open(Options{Models: config, Budget: limits, Env: func(name string) (string, bool) { return "a-key", name == "MINE" }})
	return testutil.Opened(t, opened, err)
}

func TestAskedWithinTheLimit(t *testing.T) {
	server := modeltest.NewServer(modeltest.Options{})
	t.Cleanup(server.Close)
	tests := Test(t.Context(), at(t, server, false, 1), "watcher")
	if len(tests) != 1 || !tests[0].OK || tests[0].Tokens == 0 || tests[0].Cost <= 0 || tests[0].Cost > 0.01 {
		t.Errorf("tests are %+v", tests)
	}
	roles := at(t, server, false, 1).Statuses()
	if len(roles) == 0 || roles[0].Role != "watcher" || roles[0].State != "unused" || roles[0].PriceOutput != 2 || !roles[0].PriceKnown {
		t.Errorf("roles are %+v", roles)
	}
	if names, err := at(t, server, false, 1).Models(t.Context(), "mine"); err != nil || len(names) == 0 {
		t.Errorf("names are %v, %v", names, err)
	}
}

func TestNotAskedBeyondTheLimit(t *testing.T) {
	server := modeltest.NewServer(modeltest.Options{})
	t.Cleanup(server.Close)
	tests := Test(t.Context(), at(t, server, false, 0), "watcher")
	if len(tests) != 1 || tests[0].OK || server.Charged().Total() != 0 {
		t.Errorf("tests are %+v, %d tokens were used", tests, server.Charged().Total())
	}
	if none := Test(t.Context(), at(t, server, false, 1), "nobody"); len(none) != 0 {
		t.Errorf("tests of nobody are %+v", none)
	}
}

func TestMeter(t *testing.T) {
	ctx, m := context.Background(), &meter{limit: 1}
	charge := func(dollars float64) budget.Charge {
		return budget.Charge{At: time.Now(), Role: "watcher", Worst: budget.Amount{Money: budget.Dollars(dollars)}}
	}
	first, err := m.Debit(ctx, charge(0.7))
	if err != nil {
		t.Fatal(err)
	}
	var refusal *budget.Refusal
	if _, err := m.Debit(ctx, charge(0.4)); !errors.As(err, &refusal) {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := m.Debit(ctx, charge(0)); err != nil {
		t.Errorf("what is free: %v", err)
	}
	for range 2 { // settling again changes nothing
		if err := m.Settle(ctx, first, budget.Amount{Money: budget.Dollars(0.1)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Debit(ctx, charge(0.9)); err != nil {
		t.Errorf("after the rest was given back: %v", err)
	}
	if _, err := m.Debit(ctx, charge(0.01)); !errors.As(err, &refusal) {
		t.Errorf("beyond the limit again: %v", err)
	}
	open := &meter{limit: -1}
	if _, err := open.Debit(ctx, charge(1e6)); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}
