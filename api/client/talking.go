package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/subconsciousd/subconsciousd/api"
)

// Conversations returns a page of them, the newest message first.
func (c *Client) Conversations(ctx context.Context, query api.ConversationQuery) (api.ConversationPage, error) {
	return get[api.ConversationPage](ctx, c, withQuery("/v1/conversations", pageValues(query.Before, query.Limit)))
}

// Messages returns a page of a conversation, or with words those that fit best.
func (c *Client) Messages(ctx context.Context, query api.MessageQuery) (api.MessagePage, error) {
	if query.Words != "" {
		values := pageValues("", query.Limit)
		values.Set("words", query.Words)
		setText(values, "conversation", query.Conversation)
		return get[api.MessagePage](ctx, c, withQuery("/v1/messages/search", values))
	}
	before := ""
	if query.Before != 0 {
		before = strconv.FormatInt(query.Before, 10)
	}
	path := "/v1/conversations/" + url.PathEscape(query.Conversation)
	return get[api.MessagePage](ctx, c, withQuery(path, pageValues(before, query.Limit)))
}

// Post adds a message to a conversation.
func (c *Client) Post(ctx context.Context, request api.PostRequest) (api.Message, error) {
	request.As = c.as(request.As)
	return post[api.Message](ctx, c, "/v1/messages", request)
}

// SearchMemory returns what fits the words best, or the newest without any.
func (c *Client) SearchMemory(ctx context.Context, query api.MemoryQuery) (api.MemoryPage, error) {
	values := pageValues("", query.Limit)
	setText(values, "words", query.Words)
	setYes(values, "quarantined", query.Quarantined)
	return get[api.MemoryPage](ctx, c, withQuery("/v1/memory", values))
}

// Memory returns one by its id.
func (c *Client) Memory(ctx context.Context, id string) (api.MemoryRecord, error) {
	return get[api.MemoryRecord](ctx, c, "/v1/memory/"+url.PathEscape(id))
}

// ChangeMemory adds, confirms or forgets.
func (c *Client) ChangeMemory(ctx context.Context, change api.MemoryChange) (api.MemoryRecord, error) {
	change.As = c.as(change.As)
	return post[api.MemoryRecord](ctx, c, "/v1/memory", change)
}
