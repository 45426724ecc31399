package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newMessages(a *app) *cobra.Command {
	var query api.ConversationQuery
	group := &cobra.Command{
		Use:   "messages",
		Short: "show the conversations of you, the agents and the mind, and speak in them",
		Args:  a.unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(cmd, query.Limit); err != nil {
				return err
			}
			return show(cmd.Context(), a, "asking", put(api.GetConversations, query),
				func(v screen.View, page api.ConversationPage) string { return screen.Conversations(v, page, query) })
		},
	}
	pageFlags(group, &query.Before, &query.Limit)
	group.AddCommand(newMessagesShow(a), newMessagesPost(a), newMessagesSearch(a))
	return group
}

func newMessagesShow(a *app) *cobra.Command {
	var query api.ConversationMessages
	cmd := &cobra.Command{
		Use:               "show CONVERSATION",
		Short:             "print a conversation, the newest message last",
		Args:              takesID(1, 1, "team"),
		Annotations:       map[string]string{needs: "the name of a conversation"},
		ValidArgsFunction: a.offer(conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(cmd, query.Limit); err != nil {
				return err
			}
			if query.Before < 0 {
				return &usageError{err: errors.New("--before takes a message's number"), next: "see " + cmd.CommandPath() + " --help"}
			}
			return show(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (api.MessagePage, error) {
				id, err := resolveConversation(ctx, daemon, args[0])
				if err != nil {
					return api.MessagePage{}, err
				}
				query.Conversation = id
				return client.Ask(ctx, daemon, api.GetConversation, query)
			}, func(v screen.View, page api.MessagePage) string { return screen.Messages(v, page, query.Conversation) })
		},
	}
	limitFlag(cmd, &query.Limit)
	cmd.Flags().Int64Var(&query.Before, "before", 0, "those before the message of this `NUMBER`")
	return cmd
}

func newMessagesPost(a *app) *cobra.Command {
	var request api.PostRequest
	cmd := &cobra.Command{
		Use:   "post TEXT…",
		Short: "say something in a conversation",
		Long: `Says something in a conversation, as you; with --as an agent says it, and it then
counts as an agent's word, as it does where nobody sits at a terminal. Without --conversation it begins a new one; one that
is named and is not there is begun.`,
		Example: `  subconsciousctl messages post --conversation team I look after the backup until Friday
  subconsciousctl messages post --as builder --conversation team "Shall I merge the branch?"`,
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "words"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if request.Text, err = said(cmd, args, "the message is empty", "the message", api.MaxMessage); err != nil {
				return err
			}
			if request.As != "" && a.asMe {
				return &usageError{err: errors.New("--as and --as-me name two who speak"), next: "give one of them"}
			}
			for _, name := range []string{"as", "conversation"} {
				if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return &usageError{err: fmt.Errorf("--%s is empty", name), next: "name one, or leave it out"}
				}
			}
			return show(cmd.Context(), a, "asking", put(api.PostMessage, request), screen.Posted)
		},
	}
	cmd.Flags().StringVar(&request.Conversation, "conversation", "", "say it in the conversation `NAME`")
	cmd.Flags().StringVar(&request.As, "as", "", "say it as the agent `NAME`")
	_ = cmd.RegisterFlagCompletionFunc("conversation", func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.complete(cmd, begun, conversations)
	})
	return cmd
}

func newMessagesSearch(a *app) *cobra.Command {
	var query api.MessageSearch
	cmd := &cobra.Command{
		Use:               "search WORDS…",
		Short:             "find messages by their words, the best first",
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "words"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(cmd, query.Limit); err != nil {
				return err
			}
			var err error
			if query.Words, err = wordsOf(cmd, args); err != nil {
				return err
			}
			return show(cmd.Context(), a, "searching", put(api.GetMessages, query), screen.FoundMessages)
		},
	}
	limitFlag(cmd, &query.Limit)
	cmd.Flags().StringVar(&query.Conversation, "conversation", "", "in the conversation `NAME` alone")
	_ = cmd.RegisterFlagCompletionFunc("conversation", func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.complete(cmd, begun, conversations)
	})
	return cmd
}

// wordsOf are the words to search for.
func wordsOf(cmd *cobra.Command, args []string) (string, error) {
	words := strings.TrimSpace(strings.Join(args, " "))
	if words == "" {
		return "", &usageError{err: errors.New("there are no words to search for"), next: "usage: " + cmd.UseLine()}
	}
	return words, bounded("the text to search for", words, api.MaxWords)
}

// conversations asks for the newest conversations.
func conversations(ctx context.Context, daemon *client.Client) ([]entry, error) {
	page, err := client.Ask(ctx, daemon, api.GetConversations, api.ConversationQuery{Limit: api.MaxPage})
	if err != nil {
		return nil, err
	}
	all := make([]entry, len(page.Conversations))
	for i, c := range page.Conversations {
		all[i] = nameEntry(c.ID, c.Title)
	}
	return all, nil
}

func resolveConversation(ctx context.Context, daemon *client.Client, text string) (string, error) {
	all, err := conversations(ctx, daemon)
	if err != nil {
		return "", err
	}
	id, err := pickOf("conversations", all, text)
	return string(id), err
}
