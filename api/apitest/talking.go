package apitest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Conversations returns a page of Talks.
func (m *Mind) Conversations(_ context.Context, query api.ConversationQuery) (api.ConversationPage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, next := page(m.Talks, query.Before, query.Limit, func(c api.Conversation) string { return c.ID }, func(api.Conversation) bool { return true })
	return api.ConversationPage{Conversations: found, Before: next}, nil
}

// talked returns an error where there is no such conversation.
func (m *Mind) talked(id string) error {
	_, err := find(m.Talks, func(c api.Conversation) bool { return c.ID == id }, "see subconsciousctl messages", "there is no conversation %s", id)
	return err
}

// Messages returns a page of Said.
func (m *Mind) Messages(_ context.Context, query api.ConversationMessages) (api.MessagePage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.talked(query.Conversation); err != nil {
		return api.MessagePage{}, err
	}
	found, next := page(m.Said, query.Before, query.Limit, func(s api.Message) int64 { return s.ID },
		func(s api.Message) bool { return s.Conversation == query.Conversation })
	return api.MessagePage{Messages: found, Before: next}, nil
}

// SearchMessages returns those of Said that have all of the words.
func (m *Mind) SearchMessages(_ context.Context, query api.MessageSearch) (api.MessagePage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.talked(query.Conversation); err != nil && query.Conversation != "" {
		return api.MessagePage{}, err
	}
	found, _ := page(m.Said, 0, query.Limit, func(s api.Message) int64 { return s.ID }, func(s api.Message) bool {
		return (query.Conversation == "" || query.Conversation == s.Conversation) && holds(s.Text, query.Words)
	})
	return api.MessagePage{Messages: found}, nil
}

// holds reports whether text has all of the words.
func holds(text, words string) bool {
	for _, word := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(strings.ToLower(text), word) {
			return false
		}
	}
	return true
}

// Post records the request and adds to Said, and to Talks where it begins one.
func (m *Mind) Post(_ context.Context, request api.PostRequest) (api.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.posted = append(m.posted, request)
	message := api.Message{ID: 1, At: at, Author: api.AuthorPerson, Trust: subconscious.Owner, Text: request.Text,
		Conversation: cmp.Or(request.Conversation, fmt.Sprintf("c-new-%d", len(m.posted)))}
	if request.As != "" {
		message.Author, message.Name, message.Trust = api.AuthorAgent, request.As, subconscious.Agent
	}
	if len(m.Said) > 0 {
		message.ID = m.Said[0].ID + 1
	}
	m.Said = append([]api.Message{message}, m.Said...)
	if m.talked(message.Conversation) != nil {
		m.Talks = append([]api.Conversation{{ID: message.Conversation, Title: request.Text, Created: at, Updated: at, Messages: 1, Last: request.Text}}, m.Talks...)
	}
	return message, nil
}

// Posts returns what was posted so far.
func (m *Mind) Posts() []api.PostRequest { return copied(m, &m.posted) }

// SearchMemory returns those of Memories that have all of the words.
func (m *Mind) SearchMemory(_ context.Context, query api.MemoryQuery) (api.MemoryPage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found api.MemoryPage
	for _, r := range m.Memories {
		switch r.Lane {
		case memory.Quarantine:
			found.Quarantined++
		case memory.Agents:
			found.Agents++
		}
		found.Total++
		if r.Lane == query.Lane() && holds(r.Text, query.Words) && len(found.Memories) < query.Limit {
			found.Memories = append(found.Memories, r)
		}
	}
	return found, nil
}

// Memory returns one of Memories.
func (m *Mind) Memory(_ context.Context, id string) (api.MemoryRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.remembered(id)
	return *r, err
}

func (m *Mind) remembered(id string) (*api.MemoryRecord, error) {
	return find(m.Memories, func(r api.MemoryRecord) bool { return r.ID == id }, "see subconsciousctl memory list", "there is no memory %s", id)
}

// ChangeMemory records the change and makes it in Memories.
func (m *Mind) ChangeMemory(_ context.Context, change api.MemoryChange) (api.MemoryRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = append(m.changed, change)
	if change.Add != "" {
		record := api.MemoryRecord{ID: fmt.Sprintf("m-new-%d", len(m.changed)), Kind: memory.Kind(cmp.Or(change.Kind, "note")), Text: change.Add, Tags: change.Tags,
			Trust: subconscious.Owner, Lane: memory.Trusted, Status: memory.Active, Source: memory.Person, Created: at, Updated: at, SeenCount: 1}
		if change.As != "" {
			record.Trust, record.Lane, record.Source, record.About.Agent = subconscious.Agent, memory.Agents, memory.Agent, change.As
		}
		m.Memories = append([]api.MemoryRecord{record}, m.Memories...)
		return record, nil
	}
	r, err := m.remembered(cmp.Or(change.Confirm, change.Forget))
	if err != nil {
		return api.MemoryRecord{}, err
	}
	if change.Confirm != "" {
		r.Status, r.Trust, r.Updated = "active", subconscious.Owner, at
		return *r, nil
	}
	id := r.ID
	m.Memories = slices.DeleteFunc(slices.Clone(m.Memories), func(r api.MemoryRecord) bool { return r.ID == id })
	return api.MemoryRecord{ID: id, Status: api.MemoryForgotten}, nil
}

// MemoryChanges returns what was changed so far.
func (m *Mind) MemoryChanges() []api.MemoryChange { return copied(m, &m.changed) }
