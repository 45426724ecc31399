package notify

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
)

// What is in doubt is looked for at once and, where it is not there, once more
// after a wait: a request that was cut may still be on its way, or the service
// at work on it, also when the process that sent it is dead. The doubt and its
// beginning are stored, so that the wait goes on over a restart.
const (
	// lateness is that wait, as a service that keeps messages in a database on
	// a slow disk needs it. It doubles with each time that the message did not
	// arrive, up to latenessMax, so that one that is even slower shows few.
	lateness    = 10 * time.Second
	latenessMax = 5 * time.Minute
	// verifyDeadline bounds one question.
	verifyDeadline = 5 * time.Second
	// A channel that cannot answer now is asked again, verifyAfter later and then
	// at longer intervals, until askFor after the doubt began. What it asks to
	// be left alone is heeded up to verifyRest.
	verifyAfter = 5 * time.Second
	verifyRest  = 2 * time.Minute
	askFor      = 30 * time.Second
	// maxMissed is how often a message may break off and not arrive.
	maxMissed = 16
)

// verifier returns what the channel can be asked with, or nil.
func (c *Channel) verifier() Verifier {
	v, _ := c.Notifier.(Verifier)
	return v
}

// inDoubt is what becomes of a row of which the channel is asked whether it
// arrived, from now on.
func (r row) inDoubt(now time.Time) row {
	r.State, r.Doubted, r.Due = StateSending, now, now
	return r
}

// nextDoubt returns the message that is to be looked for now.
func (w *worker) nextDoubt(ctx context.Context) (r row, ok bool, err error) {
	if w.channel.verifier() == nil {
		return row{}, false, nil
	}
	now := w.o.Now()
	rest := w.rests(now)
	// What is due further away than any wait was put off by another clock.
	return findOne(ctx, w.o.DB, `WHERE channel = ? AND state = 'sending' AND doubted > 0 AND (due <= ? OR due > ?) AND (kind = 'test' OR ?)
		ORDER BY urgent DESC, at, id LIMIT 1`, w.channel.ID, now.UnixNano(), now.Add(2*latenessMax).UnixNano(), rest == 0)
}

// verify asks whether a message arrived, and stores what that means for it. An
// error of the driver is none of verify.
func (w *worker) verify(ctx context.Context, r row) error {
	if err := failpoint.Hit("notify.verify"); err != nil {
		return err
	}
	asked := w.o.Now()
	if r.Doubted.After(asked) { // the clock was set back
		r.Doubted = asked
	}
	arrived, err := w.arrived(ctx, r)
	if ctx.Err() != nil {
		return nil // it is looked for at the next start
	}
	if err := failpoint.Hit("notify.verified"); err != nil {
		return err
	}
	if err != nil {
		r = w.untold(r, w.o.failure(err), asked)
	} else {
		r = r.verified(arrived, asked, w.o.Now(), min(backoff(r.Missed+1, w.o.Lateness, latenessMax), latenessMax))
	}
	return w.put(ctx, r)
}

// arrived asks for each wording that was sent.
func (w *worker) arrived(ctx context.Context, r row) (bool, error) {
	since := r.Tried
	if since.IsZero() {
		since = r.At
	}
	wordings := []Message{w.message(r)}
	if first := r; r.Repeated {
		first.Repeated = false
		wordings = append(wordings, w.message(first))
	}
	for _, m := range wordings {
		out := w.call(ctx, min(verifyDeadline, w.o.Deadline), func(ctx context.Context) (out outcome) {
			out.arrived, out.err = w.channel.verifier().Arrived(ctx, m, since)
			return out
		})
		if out.err != nil || out.arrived {
			return out.arrived && out.err == nil, out.err
		}
	}
	return false, nil
}

// verified is what becomes of a row when its channel was asked: it arrived, or
// it did not in the wait after the doubt began. Then it was not sent at all as
// far as the person is concerned, and is sent again, urgent or not.
func (r row) verified(arrived bool, asked, now time.Time, wait time.Duration) row {
	switch {
	case arrived:
		r.State, r.Sent, r.Error, r.Next, r.Doubted = StateSent, now, "", "", time.Time{}
		return r
	case asked.Before(r.Doubted.Add(wait)):
		r.Due = r.Doubted.Add(wait)
		return r
	}
	r.Missed++
	r.Doubted, r.Repeated = time.Time{}, false
	r.Error, r.Next = "sending it broke off, and it did not arrive", "Nothing; it is sent again"
	switch {
	case !now.Before(r.Expires):
		return r.expired()
	case r.Missed >= maxMissed:
		r.Error, r.Next = "sending it broke off again and again, and it did not arrive", "Look at the connection to the channel"
		return r.closed(StateFailed)
	}
	r.State, r.Due = StatePending, now
	return r
}

// untold is what becomes of a row when its channel did not say whether it
// arrived: it is asked again, or nobody can tell.
func (w *worker) untold(r row, err *Error, asked time.Time) row {
	passed := asked.Sub(r.Doubted)
	if err.Trouble == Unavailable && passed < askFor {
		r.Due = asked.Add(max(verifyAfter, passed, min(err.After, verifyRest)))
		return r
	}
	w.o.Logger.Warn("nobody can tell whether a message arrived", "channel", w.channel.ID, "why", err.Text)
	r.Doubted = time.Time{}
	return r.again(asked, asked)
}
