package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newTicks(a *app) *cobra.Command {
	var before int64
	var limit int
	cmd := &cobra.Command{
		Use:   "ticks [N]",
		Short: "list the last ticks, or show tick N",
		Args:  takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.oneTick(cmd.Context(), args[0])
			}
			if limit < 1 || limit > api.MaxTicks || before < 0 {
				return &usageError{err: fmt.Errorf("--limit takes 1 to %d, --before the number of a tick", api.MaxTicks), next: "see subconsciousctl ticks --help"}
			}
			page, err := ask(cmd.Context(), a, "reading", func(ctx context.Context, daemon *client.Client) (api.TickPage, error) {
				return daemon.Ticks(ctx, before, limit)
			})
			if err != nil {
				return err
			}
			return a.print(page, func(v screen.View) string { return screen.Ticks(v, page) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", api.DefaultTicks, "show at most so many")
	cmd.Flags().Int64Var(&before, "before", 0, "show those before tick `N`")
	return cmd
}

func (a *app) oneTick(ctx context.Context, text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return &usageError{err: fmt.Errorf("%q is not the number of a tick", text), next: "take one from subconsciousctl ticks"}
	}
	tick, err := ask(ctx, a, "reading", func(ctx context.Context, daemon *client.Client) (api.TickReport, error) {
		return daemon.TickReport(ctx, n)
	})
	if err != nil {
		return err
	}
	return a.print(tick, func(v screen.View) string { return screen.Tick(v, tick) })
}
