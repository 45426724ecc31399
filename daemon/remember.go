package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

var _ api.Rememberer = (*Daemon)(nil)

// openMemory opens what is remembered for long.
func (d *Daemon) openMemory(context.Context) error {
	d.memory = memory.New(d.db, memory.Options{Now: d.now, Redact: redact.Text, Logger: d.options.Logger})
	return nil
}

// SearchMemory implements api.Rememberer.
func (d *Daemon) SearchMemory(ctx context.Context, query api.MemoryQuery) (api.MemoryPage, error) {
	page := api.MemoryPage{Memories: []api.MemoryRecord{}}
	wanted := memory.Query{Words: query.Words, Quarantined: query.Quarantined, Limit: pageOf(query.Limit)}
	if query.Words == "" {
		found, err := d.memory.List(ctx, wanted)
		if err != nil {
			return page, memoryAnswer(err)
		}
		for _, r := range found {
			page.Memories = append(page.Memories, apiMemory(r))
		}
	} else {
		found, err := d.memory.Search(ctx, wanted)
		if err != nil {
			return page, memoryAnswer(err)
		}
		for _, hit := range found {
			page.Memories = append(page.Memories, apiMemory(hit.Record))
		}
	}
	count, err := d.memory.Count(ctx)
	page.Total, page.Quarantined = count.Active+count.Quarantined+count.Archived, count.Quarantined
	return page, memoryAnswer(err)
}

// Memory implements api.Rememberer.
func (d *Daemon) Memory(ctx context.Context, id string) (api.MemoryRecord, error) {
	r, err := d.memory.Get(ctx, id)
	return apiMemory(r), memoryAnswer(err)
}

// ChangeMemory implements api.Rememberer.
func (d *Daemon) ChangeMemory(ctx context.Context, change api.MemoryChange) (api.MemoryRecord, error) {
	who := byPerson
	if change.As != "" {
		who = change.As
	} else {
		d.use()
	}
	switch {
	case change.Confirm != "":
		r, err := d.memory.Confirm(ctx, change.Confirm)
		return apiMemory(r), memoryAnswer(err)
	case change.Forget != "":
		r, err := d.memory.Get(ctx, change.Forget)
		if err == nil {
			err = d.memory.Forget(ctx, change.Forget)
		}
		if err != nil {
			return api.MemoryRecord{}, memoryAnswer(err)
		}
		return api.MemoryRecord{ID: r.ID, Kind: string(r.Kind), Status: api.MemoryForgotten, Trust: r.Trust, Tags: []string{},
			Citations: []subconscious.Citation{}, Created: r.Created, Updated: d.now()}, nil
	}
	kind := memory.Kind(change.Kind)
	if kind == "" {
		kind = memory.Note
	}
	r, err := d.memory.Add(ctx, memory.Record{Kind: kind, Text: change.Add, Tags: change.Tags, Trust: api.TrustOf(change.As), Agent: who})
	return apiMemory(r), memoryAnswer(err)
}

func apiMemory(r memory.Record) api.MemoryRecord {
	return api.MemoryRecord{
		ID: r.ID, Kind: string(r.Kind), Text: r.Text, Tags: append([]string{}, r.Tags...), Trust: r.Trust, Status: api.MemoryStatus(r.Status),
		Agent: r.Agent, Deliberation: r.Deliberation, Incident: r.Incident, Citations: append([]subconscious.Citation{}, r.Citations...),
		Created: r.Created, Updated: r.Updated, Seen: r.SeenCount,
	}
}

// memoryAnswer makes of an error of memory what the API may pass on.
func memoryAnswer(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memory.ErrNotFound):
		return &api.Error{Code: api.CodeNotFound, Text: "there is no such memory", Next: "see `subconsciousctl memory list` for those there are", Err: err}
	case errors.Is(err, memory.ErrInvalid):
		return &api.Error{Code: api.CodeBadRequest, Text: err.Error(), Next: "mend it, and send it again", Err: err}
	case errors.Is(err, memory.ErrFull):
		return &api.Error{Code: api.CodeUnavailable, Text: err.Error(), Next: "forget what is not needed: `subconsciousctl memory forget ID`", Err: err}
	}
	return answer(fmt.Errorf("memory: %w", err))
}

// recollection lets threads and deliberations recall what is remembered and what
// was said.
type recollection struct{ *Daemon }

var (
	_ threads.MemoryReader       = recollection{}
	_ threads.ConversationReader = recollection{}
)

// SearchMemory implements threads.MemoryReader. What is kept apart is not found.
func (r recollection) SearchMemory(ctx context.Context, words string, limit int) ([]threads.Memory, error) {
	hits, err := r.memory.Search(ctx, memory.Query{Words: words, Limit: limit})
	if err != nil {
		return nil, err
	}
	var found []threads.Memory
	for _, hit := range hits {
		found = append(found, threadMemory(hit.Record))
	}
	return found, nil
}

// Memory implements threads.MemoryReader.
func (r recollection) Memory(ctx context.Context, id string) (threads.Memory, error) {
	kept, err := r.memory.Get(ctx, id)
	switch {
	case errors.Is(err, memory.ErrNotFound), err == nil && kept.Status != memory.Active:
		return threads.Memory{}, threads.ErrNoMemory
	case err != nil:
		return threads.Memory{}, err
	}
	return threadMemory(kept), nil
}

func threadMemory(r memory.Record) threads.Memory {
	return threads.Memory{ID: r.ID, Kind: string(r.Kind), Text: r.Text, Trust: r.Trust, Created: r.Created, Tags: r.Tags, Agent: r.Agent}
}

// saidFound is how many messages a search gives.
const saidFound = 10

// SearchConversations implements threads.ConversationReader.
func (r recollection) SearchConversations(ctx context.Context, words string, days int) ([]threads.Said, error) {
	found, err := r.chat.Search(ctx, chat.Query{Words: words, Since: r.now().AddDate(0, 0, -days), Limit: saidFound})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Conversation)
	}
	began, err := r.chat.Began(ctx, names...)
	if err != nil {
		return nil, err
	}
	var said []threads.Said
	for _, f := range found {
		by := began[f.Conversation]
		said = append(said, threads.Said{
			Conversation: f.Conversation, Began: string(by.Author), BeganName: by.Name, Author: string(f.Author), Name: f.Name, Trust: f.Trust, At: f.At, Text: f.Text,
		})
	}
	return said, nil
}
