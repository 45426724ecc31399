package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
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
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return &usageError{err: errors.New("the note is empty"), next: "usage: " + cmd.UseLine()}
			}
			if err := bounded("the note", text, api.MaxNote); err != nil {
				return err
			}
			return a.command(cmd.Context(), api.CommandRequest{Kind: subconscious.CommandNote, Text: text})
		},
	}
}
