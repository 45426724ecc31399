package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newReport(a *app) *cobra.Command {
	var back string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "account for a stretch of silence: ticks, findings, who thought, cost, blindness",
		Long: `Sums up what was thought since then: how many ticks changed nothing, what was
noticed, which threads thought by model and which by rules, what it cost against
the limits, and when a sense was blind.`,
		Example: "  subconsciousctl report --since 7d\n  subconsciousctl report --since 2026-03-01",
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			since, ok := screen.Since(a.view(), back)
			if !ok {
				return &usageError{err: fmt.Errorf("--since %q is neither a length of time nor a day that is past", back), next: "write 24h, 7d or 2026-03-01"}
			}
			report, err := ask(cmd.Context(), a, "adding up", func(ctx context.Context, daemon *client.Client) (api.Report, error) {
				return daemon.Report(ctx, since)
			})
			if err != nil {
				return err
			}
			return a.print(report, func(v screen.View) string { return screen.Report(v, report) })
		},
	}
	cmd.Flags().StringVar(&back, "since", "24h", "how far `BACK`: 24h, 7d, or a day as 2026-03-01")
	return cmd
}
