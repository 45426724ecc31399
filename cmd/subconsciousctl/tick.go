package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newTick(a *app) *cobra.Command {
	var request api.TickRequest
	cmd := &cobra.Command{
		Use:   "tick",
		Short: "think once, now, and say what came of it",
		Long: `Runs one tick now and prints its report. While another tick runs it waits
for that one, then runs its own. A paused mind refuses.`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := ask(cmd.Context(), a, "thinking", func(ctx context.Context, daemon *client.Client) (api.TickReport, error) {
				return daemon.Tick(ctx, request)
			})
			if err != nil {
				return err
			}
			if err := a.print(done, func(v screen.View) string { return screen.Tick(v, done) }); err != nil {
				return err
			}
			if done.Error != "" || (!done.Published && !done.DryRun) {
				return errDegraded
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&request.DryRun, "dry-run", false, "think and report, and keep nothing of it")
	cmd.Flags().StringVar(&request.Thread, "thread", "", "ask this `THREAD` alone")
	// The flag was defined one line above; that it is known cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("thread", func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.completeThreads(cmd, nil, begun)
	})
	return cmd
}
