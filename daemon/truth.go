package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// outside tells the memory how what its records cite stands now.
type outside struct{ *Daemon }

var _ memory.World = outside{}

// Stands implements memory.World.
func (w outside) Stands(ctx context.Context, c memory.Citation) (memory.Validity, string, error) {
	if c.Conversation != "" {
		said, err := w.chat.Messages(ctx, c.Conversation, c.Message+1, 1)
		if len(said) == 1 && said[0].ID == c.Message {
			return memory.Holds, "the message is there", nil
		}
		return memory.Unknown, "the message is not kept any more", err
	}
	if c.URL == "" {
		return w.observed(ctx, subconscious.Citation{Ref: c.Ref, Seq: c.Seq}, time.Time{})
	}
	fetched, _ := time.Parse(time.RFC3339, c.Fetched) // else it is not known when
	for _, feed := range w.options.Config.Senses.Feeds {
		item := subconscious.Citation{Ref: subconscious.NewRef(source.FeedName, feed.ID+"/"+c.URL)}
		if validity, says, err := w.observed(ctx, item, fetched); err != nil || says != unheard {
			return validity, says, err
		}
	}
	return memory.Unknown, unheard, nil
}

const unheard = "nothing is known of it, or no more"

// observed tells how a cited change of an observation stands, or one that was seen then.
func (w outside) observed(ctx context.Context, c subconscious.Citation, then time.Time) (memory.Validity, string, error) {
	now, ok, err := w.ledger.Observation(ctx, subconscious.Citation{Ref: c.Ref})
	if err != nil || !ok {
		return memory.Unknown, unheard, err
	}
	on := now.At.In(w.zoneOrUTC()).Format("on 2006-01-02")
	if now.Change == subconscious.Gone {
		over := !now.Until.IsZero() && !now.At.Before(now.Until) || !now.Due.IsZero() && now.At.After(now.Due)
		switch sense := c.Ref.Sense(); {
		case sense == "calendar" && over:
			return memory.Holds, "it is over", nil
		case sense == "calendar", sense == files.Name, sense == notes.Name:
			return memory.Missing, "it was gone " + on, nil
		}
		return memory.Unknown, "it stands no more since " + on[len("on "):], nil
	}
	before := now
	if c.Seq != 0 && c.Seq != now.Seq {
		if before, ok, err = w.ledger.Observation(ctx, c); err != nil || !ok {
			return memory.Unknown, "how it was is not kept any more", err
		}
	}
	if before.Fingerprint != now.Fingerprint || !before.Due.Equal(now.Due) || before.Kind != now.Kind || !then.IsZero() && now.Change == subconscious.Changed && now.At.After(then) {
		return memory.Changed, "it was changed " + on, nil
	}
	return memory.Holds, "unchanged", nil
}

// tender returns what has the memory put in order, beside everything else, once it has
// been read in.
func (d *Daemon) tender(ctx context.Context) func(time.Time) {
	ctx, tending := d.beside(ctx, "stop putting the memory in order")
	var one sync.Mutex
	return func(at time.Time) {
		tending.Go(func() {
			select {
			case <-d.read:
			case <-ctx.Done():
				return
			}
			one.Lock()
			defer one.Unlock()
			done, err := d.memory.Consolidate(ctx, at)
			if err != nil && ctx.Err() == nil {
				d.options.Logger.Error("the memory could not be put in order", "error", err)
			} else if err == nil && done.At.Equal(at) {
				d.options.Logger.Info("the memory was put in order", "done", len(done.Done), "proposed", len(done.Proposed), "checked", done.Checked, "compared", done.Compared)
			}
		})
	}
}
