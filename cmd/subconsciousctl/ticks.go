package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
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
			if limit < 1 || limit > api.MaxPage || before < 0 {
				return &usageError{err: fmt.Errorf("--limit takes 1 to %d, --before the number of a tick", api.MaxPage), next: "see subconsciousctl ticks --help"}
			}
			return show(cmd.Context(), a, "reading", put(api.GetTicks, api.TicksQuery{Before: before, Limit: limit}), screen.Ticks)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", api.DefaultPage, "show at most so many")
	cmd.Flags().Int64Var(&before, "before", 0, "show those before tick `N`")
	return cmd
}

func (a *app) oneTick(ctx context.Context, text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return &usageError{err: fmt.Errorf("%q is not the number of a tick", text), next: "take one from subconsciousctl ticks"}
	}
	return show(ctx, a, "reading", put(api.GetTick, api.TickQuery{N: n}), screen.Tick)
}

func newTick(a *app) *cobra.Command {
	var request api.TickRequest
	cmd := &cobra.Command{
		Use:   "tick",
		Short: "think once, now, and say what came of it",
		Long: `Runs one tick now and prints its report. While another tick runs it waits
for that one, then runs its own. A paused mind refuses.`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := ask(cmd.Context(), a, "thinking", put(api.PostTick, request))
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
		return a.complete(cmd, begun, threads)
	})
	return cmd
}

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
			return show(cmd.Context(), a, "adding up", put(api.GetReport, api.ReportQuery{Since: since}), screen.Report)
		},
	}
	cmd.Flags().StringVar(&back, "since", "24h", "how far `BACK`: 24h, 7d, or a day as 2026-03-01")
	return cmd
}
