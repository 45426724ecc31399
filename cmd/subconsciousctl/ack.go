package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newAck(a *app) *cobra.Command {
	var useful, notUseful bool
	cmd := &cobra.Command{
		Use:   "ack ID",
		Short: "say that you heard, and whether it was of use",
		Long: `Answers an incident. It is told again only if it changes in a way that matters:
if it gets worse, its time comes near, its status changes or somebody joins.
With --useful or --not-useful it is learnt from for things of its sort.`,
		Example:           "  subconsciousctl ack i-disk-1a0 --useful",
		Args:              takesID(1, 1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds},
		ValidArgsFunction: a.completeSubjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			request := api.CommandRequest{Kind: subconscious.CommandAck}
			switch {
			case useful && notUseful:
				return &usageError{err: errors.New("it cannot be both useful and not useful"), next: "usage: " + cmd.UseLine()}
			case useful:
				request.Feedback = subconscious.Useful
			case notUseful:
				request.Feedback = subconscious.NotUseful
			}
			return a.answer(cmd.Context(), args[0], func(screen.View) (api.CommandRequest, error) { return request, nil })
		},
	}
	cmd.Flags().BoolVar(&useful, "useful", false, "it was good to be told")
	cmd.Flags().BoolVar(&notUseful, "not-useful", false, "it was not")
	return cmd
}
