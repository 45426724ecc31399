package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// modelCommands show and try the models.
func (a *app) modelCommands() map[string]command {
	request := fakeFlags{listen: "127.0.0.1:0", script: "thinker", seed: 1}
	var test api.ModelTestRequest
	var scripts, faults []string
	for _, s := range modeltest.Scripts() {
		scripts = append(scripts, s.Name)
	}
	for _, f := range modeltest.Faults() {
		faults = append(faults, string(f.Fault))
	}
	return map[string]command{
		"models": {run: asking(a, "asking", api.GetModels, &api.Nothing{}, "Models")},
		"models test": {offer: a.offer(roles()), run: filling(a, "asking the models", api.PostModelTest, &test, func(_ context.Context, c call) error {
			test.Who = argument(c.args)
			return nil
		}, "ModelTests", func(tests []api.ModelTest) error {
			return ended(slices.ContainsFunc(tests, func(t api.ModelTest) bool { return !t.OK }), exitFailed)
		})},
		"models fake": {
			flags:  map[string]any{"listen": &request.listen, "script": &request.script, "fault": &request.faults, "seed": &request.seed},
			values: map[string]cobra.CompletionFunc{"script": oneOf(scripts...), "fault": oneOf(faults...)},
			tables: fakeTables,
			run:    func(cmd *cobra.Command, _ []string) error { return a.fakeModel(cmd.Context(), request) },
		},
	}
}

// fakeTables list the scripts and the faults for a help text.
func fakeTables() []any {
	var scripts, faults strings.Builder
	for _, s := range modeltest.Scripts() {
		fmt.Fprintf(&scripts, "  %-14s %s\n", s.Name, s.About)
	}
	for _, f := range modeltest.Faults() {
		fmt.Fprintf(&faults, "  %-14s %s\n", f.Fault, f.About)
	}
	return []any{scripts.String(), faults.String()}
}

// roles asks for roles and providers.
func roles() list {
	return listed(api.GetModels, api.Nothing{}, func(models []api.ModelStatus) (all []named) {
		for _, m := range models {
			all = append(all, named{m.Role, m.Provider + "/" + m.Model})
			if provider := (named{m.Provider, "all models of it"}); !slices.Contains(all, provider) {
				all = append(all, provider)
			}
		}
		return all
	})
}
