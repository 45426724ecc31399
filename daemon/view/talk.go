package view

import (
	"context"
	"slices"
	"strconv"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/chat"
)

// mark reads the mark of a page; "" is the newest.
func mark(before string) (int64, error) {
	if before == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(before, 10, 64)
	if err != nil || n <= 0 {
		return 0, api.Errorf(api.CodeBadRequest, "use the mark that the page before named", "before: %.40q is no mark of a page", before)
	}
	return n, nil
}

// Conversations implements api.Mind.
func (v *Reader) Conversations(ctx context.Context, query api.ConversationQuery) (api.ConversationPage, error) {
	before, err := mark(query.Before)
	if err != nil {
		return api.ConversationPage{}, err
	}
	limit := pageOf(query.Limit)
	found, err := v.in.Chat.Conversations(ctx, before, limit)
	if err != nil {
		return api.ConversationPage{}, Answer(err)
	}
	page := api.ConversationPage{Conversations: found}
	if len(found) == limit {
		page.Before = strconv.FormatInt(found[limit-1].LastID, 10)
	}
	return page, nil
}

// Messages implements api.Mind.
func (v *Reader) Messages(ctx context.Context, query api.ConversationMessages) (api.MessagePage, error) {
	page, limit := api.MessagePage{}, pageOf(query.Limit)
	found, err := v.in.Chat.Messages(ctx, query.Conversation, query.Before, limit)
	if err != nil {
		return page, Answer(err)
	}
	for _, m := range found {
		page.Messages = append(page.Messages, ShownMessage(m))
	}
	if len(found) == limit {
		page.Before = slices.MinFunc(page.Messages, func(a, b api.Message) int { return int(a.ID - b.ID) }).ID
	}
	return page, nil
}

// SearchMessages implements api.Mind.
func (v *Reader) SearchMessages(ctx context.Context, query api.MessageSearch) (api.MessagePage, error) {
	found, err := v.in.Chat.Search(ctx, chat.Query{Words: query.Words, Conversation: query.Conversation, Limit: pageOf(query.Limit)})
	var page api.MessagePage
	for _, f := range found {
		page.Messages = append(page.Messages, ShownMessage(f.Message))
	}
	return page, Answer(err)
}

// ShownMessage is a message as it travels.
func ShownMessage(m chat.Message) api.Message {
	if m.Author == chat.Mind {
		m.Trust = "" // what the mind wrote is nobody's word
	}
	return m
}
