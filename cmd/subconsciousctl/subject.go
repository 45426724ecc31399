package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// subject is what a command is about: an incident, or an entry.
type subject struct {
	incident subconscious.IncidentID
	entry    subconscious.EntryID
}

// incidentSign is how the id of every incident begins.
const incidentSign = "i-"

// subjectNeeds is what a command about an incident cannot do without.
const subjectNeeds = "the id of an incident or an entry"

// incidents asks for the newest incidents, those that are over among them.
func incidents(ctx context.Context, daemon *client.Client) ([]entry, error) {
	inbox, err := daemon.Inbox(ctx, api.InboxQuery{All: true, Limit: api.MaxInbox})
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, i := range inbox.Incidents {
		all = append(all, nameEntry(string(i.ID), i.Summary))
	}
	return all, nil
}

// resolveSubject finds the incident or the entry whose id begins so. What is not
// shown is handed on as it is: the daemon also knows older ones.
func resolveSubject(ctx context.Context, daemon *client.Client, text string) (subject, error) {
	var told []entry
	if strings.HasPrefix(text, incidentSign) || text == incidentSign[:1] {
		var err error
		if told, err = incidents(ctx, daemon); err != nil {
			return subject{}, err
		}
	}
	listed, err := entries(ctx, daemon)
	if err != nil {
		return subject{}, err
	}
	id, err := pick(append(told, listed...), text)
	if err != nil {
		return subject{}, err
	}
	if strings.HasPrefix(string(id), incidentSign) && !has(listed, id) {
		return subject{incident: subconscious.IncidentID(id)}, nil
	}
	return subject{entry: id}, nil
}

func has(all []entry, id subconscious.EntryID) bool {
	for _, e := range all {
		if e.id == id {
			return true
		}
	}
	return false
}

// completeSubjects offers the ids of incidents and entries to the shell.
func (a *app) completeSubjects(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(cmd, begun, func(ctx context.Context, daemon *client.Client) ([]entry, error) {
		told, err := incidents(ctx, daemon)
		if err != nil {
			return nil, err
		}
		listed, err := entries(ctx, daemon)
		return append(told, listed...), err
	})
}

// answer sends one answer to an incident and says what will come of it. The request
// is asked for once the mind's time zone is known.
func (a *app) answer(ctx context.Context, id string, request func(screen.View) (api.CommandRequest, error)) error {
	result, err := ask(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.CommandResult, error) {
		about, err := resolveSubject(ctx, daemon, id)
		if err != nil {
			return api.CommandResult{}, err
		}
		command, err := request(a.view())
		if err != nil {
			return api.CommandResult{}, err
		}
		command.Incident, command.Entry = about.incident, about.entry
		return daemon.Command(ctx, command)
	})
	if err != nil {
		return err
	}
	return a.print(result, func(v screen.View) string { return screen.Answer(v, result) })
}
