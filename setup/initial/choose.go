package initial

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// smallModels are what a vendor is asked with where all threads are at it: a
// small model of a known price.
var smallModels = []struct{ vendor, model string }{
	{"openai", "gpt-4o-mini"},
	{"groq", "llama-3.3-70b-versatile"},
	{"gemini", "gemini-3.8-flash"},
	{"anthropic", "claude-haiku-4-5"},
	{"mistral", "mistral-small-latest"},
	{"deepseek", "deepseek-chat"},
}

// choose decides who thinks: what was asked for, or what the person takes of
// what is possible here, the best that needs nothing more first.
func choose(ctx context.Context, s *session) error {
	plans := s.plans()
	if s.Preset != "" {
		i := slices.IndexFunc(plans, func(p plan) bool { return p.name() == s.Preset })
		if i < 0 {
			return mistake("there is no preset %q; use %s", s.Preset, strings.Join(models.PresetNames(), ", "))
		}
		s.plan = plans[i]
	} else {
		preset := s.best(plans)
		if kept := s.existing.Models; s.there != nil && s.there.has("models") && !(kept.Preset == models.PresetReflex && bare(kept)) {
			asItIs := plan{preset: kept.Preset, about: "what the configuration says already: preset " + kept.Preset, keep: &kept}
			plans, preset = append([]plan{asItIs}, plans...), 0
		}
		var menu []option
		for _, p := range plans {
			menu = append(menu, option{p.name(), p.about, func() error { s.plan = p; return nil }})
		}
		if err := s.pick(ctx, "Who shall think?", preset, menu...); err != nil {
			return err
		}
	}
	if s.plan.keep != nil && len(s.KeyEnv)+len(s.KeyFile) > 0 {
		return mistake("models are configured already; name a preset too, or write the key into the configuration")
	}
	s.result.Preset = s.plan.preset
	return nil
}

// bare reports whether nothing is said of models but a preset.
func bare(c models.Config) bool { return len(c.Providers)+len(c.Roles) == 0 }

// name is how a plan is called in the list.
func (p plan) name() string {
	switch {
	case p.keep != nil:
		return "as it is"
	case p.preset != models.PresetReflex || len(p.roles) == 0:
		return p.preset
	}
	return p.roles[0].Provider
}

// plans are what is possible: the presets, and all threads at one provider
// whose key or server is there.
func (s *session) plans() []plan {
	var all []plan
	for _, p := range models.Presets() {
		made := plan{preset: p.Name, about: p.About}
		if p.Name == models.PresetLocal {
			made = s.local(made)
		}
		all = append(all, made)
	}
	for _, small := range smallModels {
		if name := s.found.variables[small.vendor]; name != "" {
			v, _ := models.LookupVendor(small.vendor)
			all = append(all, plan{preset: models.PresetReflex, about: fmt.Sprintf("all on %s of %s, whose key is in %s", small.model, v.Title, name),
				roles: everywhere(small.vendor, small.model)})
		}
	}
	for _, one := range s.found.servers {
		if one.vendor.Name != "ollama" && len(one.models) > 0 {
			provider := models.Provider{ID: strings.ReplaceAll(one.vendor.Name, ".", ""), Vendor: one.vendor.Name, BaseURL: one.vendor.BaseURL, Local: true}
			all = append(all, plan{preset: models.PresetReflex, about: fmt.Sprintf("all on %s of %s on this machine", one.models[0], one.vendor.Title),
				providers: []models.Provider{provider}, roles: everywhere(provider.ID, one.models[0])})
		}
	}
	return all
}

// local takes a model that Ollama has where it has not the preset's.
func (s *session) local(p plan) plan {
	preset, _ := models.LookupPreset(models.PresetLocal)
	wanted := preset.Roles[0].Model
	i := slices.IndexFunc(s.found.servers, func(one server) bool { return one.vendor.Name == "ollama" })
	if i < 0 || len(s.found.servers[i].models) == 0 {
		return p
	}
	one := s.found.servers[i]
	if standard, _ := models.LookupVendor("ollama"); one.vendor.BaseURL != standard.BaseURL {
		p.providers = []models.Provider{{ID: "ollama", BaseURL: one.vendor.BaseURL, Local: true}}
	}
	has := func(name string) bool { return models.SameModel(wanted, name) }
	if slices.ContainsFunc(one.models, has) {
		p.about = "all on " + wanted + " of Ollama on this machine; nothing leaves it"
		return p
	}
	chats := slices.DeleteFunc(slices.Clone(one.models), func(name string) bool { return strings.Contains(name, "embed") })
	if len(chats) == 0 {
		return p
	}
	p.about = "all on " + chats[0] + " of Ollama on this machine; nothing leaves it"
	for _, role := range preset.Roles {
		if role.ID != models.RoleEmbedding {
			p.roles = append(p.roles, models.Role{ID: role.ID, Provider: "ollama", Model: chats[0]})
		}
	}
	return p
}

// everywhere gives all threads one model.
func everywhere(provider, model string) []models.Role {
	var roles []models.Role
	for _, id := range []string{models.RoleWatcher, models.RoleLibrarian, models.RoleOracle, models.RoleDreamer} {
		roles = append(roles, models.Role{ID: id, Provider: provider, Model: model})
	}
	return roles
}

// best is the plan to propose: one that needs nothing that is not there, four
// vendors before a free one, a free one before a local one, and any before
// rules.
func (s *session) best(plans []plan) int {
	ready := func(p plan) bool {
		return len(s.without(p)) == 0 && (p.name() != models.PresetLocal || len(s.found.servers) > 0 && s.found.servers[0].vendor.Name == "ollama")
	}
	for _, name := range []string{models.PresetFourVendors, models.PresetFree, models.PresetLocal} {
		if i := slices.IndexFunc(plans, func(p plan) bool { return p.name() == name && ready(p) }); i >= 0 {
			return i
		}
	}
	if len(plans) > len(models.Presets()) {
		return len(models.Presets()) // the first single provider that is there
	}
	return slices.IndexFunc(plans, func(p plan) bool { return p.name() == models.PresetReflex })
}

// Presets are the names of the presets of models, for the command line, which does
// not know models.
func Presets() []string { return models.PresetNames() }
