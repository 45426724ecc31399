package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newWhy(a *app) *cobra.Command {
	var shown screen.Shown
	cmd := &cobra.Command{
		Use:   "why ID",
		Short: "tell how an entry came to be on its mind, or why an incident was told or not",
		Long: `Of an entry: what was seen, who noticed, and what became of it. Of an incident
(i-…): on what it rests, who asked that you be told, each decision of the gate
with its reason, what was deliberated and what the policy said of each request,
how sure it is, and how it was delivered. Of a proposal (p-…) or a run (r-…):
its incident.`,
		Example:           "  subconsciousctl why w-backup-a2c\n  subconsciousctl why i-disk-1a0",
		Args:              takesID(1, 1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds},
		ValidArgsFunction: a.offer(subjects),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.why(cmd.Context(), args[0], shown) },
	}
	cmd.Flags().BoolVar(&shown.All, "all", false, "leave out no step")
	cmd.Flags().BoolVar(&shown.Prompts, "prompts", false, "show in full what was deliberated: prompts, answers, results of tools")
	return cmd
}

// explained is what is known of an entry, or of an incident.
type explained struct {
	entry    api.Explanation
	incident *api.IncidentExplanation
}

func (a *app) why(ctx context.Context, id string, shown screen.Shown) error {
	found, err := ask(ctx, a, "looking back", func(ctx context.Context, daemon *client.Client) (explained, error) {
		about, err := resolveSubject(ctx, daemon, id)
		if err != nil {
			return explained{}, err
		}
		if incident := incidentOf(ctx, daemon, id); incident != "" {
			about.incident = incident
		}
		if about.incident != "" {
			explanation, err := client.Ask(ctx, daemon, api.GetIncident, api.IncidentQuery{ID: about.incident})
			return explained{incident: &explanation}, err
		}
		explanation, err := client.Ask(ctx, daemon, api.GetWhy, api.WhyQuery{Entry: about.entry})
		return explained{entry: explanation}, elsewhere(err, id)
	})
	switch {
	case err != nil:
		return err
	case found.incident != nil:
		return a.print(*found.incident, func(v screen.View) string { return screen.Incident(v, *found.incident, shown) })
	}
	return a.print(found.entry, func(v screen.View) string { return screen.Why(v, found.entry, shown.All) })
}

// proposalSign is how the id of every proposal begins.
const proposalSign = "p-"

// runSign is how the id of every run begins.
const runSign = "r-"

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

func newMissed(a *app) *cobra.Command {
	var teach bool
	command := &cobra.Command{
		Use:   "missed TEXT…",
		Short: "say what you should have been told, and see where it was let pass",
		Long: `Finds the observation that you mean, and traces it: whether a sense brought it,
a thread was shown it and found it worth a finding, the mechanics kept it, and
what the gate decided. Says which change would have caught it. That changes
nothing; with --teach things of its sort count for more from then on, where it
was seen and did not reach you.`,
		Example: `  subconsciousctl missed "the invoice of the fair was due on Friday"
  subconsciousctl missed --teach "the invoice of the fair was due on Friday"`,
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "words"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := said(cmd, args, "what was missed is empty", "the account of what was missed", api.MaxMissed)
			if err != nil {
				return err
			}
			return show(cmd.Context(), a, "tracing", put(api.PostMissed, api.MissedRequest{Text: text, Teach: teach}),
				func(v screen.View, trace api.Trace) string { return screen.Missed(v, trace, teach) })
		},
	}
	command.Flags().BoolVar(&teach, "teach", false, "count it as missed, so that such things weigh more")
	return command
}
