package models

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Role names.
const (
	RoleWatcher      = "watcher"
	RoleLibrarian    = "librarian"
	RoleOracle       = "oracle"
	RoleDreamer      = "dreamer"
	RoleTriage       = "triage"
	RoleChat         = "chat"
	RoleFast         = "fast"
	RoleReasoning    = "reasoning"
	RoleExtraction   = "extraction"
	RoleSynthesis    = "synthesis"
	RoleDeliberation = "deliberation"
	RoleEmbedding    = "embedding"
)

// defaults are what a role is asked with where nobody says otherwise. Thinking
// comes on top of MaxTokens, which is what is left for the answer.
type defaults struct {
	id          string
	temperature float64
	maxTokens   int
	thinking    int
}

// roleDefaults has all roles, in the order in which they are shown.
var roleDefaults = [...]defaults{
	{RoleWatcher, 0.2, 1200, 0},
	{RoleLibrarian, 0.3, 1200, 0},
	{RoleOracle, 0.2, 1200, 0},
	{RoleDreamer, 0.9, 1200, 0},
	{RoleTriage, 0, 1600, 0},
	{RoleChat, 0.7, 2048, 0},
	{RoleFast, 0.2, 512, 0},
	{RoleReasoning, 0.2, 4096, 4096},
	{RoleExtraction, 0.2, 2048, 10000},
	{RoleSynthesis, 0.7, 2048, 4096},
	{RoleDeliberation, 0.2, 2048, 0},
	{RoleEmbedding, 0, 1, 0},
}

// RoleNames returns all roles, in the order in which they are shown.
func RoleNames() []string {
	return names(roleDefaults[:], func(r defaults) string { return r.id })
}

func names[T any](all []T, name func(T) string) []string {
	found := make([]string, len(all))
	for i, one := range all {
		found[i] = name(one)
	}
	return found
}

// named finds the one of that name.
func named[T any](all []T, name func(T) string, wanted string) (found T, ok bool) {
	i := slices.Index(names(all, name), wanted)
	if i < 0 {
		return found, false
	}
	return all[i], true
}

// Preset assigns models to roles.
type Preset struct {
	Name  string
	About string // one sentence
	Roles []Role
}

// The presets.
const (
	PresetReflex      = "reflex"
	PresetFree        = "free"
	PresetFourVendors = "four-vendors"
	PresetLocal       = "local"
)

// The model of the deliberation, where its key is there.
const (
	deliberationVendor = "anthropic"
	deliberationModel  = "claude-opus-5-5"
)

// Presets returns the shipped assignments. A role that is not in them inherits
// chat, and has no model where chat has none; triage inherits the watcher's. Embedding inherits nothing: a
// model that chats does not embed. The local one names a model for deliberations
// too: whoever chooses it wants nothing to leave, whatever keys lie about.
func Presets() []Preset { return slices.Clone(shipped().Presets) }

// PresetNames returns their names in order.
func PresetNames() []string { return names(shipped().Presets, presetName) }

func presetName(p Preset) string { return p.Name }

// LookupPreset finds a preset by its name; an empty name is reflex.
func LookupPreset(name string) (Preset, bool) {
	return named(shipped().Presets, presetName, cmp.Or(name, PresetReflex))
}

// RoleAssignment says which model a role has, with everything filled in.
type RoleAssignment struct {
	// Role has temperature, MaxTokens and Thinking set. MaxTokens includes
	// Thinking here, as in a Request. Its Provider and Model are empty where
	// no model thinks.
	Role      Role
	Target    Target
	Fallbacks []Target
	// From says who assigned it: "models.roles[2]", "preset free", "chat" or
	// "its key is there".
	From string
}

// Target is one model of one provider.
type Target struct {
	Provider Provider // with what its vendor fills in
	Model    string
}

// Identity of the model.
func (t Target) Identity() Identity {
	return Identity{Provider: t.Provider.ID, Model: t.Model, Local: t.Provider.Local}
}

// targets are all models of the role, in the order in which they are asked.
func (a RoleAssignment) targets() []Target { return append([]Target{a.Target}, a.Fallbacks...) }

// Assigned reports whether a model thinks in the role.
func (a RoleAssignment) Assigned() bool { return a.Role.Model != "" }

// Resolve returns the assignment of every role, in the order of RoleNames: the
// preset, what the configuration sets on top of it, and what is inherited from
// chat. hasKey says whether the key of a provider is there, which the
// deliberation's default depends on; nil means no key is. The configuration
// has passed Validate; what cannot be resolved is left unassigned.
func Resolve(c Config, hasKey func(Provider) bool) []RoleAssignment {
	var assigned []RoleAssignment
	for _, id := range RoleNames() {
		role, from := c.role(id, hasKey)
		assigned = append(assigned, c.assignment(role, from))
	}
	return assigned
}

// role finds what a role is set to, and by whom.
func (c Config) role(id string, hasKey func(Provider) bool) (Role, string) {
	own, from := Role{ID: id}, ""
	if i := slices.IndexFunc(c.Roles, func(r Role) bool { return r.ID == id }); i >= 0 {
		own, from = c.Roles[i], fmt.Sprintf("models.roles[%d]", i)
	}
	if own.Model != "" {
		return own, from
	}
	base, from := c.base(id, hasKey)
	base.ID = id
	return over(base, own), from
}

// base is what a role has without an entry that names a model.
func (c Config) base(id string, hasKey func(Provider) bool) (Role, string) {
	preset, _ := LookupPreset(c.Preset)
	if i := slices.IndexFunc(preset.Roles, func(r Role) bool { return r.ID == id }); i >= 0 {
		return preset.Roles[i], "preset " + preset.Name
	}
	if id == RoleDeliberation {
		if p, ok := c.Provider(deliberationVendor); ok && hasKey != nil && hasKey(p) {
			return Role{Provider: p.ID, Model: deliberationModel}, "its key is there"
		}
	}
	if id == RoleTriage {
		watcher, from := c.role(RoleWatcher, hasKey)
		if watcher.Model == "" {
			return Role{}, ""
		}
		return Role{Provider: watcher.Provider, Model: watcher.Model, Fallbacks: watcher.Fallbacks, Accepts: watcher.Accepts}, from
	}
	if id == RoleChat || id == RoleEmbedding || isThread(id) && c.isReflex() {
		return Role{}, ""
	}
	chat, _ := c.role(RoleChat, hasKey)
	if chat.Model == "" {
		return Role{}, ""
	}
	return Role{Provider: chat.Provider, Model: chat.Model, Fallbacks: chat.Fallbacks, Accepts: chat.Accepts}, RoleChat
}

// isReflex: threads think by rules unless a role names a model for them.
func (c Config) isReflex() bool { return c.Preset == "" || c.Preset == PresetReflex }

func isThread(id string) bool {
	return slices.Contains([]string{RoleWatcher, RoleLibrarian, RoleOracle, RoleDreamer}, id)
}

// over sets what own says on top of base; own names no model.
func over(base, own Role) Role {
	base.Temperature, base.MaxTokens, base.Thinking = own.Temperature, own.MaxTokens, own.Thinking
	if len(own.Fallbacks) > 0 {
		base.Fallbacks = own.Fallbacks
	}
	if len(own.Accepts) > 0 {
		base.Accepts = own.Accepts
	}
	return base
}

// assignment fills in a role and looks its models up.
func (c Config) assignment(role Role, from string) RoleAssignment {
	d := roleDefaults[slices.Index(RoleNames(), role.ID)]
	if role.Temperature == nil {
		role.Temperature = &d.temperature
	}
	switch {
	case role.Thinking == 0:
		role.Thinking = d.thinking
		if role.MaxTokens > 0 { // half of it at least is for the answer
			role.Thinking = min(role.Thinking, role.MaxTokens/2)
		}
	case role.Thinking < 0:
		role.Thinking = 0
	}
	if role.MaxTokens == 0 {
		role.MaxTokens = d.maxTokens + role.Thinking
	}
	role.Thinking = min(role.Thinking, role.MaxTokens-1)
	a := RoleAssignment{Role: role, From: from}
	if role.Model == "" {
		return a
	}
	provider, ok := c.Provider(role.Provider)
	if !ok {
		a.Role.Provider, a.Role.Model = "", ""
		return a
	}
	a.Target = Target{Provider: provider, Model: role.Model}
	for _, text := range role.Fallbacks {
		if target, ok := c.target(text); ok {
			a.Fallbacks = append(a.Fallbacks, target)
		}
	}
	return a
}

// target reads "PROVIDER/MODEL"; the model may have slashes in it.
func (c Config) target(text string) (Target, bool) {
	id, model, _ := strings.Cut(text, "/")
	provider, ok := c.Provider(id)
	return Target{Provider: provider, Model: model}, ok && model != ""
}

// Provider returns a configured provider, or a vendor by its name, with
// everything filled in.
func (c Config) Provider(id string) (Provider, bool) {
	if i := slices.IndexFunc(c.Providers, func(p Provider) bool { return p.ID == id }); i >= 0 {
		return c.Providers[i].Filled(), true
	}
	if v, ok := LookupVendor(id); ok {
		return Provider{ID: v.Name, Vendor: v.Name}.Filled(), true
	}
	return Provider{}, false
}

// Filled returns the provider with what its vendor knows where it is silent.
// The vendor of a local server is taken to be local only where its address is
// on this machine or in its network.
func (p Provider) Filled() Provider {
	v := VendorOf(p)
	if p.Vendor == "" {
		p.Vendor = v.Name
	}
	if p.Kind == "" {
		p.Kind = v.Kind
	}
	if p.BaseURL == "" {
		p.BaseURL = v.BaseURL
	}
	if p.Schema == "" {
		p.Schema = v.Schema
	}
	if v.Local && near(p.BaseURL) {
		p.Local = true
	}
	return p
}
