package view

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/store"
)

// Events implements api.Mind.
func (v *Reader) Events(ctx context.Context, after int64, limit int) (api.EventPage, error) {
	found, err := v.in.Changes(ctx, after, limit)
	page, zone := api.EventPage{After: found.After, Last: found.Last, Lost: found.Lost}, v.in.Now().Location()
	for _, c := range found.All {
		page.Events = append(page.Events, api.Event{ID: c.Seq, At: c.At.In(zone), Kind: api.EventKind(c.Kind), Of: known(c)})
	}
	return page, Answer(err)
}

// known is the id by which the person knows what changed.
func known(c store.Change) string {
	switch api.EventKind(c.Kind) {
	case api.EventProposal:
		return actions.Changed("p", c.ID)
	case api.EventRun:
		return actions.Changed("r", c.ID)
	}
	return c.ID
}
