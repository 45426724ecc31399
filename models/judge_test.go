package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

// A model that answers, and never what can be used, is failing and rests; one
// useful answer makes it well.
func TestUselessAnswersCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := &purse{}, &ledger{}
		text := "I had rather not."
		m := stacked(driver(groq, speaks(&text)), p, l)
		ask := func() error {
			_, err := models.Converse(t.Context(), m, models.Request{Messages: []models.Message{{Role: models.User, Text: "?"}}, MaxTokens: 10,
				Schema: &models.Schema{Name: "thought", JSON: json.RawMessage(`{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}`)}}, models.ConverseOptions{})
			return err
		}
		for i, want := range []models.State{models.StateFailing, models.StateFailing, models.StateResting} {
			var failure *models.Error
			if err := ask(); !errors.As(err, &failure) || failure.Kind != models.KindAnswer || m.Health().State != want {
				t.Fatalf("conversation %d: %v, health %+v", i, err, m.Health())
			}
		}
		var failure *models.Error
		if err := ask(); !errors.As(err, &failure) || failure.Kind != models.KindResting {
			t.Errorf("while it rests: %v", err)
		}
		time.Sleep(time.Minute)
		text = `{"a":1}`
		if err := ask(); err != nil || m.Health().State != models.StateOK {
			t.Errorf("after a useful answer: %v, health %+v", err, m.Health())
		}
	})
}

// speaks answers with whatever text holds.
func speaks(text *string) func(context.Context, models.Request) (models.Answer, error) {
	return func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Text: *text, Stop: models.StopEnd, By: groq, Usage: models.Usage{Input: 1, Output: 1, Known: true}, Attempts: 1}, nil
	}
}
