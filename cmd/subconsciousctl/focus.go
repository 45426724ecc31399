package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newFocus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "focus THREAD [HINT…]",
		Short:             "tell a thread what to look at; no hint clears it",
		Example:           "  subconsciousctl focus oracle the move to the new flat",
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "the name of a thread"},
		ValidArgsFunction: a.completeThreads,
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
