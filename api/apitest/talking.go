package apitest

import (
	"cmp"
	"context"
	"fmt"
	"io"
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

// remembered returns one of Memories, by the beginning of its ID.
func (m *Mind) remembered(id string) (*api.MemoryRecord, error) {
	var ids []string
	for _, r := range m.Memories {
		if strings.HasPrefix(r.ID, id) {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) > 1 && !slices.Contains(ids, id) {
		return new(api.MemoryRecord), &api.Error{Code: api.CodeAmbiguous, Text: fmt.Sprintf("more than one memory begins with %q", id), Next: "add a letter or two", Candidates: ids}
	}
	return find(m.Memories, func(r api.MemoryRecord) bool { return r.ID == id || len(ids) == 1 && r.ID == ids[0] }, "see subconsciousctl memory list", "there is no memory %s", id)
}

// Memory returns one of Memories, which contradicts the others of its lane.
func (m *Mind) Memory(_ context.Context, name api.MemoryName) (detail api.MemoryDetail, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.remembered(name.ID)
	if err == nil && !slices.Contains(name.Lanes, r.Lane) {
		return detail, api.Errorf(api.CodeNotFound, "see subconsciousctl memory list", "there is no memory %s", name.ID)
	}
	detail.MemoryRecord = *r
	for _, c := range r.Citations {
		detail.Found = append(detail.Found, memory.Found{Citation: c, Validity: r.Validity, Says: "it was looked at"})
	}
	for _, other := range m.Memories {
		if other.Lane == r.Lane && other.ID != r.ID && other.Kind == r.Kind {
			detail.Conflicts = append(detail.Conflicts, other)
		}
	}
	return detail, err
}

// MemoryHistory says that the memory was changed once.
func (m *Mind) MemoryHistory(ctx context.Context, name api.MemoryName) (api.MemoryHistory, error) {
	r, err := m.Memory(ctx, name)
	return api.MemoryHistory{Events: []memory.Happened{{ID: r.ID, At: r.Updated, By: string(r.Source), What: "edited", Before: &r.MemoryRecord}, {ID: r.ID, At: r.Created, By: string(r.Source), What: "added"}}}, err
}

// MemoryProvenance says that the memory rests on all others of its lane.
func (m *Mind) MemoryProvenance(ctx context.Context, name api.MemoryName) (api.MemoryChain, error) {
	r, err := m.Memory(ctx, name)
	others := slices.DeleteFunc(copied(m, &m.Memories), func(o api.MemoryRecord) bool { return o.ID == r.ID || o.Lane != r.Lane })
	return api.MemoryChain{Record: r.MemoryRecord, RestsOn: others, RestedOn: others}, err
}

// MemoryTimeline returns those of the topic.
func (m *Mind) MemoryTimeline(_ context.Context, query api.MemoryTopic) (api.MemoryList, error) {
	return api.MemoryList{Memories: slices.DeleteFunc(copied(m, &m.Memories), func(r api.MemoryRecord) bool {
		return r.Topic == "" || query.Topic != "" && r.Topic != query.Topic
	})}, nil
}

// MemoryConflicts says that the first two of the lane contradict each other.
func (m *Mind) MemoryConflicts(_ context.Context, lane api.MemoryLane) (found api.MemoryConflicts, err error) {
	all := slices.DeleteFunc(copied(m, &m.Memories), func(r api.MemoryRecord) bool { return r.Lane != lane.Lane() })
	if len(all) > 1 {
		found.Pairs = []memory.Pair{{Older: all[1], Newer: all[0], At: at}}
	}
	return found, nil
}

// MemoryProfile returns the trusted ones.
func (m *Mind) MemoryProfile(context.Context) (api.MemoryList, error) {
	return api.MemoryList{Memories: slices.DeleteFunc(copied(m, &m.Memories), func(r api.MemoryRecord) bool { return r.Lane != memory.Trusted })}, nil
}

// MemoryHealth returns Fit.
func (m *Mind) MemoryHealth(context.Context) (api.MemoryHealth, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Fit, nil
}

// ValidateMemories looks at all Memories.
func (m *Mind) ValidateMemories(context.Context) (api.MemoryValidated, error) {
	all := copied(m, &m.Memories)
	return api.MemoryValidated{Looked: len(all), Doubted: slices.DeleteFunc(slices.Clone(all), func(r api.MemoryRecord) bool { return r.Doubt() == "" })}, nil
}

// ExportMemory writes the texts of Memories.
func (m *Mind) ExportMemory(_ context.Context, w io.Writer, format string) error {
	for _, r := range copied(m, &m.Memories) {
		if _, err := fmt.Fprintf(w, "%s %s %s\n", format, r.ID, r.Text); err != nil {
			return err
		}
	}
	return nil
}

// change records what is to be done to a memory, and returns the one of Memories.
func (m *Mind) change(verb, id string, body any) (*api.MemoryRecord, error) {
	m.changed = append(m.changed, map[string]any{verb: id, "body": body})
	return m.remembered(id)
}

// ImportMemory counts the lines behind the first, and says that they are there already.
func (m *Mind) ImportMemory(_ context.Context, lines io.Reader) (api.MemoryImported, error) {
	text, err := io.ReadAll(lines)
	return api.MemoryImported{Seen: max(0, strings.Count(string(text), "\n")-1)}, err
}

// AddMemory records what is added, and adds it. What only asks is refused.
func (m *Mind) AddMemory(_ context.Context, a api.MemoryAddition) (api.MemoryWritten, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = append(m.changed, a)
	if strings.HasSuffix(a.Text, "?") {
		return api.MemoryWritten{Outcome: memory.Refused, Reason: memory.Question}, nil
	}
	record := api.MemoryRecord{ID: fmt.Sprintf("m-new-%d", len(m.changed)), Version: 1, Kind: memory.Kind(cmp.Or(a.Kind, "note")), Title: cmp.Or(a.Title, a.Text), Text: a.Text, Tags: a.Tags,
		Topic: a.Topic, Citations: a.Citations, Trust: subconscious.Owner, Lane: memory.Trusted, Status: memory.Active, Source: memory.Person, Created: at, Updated: at, SeenCount: 1}
	if a.As != "" {
		record.Trust, record.Lane, record.Source, record.About.Agent = subconscious.Agent, memory.Agents, memory.Agent, a.As
	}
	m.Memories = append([]api.MemoryRecord{record}, m.Memories...)
	return api.MemoryWritten{Record: record, Outcome: memory.Stored}, nil
}

// SupersedeMemory records it, and changes the text.
func (m *Mind) SupersedeMemory(_ context.Context, next api.MemorySuccessor) (api.MemoryWritten, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.change("supersede", next.ID, next)
	r.Text, r.Supersedes = next.Text, r.ID
	return api.MemoryWritten{Record: *r, Outcome: memory.Stored}, err
}

// EditMemory records it, and changes the text, if the version is the one that is there.
func (m *Mind) EditMemory(_ context.Context, e api.MemoryEdit) (api.MemoryRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.change("edit", e.ID, e)
	if err == nil && e.Version != 0 && e.Version != r.Version {
		lost := api.Errorf(api.CodeChanged, "edit it as it is now", "%s is of version %d", r.ID, r.Version)
		lost.Memory = r
		return *r, lost
	}
	if e.Text != nil {
		r.Text = *e.Text
	}
	r.Version++
	return *r, err
}

// ChangeMemory records the change, and makes it in Memories.
func (m *Mind) ChangeMemory(_ context.Context, change api.MemoryChange) (api.MemoryRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.change(change.Verb, change.ID, change)
	switch change.Verb {
	case api.VerbPin:
		r.Pinned = !change.Off
	case api.VerbArchive:
		r.Status = memory.Archived
	case api.VerbConfirm:
		r.Lane, r.Trust = memory.Trusted, subconscious.Owner
	}
	return *r, err
}

// ForgetMemory records it, and takes it out of Memories.
func (m *Mind) ForgetMemory(_ context.Context, wanted api.MemoryForget) (api.MemoryForgotten, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.remembered(wanted.ID)
	if err == nil && r.ID != wanted.ID {
		return api.MemoryForgotten{}, api.Errorf(api.CodeBadRequest, "if you mean that one: subconsciousctl memory forget "+r.ID, "%q is the beginning of an id", wanted.ID)
	}
	if id := r.ID; err == nil {
		_, err = m.change("forget", id, wanted)
		m.Memories = slices.DeleteFunc(slices.Clone(m.Memories), func(r api.MemoryRecord) bool { return r.ID == id })
	}
	return api.MemoryForgotten{ID: wanted.ID, Backups: []string{"mind-2026-03-13.db"}}, err
}

// MemoryChanges returns what was asked to be changed so far.
func (m *Mind) MemoryChanges() []any { return copied(m, &m.changed) }
