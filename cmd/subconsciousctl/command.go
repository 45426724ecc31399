package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newNote(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "note TEXT…",
		Short: "tell it something; it stands for 7 days, or to the date it names",
		Example: `  subconsciousctl note call the dentist by Friday
  subconsciousctl note -- "--dry-run is on in the backup script"`,
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "words"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := said(cmd, args, "the note is empty", "the note", api.MaxNote)
			if err != nil {
				return err
			}
			return a.command(cmd.Context(), api.CommandRequest{Kind: subconscious.CommandNote, Text: text})
		},
	}
}

func newFocus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "focus THREAD [HINT…]",
		Short:             "tell a thread what to look at; no hint clears it",
		Example:           "  subconsciousctl focus oracle the move to the new flat",
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "the name of a thread"},
		ValidArgsFunction: a.offer(threads),
		RunE: func(cmd *cobra.Command, args []string) error {
			hint := strings.TrimSpace(strings.Join(args[1:], " "))
			if err := bounded("the hint", hint, api.MaxHint); err != nil {
				return err
			}
			return a.command(cmd.Context(), api.CommandRequest{
				Kind: subconscious.CommandFocus, Thread: subconscious.ThreadName(args[0]), Text: hint,
			})
		},
	}
}

// command sends one command and says what became of it. Where it names an
// entry, the first letters of its id are enough.
func (a *app) command(ctx context.Context, request api.CommandRequest) error {
	return show(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.CommandResult, error) {
		if request.Entry != "" {
			id, err := resolve(ctx, daemon, string(request.Entry))
			if err != nil {
				return api.CommandResult{}, err
			}
			request.Entry = id
		}
		return client.Ask(ctx, daemon, api.PostCommand, request)
	}, screen.Command)
}
