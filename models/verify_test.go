package models_test

import (
	"context"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
)

func TestSameModel(t *testing.T) {
	for _, c := range []struct {
		asked, answered string
		same            bool
	}{
		{"gpt-4o-mini", "gpt-4o-mini", true},
		{"gpt-4o-mini", "gpt-4o-mini-2024-07-18", true},
		{"gpt-4o-mini", "GPT-4o-Mini", true},
		{"claude-haiku-4-5", "claude-haiku-4-5-20251001", true},
		{"gemini-2.5-flash", "models/gemini-2.5-flash", true},
		{"models/gemini-2.5-flash", "gemini-2.5-flash", true},
		{"gemini-2.0-flash", "gemini-2.0-flash-001", true},
		{"gpt-4o-mini", "openai/gpt-4o-mini", true},
		{"openai/gpt-4o-mini", "gpt-4o-mini", true},
		{"gpt-4o-mini", "openai/gpt-4o-mini-2024-07-18", true},
		{"openai/gpt-4o-mini", "gpt-4o-mini-2024-07-18", true},
		{"qwen3", "qwen3:latest", true},
		{"qwen3:latest", "qwen3", true},
		{"mistral-small-latest", "mistral-small-2506", true},
		{"mistral-small-latest", "mistral-small-latest", true},
		{"claude-opus", "claude-opus@20260101", true},

		{"gpt-4o", "gpt-4o-mini", false},
		{"gpt-4o", "gpt-4o-mini-2024-07-18", false},
		{"claude-opus-4", "claude-opus-4-7", false},
		{"glm-4.7", "glm-4.7-flash", false},
		{"qwen3:8b", "qwen3:4b", false},
		{"qwen3:8b", "qwen3", false},
		{"llama-3.3-70b-versatile", "llama-3.1-8b-instant", false},
		{"openai/gpt-4o", "azure/gpt-4o", false},
		{"gemini-2.5-flash", "gemini-2.5-flash-lite", false},
		{"a", "", false},
		{"", "gpt-4o-1234", false},
		{"gpt-4", "gpt-4-0613", true},
		{"gpt-4", "gpt-4-32", false},
		{"glm-5", "glm-5.1", false},
	} {
		if got := models.SameModel(c.asked, c.answered); got != c.same {
			t.Errorf("SameModel(%q, %q) = %v", c.asked, c.answered, got)
		}
	}
}

func FuzzSameModel(f *testing.F) {
	f.Add("gpt-4o", "models/openai/gpt-4o-2024")
	f.Add("", "-")
	f.Fuzz(func(t *testing.T, asked, answered string) {
		models.SameModel(asked, answered)
		if !models.SameModel(asked, asked) {
			t.Errorf("%q is not itself", asked)
		}
	})
}

func from(model string) step {
	return func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Text: "x", By: models.Identity{Model: model}, Usage: models.Usage{Input: 1, Known: true}}, nil
	}
}

func TestVerifyThrowsAwayWhatAnotherModelAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		answered string
		taken    bool
	}{
		"the same": {"llama", true}, "a version": {"llama-2026-01-01", true}, "an accepted one": {"llama-next", true},
		"a version of an accepted one": {"llama-next-001", true}, "nobody": {"", true},
		"another": {"llama-mini", false},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := models.NewVerify(driver(groq, from(c.answered)), groq, []string{"llama-next"}).Generate(t.Context(), ask("?"))
			if c.taken {
				if err != nil || answer.By != groq || answer.Text != "x" {
					t.Errorf("%+v, %v", answer, err)
				}
				return
			}
			e := failure(t, err)
			if e.Kind != models.KindWrongModel || answer.Text != "" || e.Unsure != 1 || e.Usage.Known ||
				!strings.Contains(e.Text, c.answered) || !strings.Contains(e.Next, "accepts") {
				t.Errorf("%+v, %+v", answer, e)
			}
		})
	}
}

func TestVerifyDoesNotBelieveAbsurdUsage(t *testing.T) {
	for _, usage := range []models.Usage{
		{Input: -1}, {Output: -1}, {Input: 1, Cached: 2}, {Input: 5, Cached: 3, Written: 3}, {Output: 1, Thinking: 2}, {Input: 1 << 40},
	} {
		usage.Known = true
		d := driver(groq, func(context.Context, models.Request) (models.Answer, error) {
			return models.Answer{Text: "x", Usage: usage}, nil
		})
		answer, err := models.NewVerify(d, groq, nil).Generate(t.Context(), ask("?"))
		if err != nil || answer.Usage.Known {
			t.Errorf("%+v is believed: %+v, %v", usage, answer, err)
		}
	}
}
