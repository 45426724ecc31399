package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newResume(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "think again after a pause",
		Args:  takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (api.PauseState, error) {
				return daemon.Resume(ctx)
			})
			if err != nil {
				return err
			}
			return a.print(state, func(v screen.View) string { return screen.Pause(v, state) })
		},
	}
}
