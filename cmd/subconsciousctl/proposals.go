package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

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
		ValidArgsFunction: a.offer(pending),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.showProposal(cmd.Context(), args[0])
			}
			if err := checkLimit(cmd, query.Limit); err != nil {
				return err
			}
			return show(cmd.Context(), a, "asking", put(api.GetProposals, query),
				func(v screen.View, page api.ProposalPage) string { return screen.Proposals(v, page, query) })
		},
	}
	cmd.Flags().BoolVar(&query.All, "all", false, "those that do not wait any more too")
	pageFlags(cmd, &query.Before, &query.Limit)
	return cmd
}

func (a *app) showProposal(ctx context.Context, id string) error {
	return show(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.Proposal, error) {
		return findProposal(ctx, daemon, id)
	}, screen.Proposal)
}

// proposals asks for the newest proposals, those that were decided among them.
func proposals(ctx context.Context, daemon *client.Client) ([]entry, error) {
	return proposalsOf(ctx, daemon, api.ProposalQuery{All: true, Limit: api.MaxPage})
}

func proposalsOf(ctx context.Context, daemon *client.Client, query api.ProposalQuery) ([]entry, error) {
	page, err := client.Ask(ctx, daemon, api.GetProposals, query)
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
	return client.Ask(ctx, daemon, api.GetProposal, api.ProposalName{ID: string(id)})
}

// pending asks for the proposals that wait.
func pending(ctx context.Context, daemon *client.Client) (all []entry, err error) {
	return proposalsOf(ctx, daemon, api.ProposalQuery{Limit: api.MaxPage})
}

// approval is how somebody approves.
type approval struct {
	hash string // of what was looked at before; "" for what is shown now
	yes  bool   // without a question
}

func newApprove(a *app) *cobra.Command {
	var how approval
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "carry out what was proposed, exactly as it is shown",
		Long: `Shows exactly what would run, why it is asked, and whose words the model had been
shown, and asks whether to run it. It runs once, at once, with those arguments
and no others, and its output is shown.

Where nobody can be asked, and with --json, the hash of what was looked at is
needed, so that exactly that is approved: subconsciousctl proposals ID shows it.

Exits with 1 if you say no, or if it failed, and with 6 if it cannot be approved
any more.`,
		Example: `  subconsciousctl approve p-4f2a
  subconsciousctl approve p-4f2a --hash "$(subconsciousctl proposals p-4f2a --json | jq -r .hash)"`,
		Args:              takesID(1, 1, "p-4f2a"),
		Annotations:       map[string]string{needs: "the id of a proposal"},
		ValidArgsFunction: a.offer(pending),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.approve(cmd.Context(), args[0], how) },
	}
	cmd.Flags().StringVar(&how.hash, "hash", "", "approve what has this `HASH`, and nothing else")
	cmd.Flags().BoolVar(&how.yes, "yes", false, "do not ask, on a terminal")
	return cmd
}

// asksHere reports whether there is somebody who sees what is shown and can
// answer.
func (a *app) asksHere() bool { return a.inTerminal && a.outTerminal && !a.json }

func (a *app) approve(ctx context.Context, id string, how approval) error {
	if how.hash == "" && !a.asksHere() {
		return &usageError{err: errors.New("nobody can be asked here, so approving needs the hash of what was looked at"),
			next: "look at it with subconsciousctl proposals ID, then add --hash HASH"}
	}
	proposal, err := ask(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.Proposal, error) {
		return findProposal(ctx, daemon, id)
	})
	if err != nil {
		return err
	}
	if how.hash != "" && how.hash != proposal.Hash {
		return api.Errorf(api.CodeChanged, "look at it again: subconsciousctl proposals "+proposal.ID, "the proposal %s is not what has that hash", proposal.ID)
	}
	if !a.json {
		if err := a.print(proposal, func(v screen.View) string { return screen.Proposal(v, proposal) }); err != nil {
			return err
		}
	}
	if a.asksHere() && !how.yes && proposal.State == api.ProposalPending {
		if proposal.Problem != "" {
			return api.Errorf(api.CodeChanged, "reject it: subconsciousctl reject "+proposal.ID, "it cannot be approved: %s", proposal.Problem)
		}
		agreed, err := a.agreed(ctx, "Run exactly this?")
		if err != nil || !agreed {
			return errors.Join(err, a.declined(proposal))
		}
	}
	return a.decide(ctx, api.ProposalDecision{ID: proposal.ID, Hash: proposal.Hash, Approve: true})
}

// agreed asks a question that only a clear yes answers with yes.
func (a *app) agreed(ctx context.Context, question string) (bool, error) {
	person := &terminal{app: a}
	if _, err := fmt.Fprintf(person.out(), "\n%s [y/N] ", question); err != nil {
		return false, fmt.Errorf("ask: %w", err)
	}
	line, err := person.line(ctx)
	if errors.Is(err, context.Canceled) {
		return false, nil
	}
	answer := strings.ToLower(line)
	return answer == "y" || answer == "yes", err
}

// declined says that nothing happened.
func (a *app) declined(proposal api.Proposal) error {
	if _, err := io.WriteString(a.stdout, screen.Lines("Nothing was run. It still waits for your word: approve or reject "+proposal.ID+".")+"\n"); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return &silentError{exitFailed}
}

// decide sends a decision and says what came of it.
func (a *app) decide(ctx context.Context, decision api.ProposalDecision) error {
	doing := "asking"
	if decision.Approve {
		doing = "carrying it out"
	}
	result, err := ask(ctx, a, doing, put(api.PostDecision, decision))
	if err != nil {
		return err
	}
	if decision.Approve && !a.json {
		if _, err := io.WriteString(a.stdout, "\n"); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
	if err := a.print(result, func(v screen.View) string { return screen.Decided(v, result) }); err != nil {
		return err
	}
	if result.Run != nil {
		return ofRun(*result.Run)
	}
	return nil
}

// ofRun is the end of a command that carried something out.
func ofRun(run api.ActionRun) error {
	switch run.State {
	case api.RunStarted, api.RunSucceeded:
		return nil
	}
	return &silentError{exitFailed}
}

func newReject(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "reject ID",
		Short:             "never carry out what was proposed",
		Args:              takesID(1, 1, "p-4f2a"),
		Annotations:       map[string]string{needs: "the id of a proposal"},
		ValidArgsFunction: a.offer(pending),
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
