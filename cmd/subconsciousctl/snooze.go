package main

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newSnooze(a *app) *cobra.Command {
	var length, until string
	cmd := &cobra.Command{
		Use:   "snooze ID [WHEN…]",
		Short: "hear of an incident later, if it still stands then",
		Long: `Puts an incident off. Without WHEN it comes again in 3 hours or when quiet hours
end, whichever is later. What is over by then is not told.

` + whenHelp + `
A time of the day that is past means tomorrow's.`,
		Example: `  subconsciousctl snooze i-disk-1a0 2h
  subconsciousctl snooze i-disk-1a0 tomorrow 9:00`,
		Args:              takesID(1, -1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds},
		ValidArgsFunction: a.completeSubjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			flag, text := "", strings.Join(args[1:], " ")
			for name, value := range map[string]string{"--for ": length, "--until ": until} {
				switch {
				case value == "":
				case text != "":
					return &usageError{err: errors.New("WHEN, --for and --until say the same in several ways"), next: "give one of them"}
				default:
					flag, text = name, value
				}
			}
			return a.answer(cmd.Context(), args[0], func(v screen.View) (api.CommandRequest, error) {
				request := api.CommandRequest{Kind: subconscious.CommandSnooze}
				if text == "" {
					return request, nil
				}
				at, err := when(v, flag, text, true)
				request.Until = at.Format(time.RFC3339)
				return request, err
			})
		},
	}
	cmd.Flags().StringVar(&length, "for", "", "the same as `WHEN`: 30m, 3h, 2d")
	cmd.Flags().StringVar(&until, "until", "", "the same as `WHEN`: 08:00, fri 9:00, 2026-11-23T08:00")
	return cmd
}
