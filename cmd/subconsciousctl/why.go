package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// whyCommands explain what was told, and what was not.
func (a *app) whyCommands() map[string]command {
	var shown screen.Shown
	var request api.MissedRequest
	return map[string]command{
		"why": {offer: a.offer(incidents().and(entries())), flags: map[string]any{"all": &shown.All, "prompts": &shown.Prompts},
			run: func(cmd *cobra.Command, args []string) error { return a.why(cmd.Context(), args[0], shown) }},
		"missed": {flags: map[string]any{"teach": &request.Teach}, run: filling(a, "tracing", api.PostMissed, &request, func(_ context.Context, c call) (err error) {
			request.Text, err = said(c.cmd, c.args, "what was missed is empty", "the account of what was missed", api.MaxMissed)
			return err
		}, "Missed")},
	}
}

// explained is what is known of an entry, or of an incident.
type explained struct {
	entry    api.Explanation
	incident *api.IncidentExplanation
}

func (a *app) why(ctx context.Context, id string, shown screen.Shown) error {
	found, err := ask(ctx, a, "looking back", func(ctx context.Context, daemon *client.Client) (explained, error) {
		about, err := findSubject(ctx, daemon, id)
		if err != nil {
			return explained{}, err
		}
		if incident := cmp.Or(incidentOf(ctx, daemon, id), about.incident); incident != "" {
			explanation, err := client.Ask(ctx, daemon, api.GetIncident, api.IncidentQuery{ID: incident})
			return explained{incident: &explanation}, err
		}
		explanation, err := client.Ask(ctx, daemon, api.GetWhy, api.WhyQuery{Entry: about.entry})
		return explained{entry: explanation}, elsewhere(err, id)
	})
	switch {
	case err != nil:
		return err
	case found.incident != nil:
		return a.show(*found.incident, "Incident", shown)
	}
	return a.show(found.entry, "Why", shown)
}

// elsewhere says where that is shown which is neither an entry nor an incident,
// by how its id begins.
func elsewhere(err error, id string) error {
	var problem *api.Problem
	if !errors.As(err, &problem) || problem.Code != api.CodeNotFound {
		return err
	}
	noun, next := "", ""
	switch {
	case strings.HasPrefix(id, proposalSign):
		noun, next = "a proposal", "subconsciousctl proposals "+id
	case strings.HasPrefix(id, runSign):
		noun, next = "a run", "subconsciousctl undo --list"
	default:
		return err
	}
	return api.Errorf(api.CodeNotFound, "if that is "+noun+": "+next, "there is no entry %s, nor is it about an incident", id)
}

// incidentOf is the incident that a proposal or a run is about; "" where there is
// none of that id, or where that cannot be known.
func incidentOf(ctx context.Context, daemon *client.Client, id string) subconscious.IncidentID {
	switch {
	case strings.HasPrefix(id, proposalSign):
		proposal, _ := findProposal(ctx, daemon, id)
		return proposal.Incident
	case strings.HasPrefix(id, runSign):
		run, _ := findRun(ctx, daemon, id)
		return run.Incident
	}
	return ""
}
