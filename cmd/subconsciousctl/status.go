package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "show on one screen what is on its mind, and whether it is well",
		Args:  takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (api.Status, error) {
				return daemon.Status(ctx)
			})
			if err != nil {
				return err
			}
			if err := a.print(status, func(v screen.View) string { return screen.Status(v, status) }); err != nil {
				return err
			}
			if len(screen.Degraded(status)) > 0 {
				return errDegraded
			}
			return nil
		},
	}
}
