package models_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
)

// ledger keeps records.
type ledger struct {
	mu    sync.Mutex
	calls []models.Call
}

func (l *ledger) Record(_ context.Context, call models.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, call)
}

func TestRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{}
		slow := func(ctx context.Context, r models.Request) (models.Answer, error) {
			time.Sleep(time.Second)
			return models.Answer{Text: "the key is " + key + strings.Repeat("é", 10<<10), Calls: []models.ToolCall{readCall("1", `{"a":1}`)},
				Usage: models.Usage{Input: 5, Known: true}, Cost: 9, Attempts: 2}, nil
		}
		d := driver(groq, slow, slow, failsWith(models.Error{Kind: models.KindCut, Text: "broke near " + key, Attempts: 1, Cost: 3}))
		g := models.NewRecord(d, models.StackOptions{By: groq, Recorder: l, Secrets: hideKey})
		request := ask("hello")
		request.Purpose = models.Purpose{Role: "watcher", Tick: 3}
		answer, err := g.Generate(t.Context(), request)
		if err != nil || answer.Latency != time.Second {
			t.Fatalf("%+v, %v", answer.Latency, err)
		}
		request.Purpose.Tick = 4
		_, _ = g.Generate(t.Context(), request)
		other := ask("hello!")
		_, _ = g.Generate(t.Context(), other)

		first, last := l.calls[0], l.calls[2]
		if first.Outcome != models.Answered || first.By != groq || first.Purpose.Role != "watcher" || first.Latency != time.Second ||
			first.Attempts != 2 || first.Cost != 9 || first.Usage.Input != 5 || len(first.Answer) > 4<<10 || strings.Contains(first.Answer, key) {
			t.Errorf("%+v", first)
		}
		if len(first.PromptHash) != 64 || first.PromptHash != l.calls[1].PromptHash || first.PromptHash == last.PromptHash || first.PromptBytes < 20 {
			t.Errorf("hashes %s, %s, %s of %d bytes", first.PromptHash, l.calls[1].PromptHash, last.PromptHash, first.PromptBytes)
		}
		if last.Outcome != "cut" || last.Error != "broke near [redacted:key]" || last.Cost != 3 || last.Attempts != 1 || last.Answer != "" {
			t.Errorf("%+v", last)
		}
	})
}

func TestRecordWithoutRedactionKeepsNoText(t *testing.T) {
	l := &ledger{}
	g := models.NewRecord(driver(groq, says("hello"), fails(models.KindCut)), models.StackOptions{By: groq, Recorder: l})
	tries(t, g, 2)
	if l.calls[0].Answer != "" || l.calls[1].Error != "" {
		t.Errorf("%+v", l.calls)
	}
}

func stacked(d models.Driver, p *purse, l *ledger) *models.Member {
	return models.Stack(d, models.StackOptions{Meter: p, Rate: rate, Recorder: l, Secrets: hideKey, Timeout: 20 * time.Second,
		Masker: func() models.Masker { return pairs{person, "[mail-1]"} }})
}

func TestStackIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := &purse{}, &ledger{}
		d := driver(groq, hang(""), func(_ context.Context, r models.Request) (models.Answer, error) {
			return models.Answer{Text: "to [mail-1]", By: models.Identity{Model: "llama-2026"}, Usage: models.Usage{Input: 10, Output: 5, Known: true}}, nil
		})
		start := time.Now()
		answer, err := stacked(d, p, l).Generate(t.Context(), ask("write to "+person+" with "+key))
		if err != nil || answer.Text != "to "+person || answer.By != groq || answer.Attempts != 2 || answer.Unsure != 1 {
			t.Fatalf("%+v, %v", answer, err)
		}
		if took := time.Since(start); took < 20*time.Second || answer.Latency != took {
			t.Errorf("latency %s of %s", answer.Latency, took)
		}
		for _, r := range d.requests() {
			if sent := everythingIn(t, r); strings.Contains(sent, person) || strings.Contains(sent, key) {
				t.Errorf("sent: %s", sent)
			}
		}
		if worst := p.charges[0].Worst.Money; len(p.settled) != 2 || p.settled[0].Money != worst || p.settled[1].Money != 30_000 || answer.Cost != worst+30_000 {
			t.Errorf("cost %d, settled %+v, want %d and 30000", answer.Cost, p.settled, worst)
		}
		if len(l.calls) != 1 || l.calls[0].Attempts != 2 || l.calls[0].Answer != "to "+person || l.calls[0].Cost != answer.Cost {
			t.Errorf("records %+v", l.calls)
		}
	})
}

func TestStackTellsLocalModelsAll(t *testing.T) {
	d := driver(local, says("to [mail-1]"))
	answer, err := stacked(d, &purse{}, &ledger{}).Generate(t.Context(), ask(person+" "+key))
	if sent := d.requests()[0].Messages[0].Text; err != nil || sent != person+" "+key || answer.Text != "to [mail-1]" {
		t.Errorf("sent %q, answered %q, %v", sent, answer.Text, err)
	}
}

func TestStackRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := &purse{}, &ledger{}
		m := stacked(driver(groq, fails(models.KindServer)), p, l)
		kinds := tries(t, m, 5)
		if kinds[2] != models.KindServer || kinds[3] != models.KindResting || m.Health().State != models.StateResting {
			t.Errorf("%s, %+v", kinds, m.Health())
		}
		if len(p.charges) != 5 { // two of three were tried again, and the breaker let no more through
			t.Errorf("%d charges", len(p.charges))
		}
		for i, settled := range p.settled {
			if settled != (budget.Amount{}) {
				t.Errorf("request %d, which a server refused, cost %+v", i, settled)
			}
		}
		if last := l.calls[4]; last.Outcome != "resting" || last.Attempts != 0 {
			t.Errorf("%+v", last)
		}
	})
}

func TestStackSharesACircuit(t *testing.T) {
	circuit := models.NewCircuit(nil)
	options := models.StackOptions{Circuit: circuit, Wait: func() time.Duration { return 0 }}
	one, other := models.Stack(driver(groq, fails(models.KindServer)), options), models.Stack(driver(groq, says("x")), options)
	tries(t, one, 3)
	if kinds := tries(t, other, 1); kinds[0] != models.KindResting {
		t.Errorf("%s", kinds)
	}
}

// bomb panics in its decorators, not in its driver.
type bomb struct{}

func (bomb) Record(context.Context, models.Call) { panic("a fault in the recorder") }

func TestStackContainsPanics(t *testing.T) {
	p := &purse{}
	panics := func(context.Context, models.Request) (models.Answer, error) { panic("a fault") }
	m := stacked(driver(groq, panics), p, &ledger{})
	_, err := m.Generate(t.Context(), ask("x"))
	e := failure(t, err)
	if e.Kind != models.KindAnswer || e.By != groq || p.settled[0].Money != p.charges[0].Worst.Money || m.Health().State != models.StateFailing {
		t.Errorf("%+v, settled %+v, %+v", e, p.settled, m.Health())
	}
	if !strings.Contains(errors.Unwrap(e).Error(), "stack_test.go") {
		t.Errorf("the cause does not say where: %v", errors.Unwrap(e))
	}
	_, err = models.Stack(driver(groq, says("x")), models.StackOptions{Recorder: bomb{}}).Generate(t.Context(), ask("x"))
	if failure(t, err).Kind != models.KindAnswer {
		t.Error(err)
	}
}

func TestFallbacks(t *testing.T) {
	refusal := failsWith(models.Error{Kind: models.KindBudget, Text: "used up", Err: &budget.Refusal{}})
	panics := func(context.Context, models.Request) (models.Answer, error) { panic("a fault") }
	for name, c := range map[string]struct {
		first  step
		passed []models.Kind
	}{
		"the first answers":         {says("x"), nil},
		"the first fails":           {fails(models.KindKey), []models.Kind{models.KindKey}},
		"the first cannot be paid":  {refusal, []models.Kind{models.KindBudget}},
		"the first declines":        {fails(models.KindRefused), []models.Kind{models.KindRefused}},
		"the first panics":          {panics, []models.Kind{models.KindAnswer}},
		"the first gives up itself": {failsWith(models.Error{Kind: models.KindTimeout, Text: "x"}), []models.Kind{models.KindTimeout}},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := driver(groq, c.first), driver(local, says("y"))
			answer, err := models.Fallbacks(first, second).Generate(t.Context(), ask("?"))
			if err != nil || len(answer.Passed) != len(c.passed) || len(second.requests()) != len(c.passed) {
				t.Fatalf("%+v, %v", answer, err)
			}
			want := groq
			for i, kind := range c.passed {
				want = local
				if answer.Passed[i].Kind != kind || answer.Passed[i].By != groq {
					t.Errorf("passed %+v", answer.Passed[i])
				}
			}
			if answer.By != want {
				t.Errorf("answered by %s, want %s", answer.By, want)
			}
		})
	}
}

func TestFallbacksThatAllFail(t *testing.T) {
	g := models.Fallbacks(driver(groq, fails(models.KindRate)), driver(local, fails(models.KindNetwork)))
	_, err := g.Generate(t.Context(), ask("?"))
	if e := failure(t, err); e.Kind != models.KindNetwork || e.By != local || len(e.Passed) != 1 || e.Passed[0].Kind != models.KindRate || e.Passed[0].By != groq {
		t.Errorf("%+v", e)
	}
	_, err = models.Fallbacks().Generate(t.Context(), ask("?"))
	if e := failure(t, err); e.Kind != models.KindModel || e.Next == "" {
		t.Errorf("%+v", e)
	}
}

func TestFallbacksStopWhenNobodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	second := driver(local, says("x"))
	first := driver(groq, func(context.Context, models.Request) (models.Answer, error) {
		cancel()
		return models.Answer{}, &models.Error{Kind: models.KindNetwork, Text: "broken"}
	})
	_, err := models.Fallbacks(first, second).Generate(ctx, ask("?"))
	if failure(t, err).Kind != models.KindNetwork || len(second.requests()) != 0 {
		t.Errorf("%v, %d requests", err, len(second.requests()))
	}
}

// nobody is a meter that costs nothing.
type nobody struct{}

func (nobody) Debit(context.Context, budget.Charge) (budget.Ticket, error)     { return 0, nil }
func (nobody) Settle(context.Context, budget.Ticket, budget.Amount) error      { return nil }
func (nobody) Generate(context.Context, models.Request) (models.Answer, error) { return instant, nil }
func (nobody) Identity() models.Identity                                       { return groq }
func (nobody) Record(context.Context, models.Call)                             {}

var instant = models.Answer{Text: `{"n":1}`, Usage: models.Usage{Input: 1, Known: true}}

// BenchmarkStack is what all decorators cost around a model that answers at
// once, for a prompt of 12 KB.
func BenchmarkStack(b *testing.B) {
	request := shaped()
	request.System = strings.Repeat("You look after the machine. ", 150)
	request.Messages[0].Text = strings.Repeat("files:abcdefghij /home/me/notes/today.md changed, see mail of Anna. ", 120)
	m := models.Stack(nobody{}, models.StackOptions{Meter: nobody{}, Rate: rate, Recorder: nobody{}, Secrets: hideKey,
		Masker: func() models.Masker { return pairs{person, "[mail-1]"} }, Timeout: time.Minute})
	b.Run("generate", func(b *testing.B) {
		for b.Loop() {
			if _, err := m.Generate(b.Context(), request); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("converse", func(b *testing.B) {
		for b.Loop() {
			if _, err := models.Converse(b.Context(), models.Fallbacks(m), request, models.ConverseOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
