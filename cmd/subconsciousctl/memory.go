package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
)

// memoryCommands show and change what is remembered.
func (a *app) memoryCommands() map[string]command {
	query := api.MemoryQuery{Limit: api.DefaultPage}
	var one api.MemoryName
	var change api.MemoryChange
	flags := map[string]any{"limit": &query.Limit, "agents": &query.Agents, "quarantined": &query.Quarantined}
	newest := command{flags: flags, run: asking(a, "searching", api.GetMemories, &query, "Memories")}
	apart := memoriesOf(api.MemoryQuery{Agents: true}).and(memoriesOf(api.MemoryQuery{Quarantined: true}))
	all := memoriesOf(api.MemoryQuery{}).and(apart)
	// To confirm, the first letters of an id are enough; to erase for good they are not.
	changed := filling(a, "asking", api.PostMemory, &change, func(ctx context.Context, c call) (err error) {
		if change.Confirm != "" {
			change.Confirm, err = all.find(ctx, c.Client, "memories", change.Confirm)
		}
		if change.Forget != "" {
			err = whole(ctx, c.Client, all, change.Forget)
		}
		return err
	}, "Remembered")
	return map[string]command{
		"memory":      newest,
		"memory list": newest,
		"memory search": {flags: flags, run: func(cmd *cobra.Command, args []string) (err error) {
			if query.Words, err = searched(cmd, args); err != nil {
				return err
			}
			return newest.run(cmd, args)
		}},
		"memory show": {offer: a.offer(all), run: filling(a, "asking", api.GetMemory, &one, func(ctx context.Context, c call) (err error) {
			one.ID, err = all.find(ctx, c.Client, "memories", c.args[0])
			return err
		}, "Memory")},
		"memory add": {flags: map[string]any{"kind": &change.Kind, "tag": &change.Tags}, values: map[string]cobra.CompletionFunc{"kind": oneOf(api.MemoryKinds()...)},
			run: func(cmd *cobra.Command, args []string) (err error) {
				if change.Add, err = said(cmd, args, "there is nothing to remember", "the memory", api.MaxMemory); err != nil {
					return err
				}
				return changed(cmd, args)
			}},
		"memory confirm": {offer: a.offer(apart), run: func(cmd *cobra.Command, args []string) error {
			change.Confirm = args[0]
			return changed(cmd, args)
		}},
		"memory forget": {offer: a.offer(all), run: func(cmd *cobra.Command, args []string) error {
			change.Forget = args[0]
			return changed(cmd, args)
		}},
	}
}

// memoriesOf asks for the newest memories of a lane.
func memoriesOf(lane api.MemoryQuery) list {
	lane.Limit = api.MaxPage
	return listed(api.GetMemories, lane, func(page api.MemoryPage) []named {
		return names(page.Memories, func(m api.MemoryRecord) named { return named{m.ID, m.Text} })
	})
}

// whole refuses what is no more than the beginning of a memory's id.
func whole(ctx context.Context, daemon *client.Client, all list, text string) error {
	id, err := all.find(ctx, daemon, "memories", text)
	if err != nil || id == text {
		return err
	}
	return &usageError{err: fmt.Errorf("%q is the beginning of an id, and to erase for good its whole is needed", text),
		next: "if you mean that one: subconsciousctl memory forget " + id}
}
