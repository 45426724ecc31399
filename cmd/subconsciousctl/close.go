package main

import (
	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newClose(a *app) *cobra.Command {
	var forever bool
	cmd := &cobra.Command{
		Use:   "close ENTRY",
		Short: "hear no more of an entry, unless it gets worse or comes anew",
		Long: `Closes an entry. It comes back only if it gets worse than it was, or was
all over and appears anew; with --forever it never does.`,
		Args:              takesID(1, 1, "w-backup-a2c"),
		Annotations:       map[string]string{needs: "the id of an entry"},
		ValidArgsFunction: a.completeEntries,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.command(cmd.Context(), api.CommandRequest{
				Kind: subconscious.CommandClose, Entry: subconscious.EntryID(args[0]), Forever: forever,
			})
		},
	}
	cmd.Flags().BoolVar(&forever, "forever", false, "whatever happens")
	return cmd
}
