package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
)

func newReject(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "reject ID",
		Short:             "never carry out what was proposed",
		Args:              takesID(1, 1, "p-4f2a"),
		Annotations:       map[string]string{needs: "the id of a proposal"},
		ValidArgsFunction: a.completeProposals,
		RunE: func(cmd *cobra.Command, args []string) error {
			proposal, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (api.Proposal, error) {
				return findProposal(ctx, daemon, args[0])
			})
			if err != nil {
				return err
			}
			return a.decide(cmd.Context(), api.ProposalDecision{ID: proposal.ID})
		},
	}
}
