package main

import (
	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newDismiss(a *app) *cobra.Command {
	var forever bool
	cmd := &cobra.Command{
		Use:   "dismiss ID",
		Short: "be told no more of an incident, unless it gets worse or comes anew",
		Long: `Dismisses an incident. It is told again only if it gets worse than it was, or
was all over and appears anew; with --forever it never is. That it was not
wanted is learnt from for things of its sort.`,
		Args:              takesID(1, 1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds},
		ValidArgsFunction: a.completeSubjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.answer(cmd.Context(), args[0], func(screen.View) (api.CommandRequest, error) {
				return api.CommandRequest{Kind: subconscious.CommandDismiss, Forever: forever}, nil
			})
		},
	}
	cmd.Flags().BoolVar(&forever, "forever", false, "whatever happens")
	return cmd
}
