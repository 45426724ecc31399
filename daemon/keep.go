package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// consolidate keeps what became an insight at this tick for long, in the tick's
// transaction. What a stranger or a model had a word in is kept apart, until the
// person confirms it.
func consolidate(ctx context.Context, tx *store.Tx, kept *memory.Store, done decided, world subconscious.World, logger *slog.Logger) error {
	for _, change := range done.changes.Entries {
		if change.What != aggregator.Promoted {
			continue
		}
		entry, ok := done.next.Entry(change.Entry)
		if !ok {
			continue
		}
		record := memory.Record{
			Key: "insight/" + string(entry.ID), Kind: memory.Insight, Text: entry.Summary, Trust: subconscious.Machine, Source: memory.Mechanics,
		}
		for _, s := range threads.SourcesOf(entry, world) {
			if s.Trust.Rank() > record.Trust.Rank() {
				record.Trust = s.Trust
			}
		}
		for _, held := range entry.Evidence {
			if !held.Aside && len(record.Citations) < memory.MaxCitations {
				record.Citations = append(record.Citations, memory.Citation{Ref: held.Citation.Ref, Seq: held.Citation.Seq})
			}
		}
		if _, err := kept.Remember(ctx, tx, record); errors.Is(err, memory.ErrFull) || errors.Is(err, memory.ErrInvalid) {
			logger.Warn("an insight could not be kept", "entry", entry.ID, "error", err)
		} else if err != nil {
			return fmt.Errorf("keep the insight %s: %w", entry.ID, err)
		}
	}
	return nil
}

// sweepEvery is how often what is kept no more is let go.
const sweepEvery = 24 * time.Hour

// sweeper lets go of old rows.
type sweeper struct {
	db            *store.DB
	mind          *mind.Store
	chat          *chat.Log
	deliberations *deliberate.Worker
	actions       *actions.Engine
	tend          func(time.Time)
	logger        *slog.Logger
	last          time.Time
}

// sweep lets go of what conversations, deliberations and actions keep no more,
// once a day and after a start, and gives a little of the room to the disk at each tick.
// What fails is tried again a day later.
func (s *sweeper) sweep(ctx context.Context, at time.Time) {
	if err := s.db.Vacuum(ctx); err != nil {
		s.logger.Error("room could not be given back to the disk", "error", err)
	}
	if since := at.Sub(s.last); since >= 0 && since < sweepEvery {
		return
	}
	s.last = at
	s.tend(at)
	_, chatted := s.chat.Sweep(ctx, at)
	if err := errors.Join(chatted, s.deliberations.Sweep(ctx, at), s.db.Write(ctx, func(tx *store.Tx) error { return s.actions.Sweep(ctx, tx) }), s.untouch(ctx, at)); err != nil {
		s.logger.Error("what is old could not be let go", "error", err)
	}
}

// touchedKept is how long it is said what was changed in what may be done.
const touchedKept = 7 * 24 * time.Hour

// untouch ends the notices of that.
func (s *sweeper) untouch(ctx context.Context, at time.Time) error {
	all, err := s.mind.Notices(ctx)
	for _, n := range all {
		if n.Code == subconscious.NoticeTouched && at.Sub(n.At) >= touchedKept {
			_, resolved := s.mind.ResolveNotice(ctx, n.NoticeKey)
			err = errors.Join(err, resolved)
		}
	}
	return err
}
