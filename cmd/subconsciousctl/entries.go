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

// entry is an entry's id and words.
type entry struct {
	id      subconscious.EntryID
	summary string
}

// nameEntry offers something that is no entry in the same way.
func nameEntry(name, words string) entry { return entry{subconscious.EntryID(name), words} }

// entries asks for all that is listed or parked.
func entries(ctx context.Context, daemon *client.Client) ([]entry, error) {
	status, err := client.Ask(ctx, daemon, api.GetStatus, api.Nothing{})
	if err != nil {
		return nil, err
	}
	var all []entry
	document := status.Subconscious
	for _, list := range [][]subconscious.DocumentEntry{document.ActiveThreads, document.Patterns, document.Hunches, document.Insights} {
		for _, e := range list {
			all = append(all, entry{e.ID, e.Summary})
		}
	}
	for _, e := range status.Parked {
		all = append(all, entry{e.ID, e.Summary})
	}
	return all, nil
}

// resolve finds the entry whose id begins so. What is not shown is handed on as
// it is: the daemon also knows what is gone.
func resolve(ctx context.Context, daemon *client.Client, text string) (subconscious.EntryID, error) {
	all, err := entries(ctx, daemon)
	if err != nil {
		return "", err
	}
	return pick(all, text)
}

// pick returns the entry with that id, else the only one whose id begins so.
func pick(all []entry, text string) (subconscious.EntryID, error) {
	if strings.HasPrefix(text, incidentSign) {
		return pickOf("incidents", all, text)
	}
	return pickOf("entries", all, text)
}

// pickOf is pick among things that are called so.
func pickOf(noun string, all []entry, text string) (subconscious.EntryID, error) {
	var candidates []string
	var found subconscious.EntryID
	for _, e := range all {
		if string(e.id) == text {
			return e.id, nil
		}
		if text != "" && strings.HasPrefix(string(e.id), text) {
			found = e.id
			candidates = append(candidates, string(e.id)+"  "+e.summary)
		}
	}
	switch len(candidates) {
	case 0:
		return subconscious.EntryID(text), nil
	case 1:
		return found, nil
	}
	slices.Sort(candidates)
	return "", &api.Error{Code: api.CodeAmbiguous, Text: fmt.Sprintf("%d %s begin with %q", len(candidates), noun, text),
		Next: "add a letter or two", Candidates: candidates}
}

// threads asks for the names of threads.
func threads(ctx context.Context, daemon *client.Client) (all []entry, err error) {
	status, err := client.Ask(ctx, daemon, api.GetStatus, api.Nothing{})
	for _, thread := range status.Threads {
		all = append(all, nameEntry(thread.Name, thread.State))
	}
	return all, err
}

func (a *app) complete(cmd *cobra.Command, begun string, list func(context.Context, *client.Client) ([]entry, error)) ([]string, cobra.ShellCompDirective) {
	ctx, done := context.WithTimeout(cmd.Context(), completionTimeout)
	defer done()
	daemon, err := a.daemon()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, err := list(ctx, daemon)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	for _, e := range all {
		if id := subconscious.Printable(string(e.id)); strings.HasPrefix(id, begun) {
			offers = append(offers, id+"\t"+subconscious.Printable(e.summary))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

func newClose(a *app) *cobra.Command {
	var forever bool
	cmd := &cobra.Command{
		Use:   "close ENTRY",
		Short: "hear no more of an entry, unless it gets worse or comes anew",
		Long: `Closes an entry. It comes back only if it gets worse than it was, or was
all over and appears anew; with --forever it never does.`,
		Args:              takesID(1, 1, "w-backup-a2c"),
		Annotations:       map[string]string{needs: "the id of an entry"},
		ValidArgsFunction: a.offer(entries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.command(cmd.Context(), api.CommandRequest{
				Kind: subconscious.CommandClose, Entry: subconscious.EntryID(args[0]), Forever: forever,
			})
		},
	}
	cmd.Flags().BoolVar(&forever, "forever", false, "whatever happens")
	return cmd
}

func newConfirm(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "confirm ENTRY",
		Short:             "say that an entry is so, so that it can become an insight",
		Args:              takesID(1, 1, "w-backup-a2c"),
		Annotations:       map[string]string{needs: "the id of an entry"},
		ValidArgsFunction: a.offer(entries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.command(cmd.Context(), api.CommandRequest{
				Kind: subconscious.CommandConfirm, Entry: subconscious.EntryID(args[0]),
			})
		},
	}
}
