package models_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

// A first model that hangs leaves the others their share of the time.
func TestFallbacksShareTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Second)
		defer cancel()
		hangs := driver(models.Identity{Provider: "a", Model: "hangs"}, func(ctx context.Context, _ models.Request) (models.Answer, error) {
			<-ctx.Done()
			return models.Answer{}, &models.Error{Kind: models.KindTimeout, Text: "no answer came in time"}
		})
		began := time.Now()
		answer, err := models.Fallbacks(hangs, driver(groq, says("well"))).Generate(ctx, models.Request{MaxTokens: 1})
		if took := time.Since(began); err != nil || answer.By != groq || len(answer.Passed) != 1 || took != 12*time.Second {
			t.Errorf("after %s: %+v, %v", took, answer, err)
		}
	})
}
