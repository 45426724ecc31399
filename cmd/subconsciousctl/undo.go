package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newUndo(a *app) *cobra.Command {
	var list bool
	var query api.RunQuery
	cmd := &cobra.Command{
		Use:   "undo [RUN]",
		Short: "take back what was carried out, while that is possible",
		Long: `Takes back what was carried out, by the program that its action names for that.
It works once, and for ten minutes. Without a RUN it takes back the last that can
be. With --list it shows what was carried out, and takes nothing back.

Exits with 1 if the program failed, with 5 if there is nothing to take back, and
with 6 if it is too late.`,
		Args:              takes(0, 1),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case list && len(args) > 0:
				return &usageError{err: errors.New("--list takes no run"), next: "usage: " + cmd.UseLine()}
			case list:
				if err := checkLimit(cmd, query.Limit); err != nil {
					return err
				}
				return a.listRuns(cmd.Context(), query)
			}
			return a.undo(cmd.Context(), strings.Join(args, ""))
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show what was carried out")
	pageFlags(cmd, &query.Before, &query.Limit)
	return cmd
}

func (a *app) listRuns(ctx context.Context, query api.RunQuery) error {
	page, err := ask(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.RunPage, error) {
		return daemon.Runs(ctx, query)
	})
	if err != nil {
		return err
	}
	return a.print(page, func(v screen.View) string { return screen.Runs(v, page, query) })
}

func (a *app) undo(ctx context.Context, text string) error {
	run, err := ask(ctx, a, "taking it back", func(ctx context.Context, daemon *client.Client) (api.ActionRun, error) {
		id, err := resolveRun(ctx, daemon, text)
		if err != nil {
			return api.ActionRun{}, err
		}
		return daemon.Undo(ctx, id)
	})
	if err != nil {
		return err
	}
	if err := a.print(run, func(v screen.View) string { return screen.Run(v, run) }); err != nil {
		return err
	}
	return ofRun(run)
}

// resolveRun returns the run whose id begins so, or the last that can be taken
// back where text is empty.
func resolveRun(ctx context.Context, daemon *client.Client, text string) (string, error) {
	if text == "" {
		page, err := daemon.Runs(ctx, api.RunQuery{Undoable: true, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(page.Runs) == 0 {
			return "", api.Errorf(api.CodeNotFound, "see what was carried out: subconsciousctl undo --list", "nothing can be taken back now")
		}
		return page.Runs[0].ID, nil
	}
	all, err := runsOf(ctx, daemon, api.RunQuery{Limit: api.MaxPage})
	if err != nil {
		return "", err
	}
	id, err := pickOf("runs", all, text)
	return string(id), err
}

func runsOf(ctx context.Context, daemon *client.Client, query api.RunQuery) ([]entry, error) {
	page, err := daemon.Runs(ctx, query)
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(page.Runs))
	for i, run := range page.Runs {
		all[i] = nameEntry(run.ID, run.Action)
	}
	return all, nil
}

// completeRuns offers the ids of what can be taken back.
func (a *app) completeRuns(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	return a.completeFirst(cmd, args, begun, func(ctx context.Context, daemon *client.Client) ([]entry, error) {
		return runsOf(ctx, daemon, api.RunQuery{Undoable: true, Limit: api.MaxPage})
	})
}
