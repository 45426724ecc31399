package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
)

// messageCommands show conversations, and speak in them.
func (a *app) messageCommands() map[string]command {
	all := api.ConversationQuery{Limit: api.DefaultPage}
	one := api.ConversationMessages{Limit: api.DefaultPage}
	search := api.MessageSearch{Limit: api.DefaultPage}
	var request api.PostRequest
	named := map[string]cobra.CompletionFunc{"conversation": a.values(conversations())}
	return map[string]command{
		"messages": {flags: map[string]any{"before": &all.Before, "limit": &all.Limit},
			run: asking(a, "asking", api.GetConversations, &all, "Conversations")},
		"messages show": {offer: a.offer(conversations()), flags: map[string]any{"before": &one.Before, "limit": &one.Limit},
			run: filling(a, "asking", api.GetConversation, &one, func(ctx context.Context, c call) (err error) {
				one.Conversation, err = conversations().find(ctx, c.Client, "conversations", c.args[0])
				return err
			}, "Messages")},
		"messages post": {flags: map[string]any{"conversation": &request.Conversation, "as": &request.As}, values: named,
			run: filling(a, "asking", api.PostMessage, &request, func(_ context.Context, c call) (err error) {
				if request.Text, err = said(c.cmd, c.args, "the message is empty", "the message", api.MaxMessage); err != nil {
					return err
				}
				if request.As != "" && a.asMe {
					return &usageError{err: errors.New("--as and --as-me name two who speak"), next: "give one of them"}
				}
				for _, name := range []string{"as", "conversation"} {
					if flag := c.cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
						return &usageError{err: fmt.Errorf("--%s is empty", name), next: "name one, or leave it out"}
					}
				}
				return nil
			}, "Posted")},
		"messages search": {flags: map[string]any{"conversation": &search.Conversation, "limit": &search.Limit}, values: named,
			run: filling(a, "searching", api.GetMessages, &search, func(_ context.Context, c call) (err error) {
				search.Words, err = searched(c.cmd, c.args)
				return err
			}, "FoundMessages")},
	}
}

// conversations asks for the newest conversations.
func conversations() list {
	return listed(api.GetConversations, api.ConversationQuery{Limit: api.MaxPage}, func(page api.ConversationPage) []named {
		return names(page.Conversations, func(c api.Conversation) named { return named{c.ID, c.Title} })
	})
}
