package notify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/store"
)

// worker delivers over one channel, one message after the other.
type worker struct {
	o       *Outbox
	channel Channel
	bell    *wake.Bell
	// doubt: a claim failed, and may be in the database nonetheless.
	doubt bool
	// hung is the end of a call that was given up; nil for none.
	hung <-chan outcome

	mu         sync.Mutex
	health     health
	answersErr string
	// refused counts what was no answer and is behind the place that is stored,
	// refusedSince is when the first came.
	refused      int
	refusedSince time.Time
}

// outcome is what a call of a driver returned.
type outcome struct {
	receipt Receipt
	arrived bool
	err     error
}

const (
	// pauseMin and pauseMax are how long to wait when the database fails.
	pauseMin = time.Second
	pauseMax = time.Minute
	// pollAgain bounds a wait while messages are pending: timers stand still
	// while the machine sleeps.
	pollAgain = time.Minute
	// never: until it is woken.
	never = time.Duration(-1)
)

func jitter(wait time.Duration) time.Duration {
	if wait <= 0 {
		return 0
	}
	return rand.N(wait)
}

// run delivers until ctx is done. What is being sent then is waited for, until
// sending is done too.
func (w *worker) run(ctx, sending context.Context) {
	for failures := 0; ctx.Err() == nil; {
		wait, err := w.step(ctx, sending)
		if err != nil && ctx.Err() == nil {
			failures++
			wait = backoff(failures, pauseMin, pauseMax)
			w.o.Logger.Error("messages cannot be delivered now", "channel", w.channel.ID, "error", err, "again_in", wait)
		} else {
			failures = 0
		}
		if wait != 0 {
			w.bell.Sleep(ctx, wait)
		}
	}
}

// step delivers the next message, or says how long there is nothing to do.
func (w *worker) step(ctx, sending context.Context) (wait time.Duration, err error) {
	if w.hung != nil {
		// One call at a time: a driver that does not come back is left alone.
		select {
		case <-w.hung:
			w.hung = nil
		case <-ctx.Done():
			return 0, nil
		}
	}
	if err := w.undoubt(ctx); err != nil {
		return 0, err
	}
	if r, ok, err := w.nextDoubt(ctx); err != nil || ok {
		if err == nil {
			err = w.verify(ctx, r)
		}
		return 0, err
	}
	r, wait, err := w.next(ctx)
	if err != nil || wait != 0 {
		return wait, err
	}
	if r.State == StateExpired || r.State == StateUnknown {
		return 0, w.put(ctx, r)
	}
	r, err = w.claim(ctx, r)
	if err != nil {
		return 0, err
	}
	w.store(sending, w.attempt(sending, r))
	return 0, nil
}

// undoubt takes back a claim of which nobody knows whether it was written.
// Nothing was sent after it.
func (w *worker) undoubt(ctx context.Context) error {
	if !w.doubt {
		return nil
	}
	if err := w.o.DB.Exec(ctx, "UPDATE notify_outbox SET state = 'pending' WHERE channel = ? AND state = 'sending' AND doubted = 0", w.channel.ID); err != nil {
		return err
	}
	w.doubt = false
	return nil
}

// next returns the message whose turn it is, or how long there is none. One
// whose time is over comes first, and is expired.
func (w *worker) next(ctx context.Context) (r row, wait time.Duration, err error) {
	now := w.o.Now()
	rest := w.rests(now)
	err = w.o.DB.Read(ctx, func(tx *store.Tx) (err error) {
		const pending = "WHERE channel = ? AND state = 'pending' "
		over, ok, err := findOne(ctx, tx, pending+"AND expires <= ? LIMIT 1", w.channel.ID, now.UnixNano())
		if err != nil || ok {
			r = over.expired()
			return err
		}
		// A channel that rests is asked by tests alone: who asks wants to know.
		// What is due further away than any wait was put off by another clock.
		r, ok, err = findOne(ctx, tx, pending+"AND (due <= ? OR due > ?) AND (kind = 'test' OR ?) ORDER BY urgent DESC, at, id LIMIT 1",
			w.channel.ID, now.UnixNano(), now.Add(2*restAsked).UnixNano(), rest == 0)
		if err != nil || ok {
			return err
		}
		wait, err = w.idle(ctx, tx, now, rest)
		return err
	})
	return r, wait, err
}

// rests is how much longer the channel is left alone.
func (w *worker) rests(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.health.rests(now)
}

// idle returns how long there is nothing to do, where no message can be sent
// now.
func (w *worker) idle(ctx context.Context, tx *store.Tx, now time.Time, rest time.Duration) (time.Duration, error) {
	var waiting int
	var due, expires time.Time // of what is in doubt only due counts
	if err := tx.QueryRowContext(ctx, `SELECT count(*), coalesce(min(due), 0), coalesce(min(expires) FILTER (WHERE state = 'pending'), 0) FROM notify_outbox
		WHERE channel = ? AND (state = 'pending' OR state = 'sending' AND doubted > 0)`,
		w.channel.ID).Scan(&waiting, store.Time(&due), store.Time(&expires)); err != nil || waiting == 0 {
		return never, err
	}
	wait := min(max(due.Sub(now), rest), pollAgain)
	if !expires.IsZero() {
		wait = min(wait, expires.Sub(now))
	}
	return max(wait, time.Millisecond), nil
}

// claim marks a message as being sent, before it is.
func (w *worker) claim(ctx context.Context, r row) (row, error) {
	if err := failpoint.Hit("notify.claim"); err != nil {
		return row{}, err
	}
	r.State, r.Attempts, r.Doubted = StateSending, r.Attempts+1, time.Time{}
	if r.Tried.IsZero() {
		r.Tried = w.o.Now()
	}
	if err := w.put(ctx, r); err != nil {
		w.doubt = true
		return row{}, err
	}
	if err := failpoint.Hit("notify.claimed"); err != nil {
		w.doubt = true
		return row{}, err
	}
	return r, nil
}

func (w *worker) put(ctx context.Context, r row) error {
	return w.o.DB.Write(ctx, func(tx *store.Tx) error { return r.put(ctx, tx, w.o.Now()) })
}

// attempt sends a message and returns what became of it.
func (w *worker) attempt(ctx context.Context, r row) row {
	if !w.o.Now().Before(r.Expires) {
		return r.expired()
	}
	receipt, err := w.send(ctx, w.message(r))
	now := w.o.Now()
	failed := w.o.failure(err)
	w.mu.Lock()
	w.health = w.health.after(failed, now)
	w.mu.Unlock()
	return r.attempted(receipt, failed, now, w.o.Jitter(backoff(r.Attempts, retryMin, retryMax)/2), w.channel.verifier() != nil)
}

// message is what the channel is handed.
func (w *worker) message(r row) Message {
	m := Message{Sequence: r.Sequence, Kind: r.Kind, Incident: r.Incident, Proposal: r.Proposal, Urgent: r.Urgent, Priority: r.priority(), Repeated: r.Repeated}
	if w.channel.Content == ContentFull {
		m.Link = r.Link
	}
	m.Title, m.Text = r.carried(w.channel)
	if !w.o.takesAnswers(w.channel) {
		return m
	}
	expires := w.o.Now().Add(tokenLife)
	for _, answer := range r.Answers {
		m.Buttons = append(m.Buttons, Button{Label: labels[answer], Answer: answer, Token: w.o.token(r, answer, expires)})
	}
	return m
}

// send sends a message, within its deadline.
func (w *worker) send(ctx context.Context, m Message) (Receipt, error) {
	out := w.call(ctx, w.o.Deadline, func(ctx context.Context) (out outcome) {
		out.receipt, out.err = w.channel.Notifier.Send(ctx, m)
		return out
	})
	return out.receipt, out.err
}

// call calls the driver, and gives it up when it is far beyond its deadline.
func (w *worker) call(ctx context.Context, deadline time.Duration, of func(context.Context) outcome) outcome {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	done := make(chan outcome, 1)
	w.o.group.Go(func() { done <- protected(ctx, of) })
	select {
	case out := <-done:
		return out
	case <-ctx.Done():
	}
	timer := time.NewTimer(sendGrace)
	defer timer.Stop()
	select {
	case out := <-done:
		return out
	case <-timer.C:
		w.hung = done
		return outcome{err: ctx.Err()}
	}
}

// protected calls a driver, whose panic is a failure of its channel alone.
func protected(ctx context.Context, of func(context.Context) outcome) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = outcome{err: fmt.Errorf("the driver panicked: %v", p)}
		}
	}()
	return of(ctx)
}

// store writes what became of a message. Where the database fails it tries
// again, for nothing else may be sent before; what it cannot write before the
// end is taken for unknown at the next start.
func (w *worker) store(ctx context.Context, r row) {
	for failures := 1; ; failures++ {
		err := failpoint.Hit("notify.sent")
		if err == nil {
			// What happened is written though sending was broken off.
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
			err = w.put(bounded, r)
			cancel()
		}
		if err == nil {
			err = failpoint.Hit("notify.stored")
		}
		if err == nil {
			return
		}
		wait := backoff(failures, pauseMin, pauseMax)
		w.o.Logger.Error("what became of a message cannot be written now", "channel", w.channel.ID, "error", err, "again_in", wait)
		if wake.Pause(ctx, wait); ctx.Err() != nil {
			return
		}
	}
}

const writeTimeout = 10 * time.Second
