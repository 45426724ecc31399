package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// whenHelp says how a time is written, for snooze and remind.
const whenHelp = `WHEN is a length of time (2h, 3d, 1w), a time of the day (18:00, 6pm), a day
(tomorrow, fri, 2026-11-23; at 9:00), or a day and a time (tomorrow 18:00,
fri 8:00, 2026-11-23 08:00), in the mind's time zone.`

func newRemind(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remind ID WHEN…",
		Short: "be told of an incident again at a time, whatever becomes of it",
		Long:  "Sets a reminder of an incident.\n\n" + whenHelp,
		Example: `  subconsciousctl remind i-disk-1a0 2h
  subconsciousctl remind i-disk-1a0 tomorrow 9:00`,
		Args:              takesID(2, -1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds + ", and a time"},
		ValidArgsFunction: a.completeSubjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.answer(cmd.Context(), args[0], func(v screen.View) (api.CommandRequest, error) {
				at, err := when(v, "", strings.Join(args[1:], " "), false)
				return api.CommandRequest{Kind: subconscious.CommandRemind, Until: at.Format(time.RFC3339)}, err
			})
		},
	}
}

// when reads a time that is still ahead; flag stands before what is wrong.
func when(v screen.View, flag, text string, roll bool) (time.Time, error) {
	at, err := screen.When(v, text, roll)
	var unclear *screen.Unclear
	if errors.As(err, &unclear) {
		return time.Time{}, &usageError{err: fmt.Errorf("%s%w", flag, err), next: unclear.Next}
	}
	return at, err
}
