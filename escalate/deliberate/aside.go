package deliberate

import (
	"context"
	"errors"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// errCritical is why an escalation is not deliberated on any longer just now.
var errCritical = errors.New("it was set aside for a critical escalation")

// untilCritical is a context that ends after so long, or when a critical escalation
// waits and this one is none. done ends it and waits for whoever looks.
func (d *deliberation) untilCritical(ctx context.Context, most time.Duration) (asking context.Context, done func()) {
	limited, release := context.WithTimeout(ctx, most)
	if d.Critical {
		return limited, release
	}
	asking, cancel := context.WithCancelCause(limited)
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-d.bell.Rung: // the worker looks for escalations by itself behind this one
				if d.criticalWaits(asking) {
					cancel(errCritical)
				}
			case <-asking.Done():
				return
			}
		}
	}()
	return asking, func() {
		cancel(nil)
		release()
		<-looked
	}
}

func (d *deliberation) criticalWaits(ctx context.Context) bool {
	_, waits, err := store.One(ctx, d.DB, store.Value[string], "SELECT id FROM escalations WHERE state = 'waiting' AND critical LIMIT 1")
	return err == nil && waits
}

// setAside puts the escalation back among those that wait. It goes on where it
// is, and its deadline goes on, too.
func (d *deliberation) setAside(ctx context.Context) error {
	d.aside = true
	return d.write(ctx, "aside", func(ctx context.Context, tx *store.Tx) error {
		return tx.Exec(ctx, "UPDATE escalations SET state = 'waiting' WHERE id = ? AND state = 'running'", d.ID)
	})
}
