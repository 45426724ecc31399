package view

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// SearchMemory implements api.Rememberer.
func (v *Reader) SearchMemory(ctx context.Context, query api.MemoryQuery) (api.MemoryPage, error) {
	page := api.MemoryPage{Memories: []api.MemoryRecord{}}
	wanted := memory.Query{Words: query.Words, Quarantined: query.Quarantined, Limit: pageOf(query.Limit)}
	if query.Words == "" {
		found, err := v.in.Memory.List(ctx, wanted)
		if err != nil {
			return page, Answer(err)
		}
		for _, r := range found {
			page.Memories = append(page.Memories, ShownMemory(r))
		}
	} else {
		found, err := v.in.Memory.Search(ctx, wanted)
		if err != nil {
			return page, Answer(err)
		}
		for _, hit := range found {
			page.Memories = append(page.Memories, ShownMemory(hit.Record))
		}
	}
	count, err := v.in.Memory.Count(ctx)
	page.Total, page.Quarantined = count.Active+count.Quarantined+count.Archived, count.Quarantined
	return page, Answer(err)
}

// Memory implements api.Rememberer.
func (v *Reader) Memory(ctx context.Context, id string) (api.MemoryRecord, error) {
	r, err := v.in.Memory.Get(ctx, id)
	return ShownMemory(r), Answer(err)
}

// ShownMemory is a memory as it travels.
func ShownMemory(r memory.Record) api.MemoryRecord {
	return api.MemoryRecord{
		ID: r.ID, Kind: string(r.Kind), Text: r.Text, Tags: append([]string{}, r.Tags...), Trust: r.Trust, Status: api.MemoryStatus(r.Status),
		Agent: r.Agent, Deliberation: r.Deliberation, Incident: r.Incident, Citations: append([]subconscious.Citation{}, r.Citations...),
		Created: r.Created, Updated: r.Updated, Seen: r.SeenCount,
	}
}
