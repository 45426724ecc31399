package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

// proposalCommands show what waits for approval, and decide it.
func (a *app) proposalCommands() map[string]command {
	query := api.ProposalQuery{Limit: api.DefaultPage}
	var how approval
	waiting := a.offer(proposals(api.ProposalQuery{Limit: api.MaxPage}))
	all := asking(a, "asking", api.GetProposals, &query, "Proposals")
	return map[string]command{
		"proposals": {offer: waiting, flags: map[string]any{"all": &query.All, "before": &query.Before, "limit": &query.Limit}, run: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return all(cmd, args)
			}
			proposal, err := a.proposal(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.show(proposal, "Proposal")
		}},
		"approve": {offer: waiting, flags: map[string]any{"hash": &how.hash, "yes": &how.yes, "passphrase-file": &how.passphrase},
			run: func(cmd *cobra.Command, args []string) error { return a.approve(cmd.Context(), args[0], how) }},
		"reject": {offer: waiting, run: func(cmd *cobra.Command, args []string) error {
			proposal, err := a.proposal(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.decide(cmd.Context(), api.ProposalDecision{ID: proposal.ID})
		}},
		"passphrase": {run: func(cmd *cobra.Command, _ []string) error { return a.setPassphrase(cmd.Context()) }},
	}
}

// proposals asks for the newest proposals of a query.
func proposals(query api.ProposalQuery) list {
	return listed(api.GetProposals, query, func(page api.ProposalPage) []named {
		return names(page.Proposals, func(p api.Proposal) named { return named{p.ID, p.Action + ": " + p.Reason} })
	})
}

// findProposal returns the one whose id begins so.
func findProposal(ctx context.Context, daemon *client.Client, text string) (api.Proposal, error) {
	id, err := proposals(api.ProposalQuery{All: true, Limit: api.MaxPage}).find(ctx, daemon, "proposals", text)
	if err != nil {
		return api.Proposal{}, err
	}
	return client.Ask(ctx, daemon, api.GetProposal, api.ProposalName{ID: id})
}

func (a *app) proposal(ctx context.Context, text string) (api.Proposal, error) {
	return ask(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.Proposal, error) {
		return findProposal(ctx, daemon, text)
	})
}

// approval is how somebody approves.
type approval struct {
	hash string // of what was looked at before; "" for what is shown now
	yes  bool   // without a question
	// passphrase is the file that has it; "" to be asked.
	passphrase string
}

// asksHere reports whether there is somebody who sees what is shown and can
// answer.
func (a *app) asksHere() bool { return a.inTerminal && a.outTerminal && !a.json }

func (a *app) approve(ctx context.Context, id string, how approval) error {
	if how.hash == "" && !a.asksHere() {
		return &usageError{err: errors.New("nobody can be asked here, so approving needs the hash of what was looked at"),
			next: "look at it with subconsciousctl proposals ID, then add --hash HASH"}
	}
	proposal, err := a.proposal(ctx, id)
	if err != nil {
		return err
	}
	if how.hash != "" && how.hash != proposal.Hash {
		return api.Errorf(api.CodeChanged, "look at it again: subconsciousctl proposals "+proposal.ID, "the proposal %s is not what has that hash", proposal.ID)
	}
	if !a.json {
		if err := a.show(proposal, "Proposal"); err != nil {
			return err
		}
	}
	if a.asksHere() && !how.yes && proposal.State == api.ProposalPending {
		if proposal.Problem != "" {
			return api.Errorf(api.CodeChanged, "reject it: subconsciousctl reject "+proposal.ID, "it cannot be approved: %s", proposal.Problem)
		}
		agreed, err := a.agreed(ctx, "Run exactly this?")
		if err != nil || !agreed {
			return errors.Join(err, a.declined("Nothing was run. It still waits for your word: approve or reject "+proposal.ID+"."))
		}
	}
	decision := api.ProposalDecision{ID: proposal.ID, Hash: proposal.Hash, Approve: true}
	if how.passphrase != "" {
		lines, err := a.linesOf(how.passphrase)
		if err != nil {
			return err
		}
		decision.Passphrase = lines[0]
	}
	return a.decide(ctx, decision)
}

// linesOf are those of a file, or of the input where it is "-".
func (a *app) linesOf(path string) ([]string, error) {
	in := a.stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, 4<<10))
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\r", "")), "\n"), err
}

// setPassphrase asks for the present and the new passphrase; where nobody types
// it reads them, the new one last.
func (a *app) setPassphrase(ctx context.Context) (err error) {
	lines := make([]string, 3)
	if !a.inTerminal {
		lines, err = a.linesOf("-")
	} else {
		for i, question := range []string{"The present passphrase, or Enter where there is none", "The new one", "The new one again"} {
			if err == nil {
				lines[i], err = (&terminal{app: a}).Secret(ctx, question)
			}
		}
		if err == nil && lines[1] != lines[2] {
			err = errors.New("the new one was typed in two ways, and none was set")
		}
	}
	if err != nil {
		return err
	}
	request := api.PassphraseRequest{Passphrase: lines[len(lines)-1]}
	if len(lines) > 1 {
		request.Present = lines[0]
	}
	set, err := ask(ctx, a, "asking", put(api.PostPassphrase, request))
	if err != nil {
		return err
	}
	return a.print(set, func() string {
		if !set.Asked {
			return "It is set, and will be asked for once approve.ask is passphrase in the configuration.\n"
		}
		return "It is set, and approving takes it.\n"
	})
}

// agreed asks a question that only a clear yes answers with yes.
func (a *app) agreed(ctx context.Context, question string) (bool, error) {
	person := &terminal{app: a}
	if err := person.ask("\n" + question + " [y/N] "); err != nil {
		return false, err
	}
	line, err := person.line(ctx)
	if errors.Is(err, context.Canceled) {
		return false, nil
	}
	answer := strings.ToLower(line)
	return answer == "y" || answer == "yes", err
}

// declined says that nothing happened.
func (a *app) declined(text string) error {
	if err := a.write(screen.Lines(text) + "\n"); err != nil {
		return err
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
	if problem, ok := errors.AsType[*api.Problem](err); ok && problem.Code == api.CodePassphrase && a.asksHere() {
		if decision.Passphrase, err = (&terminal{app: a}).Secret(ctx, "Your passphrase"); err == nil {
			result, err = ask(ctx, a, doing, put(api.PostDecision, decision))
		}
	}
	if err == nil && decision.Approve && !a.json {
		err = a.write("\n")
	}
	if err == nil {
		err = a.show(result, "Decided")
	}
	if err == nil && result.Run != nil {
		err = ofRun(*result.Run)
	}
	return err
}
