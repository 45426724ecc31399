package models_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
)

var (
	noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rate = models.Rate{Price: models.Price{Input: 1, Output: 4, Cached: 0.1, Written: 1.25}}
)

func metered(p *purse, steps ...step) models.Generator {
	return models.NewBudget(driver(groq, steps...), models.StackOptions{By: groq, Meter: p, Rate: rate})
}

func TestBudgetDebitsTheWorstAndSettlesWhatWasTaken(t *testing.T) {
	p := &purse{}
	request := ask("hello")
	request.Purpose = models.Purpose{Role: "watcher", Tick: 7, At: noon, Exploration: true}
	answer, err := metered(p, says("x")).Generate(t.Context(), request)
	if err != nil || answer.Cost != 10*1000+5*4000 {
		t.Fatalf("cost %d, %v; want 10 tokens at $1 and 5 at $4 a million", answer.Cost, err)
	}
	charge := p.charges[0]
	single := charge.Worst
	charge.Worst = budget.Amount{}
	if want := (budget.Charge{At: noon, Tick: 7, Role: "watcher", Provider: "groq", Model: "llama", Exploration: true}); charge != want {
		t.Errorf("charge %+v, want %+v", charge, want)
	}
	input := single.Tokens - request.MaxTokens
	if input < 256+16+len("hello") || input > 600 {
		t.Errorf("%d tokens taken in at worst", input)
	}
	if want := budget.Money(input)*1250 + 100*4000; single.Money != want {
		t.Errorf("one attempt at worst %d, want %d: all of it written at $1.25 a million", single.Money, want)
	}
	if p.settled[0] != (budget.Amount{Money: answer.Cost, Tokens: 15}) {
		t.Errorf("settled %+v", p.settled[0])
	}
}

func TestBudgetSettles(t *testing.T) {
	usage := models.Usage{Input: 10, Output: 5, Known: true}
	gave := func(a models.Answer) step {
		return func(context.Context, models.Request) (models.Answer, error) { return a, nil }
	}
	known := budget.Amount{Money: 30_000, Tokens: 15}
	for name, c := range map[string]struct {
		step    step
		singles int
		known   budget.Amount
	}{
		"what is known":                    {gave(models.Answer{Usage: usage}), 0, known},
		"the worst of what is not":         {gave(models.Answer{}), 1, budget.Amount{}},
		"a failed attempt that may be due": {gave(models.Answer{Usage: usage, Unsure: 1}), 1, known},
		"two of which nothing is known":    {gave(models.Answer{Unsure: 1}), 2, budget.Amount{}},
		"a failure for free":               {fails(models.KindRate), 0, budget.Amount{}},
		"a failure that may be due":        {failsWith(models.Error{Kind: models.KindCut, Text: "x", Unsure: 2}), 2, budget.Amount{}},
		"a failure with a usage":           {failsWith(models.Error{Kind: models.KindAnswer, Text: "x", Usage: usage, Unsure: 1}), 1, known},
		"a plain error": {func(context.Context, models.Request) (models.Answer, error) {
			return models.Answer{}, errors.New("what?")
		}, 1, budget.Amount{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &purse{}
			answer, err := metered(p, c.step).Generate(t.Context(), ask("hello"))
			single := p.charges[0].Worst
			want := budget.Amount{Money: c.known.Money + single.Money*budget.Money(c.singles), Tokens: c.known.Tokens + single.Tokens*c.singles}
			if p.settled[0] != want {
				t.Errorf("settled %+v, want %+v", p.settled[0], want)
			}
			cost := answer.Cost
			if err != nil {
				cost = failure(t, err).Cost
			}
			if cost != want.Money {
				t.Errorf("cost %d, want %d", cost, want.Money)
			}
		})
	}
}

func TestBudgetRefuses(t *testing.T) {
	refusal := &budget.Refusal{Limit: budget.MoneyPerDay, Allowed: 10, Used: 9, Worst: 5, Until: noon.Add(12 * time.Hour)}
	p := &purse{refuse: refusal}
	d := driver(groq, says("x"))
	request := ask("hello")
	request.Purpose.At = noon
	_, err := models.NewBudget(d, models.StackOptions{By: groq, Meter: p, Rate: rate}).Generate(t.Context(), request)
	e := failure(t, err)
	var wrapped *budget.Refusal
	if e.Kind != models.KindBudget || !errors.As(err, &wrapped) || wrapped != refusal || e.RetryAfter != 12*time.Hour ||
		!strings.Contains(e.Text, "22 November 00:00") || len(d.requests()) != 0 || e.Attempts != 0 {
		t.Errorf("%+v, %d requests", e, len(d.requests()))
	}
	_, err = models.NewBudget(d, models.StackOptions{By: groq, Meter: p, Rate: models.Rate{Unknown: true, Price: models.Price{Provider: "groq", Model: "new"}}}).Generate(t.Context(), request)
	if e := failure(t, err); !strings.Contains(e.Text, "under models.prices: {provider: groq") {
		t.Errorf("where the price is not known, it is told to raise the limit: %s", e.Text)
	}
	p.refuse = errors.New("disk full")
	_, err = models.NewBudget(d, models.StackOptions{By: groq, Meter: p}).Generate(t.Context(), request)
	if e := failure(t, err); e.Kind != models.KindBudget || !strings.Contains(e.Text, "disk full") || len(d.requests()) != 0 {
		t.Errorf("what cannot be written down is asked: %+v", e)
	}
}

func TestBudgetSettlesThoughNobodyWaits(t *testing.T) {
	p := &purse{}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := func(context.Context, models.Request) (models.Answer, error) {
		cancel()
		return models.Answer{}, context.Canceled
	}
	_, err := metered(p, cancelled).Generate(ctx, ask("hello"))
	if failure(t, err).Kind != models.KindCancelled || p.settled[0].Tokens != p.charges[0].Worst.Tokens || p.done[0] != nil {
		t.Errorf("settled %+v of %+v, %v, %v", p.settled, p.charges, p.done, err)
	}
	_, err = metered(p, says("x")).Generate(ctx, ask("hello"))
	if failure(t, err).Kind != models.KindCancelled || len(p.charges) != 1 {
		t.Errorf("who waits no more is charged: %v", err)
	}
}

func TestBudgetSettlesPanicsAtTheWorst(t *testing.T) {
	p := &purse{}
	func() {
		defer func() { _ = recover() }()
		_, _ = metered(p, func(context.Context, models.Request) (models.Answer, error) { panic("a fault") }).Generate(t.Context(), ask("x"))
	}()
	if len(p.settled) != 1 || p.settled[0] != p.charges[0].Worst {
		t.Errorf("settled %+v of %+v", p.settled, p.charges)
	}
}

// A call that was not made counts against nothing; one of which an attempt may
// have to be paid for does, whatever it failed of in the end.
func TestBudgetKnowsWhatWasNotMade(t *testing.T) {
	for name, c := range map[string]struct {
		failure models.Error
		unmade  bool
		tokens  int // -1: the worst of one attempt
	}{
		"no key":                       {models.Error{Kind: models.KindKey}, true, 0},
		"a refused key":                {models.Error{Kind: models.KindKey, Status: 401}, false, 0},
		"refused within an answer":     {models.Error{Kind: models.KindKey, Unsure: 1}, false, -1},
		"no key after an attempt":      {models.Error{Kind: models.KindKey, Attempts: 2, Unsure: 1}, false, -1},
		"no key after one that counts": {models.Error{Kind: models.KindKey, Usage: models.Usage{Input: 7, Known: true}}, false, 7},
	} {
		p := &purse{}
		_, err := metered(p, failsWith(c.failure)).Generate(t.Context(), ask("x"))
		if c.tokens < 0 {
			c.tokens = p.charges[0].Worst.Tokens
		}
		if got := p.settled[0]; got.Unmade != c.unmade || got.Tokens != c.tokens {
			t.Errorf("%s: settled %+v after %v, want unmade %v, %d tokens", name, got, err, c.unmade, c.tokens)
		}
	}
}

// A token is at least a byte of what is sent, whatever is in it.
func TestBudgetCountsAllThatIsSent(t *testing.T) {
	base := ask("x")
	long := strings.Repeat("é", 500)
	for name, change := range map[string]func(*models.Request){
		"system":      func(r *models.Request) { r.System = long },
		"text":        func(r *models.Request) { r.Messages[0].Text = long },
		"arguments":   func(r *models.Request) { r.Messages[0].Calls = []models.ToolCall{readCall("1", `"`+long+`"`)} },
		"opaque":      func(r *models.Request) { r.Messages[0].Opaque = []byte(`"` + long + `"`) },
		"schema":      func(r *models.Request) { r.Schema = &models.Schema{JSON: []byte(`"` + long + `"`)} },
		"parameters":  func(r *models.Request) { r.Tools = []models.Tool{{Parameters: []byte(`"` + long + `"`)}} },
		"description": func(r *models.Request) { r.Tools = []models.Tool{{Description: long}} },
	} {
		p := &purse{}
		request := base
		request.Messages = []models.Message{base.Messages[0]}
		change(&request)
		for _, r := range []models.Request{base, request} {
			if _, err := metered(p, says("x")).Generate(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		if more := p.charges[1].Worst.Tokens - p.charges[0].Worst.Tokens; more < 999 { // the text takes the place of one byte
			t.Errorf("%s of 1,000 bytes counts %d tokens", name, more)
		}
	}
}

// What is settled is never more than what was debited, as long as a provider
// counts no more tokens than there are bytes and gives out no more than asked. A
// retry is debited and settled by itself.
func TestBudgetProperties(t *testing.T) {
	price := rapid.Custom(func(t *rapid.T) float64 {
		return float64(rapid.IntRange(0, 100_000_000).Draw(t, "millionths")) / 1e6
	})
	rapid.Check(t, func(t *rapid.T) {
		rate := models.Rate{Price: models.Price{Input: price.Draw(t, "in"), Output: price.Draw(t, "out"),
			Cached: price.Draw(t, "cached"), Written: price.Draw(t, "written")}}
		request := ask(rapid.StringN(0, 200, -1).Draw(t, "text"))
		request.MaxTokens = rapid.IntRange(1, 100_000).Draw(t, "max")
		input := rapid.IntRange(0, len(request.Messages[0].Text)+16+256).Draw(t, "input")
		cached := rapid.IntRange(0, input).Draw(t, "kept")
		usage := models.Usage{Input: input, Cached: cached, Written: rapid.IntRange(0, input-cached).Draw(t, "put"),
			Output: rapid.IntRange(0, request.MaxTokens).Draw(t, "output"), Known: rapid.Bool().Draw(t, "known")}
		steps := []step{func(context.Context, models.Request) (models.Answer, error) { return models.Answer{Usage: usage}, nil }}
		if rapid.Bool().Draw(t, "retried") {
			cut := models.Error{Kind: models.KindCut, Text: "x", Unsure: rapid.IntRange(0, 1).Draw(t, "unsure")}
			steps = append([]step{failsWith(cut)}, steps...)
		}
		p := &purse{}
		once := models.NewBudget(driver(groq, steps...), models.StackOptions{By: groq, Meter: p, Rate: rate})
		got, err := models.NewRetry(once, models.StackOptions{Wait: func() time.Duration { return 0 }}).Generate(context.Background(), request)
		if err != nil || len(p.settled) != len(steps) {
			t.Fatalf("%d of %d settled, %v", len(p.settled), len(steps), err)
		}
		var cost budget.Money
		for i, settled := range p.settled {
			worst := p.charges[i].Worst
			if settled.Money > worst.Money || settled.Tokens > worst.Tokens || settled.Money < 0 {
				t.Fatalf("settled %+v, debited %+v", settled, worst)
			}
			cost += settled.Money
		}
		if got.Cost != cost {
			t.Fatalf("settled %+v, cost %d", p.settled, got.Cost)
		}
	})
}

func TestBudgetDoesNotOverflow(t *testing.T) {
	p := &purse{}
	d := driver(groq, func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Unsure: 1, Usage: models.Usage{Input: 1e8, Known: true}}, nil
	})
	beyond := models.Rate{Price: models.Price{Input: 1e9, Output: 1e300}}
	answer, err := models.NewBudget(d, models.StackOptions{By: groq, Meter: p, Rate: beyond}).Generate(t.Context(), ask("x"))
	if err != nil || p.charges[0].Worst.Money != math.MaxInt64 || answer.Cost != math.MaxInt64 {
		t.Errorf("debited %d, cost %d, %v", p.charges[0].Worst.Money, answer.Cost, err)
	}
}

func TestRateIsExact(t *testing.T) {
	for name, c := range map[string]struct {
		price models.Price
		usage models.Usage
		want  budget.Money
	}{
		"a token of the cheapest": {models.Price{Input: 0.05}, models.Usage{Input: 1}, 50},
		"kept and put":            {models.Price{Input: 3, Output: 15, Cached: 0.30, Written: 3.75}, models.Usage{Input: 100, Cached: 50, Written: 20, Output: 10}, 30*3000 + 50*300 + 20*3750 + 10*15000},
		"no price for kept":       {models.Price{Input: 2}, models.Usage{Input: 10, Cached: 10}, 20000},
		"rounded up once":         {models.Price{Input: 0.0001, Output: 0.0001}, models.Usage{Input: 3, Output: 3}, 1},
		"nothing":                 {models.Price{}, models.Usage{Input: 1000, Output: 1000}, 0},
		"a million":               {models.Price{Input: 0.15, Output: 0.60}, models.Usage{Input: 1e6, Output: 1e6}, 750_000_000},
		"more than there is":      {models.Price{Output: math.Inf(1)}, models.Usage{Output: 1e8}, math.MaxInt64},
		"no number":               {models.Price{Output: math.NaN()}, models.Usage{Output: 1e6}, math.MaxInt64},
		"tokens below nothing":    {models.Price{Input: 1}, models.Usage{Input: -5}, 0},
	} {
		if got := (models.Rate{Price: c.price}).Cost(c.usage); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
