package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newInbox(a *app) *cobra.Command {
	var query api.InboxQuery
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "show what waits to be told, and what was told and not answered",
		Long: `Shows the incidents of which somebody asks that you be told: those that wait,
with what for and until when, and those that were told and not answered, with
how they were delivered. With --all also those that are over.`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if query.Limit < 1 || query.Limit > api.MaxInbox {
				return &usageError{err: fmt.Errorf("--limit takes 1 to %d", api.MaxInbox), next: "see subconsciousctl inbox --help"}
			}
			inbox, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (api.Inbox, error) {
				return daemon.Inbox(ctx, query)
			})
			if err != nil {
				return err
			}
			return a.print(inbox, func(v screen.View) string { return screen.Inbox(v, inbox, query) })
		},
	}
	cmd.Flags().BoolVar(&query.All, "all", false, "those that are over too")
	cmd.Flags().IntVar(&query.Limit, "limit", api.DefaultInbox, "at most `N` of them, up to 100")
	cmd.Flags().StringVar(&query.Before, "before", "", "those before this `MARK`, which the page before names")
	return cmd
}
