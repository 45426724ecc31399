package models

import "slices"

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
// chat, and has no model where chat has none. Embedding inherits nothing: a
// model that chats does not embed.
func Presets() []Preset {
	return []Preset{
		{Name: PresetReflex, About: "no model: rules look at what is new; costs nothing, needs no key"},
		{
			Name: PresetFree, About: "all on GLM-4.7-Flash of Z.AI, which costs nothing; needs ZAI_API_KEY",
			Roles: everywhere("zai", "glm-4.7-flash"),
		}, {
			Name: PresetFourVendors, About: "each thread at another vendor: Groq, Gemini, Z.AI, OpenAI; needs their four keys",
			Roles: []Role{
				{ID: RoleWatcher, Provider: "groq", Model: "llama-3.3-70b-versatile", Fallbacks: []string{"groq/openai/gpt-oss-120b"}},
				{ID: RoleLibrarian, Provider: "gemini", Model: "gemini-3.8-flash"},
				{ID: RoleOracle, Provider: "zai", Model: "glm-5"},
				{ID: RoleDreamer, Provider: "openai", Model: "gpt-4o-mini"},
				{ID: RoleChat, Provider: "openai", Model: "gpt-4o-mini"},
			},
		}, {
			// Whoever chooses it wants nothing to leave, whatever keys lie about.
			Name: PresetLocal, About: "all on Ollama on this machine; nothing leaves it; run: ollama pull qwen3:8b",
			Roles: append(everywhere("ollama", "qwen3:8b"), Role{ID: RoleDeliberation, Provider: "ollama", Model: "qwen3:8b"}),
		},
	}
}

// PresetNames returns their names in order.
func PresetNames() []string {
	var names []string
	for _, p := range Presets() {
		names = append(names, p.Name)
	}
	return names
}

// LookupPreset finds a preset by its name; an empty name is reflex.
func LookupPreset(name string) (Preset, bool) {
	if name == "" {
		name = PresetReflex
	}
	all := Presets()
	i := slices.IndexFunc(all, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return all[i], true
}

func everywhere(provider, model string) []Role {
	var roles []Role
	for _, id := range [...]string{RoleWatcher, RoleLibrarian, RoleOracle, RoleDreamer, RoleChat} {
		roles = append(roles, Role{ID: id, Provider: provider, Model: model})
	}
	return roles
}
