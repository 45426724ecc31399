package api

import "github.com/subconsciousd/subconsciousd/chat"

const (
	// MaxMessage is the longest message, in bytes.
	MaxMessage = 16 << 10

	maxAgent = 64
)

// ConversationQuery says which conversations are wanted.
type ConversationQuery struct {
	// Before is a page's mark, from ConversationPage.Before; "" for the newest.
	Before string `query:"before" is:"mark"`
	Limit  int    `query:"limit"` // 1 to 100; 0 is 20
}

// ConversationPage is one page of conversations.
type ConversationPage struct {
	Conversations []Conversation `json:"conversations"`
	// Before asks for the next page; "" where this was the last.
	Before string `json:"before,omitempty"`
}

// Conversation is one conversation, and Message one message of it.
type (
	Conversation = chat.Conversation
	Message      = chat.Message
)

// ConversationMessages are the messages of one conversation.
type ConversationMessages struct {
	Conversation string `path:"id" is:"conversation"`
	// Before is a message's id: those before it alone; 0 for the newest.
	Before int64 `query:"before" want:"a message's number"`
	Limit  int   `query:"limit"` // 1 to 100; 0 is 20
}

// MessageSearch searches for messages with words, of one conversation or of all.
type MessageSearch struct {
	Words        string `query:"words"`
	Conversation string `query:"conversation" is:"conversation"`
	Limit        int    `query:"limit"` // 1 to 100; 0 is 20
}

func (q *MessageSearch) check() (err error) {
	if q.Words, err = plainWords(q.Words); err != nil {
		return err
	}
	if q.Words == "" {
		return badRequest("say what to look for", "words: there are none")
	}
	return nil
}

// MessagePage is one page of messages, newest first, or with Words the best
// first.
type MessagePage struct {
	Messages []Message `json:"messages"`
	// Before asks for the next page; 0 where this was the last.
	Before int64 `json:"before,omitempty"`
}

// The authors of messages.
const (
	AuthorPerson = "person"
	AuthorAgent  = "agent"
	AuthorMind   = "mind"
)

// PostRequest is the body of POST /v1/messages.
type PostRequest struct {
	// Conversation that it belongs to, which need not be there; empty begins a
	// new one.
	Conversation string `json:"conversation,omitempty" is:"conversation"`
	Text         string `json:"text"`
	// As is the name of the agent that speaks; empty for the person.
	As string `json:"as,omitempty" is:"agent"`
	// Key, where given, makes a second post of the same key change nothing.
	Key string `json:"key,omitempty" is:"key"`
}

func (p *PostRequest) check() (err error) {
	if p.Text, err = plainText("text", p.Text, MaxMessage); err != nil {
		return err
	}
	return checkAs(p.As)
}
