package main

import (
	"context"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// entryCommands steer what is on its mind.
func (a *app) entryCommands() map[string]command {
	note := api.CommandRequest{Kind: subconscious.CommandNote}
	focus := api.CommandRequest{Kind: subconscious.CommandFocus}
	closing := api.CommandRequest{Kind: subconscious.CommandClose}
	confirm := api.CommandRequest{Kind: subconscious.CommandConfirm}
	return map[string]command{
		"note": {run: filling(a, "asking", api.PostCommand, &note, func(_ context.Context, c call) (err error) {
			note.Text, err = said(c.cmd, c.args, "the note is empty", "the note", api.MaxNote)
			return err
		}, "Command")},
		"focus": {offer: a.offer(threads()), run: filling(a, "asking", api.PostCommand, &focus, func(_ context.Context, c call) error {
			focus.Thread, focus.Text = subconscious.ThreadName(c.args[0]), strings.TrimSpace(strings.Join(c.args[1:], " "))
			return bounded("the hint", focus.Text, api.MaxHint)
		}, "Command")},
		"close": {offer: a.offer(entries()), flags: map[string]any{"forever": &closing.Forever},
			run: filling(a, "asking", api.PostCommand, &closing, ofEntry(&closing), "Command")},
		"confirm": {offer: a.offer(entries()), run: filling(a, "asking", api.PostCommand, &confirm, ofEntry(&confirm), "Command")},
	}
}

// ofEntry fills in the entry whose id begins as the first argument.
func ofEntry(request *api.CommandRequest) func(context.Context, call) error {
	return func(ctx context.Context, c call) error {
		id, err := entries().find(ctx, c.Client, nounOf(c.args[0]), c.args[0])
		request.Entry = subconscious.EntryID(id)
		return err
	}
}
