package models_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

// tries asks n times and returns the kinds of failure, "" for an answer.
func tries(t *testing.T, g models.Generator, n int) []models.Kind {
	t.Helper()
	var kinds []models.Kind
	for range n {
		_, err := g.Generate(t.Context(), ask("?"))
		if err == nil {
			kinds = append(kinds, "")
			continue
		}
		kinds = append(kinds, failure(t, err).Kind)
	}
	return kinds
}

func TestBreakerRestsAfterThreeFailuresInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, kind := range []models.Kind{models.KindRate, models.KindServer, models.KindNetwork, models.KindCut,
			models.KindTimeout, models.KindTooLarge, models.KindAnswer, models.KindWrongModel} {
			circuit := models.NewCircuit(nil)
			d := driver(groq, fails(kind), fails(kind), says("well"), fails(kind))
			b := models.NewBreaker(d, groq, circuit)
			if got := circuit.Health(); got.State != models.StateUnused {
				t.Fatalf("before: %+v", got)
			}
			tries(t, b, 3)
			if got := circuit.Health(); got.State != models.StateOK || got.Error != nil {
				t.Fatalf("%s: an answer does not make it well: %+v", kind, got)
			}
			began := time.Now()
			tries(t, b, 2)
			if got := circuit.Health(); got.State != models.StateFailing || got.Error.Kind != kind {
				t.Fatalf("%s: after two failures: %+v", kind, got)
			}
			time.Sleep(time.Second)
			tries(t, b, 1)
			got := circuit.Health()
			if got.State != models.StateResting || !got.Since.Equal(began) || !got.Next.Equal(time.Now().Add(time.Minute)) {
				t.Fatalf("%s: after three failures: %+v", kind, got)
			}
			_, err := b.Generate(t.Context(), ask("?"))
			resting := failure(t, err)
			if resting.Kind != models.KindResting || resting.Attempts != 0 || resting.RetryAfter != time.Minute ||
				!strings.Contains(resting.Text, "it failed") || len(d.requests()) != 6 {
				t.Fatalf("%s: %+v after %d requests", kind, resting, len(d.requests()))
			}
		}
	})
}

func TestBreakerRestsLongerEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		circuit := models.NewCircuit(nil)
		d := driver(groq, fails(models.KindServer))
		b := models.NewBreaker(d, groq, circuit)
		tries(t, b, 3)
		for i, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30, 30} {
			health := circuit.Health()
			if got := time.Until(health.Next); got != want*time.Minute {
				t.Fatalf("rest %d is %s, want %s", i, got, want*time.Minute)
			}
			time.Sleep(time.Until(health.Next) - time.Nanosecond)
			if kinds := tries(t, b, 1); kinds[0] != models.KindResting {
				t.Fatalf("rest %d ended early: %s", i, kinds)
			}
			time.Sleep(time.Nanosecond)
			if kinds := tries(t, b, 1); kinds[0] != models.KindServer {
				t.Fatalf("rest %d does not end: %s", i, kinds)
			}
		}
		if n := len(d.requests()); n != 3+8 {
			t.Errorf("%d requests, want 3 and one probe after each of 8 rests", n)
		}
	})
}

func TestBreakerLeavesAProviderAloneForAsLongAsItAsks(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		time.Second: time.Minute, time.Hour: time.Hour, 100 * time.Hour: 24 * time.Hour,
	} {
		synctest.Test(t, func(t *testing.T) {
			circuit := models.NewCircuit(nil)
			e := models.Error{Kind: models.KindRate, Text: "too many", RetryAfter: asked}
			b := models.NewBreaker(driver(groq, failsWith(e)), groq, circuit)
			for range 3 {
				time.Sleep(time.Until(circuit.Health().Next))
				tries(t, b, 1)
			}
			if got := time.Until(circuit.Health().Next); got != want {
				t.Errorf("asked for %s it rests %s, want %s", asked, got, want)
			}
		})
	}
}

// What a provider asks for counts from its first refusal on: nobody else asks
// in the meantime, and then one call probes.
func TestBreakerHonoursTheFirstRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		circuit := models.NewCircuit(nil)
		d := driver(groq, failsWith(models.Error{Kind: models.KindRate, Text: "too many", RetryAfter: time.Hour}), says("well"))
		b := models.NewBreaker(d, groq, circuit)
		tries(t, b, 2)
		if h := circuit.Health(); len(d.requests()) != 1 || h.State != models.StateResting || time.Until(h.Next) != time.Hour {
			t.Fatalf("%d requests, %+v", len(d.requests()), h)
		}
		time.Sleep(time.Hour)
		if _, err := b.Generate(t.Context(), ask("?")); err != nil || circuit.Health().State != models.StateOK {
			t.Errorf("%v, %+v", err, circuit.Health())
		}
	})
}

func TestBreakerLetsOneProbeThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		circuit := models.NewCircuit(nil)
		release := make(chan struct{})
		slow := func(ctx context.Context, request models.Request) (models.Answer, error) {
			<-release
			return says("well")(ctx, request)
		}
		d := driver(groq, fails(models.KindServer), fails(models.KindServer), fails(models.KindServer), slow)
		b := models.NewBreaker(d, groq, circuit)
		tries(t, b, 3)
		time.Sleep(time.Minute)
		done := make(chan error)
		go func() {
			_, err := b.Generate(t.Context(), ask("?"))
			done <- err
		}()
		synctest.Wait()
		if kinds := tries(t, b, 3); kinds[0] != models.KindResting || kinds[2] != models.KindResting {
			t.Errorf("while it is probed: %s", kinds)
		}
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if got := circuit.Health(); got.State != models.StateOK || !got.Since.Equal(time.Now()) || !got.Next.IsZero() {
			t.Errorf("after the probe: %+v", got)
		}
	})
}

// Calls that were under way when a rest began must not make it longer.
func TestBreakerCountsNoStragglers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		circuit := models.NewCircuit(nil)
		late := func(ctx context.Context, r models.Request) (models.Answer, error) {
			time.Sleep(time.Second)
			return fails(models.KindServer)(ctx, r)
		}
		b := models.NewBreaker(driver(groq, late), groq, circuit)
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() { _, _ = b.Generate(t.Context(), ask("?")) })
		}
		wait.Wait()
		if got := time.Until(circuit.Health().Next); got != time.Minute {
			t.Errorf("after eight failures at once it rests %s", got)
		}
	})
}

func TestBreakerIsFreeAfterAProbeThatSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		circuit := models.NewCircuit(nil)
		d := driver(groq, fails(models.KindServer), fails(models.KindServer), fails(models.KindServer),
			fails(models.KindCancelled), func(context.Context, models.Request) (models.Answer, error) { panic("a fault") }, says("well"))
		b := models.NewBreaker(models.NewTimeout(d, groq, 0), groq, circuit)
		tries(t, b, 3)
		time.Sleep(time.Minute)
		kinds := tries(t, b, 2)
		if kinds[0] != models.KindCancelled || kinds[1] != models.KindAnswer {
			t.Fatalf("probes ended %s", kinds)
		}
		time.Sleep(2 * time.Minute)
		if kinds := tries(t, b, 1); kinds[0] != "" {
			t.Errorf("then: %s", kinds)
		}
	})
}

func TestBreakerShowsFaultsOfConfigurationAndStaysClosed(t *testing.T) {
	for _, kind := range []models.Kind{models.KindKey, models.KindModel, models.KindRequest} {
		circuit := models.NewCircuit(nil)
		d := driver(groq, fails(kind))
		kinds := tries(t, models.NewBreaker(d, groq, circuit), 10)
		if got := circuit.Health(); got.State != models.StateFailing || got.Error.Kind != kind || len(d.requests()) != 10 {
			t.Errorf("%s: %+v after %s", kind, got, kinds)
		}
	}
}

func TestBreakerDoesNotJudgeByWhatSaysNothing(t *testing.T) {
	for _, kind := range []models.Kind{models.KindCancelled, models.KindRefused, models.KindBudget} {
		circuit := models.NewCircuit(nil)
		tries(t, models.NewBreaker(driver(groq, says("well"), fails(kind)), groq, circuit), 10)
		if got := circuit.Health(); got.State != models.StateOK {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

// A clock that is set back must not keep a model away for longer than it may
// rest at all.
func TestBreakerSurvivesAClockThatIsSetBack(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	circuit := models.NewCircuit(func() time.Time { return now })
	b := models.NewBreaker(driver(groq, fails(models.KindServer)), groq, circuit)
	tries(t, b, 3)
	now = now.AddDate(-1, 0, 0)
	if kinds := tries(t, b, 1); kinds[0] != models.KindServer {
		t.Errorf("a year earlier: %s", kinds)
	}
}
