package models_test

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

func TestPricesOf(t *testing.T) {
	own := []models.Price{
		{Provider: "work", Model: "gpt-4o-mini", Input: 0.11, Output: 0.22},
		{Provider: "mistral", Model: "mistral-large-latest", Input: 2, Output: 6},
		{Provider: "ollama", Model: "paid", Input: 1, Output: 1},
	}
	for name, c := range map[string]struct {
		provider models.Provider
		model    string
		input    float64
		from     string
	}{
		"by the vendor that is the id":  {models.Provider{ID: "groq"}, "llama-3.3-70b-versatile", 0.59, "prices.json"},
		"by the vendor that is named":   {models.Provider{ID: "mine", Vendor: "groq"}, "llama-3.1-8b-instant", 0.05, "prices.json"},
		"by the host":                   {models.Provider{ID: "mine", BaseURL: "https://api.z.ai/api/coding/paas/v4"}, "glm-5", 1, "prices.json"},
		"the id is not enough":          {models.Provider{ID: "openai-too"}, "gpt-4o-mini", 15, "unknown"},
		"a vendor beside the id":        {models.Provider{ID: "openai", Vendor: "openrouter"}, "gpt-4o-mini", 15, "unknown"},
		"with a date":                   {models.Provider{ID: "openai"}, "gpt-4o-mini-2024-07-18", 0.15, "prices.json"},
		"with a folder":                 {models.Provider{ID: "gemini"}, "models/gemini-2.5-flash-lite", 0.10, "prices.json"},
		"not what its name begins with": {models.Provider{ID: "openai"}, "gpt-4o-audio", 15, "unknown"},
		"free":                          {models.Provider{ID: "zai"}, "glm-4.7-flash", 0, "prices.json"},
		"dear where nobody knows":       {models.Provider{ID: "openrouter"}, "x/y", 15, "unknown"},
		"local":                         {models.Provider{ID: "box", Local: true}, "qwen3:8b", 0, "local"},
		"one's own by id":               {models.Provider{ID: "work", Vendor: "openai"}, "gpt-4o-mini", 0.11, "models.prices"},
		"one's own by id, another's":    {models.Provider{ID: "openai"}, "gpt-4o-mini", 0.15, "prices.json"},
		"one's own by vendor":           {models.Provider{ID: "m", Vendor: "mistral"}, "mistral-large-2411", 2, "models.prices"},
		"one's own of a local one":      {models.Provider{ID: "ollama", Local: true}, "paid", 1, "models.prices"},
	} {
		t.Run(name, func(t *testing.T) {
			got := models.Config{Prices: own}.Rate(c.provider, c.model)
			if got.Input != c.input || got.From != c.from || got.Unknown != (c.from == "unknown") {
				t.Errorf("%+v, want %v from %s", got, c.input, c.from)
			}
			if got.Unknown && got.Output != 75 {
				t.Errorf("an unknown price is not dear: %+v", got)
			}
		})
	}
}

func TestShippedPrices(t *testing.T) {
	if _, err := time.Parse(time.DateOnly, models.PricesRead()); err != nil {
		t.Error(err)
	}
	for _, price := range models.Prices() {
		if _, ok := models.LookupVendor(price.Provider); !ok {
			t.Errorf("%s/%s is of no vendor", price.Provider, price.Model)
		}
		if price.Input < 0 || price.Output < price.Input || price.Cached > price.Input || price.Written != 0 && price.Written < price.Input {
			t.Errorf("%+v cannot be", price)
		}
		if got := (models.Config{}).Rate(models.Provider{ID: price.Provider}, price.Model); got.Price != price {
			t.Errorf("the price of %s/%s is found as %+v", price.Provider, price.Model, got)
		}
	}
}

// Each model that a preset names has a price: a person who chooses one must not
// be told a dear guess.
func TestPresetsHavePrices(t *testing.T) {
	for _, name := range models.PresetNames() {
		config := models.DefaultConfig()
		config.Preset = name
		for _, a := range models.Resolve(config, func(models.Provider) bool { return true }) {
			if a.Assigned() && (models.Config{}).Rate(a.Target.Provider, a.Target.Model).Unknown {
				t.Errorf("%s: %s is on %s, of unknown price", name, a.Role.ID, a.Target.Identity())
			}
		}
	}
}
