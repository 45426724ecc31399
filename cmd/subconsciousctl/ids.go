package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// completionTimeout is how long a person waits for the tab key.
const completionTimeout = 500 * time.Millisecond

// How the ids of all incidents, proposals and runs begin.
const (
	incidentSign = "i-"
	proposalSign = "p-"
	runSign      = "r-"
)

// named is what a command can be told to act on: its id, and words about it.
type named struct{ id, words string }

// list asks the daemon for all of a noun.
type list func(context.Context, *client.Client) ([]named, error)

// listed is the list that an answer holds.
func listed[Q, A any](route api.Route[Q, A], question Q, names func(A) []named) list {
	return func(ctx context.Context, daemon *client.Client) ([]named, error) {
		answer, err := client.Ask(ctx, daemon, route, question)
		if err != nil {
			return nil, err
		}
		return names(answer), nil
	}
}

// names gives each a name.
func names[T any](all []T, name func(T) named) []named {
	ids := make([]named, len(all))
	for i, one := range all {
		ids[i] = name(one)
	}
	return ids
}

// and is both lists, one after the other.
func (l list) and(more list) list {
	return func(ctx context.Context, daemon *client.Client) ([]named, error) {
		all, err := l(ctx, daemon)
		if err != nil {
			return nil, err
		}
		others, err := more(ctx, daemon)
		return append(all, others...), err
	}
}

// find returns the id that is so, else the only one that begins so. What is not
// listed is handed on as it is: the daemon also knows what is older, or gone.
func (l list) find(ctx context.Context, daemon *client.Client, noun, text string) (string, error) {
	all, err := l(ctx, daemon)
	if err != nil {
		return "", err
	}
	return pick(noun, all, text)
}

func pick(noun string, all []named, text string) (string, error) {
	var candidates []string
	found := text
	for _, one := range all {
		if one.id == text {
			return text, nil
		}
		if text != "" && strings.HasPrefix(one.id, text) {
			found = one.id
			candidates = append(candidates, one.id+"  "+one.words)
		}
	}
	if len(candidates) < 2 {
		return found, nil
	}
	slices.Sort(candidates)
	return "", &api.Error{Code: api.CodeAmbiguous, Text: fmt.Sprintf("%d %s begin with %q", len(candidates), noun, text),
		Next: "add a letter or two", Candidates: candidates}
}

// offer offers a list to the shell for the first argument alone.
func (a *app) offer(l list) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.values(l)(cmd, args, begun)
	}
}

// values offers a list to the shell for a flag.
func (a *app) values(l list) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) (offers []string, _ cobra.ShellCompDirective) {
		ctx, done := context.WithTimeout(cmd.Context(), completionTimeout)
		defer done()
		var all []named
		daemon, err := a.daemon()
		if err == nil {
			all, err = l(ctx, daemon)
		}
		for _, one := range all {
			if id := subconscious.Printable(one.id); err == nil && strings.HasPrefix(id, begun) {
				offers = append(offers, id+"\t"+subconscious.Printable(one.words))
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}

// entries asks for all that is listed or parked.
func entries() list {
	return listed(api.GetStatus, api.Nothing{}, func(status api.Status) []named {
		document := status.Subconscious
		all := names(slices.Concat(document.ActiveThreads, document.Patterns, document.Hunches, document.Insights),
			func(e subconscious.DocumentEntry) named { return named{string(e.ID), e.Summary} })
		for _, e := range status.Parked {
			all = append(all, named{string(e.ID), e.Summary})
		}
		return all
	})
}

// incidents asks for the newest incidents, those that are over among them.
func incidents() list {
	return listed(api.GetInbox, api.InboxQuery{All: true, Limit: api.MaxPage}, func(inbox api.Inbox) []named {
		return names(inbox.Incidents, func(i api.InboxIncident) named { return named{string(i.ID), i.Summary} })
	})
}

// subject is what a command is about: an incident, or an entry.
type subject struct {
	incident subconscious.IncidentID
	entry    subconscious.EntryID
}

// findSubject finds the incident or the entry whose id begins so.
func findSubject(ctx context.Context, daemon *client.Client, text string) (subject, error) {
	var told []named
	var err error
	if strings.HasPrefix(text, incidentSign) || text == incidentSign[:1] {
		if told, err = incidents()(ctx, daemon); err != nil {
			return subject{}, err
		}
	}
	listed, err := entries()(ctx, daemon)
	if err != nil {
		return subject{}, err
	}
	id, err := pick(nounOf(text), append(told, listed...), text)
	isEntry := slices.ContainsFunc(listed, func(e named) bool { return e.id == id })
	if err != nil || isEntry || !strings.HasPrefix(id, incidentSign) {
		return subject{entry: subconscious.EntryID(id)}, err
	}
	return subject{incident: subconscious.IncidentID(id)}, nil
}

// nounOf is what those are called whose ids begin so.
func nounOf(text string) string {
	if strings.HasPrefix(text, incidentSign) {
		return "incidents"
	}
	return "entries"
}

// threads asks for the names of threads.
func threads() list {
	return listed(api.GetStatus, api.Nothing{}, func(status api.Status) []named {
		return names(status.Threads, func(t api.ThreadStatus) named { return named{t.Name, t.State} })
	})
}
