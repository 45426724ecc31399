package models_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
)

func TestVendorsAreWhole(t *testing.T) {
	for _, v := range models.Vendors() {
		at, err := url.Parse(v.BaseURL)
		if err != nil || at.Host == "" || !strings.HasSuffix(at.Path, "/") || (at.Scheme == "http") != v.Local {
			t.Errorf("%s is at %q", v.Name, v.BaseURL)
		}
		if v.Title == "" || v.Kind == "" || v.Schema == "" || v.TokenField == "" || !v.Local && (len(v.KeyEnv) == 0 || v.KeyURL == "") {
			t.Errorf("%+v", v)
		}
	}
}

func TestVendorExtras(t *testing.T) {
	for _, c := range []struct {
		vendor, model string
		thinking      int
		want          string
	}{
		{"zai", "glm-4.7-flash", 0, `{"thinking":{"type":"disabled"}}`},
		{"zai", "glm-5", 4096, `{"thinking":{"type":"enabled"}}`},
		{"gemini", "gemini-2.5-flash", 0, `{"reasoning_effort":"none"}`},
		{"gemini", "models/gemini-2.5-flash", 4096, `{"reasoning_effort":"medium"}`},
		{"gemini", "gemini-2.5-pro", 0, `{"reasoning_effort":"low"}`},
		{"gemini", "gemini-2.0-flash", 0, `null`},
		{"openai", "gpt-4o-mini", 0, `null`},
		{"openai", "gpt-5-mini", 0, `{"reasoning_effort":"minimal"}`},
		{"openai", "o3-mini", 10000, `{"reasoning_effort":"medium"}`},
		{"openrouter", "qwen/qwen3", 100, `{"reasoning":{"max_tokens":100}}`},
		{"openrouter", "qwen/qwen3", 0, `{"reasoning":{"enabled":false}}`},
		{"ollama", "qwen3:8b", 0, `{"reasoning_effort":"none"}`},
		{"llama.cpp", "x", 0, `{"chat_template_kwargs":{"enable_thinking":false}}`},
		{"groq", "llama-3.3-70b-versatile", 0, `null`},
		{"groq", "qwen/qwen3-32b", 0, `{"reasoning_effort":"none"}`},
		{"groq", "openai/gpt-oss-20b", 10000, `{"reasoning_effort":"medium"}`},
	} {
		v, _ := models.LookupVendor(c.vendor)
		got, _ := json.Marshal(v.Extra(c.model, c.thinking))
		if string(got) != c.want {
			t.Errorf("%s/%s, thinking %d: %s, want %s", c.vendor, c.model, c.thinking, got, c.want)
		}
	}
}

func TestModelsThatAlwaysThink(t *testing.T) {
	openai, _ := models.LookupVendor("openai")
	gemini, _ := models.LookupVendor("gemini")
	for model, thinks := range map[string]bool{"o1": true, "o3-mini": true, "o4-mini-2025": true, "gpt-5": true, "gpt-5.2-pro": true,
		"openai/gpt-5-mini": true, "gpt-5-chat-latest": false, "gpt-4o": false, "gpt-50": false, "o10": false, "omni": false} {
		if openai.FixedTemperature(model) != thinks {
			t.Errorf("%s refuses a temperature: %v", model, !thinks)
		}
		if thinks && gemini.TokenFieldOf(model) != models.FieldMaxCompletionTokens {
			t.Errorf("%s takes %s", model, gemini.TokenFieldOf(model))
		}
	}
	if gemini.TokenFieldOf("gemini-2.5-flash") != models.FieldMaxTokens {
		t.Error("Gemini takes another field")
	}
}

func TestProviderKey(t *testing.T) {
	env := func(name string) (string, bool) {
		value, ok := map[string]string{"GROQ_API_KEY": "of groq", "GOOGLE_API_KEY": "of google", "MINE": "of mine", "EMPTY": " "}[name]
		return value, ok
	}
	for name, c := range map[string]struct {
		provider models.Provider
		want     string // empty: an error with next
		next     string
	}{
		"of the vendor":       {models.Provider{ID: "groq"}, "of groq", ""},
		"the other variable":  {models.Provider{ID: "gemini"}, "of google", ""},
		"as configured":       {models.Provider{ID: "groq", Key: secret.Ref{Env: "MINE"}}, "of mine", ""},
		"not where it should": {models.Provider{ID: "groq", Key: secret.Ref{Env: "NONE"}}, "", "console.groq.com"},
		"empty":               {models.Provider{ID: "groq", Key: secret.Ref{Env: "EMPTY"}}, "", "console.groq.com"},
		"nowhere":             {models.Provider{ID: "mistral"}, "", "export MISTRAL_API_KEY"},
		"of nobody known":     {models.Provider{ID: "x"}, "", "key_env"},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := c.provider.FindKey(env)
			if c.want != "" {
				if err != nil || key.Reveal() != c.want {
					t.Errorf("%q, %v", key.Reveal(), err)
				}
				return
			}
			var e *models.Error
			if !errors.As(err, &e) || e.Kind != models.KindKey || !strings.Contains(e.Next, c.next) || !key.IsZero() {
				t.Errorf("%+v", err)
			}
		})
	}
	if key, err := (models.Provider{ID: "ollama", Local: true}).FindKey(env); err != nil || !key.IsZero() {
		t.Errorf("a local server wants a key: %v", err)
	}
	if text := fmt.Sprintf("%v %+v", secret.New("of mine"), struct{ K secret.Value }{secret.New("of mine")}); strings.Contains(text, "mine") {
		t.Error(text)
	}
}
