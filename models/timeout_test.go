package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

// hang waits for its context, and says what drivers say then.
func hang(kind models.Kind) step {
	return func(ctx context.Context, _ models.Request) (models.Answer, error) {
		<-ctx.Done()
		if kind == "" {
			return models.Answer{}, ctx.Err()
		}
		return models.Answer{}, &models.Error{Kind: kind, Text: "broken", Err: ctx.Err()}
	}
}

func TestTimeoutEndsAnAttempt(t *testing.T) {
	for _, said := range []models.Kind{"", models.KindNetwork, models.KindCut, models.KindTimeout, models.KindCancelled} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := models.NewTimeout(driver(groq, hang(said)), groq, 20*time.Second).Generate(t.Context(), ask("?"))
			e := failure(t, err)
			if time.Since(start) != 20*time.Second || e.Kind != models.KindTimeout || e.Unsure != 1 || e.Attempts != 1 ||
				e.By != groq || !strings.Contains(e.Text, "20s") || e.Next == "" {
				t.Errorf("a driver that says %q: %+v after %s", said, e, time.Since(start))
			}
		})
	}
}

func TestTimeoutTellsWhoWaitsNoMore(t *testing.T) {
	for _, said := range []models.Kind{"", models.KindNetwork, models.KindTimeout, models.KindCancelled} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := models.NewTimeout(driver(groq, hang(said)), groq, 20*time.Second).Generate(ctx, ask("?"))
			if e := failure(t, err); e.Kind != models.KindCancelled || e.Unsure != 1 {
				t.Errorf("a driver that says %q: %+v", said, e)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := models.NewTimeout(driver(groq, hang(said)), groq, 20*time.Second).Generate(ctx, ask("?"))
			if e := failure(t, err); e.Kind != models.KindTimeout || e.Unsure != 1 || strings.Contains(e.Text, "20s") {
				t.Errorf("at the end of the asker's time, a driver that says %q: %+v", said, e)
			}
		})
	}
}

func TestTimeoutMakesErrorsWhole(t *testing.T) {
	known := models.Usage{Input: 3, Output: 4, Known: true}
	for name, c := range map[string]struct {
		step   step
		kind   models.Kind
		unsure int
		usage  models.Usage
	}{
		"a plain error": {func(context.Context, models.Request) (models.Answer, error) {
			return models.Answer{}, errors.New("what?")
		}, models.KindAnswer, 1, models.Usage{}},
		"a panic":               {func(context.Context, models.Request) (models.Answer, error) { panic("secret text") }, models.KindAnswer, 1, models.Usage{}},
		"refused for free":      {fails(models.KindRate), models.KindRate, 0, models.Usage{}},
		"a fault of the server": {fails(models.KindServer), models.KindServer, 0, models.Usage{}},
		"not sent":              {fails(models.KindNetwork), models.KindNetwork, 0, models.Usage{}},
		"sent":                  {failsWith(models.Error{Kind: models.KindNetwork, Text: "x", Unsure: 1}), models.KindNetwork, 1, models.Usage{}},
		"cut":                   {fails(models.KindCut), models.KindCut, 1, models.Usage{}},
		"declined":              {fails(models.KindRefused), models.KindRefused, 1, models.Usage{}},
		"too large":             {fails(models.KindTooLarge), models.KindTooLarge, 1, models.Usage{}},
		"known":                 {failsWith(models.Error{Kind: models.KindAnswer, Text: "x", Unsure: 1, Usage: known}), models.KindAnswer, 0, known},
		"known and absurd": {failsWith(models.Error{Kind: models.KindAnswer, Text: "x", Usage: models.Usage{Input: -3, Known: true}}),
			models.KindAnswer, 1, models.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := models.NewTimeout(driver(groq, c.step), groq, 0).Generate(t.Context(), ask("?"))
			e := failure(t, err)
			if e.Kind != c.kind || e.Unsure != c.unsure || e.Usage != c.usage || e.Attempts != 1 || e.By != groq {
				t.Errorf("%+v", e)
			}
			if strings.Contains(e.Error(), "secret text") {
				t.Errorf("the text of a panic is shown: %s", e)
			}
		})
	}
}
