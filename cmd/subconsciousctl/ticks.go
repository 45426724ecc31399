package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

// tickCommands run ticks, and tell of those that were.
func (a *app) tickCommands() map[string]command {
	query := api.TicksQuery{Limit: api.DefaultPage}
	var number api.TickQuery
	var request api.TickRequest
	var report api.ReportQuery
	var span api.ReplayQuery
	var set []string
	back, replayed := "24h", ""
	all := asking(a, "reading", api.GetTicks, &query, "Ticks")
	numbered := func(_ context.Context, c call) (err error) {
		if number.N, err = strconv.ParseInt(c.args[0], 10, 64); err != nil || number.N < 1 {
			return &usageError{err: fmt.Errorf("%q is not the number of a tick", c.args[0]), next: "take one from subconsciousctl ticks"}
		}
		return nil
	}
	replay := filling(a, "thinking", api.GetReplay, &number, numbered, "Replay", func(again api.Replay) error {
		return degraded(!again.Same && !again.Other())
	})
	replays := filling(a, "thinking", api.GetReplays, &span, func(ctx context.Context, c call) (err error) {
		span.Set = strings.Join(set, "\n")
		if len(c.args) == 1 {
			err = numbered(ctx, c)
			span.Tick = number.N
			return err
		}
		var ok bool
		if span.Since, ok = screen.Since(a.view(), cmp.Or(replayed, back)); !ok {
			err = unsince(replayed)
		}
		return err
	}, "Replays", func(again api.Replays) error { return degraded(len(again.Set) == 0 && again.Differ > 0) })
	one := filling(a, "reading", api.GetTick, &number, numbered, "Tick")
	return map[string]command{
		"ticks": {flags: map[string]any{"before": &query.Before, "limit": &query.Limit}, run: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return one(cmd, args)
			}
			return all(cmd, args)
		}},
		"replay": {flags: map[string]any{"since": &replayed, "set": &set}, run: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && replayed != "":
				return &usageError{err: errors.New("--since does not go with the number of a tick"), next: "leave one of them out"}
			case len(args) == 1 && len(set) == 0:
				return replay(cmd, args)
			}
			return replays(cmd, args)
		}},
		"tick": {flags: map[string]any{"dry-run": &request.DryRun, "thread": &request.Thread}, values: map[string]cobra.CompletionFunc{"thread": a.values(threads())},
			run: asking(a, "thinking", api.PostTick, &request, "Tick", func(done api.TickReport) error {
				return degraded(done.Error != "" || !done.Published && !done.DryRun)
			})},
		"report": {flags: map[string]any{"since": &back}, run: filling(a, "adding up", api.GetReport, &report, func(context.Context, call) error {
			var ok bool
			if report.Since, ok = screen.Since(a.view(), back); !ok {
				return unsince(back)
			}
			return nil
		}, "Report")},
	}
}

// unsince refuses a --since that is not understood.
func unsince(back string) error {
	return &usageError{err: fmt.Errorf("--since %q is neither a length of time nor a day that is past", back), next: "write 24h, 7d or 2026-03-01"}
}
