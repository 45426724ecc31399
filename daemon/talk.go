package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
)

var _ api.Conversationalist = (*Daemon)(nil)

// openChat opens the log of conversations.
func (d *Daemon) openChat(context.Context) error {
	d.chat = chat.New(d.db, chat.Options{Now: d.now, Redact: redact.Text, Logger: d.options.Logger})
	return nil
}

// pageUsual is how much a page has where nobody says.
const pageUsual = 20

func pageOf(limit int) int {
	if limit <= 0 {
		return pageUsual
	}
	return limit
}

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

// Conversations implements api.Conversationalist.
func (d *Daemon) Conversations(ctx context.Context, query api.ConversationQuery) (api.ConversationPage, error) {
	before, err := mark(query.Before)
	if err != nil {
		return api.ConversationPage{}, err
	}
	limit := pageOf(query.Limit)
	found, err := d.chat.Conversations(ctx, before, limit)
	if err != nil {
		return api.ConversationPage{}, talkAnswer(err)
	}
	page := api.ConversationPage{Conversations: []api.Conversation{}}
	for _, c := range found {
		page.Conversations = append(page.Conversations, api.Conversation{
			ID: c.ID, Title: c.Title, Created: c.Created, Updated: c.Updated, Messages: c.Messages, Last: c.Last,
		})
	}
	if len(found) == limit {
		page.Before = strconv.FormatInt(found[limit-1].LastID, 10)
	}
	return page, nil
}

// Messages implements api.Conversationalist.
func (d *Daemon) Messages(ctx context.Context, query api.MessageQuery) (api.MessagePage, error) {
	page, limit := api.MessagePage{Messages: []api.Message{}}, pageOf(query.Limit)
	if query.Words != "" {
		found, err := d.chat.Search(ctx, chat.Query{Words: query.Words, Conversation: query.Conversation, Limit: limit})
		if err != nil {
			return page, talkAnswer(err)
		}
		for _, f := range found {
			page.Messages = append(page.Messages, apiMessage(f.Message))
		}
		return page, nil
	}
	found, err := d.chat.Messages(ctx, query.Conversation, query.Before, limit)
	if err != nil {
		return page, talkAnswer(err)
	}
	for _, m := range found {
		page.Messages = append(page.Messages, apiMessage(m))
	}
	if len(found) == limit {
		page.Before = slices.MinFunc(page.Messages, func(a, b api.Message) int { return int(a.ID - b.ID) }).ID
	}
	return page, nil
}

// Post implements api.Conversationalist. Whoever names an agent speaks with its
// trust, and who names none is the person.
func (d *Daemon) Post(ctx context.Context, request api.PostRequest) (api.Message, error) {
	message := chat.Message{Conversation: request.Conversation, At: d.now(), Author: chat.Person, Text: request.Text, Key: request.Key}
	if request.As != "" {
		message.Author, message.Name = chat.Agent, request.As
	} else {
		d.use()
	}
	posted, err := d.chat.Add(ctx, message)
	if err != nil {
		return api.Message{}, talkAnswer(err)
	}
	if message.Author == chat.Person {
		d.hurry() // what the person says is looked at soon
	}
	return apiMessage(posted), nil
}

func apiMessage(m chat.Message) api.Message {
	out := api.Message{
		ID: m.ID, Conversation: m.Conversation, At: m.At, Author: string(m.Author), Name: m.Name, Trust: m.Trust, Text: m.Text,
		Deliberation: m.Deliberation, Proposal: m.Proposal,
	}
	if m.Author == chat.Mind {
		out.Trust = ""
	}
	return out
}

// talkAnswer makes of an error of the log what the API may pass on.
func talkAnswer(err error) error {
	switch {
	case errors.Is(err, chat.ErrNotFound):
		return &api.Error{Code: api.CodeNotFound, Text: "there is no such conversation", Next: "see `subconsciousctl messages` for those there are", Err: err}
	case errors.Is(err, chat.ErrInvalid):
		return &api.Error{Code: api.CodeBadRequest, Text: err.Error(), Next: "mend it, and send it again", Err: err}
	case errors.Is(err, chat.ErrFull):
		return &api.Error{Code: api.CodeUnavailable, Text: err.Error(), Next: "messages older than a year are let go by themselves", Err: err}
	}
	return answer(fmt.Errorf("conversations: %w", err))
}

// heardLog is the log of conversations as the sense listens to it.
type heardLog struct{ *chat.Log }

var _ conversation.Log = heardLog{}

// After implements conversation.Log.
func (l heardLog) After(ctx context.Context, id int64, limit int) ([]conversation.Message, error) {
	messages, err := l.Log.After(ctx, id, limit)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(messages))
	for _, m := range messages {
		names = append(names, m.Conversation)
	}
	began, err := l.Began(ctx, names...)
	if err != nil {
		return nil, err
	}
	heard := make([]conversation.Message, 0, len(messages))
	for _, m := range messages {
		heard = append(heard, conversation.Message{
			ID: m.ID, Conversation: m.Conversation, Own: began[m.Conversation].Author == chat.Person, Author: conversation.Author(m.Author), Name: m.Name, At: m.At, Text: m.Text,
		})
	}
	return heard, nil
}
