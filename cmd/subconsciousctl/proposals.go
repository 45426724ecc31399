package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newProposals(a *app) *cobra.Command {
	var query api.ProposalQuery
	cmd := &cobra.Command{
		Use:   "proposals [ID]",
		Short: "show the actions that wait for your word, or one of them in full",
		Long: `Shows the actions that somebody asks for and that are not carried out unless
you approve them. With an ID it shows one in full: exactly what would run, why it
is asked, whose words the model had been shown, and the hash that stands for it.`,
		Args:              takesID(0, 1, "p-4f2a"),
		Annotations:       map[string]string{needs: "the id of a proposal"},
		ValidArgsFunction: a.completeProposals,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.showProposal(cmd.Context(), args[0])
			}
			if err := checkLimit(cmd, query.Limit); err != nil {
				return err
			}
			page, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (api.ProposalPage, error) {
				return daemon.Proposals(ctx, query)
			})
			if err != nil {
				return err
			}
			return a.print(page, func(v screen.View) string { return screen.Proposals(v, page, query) })
		},
	}
	cmd.Flags().BoolVar(&query.All, "all", false, "those that do not wait any more too")
	pageFlags(cmd, &query.Before, &query.Limit)
	return cmd
}

func (a *app) showProposal(ctx context.Context, id string) error {
	proposal, err := ask(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.Proposal, error) {
		return findProposal(ctx, daemon, id)
	})
	if err != nil {
		return err
	}
	return a.print(proposal, func(v screen.View) string { return screen.Proposal(v, proposal) })
}

// proposals asks for the newest proposals, those that were decided among them.
func proposals(ctx context.Context, daemon *client.Client) ([]entry, error) {
	return proposalsOf(ctx, daemon, api.ProposalQuery{All: true, Limit: api.MaxPage})
}

func proposalsOf(ctx context.Context, daemon *client.Client, query api.ProposalQuery) ([]entry, error) {
	page, err := daemon.Proposals(ctx, query)
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(page.Proposals))
	for i, p := range page.Proposals {
		all[i] = nameEntry(p.ID, p.Action+": "+p.Reason)
	}
	return all, nil
}

// findProposal returns the one whose id begins so.
func findProposal(ctx context.Context, daemon *client.Client, text string) (api.Proposal, error) {
	all, err := proposals(ctx, daemon)
	if err != nil {
		return api.Proposal{}, err
	}
	id, err := pickOf("proposals", all, text)
	if err != nil {
		return api.Proposal{}, err
	}
	return daemon.Proposal(ctx, string(id))
}

// completeProposals offers the ids of the proposals that wait.
func (a *app) completeProposals(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	return a.completeFirst(cmd, args, begun, func(ctx context.Context, daemon *client.Client) ([]entry, error) {
		return proposalsOf(ctx, daemon, api.ProposalQuery{Limit: api.MaxPage})
	})
}
