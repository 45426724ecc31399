package main

import (
	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newConfirm(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "confirm ENTRY",
		Short:             "say that an entry is so, so that it can become an insight",
		Args:              takesID(1, 1, "w-backup-a2c"),
		Annotations:       map[string]string{needs: "the id of an entry"},
		ValidArgsFunction: a.completeEntries,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.command(cmd.Context(), api.CommandRequest{
				Kind: subconscious.CommandConfirm, Entry: subconscious.EntryID(args[0]),
			})
		},
	}
}
