package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newMemory(a *app) *cobra.Command {
	var query api.MemoryQuery
	group := &cobra.Command{
		Use:   "memory",
		Short: "list, search, confirm and forget what is remembered",
		Long: `Lists the newest of what is remembered for long. What rests on the words of strangers or agents is
kept apart and never recalled, until you confirm it.`,
		Args: a.unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.memories(cmd, query) },
	}
	memoryFlags(group, &query)
	group.AddCommand(newMemorySearch(a), newMemoryList(a), newMemoryShow(a), newMemoryAdd(a), newMemoryConfirm(a), newMemoryForget(a))
	return group
}

func newMemorySearch(a *app) *cobra.Command {
	var query api.MemoryQuery
	cmd := &cobra.Command{
		Use:               "search WORDS…",
		Short:             "find memories by their words, the best first",
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "words"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if query.Words, err = wordsOf(cmd, args); err != nil {
				return err
			}
			return a.memories(cmd, query)
		},
	}
	memoryFlags(cmd, &query)
	return cmd
}

func newMemoryList(a *app) *cobra.Command {
	var query api.MemoryQuery
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the newest memories",
		Args:  takes(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.memories(cmd, query) },
	}
	memoryFlags(cmd, &query)
	return cmd
}

func memoryFlags(cmd *cobra.Command, query *api.MemoryQuery) {
	limitFlag(cmd, &query.Limit)
	cmd.Flags().BoolVar(&query.Quarantined, "quarantined", false, "those alone that wait for your word")
}

func (a *app) memories(cmd *cobra.Command, query api.MemoryQuery) error {
	if err := checkLimit(cmd, query.Limit); err != nil {
		return err
	}
	return show(cmd.Context(), a, "searching", put(api.GetMemories, query),
		func(v screen.View, page api.MemoryPage) string { return screen.Memories(v, page, query) })
}

// memoryNeeds is what a command about one memory cannot do without.
const memoryNeeds = "the id of a memory"

func newMemoryShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "show a memory in full, and on what it rests",
		Args:              takesID(1, 1, "m-1f"),
		Annotations:       map[string]string{needs: memoryNeeds},
		ValidArgsFunction: a.offer(allMemories),
		RunE: func(cmd *cobra.Command, args []string) error {
			return show(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (api.MemoryRecord, error) {
				id, err := resolveMemory(ctx, daemon, args[0])
				if err != nil {
					return api.MemoryRecord{}, err
				}
				return client.Ask(ctx, daemon, api.GetMemory, api.MemoryName{ID: id})
			}, screen.Memory)
		},
	}
}

func newMemoryAdd(a *app) *cobra.Command {
	var change api.MemoryChange
	cmd := &cobra.Command{
		Use:               "add TEXT…",
		Short:             "remember something, as your own word at a terminal",
		Example:           "  subconsciousctl memory add --kind fact --tag printers The printers close at noon on Fridays",
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "words"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if change.Add, err = said(cmd, args, "there is nothing to remember", "the memory", api.MaxMemory); err != nil {
				return err
			}
			return a.changeMemory(cmd.Context(), change)
		},
	}
	cmd.Flags().StringVar(&change.Kind, "kind", "", "what it is: note, or another `KIND`")
	cmd.Flags().StringArrayVar(&change.Tags, "tag", nil, "a `WORD` to find it by; may be given again")
	completeFrom(cmd, "kind", api.MemoryKinds())
	return cmd
}

func newMemoryConfirm(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "confirm ID",
		Short:             "say that what was kept apart is so, so that it is recalled",
		Args:              takesID(1, 1, "m-1f"),
		Annotations:       map[string]string{needs: memoryNeeds},
		ValidArgsFunction: a.offer(quarantined),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeMemory(cmd.Context(), api.MemoryChange{Confirm: args[0]})
		},
	}
}

func newMemoryForget(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "forget ID",
		Short:             "erase a memory for good; its whole id is needed",
		Args:              takesID(1, 1, "m-1f"),
		Annotations:       map[string]string{needs: memoryNeeds},
		ValidArgsFunction: a.offer(allMemories),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeMemory(cmd.Context(), api.MemoryChange{Forget: args[0]})
		},
	}
}

// changeMemory sends one change and says what came of it. To confirm, the first
// letters of an id are enough; to erase for good they are not.
func (a *app) changeMemory(ctx context.Context, change api.MemoryChange) error {
	record, err := ask(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (_ api.MemoryRecord, err error) {
		if change.Confirm != "" {
			if change.Confirm, err = resolveMemory(ctx, daemon, change.Confirm); err != nil {
				return api.MemoryRecord{}, err
			}
		}
		if change.Forget != "" {
			if err := wholeMemory(ctx, daemon, change.Forget); err != nil {
				return api.MemoryRecord{}, err
			}
		}
		return client.Ask(ctx, daemon, api.PostMemory, change)
	})
	if err != nil {
		return err
	}
	return a.print(record, func(v screen.View) string { return screen.Remembered(v, record, change) })
}

// wholeMemory refuses what is no more than the beginning of a memory's id.
func wholeMemory(ctx context.Context, daemon *client.Client, text string) error {
	id, err := resolveMemory(ctx, daemon, text)
	if err != nil || id == text {
		return err
	}
	return &usageError{err: fmt.Errorf("%q is the beginning of an id, and to erase for good its whole is needed", text),
		next: "if you mean that one: subconsciousctl memory forget " + id}
}

// memoriesOf asks for the newest memories, of those that are recalled or of
// those that are kept apart.
func memoriesOf(ctx context.Context, daemon *client.Client, quarantined bool) ([]entry, error) {
	page, err := client.Ask(ctx, daemon, api.GetMemories, api.MemoryQuery{Quarantined: quarantined, Limit: api.MaxPage})
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(page.Memories))
	for i, m := range page.Memories {
		all[i] = nameEntry(m.ID, m.Text)
	}
	return all, nil
}

func allMemories(ctx context.Context, daemon *client.Client) ([]entry, error) {
	trusted, err := memoriesOf(ctx, daemon, false)
	if err != nil {
		return nil, err
	}
	apart, err := memoriesOf(ctx, daemon, true)
	return append(trusted, apart...), err
}

func resolveMemory(ctx context.Context, daemon *client.Client, text string) (string, error) {
	all, err := allMemories(ctx, daemon)
	if err != nil {
		return "", err
	}
	id, err := pickOf("memories", all, text)
	return string(id), err
}

// quarantined asks for those that wait for the person's word.
func quarantined(ctx context.Context, daemon *client.Client) (all []entry, err error) {
	return memoriesOf(ctx, daemon, true)
}
