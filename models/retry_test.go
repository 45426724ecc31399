package models_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/models"
)

func TestRetryAsksOnceMoreWhereThatHelps(t *testing.T) {
	retried := map[models.Kind]bool{models.KindRate: true, models.KindServer: true, models.KindNetwork: true, models.KindCut: true, models.KindTimeout: true}
	for _, kind := range []models.Kind{models.KindRate, models.KindServer, models.KindNetwork, models.KindCut, models.KindTimeout,
		models.KindKey, models.KindModel, models.KindRequest, models.KindTooLarge, models.KindAnswer, models.KindWrongModel,
		models.KindRefused, models.KindBudget, models.KindResting, models.KindCancelled} {
		synctest.Test(t, func(t *testing.T) {
			d := driver(groq, fails(kind))
			_, err := models.NewRetry(d, models.StackOptions{}).Generate(t.Context(), ask("?"))
			want := 1
			if retried[kind] {
				want = 2
			}
			if got := len(d.requests()); got != want || failure(t, err).Kind != kind {
				t.Errorf("%s: %d requests, want %d; %v", kind, got, want, err)
			}
		})
	}
}

func TestRetryWaitsAsLongAsTheProviderAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := failsWith(models.Error{Kind: models.KindRate, Text: "too many", RetryAfter: 7 * time.Second, Attempts: 1})
		answered := func(ctx context.Context, r models.Request) (models.Answer, error) {
			answer, err := says("well")(ctx, r)
			answer.Attempts = 1
			return answer, err
		}
		start := time.Now()
		answer, err := models.NewRetry(driver(groq, limited, answered), models.StackOptions{}).Generate(t.Context(), ask("?"))
		if took := time.Since(start); err != nil || took < 7500*time.Millisecond || took >= 8*time.Second {
			t.Errorf("after %s: %v", took, err)
		}
		if answer.Attempts != 2 || answer.Unsure != 0 || answer.Usage.Input != 10 {
			t.Errorf("answer %+v", answer)
		}
	})
}

func TestRetryDoesNotWaitBeyondTheDeadline(t *testing.T) {
	for after, want := range map[time.Duration]int{28 * time.Second: 2, 30 * time.Second: 1, time.Hour: 1} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			d := driver(groq, failsWith(models.Error{Kind: models.KindRate, Text: "too many", RetryAfter: after}))
			start := time.Now()
			_, err := models.NewRetry(d, models.StackOptions{}).Generate(ctx, ask("?"))
			if got := len(d.requests()); got != want || failure(t, err).RetryAfter != after {
				t.Errorf("%s: %d requests, %v", after, got, err)
			}
			if want == 1 && time.Since(start) != 0 {
				t.Errorf("%s: it waited %s for nothing", after, time.Since(start))
			}
		})
	}
}

func TestRetryWithoutADeadlineHasPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := driver(groq, failsWith(models.Error{Kind: models.KindRate, Text: "too many", RetryAfter: time.Hour}))
		tries(t, models.NewRetry(d, models.StackOptions{}), 1)
		if got := len(d.requests()); got != 1 {
			t.Errorf("%d requests", got)
		}
	})
}

func TestRetryStopsWaitingWhenNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := driver(groq, failsWith(models.Error{Kind: models.KindRate, Text: "too many", RetryAfter: 20 * time.Second}))
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := models.NewRetry(d, models.StackOptions{}).Generate(ctx, ask("?"))
		if err == nil || len(d.requests()) != 1 || time.Since(start) != time.Second {
			t.Errorf("after %s and %d requests: %v", time.Since(start), len(d.requests()), err)
		}
	})
}

// Where every call fails, retries are a fifth of the attempts beyond what the
// budget starts with, whoever shares it.
func TestRetryBudgetIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := models.NewRetryBudget()
		a, b := driver(groq, fails(models.KindServer)), driver(local, fails(models.KindServer))
		options := models.StackOptions{Retries: shared}
		one, other := models.NewRetry(a, options), models.NewRetry(b, options)
		for range 500 {
			tries(t, one, 1)
			tries(t, other, 1)
		}
		requests := len(a.requests()) + len(b.requests())
		if retries := requests - 1000; retries != 202 {
			t.Errorf("%d retries for 1,000 calls that fail, want 200 and 2 to start with", retries)
		}
	})
}

// Whatever fails when, there are never more retries than a fifth of the first
// attempts and what is saved up, and attempts and unsure ones add up.
func TestRetryProperties(t *testing.T) {
	kinds := []models.Kind{"", models.KindRate, models.KindServer, models.KindCut, models.KindKey, models.KindAnswer}
	rapid.Check(t, func(t *rapid.T) {
		plan := rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 200).Draw(t, "plan")
		next, requests := 0, 0
		one := func(context.Context, models.Request) (models.Answer, error) {
			kind := plan[next%len(plan)]
			next++
			requests++
			if kind == "" {
				return models.Answer{Attempts: 1, Usage: models.Usage{Input: 1, Known: true}}, nil
			}
			unsure := 0
			if kind == models.KindCut || kind == models.KindAnswer {
				unsure = 1
			}
			return models.Answer{}, &models.Error{Kind: kind, Text: "it failed", Attempts: 1, Unsure: unsure}
		}
		g := models.NewRetry(driver(groq, one), models.StackOptions{Wait: func() time.Duration { return 0 }})
		for first := 1; first <= 100; first++ {
			before := requests
			answer, err := g.Generate(context.Background(), ask("?"))
			attempts, unsure := answer.Attempts, answer.Unsure
			if e, ok := err.(*models.Error); ok {
				attempts, unsure = e.Attempts, e.Unsure
			}
			if attempts != requests-before || attempts > 2 || unsure > attempts {
				t.Fatalf("%d attempts and %d unsure after %d requests", attempts, unsure, requests-before)
			}
			if retries := requests - first; float64(retries) > 2+0.2*float64(first)+1e-6 {
				t.Fatalf("%d retries for %d first attempts", retries, first)
			}
		}
	})
}

func TestRetryAddsUpWhatFailedAttemptsTook(t *testing.T) {
	known := models.Usage{Input: 7, Output: 1, Known: true}
	cutKnown := failsWith(models.Error{Kind: models.KindCut, Text: "cut", Attempts: 1, Usage: known})
	cutUnknown := failsWith(models.Error{Kind: models.KindCut, Text: "cut", Attempts: 1, Unsure: 1})
	silent := func(context.Context, models.Request) (models.Answer, error) { return models.Answer{Attempts: 1}, nil }
	for name, c := range map[string]struct {
		steps  []step
		usage  models.Usage
		unsure int
	}{
		"both known":                {[]step{cutKnown, says("x")}, models.Usage{Input: 17, Output: 6, Known: true}, 0},
		"the first unknown":         {[]step{cutUnknown, says("x")}, models.Usage{Input: 10, Output: 5, Known: true}, 1},
		"the answer unknown":        {[]step{cutKnown, silent}, models.Usage{}, 1},
		"none known":                {[]step{cutUnknown, silent}, models.Usage{}, 1},
		"two failures, one known":   {[]step{cutKnown, cutUnknown}, known, 1},
		"two failures, other known": {[]step{cutUnknown, cutKnown}, known, 1},
		"two failures, none paid":   {[]step{fails(models.KindServer), fails(models.KindRate)}, models.Usage{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := models.NewRetry(driver(groq, c.steps...), models.StackOptions{Wait: func() time.Duration { return 0 }})
			answer, err := g.Generate(t.Context(), ask("?"))
			usage, unsure := answer.Usage, answer.Unsure
			if err != nil {
				usage, unsure = failure(t, err).Usage, failure(t, err).Unsure
			}
			if usage != c.usage || unsure != c.unsure {
				t.Errorf("usage %+v, unsure %d; want %+v, %d", usage, unsure, c.usage, c.unsure)
			}
		})
	}
}
