package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newModels(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "models",
		Short: "show which model has which role, how it is and what it costs",
		Long: `Shows every role that has a model: whether it answers, since when it does not
and why, when it is asked again, what it costs, and who stands in for it.
Nothing is asked of a model; subconsciousctl models test does that.`,
		Args: a.unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			models, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) ([]api.ModelStatus, error) {
				return daemon.Models(ctx)
			})
			if err != nil {
				return err
			}
			return a.print(models, func(v screen.View) string { return screen.Models(v, models) })
		},
	}
	group.AddCommand(newModelsTest(a), newModelsFake(a))
	return group
}

func newModelsTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test [ROLE|PROVIDER]",
		Short: "ask the models something, live, and say what is wrong",
		Long: `Asks each model one small question: whether its key is there, its endpoint
answers, the model is known, its answer has the shape that was asked for, and
comes in pieces. It costs what such a question costs, within the budget, which
is printed. Exits with 1 if any model failed.`,
		Args:              takes(0, 1),
		ValidArgsFunction: a.completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			who := ""
			if len(args) == 1 {
				who = args[0]
			}
			tests, err := ask(cmd.Context(), a, "asking the models", func(ctx context.Context, daemon *client.Client) ([]api.ModelTest, error) {
				return daemon.TestModels(ctx, who)
			})
			if err != nil {
				return err
			}
			if err := a.print(tests, func(v screen.View) string { return screen.ModelTests(v, tests) }); err != nil {
				return err
			}
			for _, t := range tests {
				if !t.OK {
					return &silentError{exitFailed}
				}
			}
			return nil
		},
	}
}

// completeModels offers roles and providers to the shell.
func (a *app) completeModels(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(cmd, begun, func(ctx context.Context, daemon *client.Client) ([]entry, error) {
		models, err := daemon.Models(ctx)
		var all []entry
		offered := map[string]bool{}
		for _, m := range models {
			all = append(all, nameEntry(m.Role, m.Provider+"/"+m.Model))
			if !offered[m.Provider] {
				offered[m.Provider] = true
				all = append(all, nameEntry(m.Provider, "all models of it"))
			}
		}
		return all, err
	})
}
