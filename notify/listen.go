package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/store"
)

const (
	// An answer that the database cannot take now is tried again.
	takeTries   = 3
	takeTimeout = 10 * time.Second
	// A listener that returned is started again.
	listenMin = 5 * time.Second
	listenMax = 5 * time.Minute
)

// listen takes the answers of a channel until ctx is done.
func (w *worker) listen(ctx context.Context, l Listener) {
	for failures := 1; ; failures++ {
		err := w.listenOnce(ctx, l)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("it stopped listening")
		}
		w.answers(err)
		wake.Pause(ctx, backoff(failures, listenMin, listenMax))
	}
}

func (w *worker) listenOnce(ctx context.Context, l Listener) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the driver panicked: %v", p)
		}
	}()
	if keeper, ok := l.(Keeper); ok {
		// Up to here the answers were read.
		place, _, err := store.One(ctx, w.o.DB, store.Value[string], "SELECT place FROM notify_replies WHERE channel = ?", w.channel.ID)
		if err != nil {
			return err
		}
		keeper.Keep(place, w.strange, w.reached)
	}
	return l.Listen(ctx, w.take, w.answers)
}

// strange counts what came and is no answer.
func (w *worker) strange() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused++; w.refused == 1 {
		w.refusedSince = w.o.Now()
	}
}

// reached stores up to where the answers were read, and what among them was
// none: what is behind the place is read again, and counted again, after a crash.
func (w *worker) reached(ctx context.Context, place string) {
	w.mu.Lock()
	refused, since := w.refused, w.refusedSince
	w.mu.Unlock()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeTimeout)
	defer cancel()
	err := w.o.DB.Exec(bounded, `INSERT INTO notify_replies (channel, place, strange, since) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET place = excluded.place, strange = strange + excluded.strange, since = iif(since = 0, excluded.since, since)`,
		w.channel.ID, place, refused, store.Time(&since))
	if err != nil {
		w.o.Logger.Error("the place up to which answers were read cannot be kept now", "channel", w.channel.ID, "error", err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused = max(0, w.refused-refused); w.refused == 0 {
		w.refusedSince = time.Time{}
	}
}

// Renewed forgets what was read of the answers of a channel, which come back at
// another place from now on.
func (o *Outbox) Renewed(ctx context.Context, channel string) error {
	if err := o.DB.Exec(ctx, "DELETE FROM notify_replies WHERE channel = ?", channel); err != nil {
		return fmt.Errorf("notify: renewed: %w", err)
	}
	if w := o.worker(channel); w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.refused, w.refusedSince = 0, time.Time{}
	}
	return nil
}

// take hands on an answer. The context does not end it halfway.
func (w *worker) take(ctx context.Context, token string) {
	for try := 1; ; try++ {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeTimeout)
		err := w.o.take(bounded, w.channel.ID, token)
		cancel()
		if err == nil || errors.Is(err, ErrToken) {
			return
		}
		w.o.Logger.Error("an answer cannot be taken now", "channel", w.channel.ID, "error", err, "try", try)
		if try == takeTries || ctx.Err() != nil {
			return
		}
		wake.Pause(ctx, backoff(try, pauseMin, pauseMax))
	}
}

// answers says how listening fares, nil for well.
func (w *worker) answers(err error) {
	text := ""
	if err != nil {
		text = "answers do not come back over it"
		if e, ok := errors.AsType[*Error](err); ok {
			text = w.o.failure(e).Text
		}
	}
	w.mu.Lock()
	before := w.answersErr
	w.answersErr = text
	w.mu.Unlock()
	switch {
	case text != "" && text != before:
		w.o.Logger.Warn("answers do not come back now", "channel", w.channel.ID, "why", text)
	case text == "" && before != "":
		w.o.Logger.Info("answers come back again", "channel", w.channel.ID)
	}
}

const (
	// What is over is kept for keep.
	keep       = 30 * 24 * time.Hour
	sweepEvery = time.Hour
	sweepSoon  = time.Second // after the start
)

// sweeps removes what is old until ctx is done.
func (o *Outbox) sweeps(ctx context.Context) {
	for wait := sweepSoon; ; wait = sweepEvery {
		if wake.Pause(ctx, wait); ctx.Err() != nil {
			return
		}
		if err := o.sweep(ctx); err != nil && ctx.Err() == nil {
			o.Logger.Error("old messages cannot be removed now", "error", err)
		}
	}
}

func (o *Outbox) sweep(ctx context.Context) error {
	now := o.Now()
	return o.DB.Write(ctx, func(tx *store.Tx) error {
		over, err := find(ctx, tx, "WHERE state = 'pending' AND expires <= ?", now.UnixNano())
		for _, r := range over {
			if err == nil && o.worker(r.Channel) == nil {
				r = r.closed(StateFailed)
				r.Error, r.Next = "its channel is not configured any more", "Nothing is to be done; the inbox has it"
				err = r.put(ctx, tx, now)
			}
		}
		if err != nil {
			return err
		}
		if err := tx.Exec(ctx, "DELETE FROM notify_outbox WHERE changed < ? AND state NOT IN ('pending', 'sending')", now.Add(-keep).UnixNano()); err != nil {
			return err
		}
		return tx.Exec(ctx, "DELETE FROM notify_answers WHERE expires < ?", now.UnixNano())
	})
}
