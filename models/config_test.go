package models_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

func number(f float64) *float64 { return &f }

func TestDefaultConfigIsValid(t *testing.T) {
	if err := models.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	for _, name := range models.PresetNames() {
		config := models.DefaultConfig()
		config.Preset = name
		if err := config.Validate(); err != nil {
			t.Errorf("preset %s: %v", name, err)
		}
	}
}

func TestValidateNamesTheKey(t *testing.T) {
	provider := func(change func(*models.Provider)) func(*models.Config) {
		return func(c *models.Config) {
			p := models.Provider{ID: "mine", BaseURL: "https://models.example.org/v1/"}
			change(&p)
			c.Providers = []models.Provider{{ID: "groq"}, p}
		}
	}
	role := func(change func(*models.Role)) func(*models.Config) {
		return func(c *models.Config) {
			r := models.Role{ID: "watcher", Provider: "groq", Model: "llama"}
			change(&r)
			c.Roles = []models.Role{r}
		}
	}
	price := func(p models.Price) func(*models.Config) {
		return func(c *models.Config) { c.Prices = []models.Price{p} }
	}
	for name, c := range map[string]struct {
		change func(*models.Config)
		key    string // empty: it is fine
	}{
		"nothing changed":           {func(*models.Config) {}, ""},
		"no preset":                 {func(c *models.Config) { c.Preset = "" }, ""},
		"an unknown preset":         {func(c *models.Config) { c.Preset = "best" }, "preset"},
		"a timeout of nothing":      {func(c *models.Config) { c.Timeout = 0 }, "timeout"},
		"a long timeout":            {func(c *models.Config) { c.Timeout = time.Hour }, "timeout"},
		"a provider":                {provider(func(*models.Provider) {}), ""},
		"no id":                     {provider(func(p *models.Provider) { p.ID = "" }), "providers[1].id"},
		"an id with a slash":        {provider(func(p *models.Provider) { p.ID = "a/b" }), "providers[1].id"},
		"an id twice":               {provider(func(p *models.Provider) { p.ID = "groq" }), "providers[1].id"},
		"an unknown vendor":         {provider(func(p *models.Provider) { p.Vendor = "acme" }), "providers[1].vendor"},
		"an unknown kind":           {provider(func(p *models.Provider) { p.Kind = "grpc" }), "providers[1].kind"},
		"an unknown schema":         {provider(func(p *models.Provider) { p.Schema = "xml" }), "providers[1].schema"},
		"no address":                {provider(func(p *models.Provider) { p.BaseURL = "" }), "providers[1].base_url"},
		"a path":                    {provider(func(p *models.Provider) { p.BaseURL = "models.example.org" }), "providers[1].base_url"},
		"no host":                   {provider(func(p *models.Provider) { p.BaseURL = "https://" }), "providers[1].base_url"},
		"another scheme":            {provider(func(p *models.Provider) { p.BaseURL = "ftp://x/" }), "providers[1].base_url"},
		"a password in it":          {provider(func(p *models.Provider) { p.BaseURL = "https://u:p@x/" }), "providers[1].base_url"},
		"a query in it":             {provider(func(p *models.Provider) { p.BaseURL = "https://x/?key=1" }), "providers[1].base_url"},
		"of the link":               {provider(func(p *models.Provider) { p.BaseURL = "https://169.254.169.254/v1" }), "providers[1].base_url"},
		"of the link, in IPv6":      {provider(func(p *models.Provider) { p.BaseURL = "https://[fe80::1%25eth0]:8080/v1" }), "providers[1].base_url"},
		"of the link, as IPv6":      {provider(func(p *models.Provider) { p.BaseURL = "https://[::ffff:169.254.169.254]/v1" }), "providers[1].base_url"},
		"of no machine":             {provider(func(p *models.Provider) { p.BaseURL, p.Local = "http://0.0.0.0:11434/v1", true }), "providers[1].base_url"},
		"of a group":                {provider(func(p *models.Provider) { p.BaseURL = "https://224.0.0.1/v1" }), "providers[1].base_url"},
		"in the clear":              {provider(func(p *models.Provider) { p.BaseURL = "http://x.example.org/v1" }), "providers[1].base_url"},
		"in the clear, local":       {provider(func(p *models.Provider) { p.BaseURL = "http://box.lan/v1"; p.Local = true }), ""},
		"in the clear, here":        {provider(func(p *models.Provider) { p.BaseURL = "http://127.0.0.1:9/v1" }), ""},
		"in the clear, at home":     {provider(func(p *models.Provider) { p.BaseURL = "http://192.168.1.7:9/v1" }), ""},
		"in the clear, IPv6":        {provider(func(p *models.Provider) { p.BaseURL = "http://[::1]:9/v1" }), ""},
		"two keys":                  {provider(func(p *models.Provider) { p.Key.Env = "A"; p.Key.File = "/b" }), "providers[1].key_env"},
		"a key itself":              {provider(func(p *models.Provider) { p.Key.Env = "sk-proj-123" }), "providers[1].key_env"},
		"half a keyring entry":      {provider(func(p *models.Provider) { p.Key.Keyring = "groq" }), "providers[1].key_keyring"},
		"a credential with a path":  {provider(func(p *models.Provider) { p.Key.Credential = "../x" }), "providers[1].key_credential"},
		"a role":                    {role(func(*models.Role) {}), ""},
		"an unknown role":           {role(func(r *models.Role) { r.ID = "watchman" }), "roles[0].id"},
		"a role twice":              {func(c *models.Config) { c.Roles = []models.Role{{ID: "chat"}, {ID: "chat"}} }, "roles[1].id"},
		"an unknown provider":       {role(func(r *models.Role) { r.Provider = "acme" }), "roles[0].provider"},
		"no provider":               {role(func(r *models.Role) { r.Provider = "" }), "roles[0].provider"},
		"no model":                  {role(func(r *models.Role) { r.Model = "" }), "roles[0].model"},
		"neither":                   {role(func(r *models.Role) { r.Provider, r.Model = "", "" }), ""},
		"a temperature below":       {role(func(r *models.Role) { r.Temperature = number(-0.1) }), "roles[0].temperature"},
		"a temperature above":       {role(func(r *models.Role) { r.Temperature = number(2.1) }), "roles[0].temperature"},
		"no temperature":            {role(func(r *models.Role) { r.Temperature = number(math.NaN()) }), "roles[0].temperature"},
		"a temperature of 0":        {role(func(r *models.Role) { r.Temperature = number(0) }), ""},
		"tokens below nothing":      {role(func(r *models.Role) { r.MaxTokens = -1 }), "roles[0].max_tokens"},
		"too many tokens":           {role(func(r *models.Role) { r.MaxTokens = 1e9 }), "roles[0].max_tokens"},
		"thinking below none":       {role(func(r *models.Role) { r.Thinking = -2 }), "roles[0].thinking"},
		"thinking alone":            {role(func(r *models.Role) { r.Thinking, r.MaxTokens = 100, 100 }), "roles[0].thinking"},
		"a fallback":                {role(func(r *models.Role) { r.Fallbacks = []string{"openrouter/qwen/qwen3"} }), ""},
		"half a fallback":           {role(func(r *models.Role) { r.Fallbacks = []string{"ollama/x", "ollama"} }), "roles[0].fallbacks[1]"},
		"an unknown fallback":       {role(func(r *models.Role) { r.Fallbacks = []string{"acme/x"} }), "roles[0].fallbacks[0]"},
		"many fallbacks":            {role(func(r *models.Role) { r.Fallbacks = strings.Split(strings.Repeat("ollama/x ", 9)[:80], " ") }), "roles[0].fallbacks"},
		"an empty accepted name":    {role(func(r *models.Role) { r.Accepts = []string{" "} }), "roles[0].accepts[0]"},
		"a price":                   {price(models.Price{Provider: "groq", Model: "x"}), ""},
		"a price below nothing":     {price(models.Price{Provider: "groq", Model: "x", Output: -1}), "prices[0].output"},
		"a price that is no number": {price(models.Price{Provider: "groq", Model: "x", Input: math.NaN()}), "prices[0].input"},
		"a price without end":       {price(models.Price{Provider: "groq", Model: "x", Written: math.Inf(1)}), "prices[0].written"},
		"a price of nobody":         {price(models.Price{Model: "x"}), "prices[0].provider"},
		"a price of nothing":        {price(models.Price{Provider: "groq"}), "prices[0].model"},
	} {
		t.Run(name, func(t *testing.T) {
			config := models.DefaultConfig()
			c.change(&config)
			err := config.Validate()
			if c.key == "" {
				if err != nil {
					t.Errorf("it is refused: %v", err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.key+": ") {
				t.Fatalf("the error is %v, want one about %s", err, c.key)
			}
			if first, _, _ := strings.Cut(err.Error(), "\n"); !strings.Contains(first, ";") {
				t.Errorf("it does not say what to do: %s", first)
			}
			if strings.Contains(err.Error(), "sk-proj") {
				t.Errorf("it shows a key: %s", err)
			}
		})
	}
}
