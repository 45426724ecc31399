package models_test

import (
	"slices"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
)

func assigned(t *testing.T, config models.Config, hasKey func(models.Provider) bool) map[string]models.RoleAssignment {
	t.Helper()
	all := models.Resolve(config, hasKey)
	byRole := map[string]models.RoleAssignment{}
	var names []string
	for _, a := range all {
		names = append(names, a.Role.ID)
		byRole[a.Role.ID] = a
		if a.Role.Temperature == nil || a.Role.MaxTokens < 1 || a.Role.Thinking < 0 || a.Role.Thinking >= a.Role.MaxTokens {
			t.Errorf("%s is asked with %+v", a.Role.ID, a.Role)
		}
		if a.Assigned() && (a.Target.Model == "" || a.Target.Provider.BaseURL == "" || a.Target.Provider.Kind == "" || a.From == "") {
			t.Errorf("%s is on %+v", a.Role.ID, a)
		}
	}
	if !slices.Equal(names, models.RoleNames()) {
		t.Errorf("roles %s", names)
	}
	return byRole
}

func on(a models.RoleAssignment) string {
	if !a.Assigned() {
		return ""
	}
	return a.Target.Identity().String()
}

func TestResolvePresets(t *testing.T) {
	for preset, want := range map[string]map[string]string{
		"reflex": {},
		"":       {},
		"free": {"watcher": "zai/glm-4.7-flash", "librarian": "zai/glm-4.7-flash", "oracle": "zai/glm-4.7-flash", "dreamer": "zai/glm-4.7-flash",
			"chat": "zai/glm-4.7-flash", "extraction": "zai/glm-4.7-flash", "deliberation": "zai/glm-4.7-flash"},
		"four-vendors": {"watcher": "groq/llama-3.3-70b-versatile", "librarian": "gemini/gemini-3.8-flash", "oracle": "zai/glm-5",
			"dreamer": "openai/gpt-4o-mini", "chat": "openai/gpt-4o-mini", "fast": "openai/gpt-4o-mini"},
		"local": {"watcher": "ollama/qwen3:8b", "dreamer": "ollama/qwen3:8b", "synthesis": "ollama/qwen3:8b"},
	} {
		config := models.DefaultConfig()
		config.Preset = preset
		got := assigned(t, config, nil)
		for _, role := range models.RoleNames() {
			if w, ok := want[role]; ok && on(got[role]) != w || len(want) == 0 && got[role].Assigned() || role == "embedding" && got[role].Assigned() {
				t.Errorf("preset %q: %s is on %q, want %q", preset, role, on(got[role]), w)
			}
		}
	}
	config := models.DefaultConfig()
	config.Preset = "local"
	if a := assigned(t, config, nil)["watcher"]; !a.Target.Identity().Local || a.From != "preset local" {
		t.Errorf("%+v", a)
	}
}

func TestResolveDeliberation(t *testing.T) {
	hasClaude := func(p models.Provider) bool { return p.ID == "anthropic" }
	for _, preset := range models.PresetNames() {
		config := models.DefaultConfig()
		config.Preset = preset
		a := assigned(t, config, hasClaude)["deliberation"]
		if preset == models.PresetLocal {
			if !a.Target.Identity().Local {
				t.Errorf("under local the deliberation leaves the machine, to %s", on(a))
			}
			continue
		}
		if on(a) != "anthropic/claude-opus-5-5" || a.From != "its key is there" {
			t.Errorf("%s: %s from %s", preset, on(a), a.From)
		}
	}
	config := models.DefaultConfig()
	config.Roles = []models.Role{{ID: "deliberation", Provider: "groq", Model: "x"}}
	if a := assigned(t, config, hasClaude)["deliberation"]; on(a) != "groq/x" || a.From != "models.roles[0]" {
		t.Errorf("%s from %s", on(a), a.From)
	}
}

func TestResolveRolesOnTop(t *testing.T) {
	config := models.DefaultConfig()
	config.Preset = "free"
	config.Providers = []models.Provider{{ID: "mine", Vendor: "vllm", BaseURL: "https://models.example.org/v1"}}
	config.Roles = []models.Role{
		{ID: "watcher", MaxTokens: 300, Temperature: number(0), Fallbacks: []string{"ollama/qwen3:8b", "openrouter/a/b"}},
		{ID: "chat", Provider: "mine", Model: "big", Accepts: []string{"bigger"}, Fallbacks: []string{"groq/x"}},
		{ID: "extraction", Thinking: -1},
		{ID: "synthesis", MaxTokens: 100},
		{ID: "embedding", Provider: "ollama", Model: "nomic"},
	}
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	got := assigned(t, config, nil)
	watcher := got["watcher"]
	if on(watcher) != "zai/glm-4.7-flash" || watcher.Role.MaxTokens != 300 || *watcher.Role.Temperature != 0 || len(watcher.Fallbacks) != 2 ||
		watcher.Fallbacks[1].Identity().String() != "openrouter/a/b" || !watcher.Fallbacks[0].Identity().Local {
		t.Errorf("watcher %+v", watcher)
	}
	fast := got["fast"]
	if on(fast) != "mine/big" || fast.From != "chat" || len(fast.Fallbacks) != 1 || fast.Role.Accepts[0] != "bigger" || fast.Target.Identity().Local {
		t.Errorf("fast inherits %+v", fast)
	}
	if r := got["extraction"].Role; r.Thinking != 0 || r.MaxTokens != 2048 || *r.Temperature != 0.2 {
		t.Errorf("extraction %+v", r)
	}
	if r := got["synthesis"].Role; r.Thinking != 50 || r.MaxTokens != 100 || *r.Temperature != 0.7 {
		t.Errorf("synthesis %+v", r)
	}
	if on(got["embedding"]) != "ollama/nomic" || on(got["oracle"]) != "zai/glm-4.7-flash" {
		t.Errorf("embedding %s, oracle %s", on(got["embedding"]), on(got["oracle"]))
	}
}

// Under reflex no thread thinks because chat has a model: that would spend
// money that nobody asked to spend.
func TestResolveReflexWithChat(t *testing.T) {
	config := models.DefaultConfig()
	config.Roles = []models.Role{{ID: "chat", Provider: "groq", Model: "x"}, {ID: "oracle", Provider: "groq", Model: "y"}}
	got := assigned(t, config, nil)
	if on(got["watcher"]) != "" || on(got["oracle"]) != "groq/y" || on(got["fast"]) != "groq/x" {
		t.Errorf("watcher %s, oracle %s, fast %s", on(got["watcher"]), on(got["oracle"]), on(got["fast"]))
	}
}

func TestProviderFilled(t *testing.T) {
	for name, c := range map[string]struct {
		in    models.Provider
		kind  string
		url   string
		local bool
	}{
		"a vendor by id":                {models.Provider{ID: "groq"}, "openai", "https://api.groq.com/openai/v1/", false},
		"anthropic":                     {models.Provider{ID: "claude", Vendor: "anthropic"}, "anthropic", "https://api.anthropic.com/", false},
		"an anthropic of one's own":     {models.Provider{ID: "x", Kind: "anthropic", BaseURL: "https://x/"}, "anthropic", "https://x/", false},
		"ollama":                        {models.Provider{ID: "ollama"}, "openai", "http://127.0.0.1:11434/v1/", true},
		"ollama at home":                {models.Provider{ID: "ollama", BaseURL: "http://10.0.0.2/v1"}, "openai", "http://10.0.0.2/v1", true},
		"ollama far away":               {models.Provider{ID: "ollama", BaseURL: "https://ollama.example.org/v1"}, "openai", "https://ollama.example.org/v1", false},
		"far away and said to be local": {models.Provider{ID: "x", Local: true, BaseURL: "https://x/v1"}, "openai", "https://x/v1", true},
		"here and unknown":              {models.Provider{ID: "x", BaseURL: "http://127.0.0.1:1/v1"}, "openai", "http://127.0.0.1:1/v1", false},
	} {
		got := c.in.Filled()
		if got.Kind != c.kind || got.BaseURL != c.url || got.Local != c.local || got.Schema == "" {
			t.Errorf("%s: %+v", name, got)
		}
		if again := got.Filled(); again != got {
			t.Errorf("%s: a second time it is %+v", name, again)
		}
	}
}
