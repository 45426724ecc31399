package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newWhy(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:               "why ENTRY",
		Short:             "tell how an entry came to be on its mind",
		Args:              takes(1, 1),
		Annotations:       map[string]string{needs: "the id of an entry"},
		ValidArgsFunction: a.completeEntries,
		RunE: func(cmd *cobra.Command, args []string) error {
			explanation, err := ask(cmd.Context(), a, "looking back", func(ctx context.Context, daemon *client.Client) (api.Explanation, error) {
				id, err := resolve(ctx, daemon, args[0])
				if err != nil {
					return api.Explanation{}, err
				}
				return daemon.Why(ctx, id)
			})
			if err != nil {
				return err
			}
			return a.print(explanation, func(v screen.View) string { return screen.Why(v, explanation, all) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "leave out no step")
	return cmd
}
