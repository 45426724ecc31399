package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newSnooze(a *app) *cobra.Command {
	var length, until string
	cmd := &cobra.Command{
		Use:   "snooze ID",
		Short: "hear of an incident later, if it still stands then",
		Long: `Puts an incident off. Without --for and --until it comes again in 3 hours or
when quiet hours end, whichever is later. What is over by then is not told.`,
		Example: `  subconsciousctl snooze i-disk-1a0 --for 3h
  subconsciousctl snooze i-disk-1a0 --until 08:00`,
		Args:              takesID(1, 1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds},
		ValidArgsFunction: a.completeSubjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			if length != "" && until != "" {
				return &usageError{err: errors.New("--for and --until say the same in two ways"), next: "give one of them"}
			}
			span, err := parseLength(length)
			if err != nil {
				return err
			}
			return a.answer(cmd.Context(), args[0], func(v screen.View) (api.CommandRequest, error) {
				wish := api.CommandRequest{Kind: subconscious.CommandSnooze}
				if span > 0 {
					wish.For = span.String()
				}
				if until == "" {
					return wish, nil
				}
				// At night "until 08:00" is the next morning.
				at, err := when(v, "--until ", until, true)
				wish.Until = at.Format(time.RFC3339)
				return wish, err
			})
		},
	}
	cmd.Flags().StringVar(&length, "for", "", "for so `LONG`: 30m, 3h, 2d")
	cmd.Flags().StringVar(&until, "until", "", "until `WHEN`: 08:00, fri 9:00, 2026-11-23T08:00")
	return cmd
}
