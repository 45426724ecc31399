package view

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/memory"
)

// SearchMemory implements api.Mind.
func (v *Reader) SearchMemory(ctx context.Context, query api.MemoryQuery) (api.MemoryPage, error) {
	var page api.MemoryPage
	wanted := memory.Query{Words: query.Words, Lane: query.Lane(), Limit: pageOf(query.Limit)}
	if query.Words == "" {
		var err error
		if page.Memories, err = v.in.Memory.List(ctx, wanted); err != nil {
			return page, Answer(err)
		}
	} else {
		found, err := v.in.Memory.Search(ctx, wanted)
		if err != nil {
			return page, Answer(err)
		}
		for _, hit := range found {
			page.Memories = append(page.Memories, hit.Record)
		}
	}
	count, err := v.in.Memory.Count(ctx)
	page.Total, page.Agents, page.Quarantined = count.Active+count.Agents+count.Quarantined+count.Superseded+count.Archived, count.Agents, count.Quarantined
	return page, Answer(err)
}

// Memory implements api.Mind.
func (v *Reader) Memory(ctx context.Context, id string) (api.MemoryRecord, error) {
	r, err := v.in.Memory.Get(ctx, id)
	return r, Answer(err)
}
