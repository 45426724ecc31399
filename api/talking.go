package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
)

const (
	// MaxMessage and MaxMemory are the longest message and the longest memory
	// that is added, in bytes.
	MaxMessage = 16 << 10
	MaxMemory  = 4 << 10
	// MaxTags is how many tags a memory has, each of at most MaxTag bytes.
	MaxTags = 16
	MaxTag  = 40

	maxAgent = 64
	maxKey   = 200
)

// MemoryKinds returns the sorts of things that are remembered.
func MemoryKinds() []string {
	return []string{"fact", "pattern", "insight", "solution", "learning", "decision", "summary", "style", "note", "event"}
}

func (s *Server) conversations(ctx context.Context, r *http.Request) (any, error) {
	query, err := conversationQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	if s.options.Conversationalist == nil {
		return nil, notServed("conversations")
	}
	page, err := s.options.Conversationalist.Conversations(ctx, query)
	page.Conversations = list(page.Conversations)
	return page, err
}

func (s *Server) conversation(ctx context.Context, r *http.Request) (any, error) {
	query, err := conversationMessages(r.PathValue("id"), r.URL.Query())
	return s.messages(ctx, query, err)
}

func (s *Server) searchMessages(ctx context.Context, r *http.Request) (any, error) {
	query, err := messageSearch(r.URL.Query())
	return s.messages(ctx, query, err)
}

func (s *Server) messages(ctx context.Context, query MessageQuery, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if s.options.Conversationalist == nil {
		return nil, notServed("conversations")
	}
	page, err := s.options.Conversationalist.Messages(ctx, query)
	page.Messages = list(page.Messages)
	return page, err
}

func (s *Server) postMessage(ctx context.Context, body []byte) (any, error) {
	request, err := decodePost(body)
	if err != nil {
		return nil, err
	}
	if s.options.Conversationalist == nil {
		return nil, notServed("conversations")
	}
	ctx, done := context.WithTimeout(ctx, answerTimeout)
	defer done()
	return s.options.Conversationalist.Post(ctx, request)
}

func (s *Server) searchMemory(ctx context.Context, r *http.Request) (any, error) {
	query, err := memoryQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	if s.options.Rememberer == nil {
		return nil, notServed("memory")
	}
	page, err := s.options.Rememberer.SearchMemory(ctx, query)
	return page.filled(), err
}

func (s *Server) memory(ctx context.Context, r *http.Request) (any, error) {
	id := r.PathValue("id")
	if err := checkMemory("id", id); err != nil {
		return nil, err
	}
	if s.options.Rememberer == nil {
		return nil, notServed("memory")
	}
	record, err := s.options.Rememberer.Memory(ctx, id)
	return record.filled(), err
}

func (s *Server) changeMemory(ctx context.Context, body []byte) (any, error) {
	change, err := decodeMemoryChange(body)
	if err != nil {
		return nil, err
	}
	if s.options.Rememberer == nil {
		return nil, notServed("memory")
	}
	ctx, done := context.WithTimeout(ctx, answerTimeout)
	defer done()
	record, err := s.options.Rememberer.ChangeMemory(ctx, change)
	return record.filled(), err
}

// conversationQuery reads before and limit of GET /v1/conversations.
func conversationQuery(query url.Values) (wanted ConversationQuery, err error) {
	if err = onlyOnce(query, "before", "limit"); err != nil {
		return ConversationQuery{}, err
	}
	if wanted.Limit, err = limitQuery(query); err != nil {
		return ConversationQuery{}, err
	}
	wanted.Before, err = markQuery(query)
	return wanted, err
}

// conversationMessages reads before and limit of GET /v1/conversations/{id}.
func conversationMessages(id string, query url.Values) (wanted MessageQuery, err error) {
	if err = checkConversation(id); err != nil {
		return MessageQuery{}, err
	}
	wanted.Conversation = id
	if err = onlyOnce(query, "before", "limit"); err != nil {
		return MessageQuery{}, err
	}
	if query.Has("before") {
		if wanted.Before, err = number(query.Get("before")); err != nil {
			return MessageQuery{}, badRequest("use a message's number", "before: %w", err)
		}
	}
	wanted.Limit, err = limitQuery(query)
	return wanted, err
}

// messageSearch reads words, conversation and limit of GET /v1/messages/search.
func messageSearch(query url.Values) (wanted MessageQuery, err error) {
	if err = onlyOnce(query, "words", "conversation", "limit"); err != nil {
		return MessageQuery{}, err
	}
	if wanted.Words, err = wordsQuery(query); err != nil {
		return MessageQuery{}, err
	}
	if wanted.Words == "" {
		return MessageQuery{}, badRequest("say what to look for", "words: there are none")
	}
	if wanted.Conversation = query.Get("conversation"); wanted.Conversation != "" {
		if err = checkConversation(wanted.Conversation); err != nil {
			return MessageQuery{}, err
		}
	}
	wanted.Limit, err = limitQuery(query)
	return wanted, err
}

// decodePost reads the body of POST /v1/messages.
func decodePost(body []byte) (PostRequest, error) {
	request, err := decode[PostRequest](body)
	if err != nil {
		return PostRequest{}, err
	}
	if request.Text, err = plainText("text", request.Text, MaxMessage); err != nil {
		return PostRequest{}, err
	}
	switch {
	case request.Conversation != "" && !isID(request.Conversation):
		return PostRequest{}, checkConversation(request.Conversation)
	case request.Key != "" && (len(request.Key) > maxKey || !isID(request.Key)):
		return PostRequest{}, badRequest("use letters, digits and hyphens", "key: %q is not a key", clip(request.Key))
	}
	return request, checkAs(request.As)
}

// memoryQuery reads words, quarantined and limit of GET /v1/memory.
func memoryQuery(query url.Values) (wanted MemoryQuery, err error) {
	if err = onlyOnce(query, "words", "quarantined", "limit"); err != nil {
		return MemoryQuery{}, err
	}
	if wanted.Words, err = wordsQuery(query); err != nil {
		return MemoryQuery{}, err
	}
	if wanted.Quarantined, err = yesQuery(query, "quarantined"); err != nil {
		return MemoryQuery{}, err
	}
	wanted.Limit, err = limitQuery(query)
	return wanted, err
}

// decodeMemoryChange reads the body of POST /v1/memory.
func decodeMemoryChange(body []byte) (MemoryChange, error) {
	change, err := decode[MemoryChange](body)
	if err != nil {
		return MemoryChange{}, err
	}
	requests := 0
	for _, request := range []string{change.Add, change.Confirm, change.Forget} {
		if request != "" {
			requests++
		}
	}
	switch {
	case requests == 0:
		return MemoryChange{}, badRequest("say what to add, to confirm or to forget", "add, confirm, forget: none of them is there, or it is empty")
	case requests != 1:
		return MemoryChange{}, badRequest("send exactly one of them", "add, confirm, forget: %d of them are there", requests)
	case change.Confirm != "":
		err = firstError(change.checkAlone("confirm"), checkMemory("confirm", change.Confirm), mayVouch(change.As, "to confirm"))
	case change.Forget != "":
		err = firstError(change.checkAlone("forget"), checkMemory("forget", change.Forget))
	default:
		if err = change.checkAdded(); err == nil {
			change.Add, err = plainText("add", change.Add, MaxMemory)
		}
	}
	if err = firstError(err, checkAs(change.As)); err != nil {
		return MemoryChange{}, err
	}
	return change, nil
}

// checkAlone refuses what only a new memory has.
func (c MemoryChange) checkAlone(field string) error {
	if c.Kind != "" || len(c.Tags) > 0 {
		return badRequest("leave them out", "kind, tags: %s does not take them", field)
	}
	return nil
}

func (c MemoryChange) checkAdded() error {
	if c.Kind != "" && !slices.Contains(MemoryKinds(), c.Kind) {
		return badRequest("use "+listed(MemoryKinds()), "kind: %q is none", clip(c.Kind))
	}
	if len(c.Tags) > MaxTags {
		return badRequest("leave some out", "tags: %d, and at most %d are taken", len(c.Tags), MaxTags)
	}
	for _, tag := range c.Tags {
		if !isName(tag, MaxTag) {
			return badRequest("use lower-case letters, digits and hyphens", "tags: %q is not a tag", clip(tag))
		}
	}
	return nil
}

func checkConversation(id string) error {
	if isID(id) {
		return nil
	}
	return badRequest("take it from `subconsciousctl messages`, or use letters, digits and hyphens", "conversation: %q is not a conversation's name", clip(id))
}

func checkMemory(field, id string) error {
	if isID(id) {
		return nil
	}
	return badRequest("take an id from `subconsciousctl memory list`", "%s: %q is not a memory's id", field, clip(id))
}
