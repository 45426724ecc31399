package api

import (
	"slices"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/memory"
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
)

// MemoryKinds returns the sorts of things that are remembered.
func MemoryKinds() []string {
	return []string{"fact", "pattern", "insight", "solution", "learning", "decision", "summary", "style", "note", "event"}
}

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

// Conversation is one conversation, Message one message of it, and MemoryRecord
// one thing that is remembered.
type (
	Conversation = chat.Conversation
	Message      = chat.Message
	MemoryRecord = memory.Record
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

// MemoryQuery says which memories are wanted.
type MemoryQuery struct {
	// Words to search for; without any the newest are listed.
	Words string `query:"words"`
	// Agents are those that rest on an agent's word, Quarantined those on a
	// stranger's: one of them alone. They are never among the others.
	Agents      bool `query:"agents"`
	Quarantined bool `query:"quarantined"`
	Limit       int  `query:"limit"` // 1 to 100; 0 is 20
}

func (q *MemoryQuery) check() (err error) {
	if q.Agents && q.Quarantined {
		return badRequest("ask for one of them", "agents, quarantined: both are there")
	}
	q.Words, err = plainWords(q.Words)
	return err
}

// Lane is where to look.
func (q MemoryQuery) Lane() memory.Lane {
	switch {
	case q.Agents:
		return memory.Agents
	case q.Quarantined:
		return memory.Quarantine
	}
	return memory.Trusted
}

// MemoryName names a memory.
type MemoryName struct {
	ID string `path:"id" is:"memory"`
}

// MemoryPage is what was found.
type MemoryPage struct {
	Memories []MemoryRecord `json:"memories"`
	// Total is how many there are in all, Agents how many rest on an agent's word,
	// and Quarantined on a stranger's.
	Total       int `json:"total"`
	Agents      int `json:"agents"`
	Quarantined int `json:"quarantined"`
}

// MemoryForgotten is the state of a memory whose text is gone.
const MemoryForgotten = memory.Erased

// MemoryChange is the body of POST /v1/memory: exactly one of Add, Confirm and
// Forget.
type MemoryChange struct {
	// As is the name of the agent that speaks; empty for the person. What an
	// agent adds is kept apart, and it confirms nothing.
	As string `json:"as,omitempty" is:"agent"`
	// Add is a text to remember; Kind (empty for note) and Tags are of it.
	Add  string   `json:"add,omitempty"`
	Kind string   `json:"kind,omitempty"`
	Tags []string `json:"tags,omitempty" is:"tag"`
	// Confirm is the id of a quarantined one that the person vouches for.
	Confirm string `json:"confirm,omitempty" is:"memory"`
	// Forget is the id of one to erase.
	Forget string `json:"forget,omitempty" is:"memory"`
}

// check wants exactly one of adding, confirming and forgetting.
func (c *MemoryChange) check() (err error) {
	requests := 0
	for _, request := range []string{c.Add, c.Confirm, c.Forget} {
		if request != "" {
			requests++
		}
	}
	switch {
	case requests == 0:
		return badRequest("say what to add, to confirm or to forget", "add, confirm, forget: none of them is there, or it is empty")
	case requests != 1:
		return badRequest("send exactly one of them", "add, confirm, forget: %d of them are there", requests)
	case c.Confirm != "":
		err = firstError(c.checkAlone("confirm"), mayVouch(c.As, "to confirm"))
	case c.Forget != "":
		err = c.checkAlone("forget")
	default:
		if err = c.checkAdded(); err == nil {
			c.Add, err = plainText("add", c.Add, MaxMemory)
		}
	}
	return firstError(err, checkAs(c.As))
}

// personal: what is confirmed or forgotten the person says alone.
func (c *MemoryChange) personal() bool { return c.Confirm != "" || c.Forget != "" }

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
	return nil
}
