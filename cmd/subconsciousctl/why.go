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
	return map[string]command{
		"why": {offer: a.offer(incidents().and(entries())), flags: map[string]any{"all": &shown.All, "prompts": &shown.Prompts},
			run: func(cmd *cobra.Command, args []string) error { return a.why(cmd.Context(), args[0], shown) }},
		"missed": a.missed(),
	}
}

// missed traces what was missed. Who sits at a terminal is asked whether it counts.
func (a *app) missed() command {
	var request api.MissedRequest
	var trace api.Trace
	look := filling(a, "tracing", api.PostMissed, &request, func(_ context.Context, c call) (err error) {
		request.Text, err = said(c.cmd, c.args, "what was missed is empty", "the account of what was missed", api.MaxMissed)
		return err
	}, "Missed", func(found api.Trace) error { trace = found; return nil })
	return command{flags: map[string]any{"teach": &request.Teach}, run: func(cmd *cobra.Command, args []string) error {
		if err := look(cmd, args); err != nil || request.Teach || !trace.Missed || !a.asksHere() {
			return err
		}
		if agreed, err := a.agreed(cmd.Context(), "Count it as missed?"); err != nil || !agreed {
			return err
		}
		request.Teach = true
		return filling(a, "counting", api.PostMissed, &request, func(context.Context, call) error { return nil }, "Taught")(cmd, args)
	}}
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
