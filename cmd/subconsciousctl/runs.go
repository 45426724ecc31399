package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newUndo(a *app) *cobra.Command {
	var list, yes bool
	var query api.RunQuery
	cmd := &cobra.Command{
		Use:   "undo [ID]",
		Short: "take back what was carried out, while that is possible",
		Long: `Takes back what was carried out, by the program that its action names for that.
It works once, and for ten minutes. The ID is that of the run (r-…) or of the
proposal that you approved (p-…). Without one it shows the last that can be taken
back, and asks whether to; where nobody can be asked, and with --json, it needs
the ID or --yes. With --list it shows what was carried out, and takes
nothing back.

Exits with 1 if you say no, or if the program failed, with 5 if there is nothing
to take back, and with 6 if it is too late.`,
		Args:              takesID(0, 1, "r-4f2a"),
		Annotations:       map[string]string{needs: "the id of a run or a proposal"},
		ValidArgsFunction: a.offer(undoable),
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
			if len(args) == 0 {
				return a.undoLast(cmd.Context(), yes)
			}
			return a.undo(cmd.Context(), args[0])
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show what was carried out")
	cmd.Flags().BoolVar(&yes, "yes", false, "take back the last without a question")
	pageFlags(cmd, &query.Before, &query.Limit)
	return cmd
}

func (a *app) listRuns(ctx context.Context, query api.RunQuery) error {
	return show(ctx, a, "asking", put(api.GetRuns, query),
		func(v screen.View, page api.RunPage) string { return screen.Runs(v, page, query) })
}

func (a *app) undo(ctx context.Context, text string) error {
	run, err := ask(ctx, a, "taking it back", func(ctx context.Context, daemon *client.Client) (api.ActionRun, error) {
		id, err := resolveRun(ctx, daemon, text)
		if err != nil {
			return api.ActionRun{}, err
		}
		return client.Ask(ctx, daemon, api.PostUndo, api.UndoRequest{Run: id})
	})
	if err != nil {
		return err
	}
	if err := a.print(run, func(v screen.View) string { return screen.Run(v, run) }); err != nil {
		return err
	}
	return ofRun(run)
}

// undoLast takes back the last that can be, and no other, after it was shown and
// the person agreed.
func (a *app) undoLast(ctx context.Context, yes bool) error {
	last, err := ask(ctx, a, "asking", lastRun)
	if err != nil {
		return err
	}
	if !yes && !a.asksHere() {
		return &usageError{err: fmt.Errorf("nobody can be asked here whether to take back %s (%s)", last.ID, last.Action),
			next: "if so: subconsciousctl undo " + last.ID}
	}
	if !a.json {
		if err := a.print(last, func(v screen.View) string { return screen.Undoing(v, last) }); err != nil {
			return err
		}
	}
	if !yes {
		agreed, err := a.agreed(ctx, "Take exactly this back?")
		if err != nil || !agreed {
			return errors.Join(err, a.keptAsItIs(last))
		}
	}
	if !a.json {
		if _, err := io.WriteString(a.stdout, "\n"); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
	return a.undo(ctx, last.ID)
}

// keptAsItIs says that nothing was taken back.
func (a *app) keptAsItIs(run api.ActionRun) error {
	if _, err := io.WriteString(a.stdout, screen.Lines("Nothing was taken back. "+run.ID+" stays as it is.")+"\n"); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return &silentError{exitFailed}
}

// lastRun is the last that can be taken back.
func lastRun(ctx context.Context, daemon *client.Client) (api.ActionRun, error) {
	page, err := client.Ask(ctx, daemon, api.GetRuns, api.RunQuery{Undoable: true, Limit: 1})
	if err != nil {
		return api.ActionRun{}, err
	}
	if len(page.Runs) == 0 {
		return api.ActionRun{}, api.Errorf(api.CodeNotFound, "see what was carried out: subconsciousctl undo --list", "nothing can be taken back now")
	}
	return page.Runs[0], nil
}

// resolveRun returns the run whose id, or whose proposal's id, begins so.
func resolveRun(ctx context.Context, daemon *client.Client, text string) (string, error) {
	if strings.HasPrefix(text, proposalSign) {
		p, err := findProposal(ctx, daemon, text)
		if err == nil && p.Run == "" {
			err = api.Errorf(api.CodeNotFound, "see what became of it: subconsciousctl proposals "+p.ID, "nothing was carried out for the proposal %s", p.ID)
		}
		return p.Run, err
	}
	run, err := findRun(ctx, daemon, text)
	return run.ID, err
}

// findRun returns the run whose id begins so; of one that is not among the
// newest the id alone.
func findRun(ctx context.Context, daemon *client.Client, text string) (api.ActionRun, error) {
	page, err := client.Ask(ctx, daemon, api.GetRuns, api.RunQuery{Limit: api.MaxPage})
	if err != nil {
		return api.ActionRun{}, err
	}
	all := make([]entry, len(page.Runs))
	for i, run := range page.Runs {
		all[i] = nameEntry(run.ID, run.Action)
	}
	id, err := pickOf("runs", all, text)
	if i := slices.IndexFunc(page.Runs, func(r api.ActionRun) bool { return r.ID == string(id) }); i >= 0 {
		return page.Runs[i], err
	}
	return api.ActionRun{ID: string(id)}, err
}

// undoable asks for what can be taken back, and for its proposals.
func undoable(ctx context.Context, daemon *client.Client) (all []entry, err error) {
	page, err := client.Ask(ctx, daemon, api.GetRuns, api.RunQuery{Undoable: true, Limit: api.MaxPage})
	for _, run := range page.Runs {
		all = append(all, nameEntry(run.ID, run.Action))
		if run.Proposal != "" {
			all = append(all, nameEntry(run.Proposal, run.Action))
		}
	}
	return all, err
}
