package models

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config says which models think.
type Config struct {
	Preset string `mapstructure:"preset" about:"Who thinks: reflex (rules, no model), free (GLM-4.7-Flash of Z.AI), four-vendors (one for each thread), local (Ollama)."`
	// Gate is that of the threads, which have no key of their own for it.
	Gate      string        `mapstructure:"gate" env:"SUBCONSCIOUS_GATE" about:"When a thread thinks: adaptive (something is new to it, or long nothing was), changed (something is new to it), always."`
	Providers []Provider    `mapstructure:"providers" about:"Accounts and servers of your own; what is left out, the vendor's preset fills in."`
	Roles     []Role        `mapstructure:"roles" about:"Which model has which role, on top of the preset."`
	Prices    []Price       `mapstructure:"prices" about:"What models cost, where the list that is shipped is silent or wrong."`
	Privacy   Privacy       `mapstructure:"privacy" about:"What of you remote models are not told, beside secrets: placeholders stand for it, and are put back in the answer."`
	Timeout   time.Duration `mapstructure:"timeout" about:"How long one attempt at an answer may take; never longer than the thread's own deadline."`
}

// Provider is an account somewhere, or a server of one's own.
type Provider struct {
	ID      string     `mapstructure:"id" about:"A short name, unique among the providers; that of a vendor takes its preset."`
	Vendor  string     `mapstructure:"vendor" about:"Whose preset fills what is left out; without it, that of the id."`
	Kind    string     `mapstructure:"kind" about:"The protocol: openai (any compatible endpoint) or anthropic."`
	BaseURL string     `mapstructure:"base_url" about:"The address, up to what stands before /chat/completions; https, or http on this machine and its network."`
	Key     secret.Ref `mapstructure:"key" about:"the key; without any key_… the vendor's own is looked up"`
	Local   bool       `mapstructure:"local" about:"It costs nothing and is given plain text, secrets and names included: for servers of your own alone."`
	Schema  string     `mapstructure:"schema" about:"What it enforces of an answer's shape: json_schema, json_object or none; answers are checked here always."`
}

// Role assigns a model.
type Role struct {
	ID          string   `mapstructure:"id" about:"watcher, librarian, oracle, dreamer, triage, chat, fast, reasoning, extraction, synthesis, deliberation or embedding."`
	Provider    string   `mapstructure:"provider" about:"The id of a provider, or the name of a vendor."`
	Model       string   `mapstructure:"model" about:"The model, as the provider calls it."`
	Temperature *float64 `mapstructure:"temperature" about:"How freely it answers, 0 to 2; without it the role's own."`
	MaxTokens   int      `mapstructure:"max_tokens" about:"The most tokens of an answer, thinking included; 0 is the role's own."`
	Thinking    int      `mapstructure:"thinking" about:"How many of them it may think, in tokens; 0 is the role's own, -1 is none."`
	Fallbacks   []string `mapstructure:"fallbacks" about:"Who is asked, in order, where the model fails: PROVIDER/MODEL. None is asked that is not listed here."`
	Accepts     []string `mapstructure:"accepts" about:"Further names under which the model may answer; an answer under any other is thrown away."`
}

// Price of a model in US dollars for a million tokens.
type Price struct {
	Provider string  `mapstructure:"provider" json:"provider" about:"The id of a provider, or the name of a vendor."`
	Model    string  `mapstructure:"model" json:"model" about:"The model, as the provider calls it."`
	Input    float64 `mapstructure:"input" json:"input" about:"US dollars for a million tokens that it takes in."`
	Output   float64 `mapstructure:"output" json:"output" about:"US dollars for a million tokens that it gives out."`
	Cached   float64 `mapstructure:"cached" json:"cached" about:"US dollars for a million tokens of input that the provider had kept; 0 is the price of input."`
	Written  float64 `mapstructure:"written" json:"written" about:"US dollars for a million tokens of input that the provider is asked to keep; 0 is the price of input."`
}

// Privacy says what of the person's remote models are not told. They are given
// placeholders, which are put back in their answers.
type Privacy struct {
	MailAddresses bool   `mapstructure:"mail_addresses" about:"Whether mail addresses are replaced."`
	PhoneNumbers  bool   `mapstructure:"phone_numbers" about:"Whether phone numbers are replaced."`
	Contacts      string `mapstructure:"contacts" path:"secret" about:"A vCard file, or one name a line: these names are replaced. Empty: none."`
}

// DefaultConfig returns what holds where the configuration is silent.
func DefaultConfig() Config {
	return Config{Preset: PresetReflex, Gate: "adaptive", Timeout: 20 * time.Second}
}

// Bounds of what may be configured: more is a slip of the keyboard.
const (
	maxAnswer  = 200_000 // tokens
	maxPrice   = 10_000  // dollars for a million tokens
	minTimeout = time.Second
	maxTimeout = 5 * time.Minute
	maxListed  = 8 // fallbacks, names to accept
)

// Validate names every setting that cannot be used, in the order of the fields.
// Gate is validated by the threads, whose it is.
func (c Config) Validate() error {
	v := &validation{config: c}
	if _, ok := LookupPreset(c.Preset); !ok {
		v.wrong("preset", "%q is not known; use %s", subconscious.Clip(c.Preset, 40), strings.Join(PresetNames(), ", "))
	}
	for i, p := range c.Providers {
		v.provider(fmt.Sprintf("providers[%d].", i), i, p)
	}
	for i, r := range c.Roles {
		v.role(fmt.Sprintf("roles[%d].", i), i, r)
	}
	for i, p := range c.Prices {
		v.price(fmt.Sprintf("prices[%d].", i), p)
	}
	if c.Timeout < minTimeout || c.Timeout > maxTimeout {
		v.wrong("timeout", "is %s; it must be %s to %s", c.Timeout, minTimeout, maxTimeout)
	}
	return errors.Join(v.problems...)
}

// validation gathers problems.
type validation struct {
	config   Config
	problems []error
}

func (v *validation) wrong(key, format string, args ...any) {
	v.problems = append(v.problems, fmt.Errorf("%s: "+format, append([]any{key}, args...)...))
}

// oneOf refuses what is none of the words.
func (v *validation) oneOf(key, value string, words []string) {
	if value != "" && !slices.Contains(words, value) {
		v.wrong(key, "%q is not known; use %s", subconscious.Clip(value, 40), strings.Join(words, ", "))
	}
}

func (v *validation) provider(key string, i int, p Provider) {
	switch {
	case !plainWord(p.ID):
		v.wrong(key+"id", "%q is not a plain word; use letters, digits, dots and dashes, at most 40", subconscious.Clip(p.ID, 40))
	case slices.IndexFunc(v.config.Providers, func(other Provider) bool { return other.ID == p.ID }) != i:
		v.wrong(key+"id", "%q is there twice; give each provider an id of its own", p.ID)
	}
	v.oneOf(key+"vendor", p.Vendor, VendorNames())
	v.oneOf(key+"kind", p.Kind, []string{OpenAI, Anthropic})
	v.oneOf(key+"schema", p.Schema, []string{SchemaJSON, SchemaObject, SchemaNone})
	v.address(key+"base_url", p)
	v.problems = append(v.problems, p.Key.Wrong(key+"key", "key", "GROQ_API_KEY", "subconscious/groq")...)
}

// address refuses what would send keys and prompts over a network in the clear.
func (v *validation) address(key string, p Provider) {
	text := p.Filled().BaseURL
	if text == "" {
		v.wrong(key, "is not set, and %q is no known vendor; name the address of its API, up to and with /v1", subconscious.Clip(p.ID, 40))
		return
	}
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		v.wrong(key, "is not an address of http or https; write it as https://HOST/v1/")
	case at.User != nil:
		v.wrong(key, "has a name or a password in it; name the key by key_env or key_file instead")
	case at.RawQuery != "" || at.Fragment != "":
		v.wrong(key, "has more behind its path; write it as https://HOST/v1/")
	case bar(at.Hostname()) != nil:
		v.wrong(key, "%w; name the machine that the model is on, such as 127.0.0.1", bar(at.Hostname()))
	case at.Scheme == "http" && !near(text) && !p.Local:
		v.wrong(key, "sends keys and prompts in the clear to %s; use https", subconscious.Clip(at.Hostname(), 80))
	}
}

func (v *validation) role(key string, i int, r Role) {
	switch {
	case !slices.Contains(RoleNames(), r.ID):
		v.wrong(key+"id", "%q is not known; use %s", subconscious.Clip(r.ID, 40), strings.Join(RoleNames(), ", "))
	case slices.IndexFunc(v.config.Roles, func(other Role) bool { return other.ID == r.ID }) != i:
		v.wrong(key+"id", "%q is there twice; keep one of them", r.ID)
	}
	switch {
	case r.Provider == "" && r.Model != "":
		v.wrong(key+"provider", "is not set; say whose %q it is", subconscious.Clip(r.Model, 80))
	case r.Provider != "" && r.Model == "":
		v.wrong(key+"model", "is empty; name the model as %s does", subconscious.Clip(r.Provider, 40))
	case r.Provider != "":
		v.known(key+"provider", r.Provider)
	}
	if t := r.Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		v.wrong(key+"temperature", "is %v; it must be 0 to 2", *t)
	}
	if r.MaxTokens < 0 || r.MaxTokens > maxAnswer {
		v.wrong(key+"max_tokens", "is %d; it must be 1 to %d", r.MaxTokens, maxAnswer)
	}
	if r.Thinking < -1 || r.Thinking > maxAnswer {
		v.wrong(key+"thinking", "is %d; it must be 0 to %d tokens, or -1 for none", r.Thinking, maxAnswer)
	} else if r.Thinking > 0 && r.MaxTokens > 0 && r.Thinking >= r.MaxTokens {
		v.wrong(key+"thinking", "is %d, which leaves nothing of max_tokens (%d) for the answer; make max_tokens larger", r.Thinking, r.MaxTokens)
	}
	if len(r.Fallbacks) > maxListed {
		v.wrong(key+"fallbacks", "has %d; it may have %d", len(r.Fallbacks), maxListed)
	}
	for j, text := range r.Fallbacks {
		v.fallback(fmt.Sprintf("%sfallbacks[%d]", key, j), text)
	}
	if len(r.Accepts) > maxListed {
		v.wrong(key+"accepts", "has %d; it may have %d", len(r.Accepts), maxListed)
	}
	for j, name := range r.Accepts {
		if strings.TrimSpace(name) == "" {
			v.wrong(fmt.Sprintf("%saccepts[%d]", key, j), "is empty; name a model, or remove it")
		}
	}
}

func (v *validation) fallback(key, text string) {
	provider, model, _ := strings.Cut(text, "/")
	if provider == "" || model == "" {
		v.wrong(key, "%q is not written as PROVIDER/MODEL; for instance ollama/qwen3:8b", subconscious.Clip(text, 80))
		return
	}
	v.known(key, provider)
}

// known refuses a provider that is neither configured nor a vendor.
func (v *validation) known(key, id string) {
	if _, ok := v.config.Provider(id); !ok {
		v.wrong(key, "%q is neither in models.providers nor a known vendor; add it there, or use %s",
			subconscious.Clip(id, 40), strings.Join(VendorNames(), ", "))
	}
}

func (v *validation) price(key string, p Price) {
	switch {
	case p.Provider == "":
		v.wrong(key+"provider", "is not set; name a provider's id, or a vendor")
	default:
		v.known(key+"provider", p.Provider)
	}
	if p.Model == "" {
		v.wrong(key+"model", "is empty; name the model that costs this")
	}
	for _, field := range [...]struct {
		name  string
		value float64
	}{{"input", p.Input}, {"output", p.Output}, {"cached", p.Cached}, {"written", p.Written}} {
		if !(field.value >= 0 && field.value <= maxPrice) || math.IsNaN(field.value) {
			v.wrong(key+field.name, "is %v; it must be 0 to %d dollars for a million tokens", field.value, maxPrice)
		}
	}
}

// plainWord is a name that is fit for PROVIDER/MODEL, for logs and for a shell.
func plainWord(s string) bool {
	return s != "" && len(s) <= 40 && s[0] != '-' && s[0] != '.' && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	})
}
