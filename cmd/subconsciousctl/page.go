package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
)

// pageFlags gives a command the flags of a list that is read page by page.
func pageFlags(cmd *cobra.Command, before *string, limit *int) {
	limitFlag(cmd, limit)
	cmd.Flags().StringVar(before, "before", "", "those before this `MARK`, which the page before names")
}

func limitFlag(cmd *cobra.Command, limit *int) {
	cmd.Flags().IntVar(limit, "limit", api.DefaultPage, "at most `N` of them, up to 100")
}

// checkLimit refuses what no page can have.
func checkLimit(cmd *cobra.Command, limit int) error {
	if limit >= 1 && limit <= api.MaxPage {
		return nil
	}
	return &usageError{err: fmt.Errorf("--limit takes 1 to %d", api.MaxPage), next: "see " + cmd.CommandPath() + " --help"}
}

// completeFirst offers a list to the shell for the first argument alone.
func (a *app) completeFirst(cmd *cobra.Command, args []string, begun string, list func(context.Context, *client.Client) ([]entry, error)) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(cmd, begun, list)
}
