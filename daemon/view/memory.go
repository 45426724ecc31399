package view

import (
	"context"
	"io"
	"slices"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/memory"
)

// SearchMemory implements api.Mind.
func (v *Reader) SearchMemory(ctx context.Context, query api.MemoryQuery) (page api.MemoryPage, err error) {
	about, err := query.Subject()
	if err != nil {
		return page, err
	}
	wanted := memory.Query{Words: query.Words, Lane: query.Lane(), Kind: memory.Kind(query.Kind), About: about, Since: query.Since,
		Topic: query.Topic, Status: memory.Status(query.Status), Before: query.Before, Limit: pageOf(query.Limit)}
	if query.Words == "" {
		if page.Memories, err = v.in.Memory.List(ctx, wanted); err != nil {
			return page, Answer(err)
		}
		if len(page.Memories) == wanted.Limit {
			page.Before = page.Memories[wanted.Limit-1].ID
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
	for i := range page.Memories {
		r := &page.Memories[i]
		switch query.Level {
		case api.LevelIndex:
			*r = memory.Record{ID: r.ID, Version: r.Version, Kind: r.Kind, Title: r.Title, Lane: r.Lane, Status: r.Status, Source: r.Source, Trust: r.Trust,
				Confidence: r.Confidence, Validity: r.Validity, Created: r.Created, Updated: r.Updated, Said: r.Said}
		case api.LevelSummary:
			r.Text = ""
		}
	}
	count, err := v.in.Memory.Count(ctx)
	page.Total, page.Agents, page.Quarantined = count.Active+count.Agents+count.Quarantined+count.Superseded+count.Archived, count.Agents, count.Quarantined
	return page, Answer(err)
}

// Named is the one memory whose ID begins so, if it is in one of these lanes.
func (v *Reader) Named(ctx context.Context, name api.MemoryName) (memory.Record, error) {
	id, err := v.in.Memory.Resolve(ctx, name.ID)
	if err != nil {
		return memory.Record{}, Answer(err)
	}
	r, err := v.in.Memory.Get(ctx, id)
	if err == nil && !slices.Contains(name.Lanes, r.Lane) {
		err = memory.ErrNotFound
	}
	return r, Answer(err)
}

// Memory implements api.Mind.
func (v *Reader) Memory(ctx context.Context, name api.MemoryName) (detail api.MemoryDetail, err error) {
	r, err := v.Named(ctx, name)
	if err != nil {
		return detail, err
	}
	if detail.MemoryRecord, detail.Found, err = v.in.Memory.Validate(ctx, r.ID); err != nil {
		return detail, Answer(err)
	}
	pairs, err := v.in.Memory.Conflicts(ctx, r.Lane, r.ID)
	for _, p := range pairs {
		other := p.Older
		if other.ID == r.ID {
			other = p.Newer
		}
		detail.Conflicts = append(detail.Conflicts, other)
	}
	return detail, Answer(err)
}

// MemoryHistory implements api.Mind.
func (v *Reader) MemoryHistory(ctx context.Context, name api.MemoryName) (api.MemoryHistory, error) {
	r, err := v.Named(ctx, name)
	if err != nil {
		return api.MemoryHistory{}, err
	}
	events, err := v.in.Memory.History(ctx, r.ID)
	return api.MemoryHistory{Events: events}, Answer(err)
}

// MemoryProvenance implements api.Mind. What whoever asks may not read is left out.
func (v *Reader) MemoryProvenance(ctx context.Context, name api.MemoryName) (api.MemoryChain, error) {
	r, err := v.Named(ctx, name)
	if err != nil {
		return api.MemoryChain{}, err
	}
	chain, err := v.in.Memory.Provenance(ctx, r.ID)
	hidden := func(r memory.Record) bool { return !slices.Contains(name.Lanes, r.Lane) }
	chain.RestsOn, chain.RestedOn = slices.DeleteFunc(chain.RestsOn, hidden), slices.DeleteFunc(chain.RestedOn, hidden)
	return chain, Answer(err)
}

// MemoryTimeline implements api.Mind.
func (v *Reader) MemoryTimeline(ctx context.Context, query api.MemoryTopic) (api.MemoryList, error) {
	all, err := v.in.Memory.Timeline(ctx, query.Topic, query.Since)
	return api.MemoryList{Memories: all}, Answer(err)
}

// MemoryConflicts implements api.Mind.
func (v *Reader) MemoryConflicts(ctx context.Context, lane api.MemoryLane) (api.MemoryConflicts, error) {
	pairs, err := v.in.Memory.Conflicts(ctx, lane.Lane(), "")
	return api.MemoryConflicts{Pairs: pairs}, Answer(err)
}

// MemoryProfile implements api.Mind.
func (v *Reader) MemoryProfile(ctx context.Context) (api.MemoryList, error) {
	all, err := v.in.Memory.Profile(ctx)
	return api.MemoryList{Memories: all}, Answer(err)
}

// MemoryHealth implements api.Mind.
func (v *Reader) MemoryHealth(ctx context.Context) (api.MemoryHealth, error) {
	health, err := v.in.Memory.Health(ctx)
	return health, Answer(err)
}

// ExportMemory implements api.Mind.
func (v *Reader) ExportMemory(ctx context.Context, w io.Writer, format string) error {
	return Answer(v.in.Memory.Export(ctx, w, format))
}
