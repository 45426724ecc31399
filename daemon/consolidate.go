package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// byMechanics is who writes insights into memory.
const byMechanics = "mechanics"

// consolidate keeps what became an insight at this tick for long, in the tick's
// transaction. What a stranger or a model had a word in is kept apart, until the
// person confirms it.
func (d *Daemon) consolidate(ctx context.Context, tx *store.Tx, done decided, world subconscious.World) error {
	for _, change := range done.changes.Entries {
		if change.What != aggregator.Promoted {
			continue
		}
		entry, ok := done.next.Entry(change.Entry)
		if !ok {
			continue
		}
		record := memory.Record{
			Key: "insight/" + string(entry.ID), Kind: memory.Insight, Text: entry.Summary, Trust: subconscious.Machine, Agent: byMechanics,
		}
		for _, s := range threads.SourcesOf(entry, world) {
			if s.Trust.Rank() > record.Trust.Rank() {
				record.Trust = s.Trust
			}
		}
		for _, held := range entry.Evidence {
			if !held.Aside && len(record.Citations) < memory.MaxCitations {
				record.Citations = append(record.Citations, held.Citation)
			}
		}
		if _, err := d.memory.Remember(ctx, tx, record); errors.Is(err, memory.ErrFull) || errors.Is(err, memory.ErrInvalid) {
			d.options.Logger.Warn("an insight could not be kept", "entry", entry.ID, "error", err)
		} else if err != nil {
			return fmt.Errorf("keep the insight %s: %w", entry.ID, err)
		}
	}
	return nil
}
