package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
)

// runCommands take back what was carried out.
func (a *app) runCommands() map[string]command {
	var all, yes bool
	query := api.RunQuery{Limit: api.DefaultPage}
	var request api.UndoRequest
	runs := asking(a, "asking", api.GetRuns, &query, "Runs")
	undo := filling(a, "taking it back", api.PostUndo, &request, func(ctx context.Context, c call) (err error) {
		request.Run, err = findUndone(ctx, c.Client, c.args[0])
		return err
	}, "Run", ofRun)
	return map[string]command{"undo": {
		offer: a.offer(undoable()),
		flags: map[string]any{"list": &all, "yes": &yes, "before": &query.Before, "limit": &query.Limit},
		run: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return &usageError{err: errors.New("--list takes no run"), next: "usage: " + cmd.UseLine()}
			case all:
				return runs(cmd, args)
			case len(args) > 0:
				return undo(cmd, args)
			}
			last, err := a.agreedRun(cmd.Context(), yes)
			if err != nil {
				return err
			}
			return undo(cmd, []string{last})
		},
	}}
}

// ofRun is the end of a command that carried something out.
func ofRun(run api.ActionRun) error {
	return ended(run.State != api.RunStarted && run.State != api.RunSucceeded, exitFailed)
}

// agreedRun is the last that can be taken back, after it was shown and the
// person agreed.
func (a *app) agreedRun(ctx context.Context, yes bool) (string, error) {
	last, err := ask(ctx, a, "asking", lastRun)
	if err != nil {
		return "", err
	}
	if !yes && !a.asksHere() {
		return "", &usageError{err: fmt.Errorf("nobody can be asked here whether to take back %s (%s)", last.ID, last.Action),
			next: "if so: subconsciousctl undo " + last.ID}
	}
	if a.json {
		return last.ID, nil
	}
	if err := a.show(last, "Undoing"); err != nil {
		return "", err
	}
	if !yes {
		agreed, err := a.agreed(ctx, "Take exactly this back?")
		if err != nil || !agreed {
			return "", errors.Join(err, a.declined("Nothing was taken back. "+last.ID+" stays as it is."))
		}
	}
	return last.ID, a.write("\n")
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

// findUndone returns the id of the run whose id, or whose proposal's id, begins so.
func findUndone(ctx context.Context, daemon *client.Client, text string) (string, error) {
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
	id, err := pick("runs", names(page.Runs, nameRun), text)
	if i := slices.IndexFunc(page.Runs, func(r api.ActionRun) bool { return r.ID == id }); i >= 0 {
		return page.Runs[i], err
	}
	run := api.ActionRun{}
	run.ID = id
	return run, err
}

func nameRun(r api.ActionRun) named { return named{r.ID, r.Action} }

// undoable asks for what can be taken back, and for its proposals.
func undoable() list {
	return listed(api.GetRuns, api.RunQuery{Undoable: true, Limit: api.MaxPage}, func(page api.RunPage) (all []named) {
		for _, run := range page.Runs {
			all = append(all, nameRun(run))
			if run.Proposal != "" {
				all = append(all, named{run.Proposal, run.Action})
			}
		}
		return all
	})
}
