package models

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// The protocols of providers.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// What a provider enforces of a schema.
const (
	SchemaJSON   = "json_schema" // the whole schema
	SchemaObject = "json_object" // that it is JSON
	SchemaNone   = "none"
)

// The names of the field that bounds an answer.
const (
	FieldMaxTokens           = "max_tokens"
	FieldMaxCompletionTokens = "max_completion_tokens"
)

// Vendor is what is known of a provider before anybody configures it.
type Vendor struct {
	Name    string
	Title   string // as it writes itself
	Kind    string
	BaseURL string
	// KeyEnv are the variables in which its key is looked for, in order.
	KeyEnv []string
	// KeyURL is where a key is made; empty for servers of one's own.
	KeyURL string
	// Local: it runs on this machine.
	Local bool
	// Schema is what it enforces.
	Schema string
	// TokenField bounds the answer in its requests. Vendor.TokenFieldOf knows
	// the models that want another.
	TokenField string
	// StreamUsage: it tells the usage of a streamed answer when asked by
	// stream_options; others do so unasked or never.
	StreamUsage bool
	// Thinking is how thought is asked for, and asked to stay away; the values
	// are the Thinking… constants.
	Thinking string
}

// How thinking is asked for.
const (
	ThinkingNone   = ""         // there is no such field
	ThinkingZAI    = "zai"      // thinking: {type: enabled or disabled}
	ThinkingEffort = "effort"   // reasoning_effort: none, low, medium, high
	ThinkingRouter = "router"   // reasoning: {max_tokens: N} or {enabled: false}
	ThinkingOllama = "ollama"   // reasoning_effort, where "none" is no thinking
	ThinkingQwen   = "template" // chat_template_kwargs: {enable_thinking: …}
)

// shipped are the vendors and presets that are known without configuration.
//
//go:embed shipped.json
var shippedFile []byte

var shipped = sync.OnceValue(func() (known struct {
	Vendors []Vendor
	Presets []Preset
}) {
	if err := json.Unmarshal(shippedFile, &known); err != nil {
		panic(err)
	}
	return known
})

// Vendors returns the vendors whose presets are shipped, in the order in which
// they are shown.
func Vendors() []Vendor { return slices.Clone(shipped().Vendors) }

// VendorNames returns their names in order.
func VendorNames() []string { return names(shipped().Vendors, vendorName) }

func vendorName(v Vendor) string { return v.Name }

// LookupVendor finds a vendor by its name.
func LookupVendor(name string) (Vendor, bool) { return named(shipped().Vendors, vendorName, name) }

// VendorOf returns what is known of a configured provider: by the vendor that
// it names, by its id, or by the host of its address. For an unknown one it
// returns what any server of the protocol understands.
func VendorOf(p Provider) Vendor {
	for _, name := range [...]string{p.Vendor, p.ID} {
		if v, ok := LookupVendor(name); ok {
			return v
		}
	}
	if at, err := url.Parse(p.BaseURL); err == nil && at.Host != "" {
		for _, v := range Vendors() {
			if home, err := url.Parse(v.BaseURL); err == nil && !v.Local && home.Host == at.Host {
				return v
			}
		}
	}
	if p.Kind == Anthropic {
		v, _ := LookupVendor("anthropic")
		return Vendor{Kind: Anthropic, BaseURL: v.BaseURL, Schema: SchemaJSON, TokenField: FieldMaxTokens}
	}
	return Vendor{Kind: OpenAI, Schema: SchemaObject, TokenField: FieldMaxTokens}
}

// TokenFieldOf returns the field that bounds answers of a model.
func (v Vendor) TokenFieldOf(model string) string {
	if reasons(model) {
		return FieldMaxCompletionTokens
	}
	return v.TokenField
}

// FixedTemperature reports whether a model refuses a temperature.
func (v Vendor) FixedTemperature(model string) bool { return v.Kind == OpenAI && reasons(model) }

// reasons reports whether a name is one of OpenAI's models that always think:
// they refuse a temperature, and want their bound in a field of its own.
func reasons(model string) bool {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	return slices.ContainsFunc([]string{"o1", "o3", "o4", "gpt-5", "gpt-6"}, func(family string) bool {
		rest, ok := strings.CutPrefix(name, family)
		return ok && (rest == "" || rest[0] == '-' || rest[0] == '.') && !strings.Contains(rest, "-chat")
	})
}

// Extra returns the fields that a request for a model has beside those of the
// protocol: how much it may think. 0 asks it not to.
func (v Vendor) Extra(model string, thinking int) map[string]any {
	switch v.Thinking {
	case ThinkingZAI:
		return map[string]any{"thinking": map[string]any{"type": pick(thinking > 0, "enabled", "disabled")}}
	case ThinkingEffort:
		return v.effortOf(model, thinking)
	case ThinkingOllama:
		return map[string]any{"reasoning_effort": pick(thinking > 0, Effort(thinking), "none")}
	case ThinkingRouter:
		if thinking > 0 {
			return map[string]any{"reasoning": map[string]any{"max_tokens": thinking}}
		}
		return map[string]any{"reasoning": map[string]any{"enabled": false}}
	case ThinkingQwen:
		return map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": thinking > 0}}
	}
	return nil
}

// effortOf knows which models take reasoning_effort, and what the least is:
// others refuse the field.
func (v Vendor) effortOf(model string, thinking int) map[string]any {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	least := ""
	switch {
	case v.Name == "gemini" && strings.HasPrefix(name, "gemini-2.5-pro"), v.Name == "gemini" && strings.HasPrefix(name, "gemini-3"):
		least = "low" // they always think
	case v.Name == "gemini" && strings.HasPrefix(name, "gemini-2.5-"):
		least = "none"
	case v.Name == "groq" && strings.HasPrefix(name, "qwen3"):
		return map[string]any{"reasoning_effort": pick(thinking > 0, "default", "none")}
	case v.Name == "groq" && strings.HasPrefix(name, "gpt-oss"):
		least = "low"
	case v.Name == "openai" && reasons(name) && strings.HasPrefix(name, "gpt-5") && !strings.HasPrefix(name, "gpt-5."):
		least = "minimal"
	case v.Name == "openai" && reasons(name):
		least = "low"
	default:
		return nil
	}
	return map[string]any{"reasoning_effort": pick(thinking > 0, Effort(thinking), least)}
}

// Effort is the word for a budget of thought: Gemini's page on its OpenAI
// endpoint gives 1,024 tokens for low, 8,192 for medium, 24,576 for high.
func Effort(thinking int) string {
	switch {
	case thinking <= 2048:
		return "low"
	case thinking <= 12288:
		return "medium"
	}
	return "high"
}

func pick(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// FindKey fetches the provider's key: from where the configuration says, else from
// the variables of its vendor. A local server without a key is fine: the value
// is zero then. An error is an *Error of KindKey with a next step.
func (p Provider) FindKey(env func(string) (string, bool)) (secret.Value, error) {
	key, err := p.Key.Resolve(env)
	if err == nil {
		return key, nil
	}
	vendor := VendorOf(p)
	if !errors.Is(err, secret.ErrNone) {
		return secret.Value{}, &Error{Kind: KindKey, By: Identity{Provider: p.ID}, Err: err,
			Text: fmt.Sprintf("the key of %s cannot be had: %s", p.ID, err), Next: vendor.makeKey()}
	}
	for _, name := range vendor.KeyEnv {
		if key, err := (secret.Ref{Env: name}).Resolve(env); err == nil {
			return key, nil
		}
	}
	if p.Local {
		return secret.Value{}, nil
	}
	next := "set key_env, key_file, key_keyring or key_credential of the provider"
	if len(vendor.KeyEnv) > 0 {
		next = "export " + strings.Join(vendor.KeyEnv, " or ") + ", or " + next
	}
	if made := vendor.makeKey(); made != "" {
		next += "; " + made
	}
	return secret.Value{}, &Error{Kind: KindKey, By: Identity{Provider: p.ID}, Err: err, Next: next,
		Text: fmt.Sprintf("there is no key for %s", p.ID)}
}

// makeKey says where a key is made.
func (v Vendor) makeKey() string {
	if v.KeyURL == "" {
		return ""
	}
	return "a key is made at " + v.KeyURL
}

// near reports whether an address is certain to be on this machine or in its
// network: only then is a model taken to be local without a word of the person.
func near(address string) bool {
	at, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := at.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsPrivate())
}

// barred is the address at which no model is asked, although a name may lead
// there: one of the link alone, where a cloud hands out the keys of its machines,
// of a group, or of none in particular.
type barred struct{ ip netip.Addr }

func (b barred) Error() string {
	return fmt.Sprintf("%s is link-local, multicast or unspecified, and no model is asked there", b.ip)
}

// bar refuses such an address, with or without a port. A name is no address.
func bar(address string) error {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		at, _ := netip.ParseAddrPort(address)
		ip = at.Addr()
	}
	if ip = ip.Unmap(); ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return barred{ip}
	}
	return nil
}

// OwnNetwork reports whether a host is on this machine or in its network, as far
// as its name tells: a name without a dot is one of the network's own. It is for
// warnings, not for trust.
func OwnNetwork(host string) bool { return own.Network(host) }

// SameModel reports whether a model that answered is the one that was asked
// for: the same name, or a version of it. Providers put folders before names
// ("models/gemini-2.5-flash", "openai/gpt-4o-mini") and dates or versions behind
// them ("gpt-4o-mini-2024-07-18", "claude-haiku-4-5-20251001", "qwen3:latest").
func SameModel(asked, answered string) bool {
	asked, answered = plainModel(asked), plainModel(answered)
	folder, name := splitModel(asked)
	otherFolder, other := splitModel(answered)
	if folder != "" && otherFolder != "" && folder != otherFolder {
		return false
	}
	return asked == answered || name == other && name != "" || versionOf(name, other) || name == other+"-latest"
}

// splitModel parts "openai/gpt-4o" at its last slash.
func splitModel(name string) (folder, model string) {
	i := strings.LastIndexByte(name, '/')
	return name[:max(0, i)], name[i+1:]
}

// plainModel drops case, "models/" and ":latest".
func plainModel(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(name, "models/")
	return strings.TrimSuffix(name, ":latest")
}

// versionOf reports whether answered is asked with a date or a version of
// digits behind it. "gpt-4o-mini" is not a version of "gpt-4o", nor is
// "claude-opus-4-7" of "claude-opus-4": a version has three digits or more.
func versionOf(asked, answered string) bool {
	asked = strings.TrimSuffix(asked, "-latest")
	suffix, ok := strings.CutPrefix(answered, asked)
	if !ok || asked == "" || len(suffix) < 4 || (suffix[0] != '-' && suffix[0] != '@') {
		return false
	}
	first, _, _ := strings.Cut(suffix[1:], "-")
	return len(first) >= 3 && strings.Trim(suffix[1:], "0123456789-") == ""
}
