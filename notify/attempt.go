package notify

import (
	"context"
	"errors"
	"time"
)

const (
	// deadline bounds an attempt to send; sendGrace is how much later a driver
	// that does not heed it is given up, stopGrace the same at Stop.
	deadline  = 15 * time.Second
	sendGrace = 2 * time.Second
	stopGrace = 3 * time.Second
	// expiresAfter is how long is tried to send what does not expire.
	expiresAfter = 24 * time.Hour
	// A message waits retryMin after its first attempt, twice as long after
	// each other, and at most retryMax; the jitter adds up to a half.
	retryMin = 5 * time.Second
	retryMax = 5 * time.Minute
	// A channel that failed restAfter times in a row is left alone, restMin and
	// then longer. restAsked bounds what it may ask for itself.
	restAfter = 3
	restMin   = 30 * time.Second
	restMax   = 5 * time.Minute
	restAsked = 24 * time.Hour
)

// backoff doubles from least up to most; the first step is 1.
func backoff(step int, least, most time.Duration) time.Duration {
	return min(most, least<<min(max(step-1, 0), 20))
}

// attempted returns what becomes of a row that was being sent: err is what its
// channel said, nil for taken. jitter is added to a wait.
// verifies: the channel can be asked.
func (r row) attempted(receipt Receipt, err *Error, now time.Time, jitter time.Duration, verifies bool) row {
	if err == nil {
		r.State, r.Sent, r.Receipt, r.Error, r.Next = StateSent, now, receipt.ID, "", ""
		return r
	}
	r.Error, r.Next = err.Text, err.Next
	switch err.Trouble {
	case Refused:
		return r.closed(StateFailed)
	case Unavailable:
		r.State = StatePending
		r.Due = now.Add(max(backoff(r.Attempts, retryMin, retryMax), min(err.After, restAsked)) + jitter)
		return r
	}
	if verifies {
		return r.inDoubt(now)
	}
	return r.again(now, now.Add(backoff(r.Attempts, retryMin, retryMax)+jitter))
}

// again is what becomes of a row that may have arrived: an urgent one is sent
// once more when it is due.
func (r row) again(now, due time.Time) row {
	if !r.Urgent || r.Repeated || !now.Before(r.Expires) {
		r.State = StateUnknown
		return r
	}
	r.State, r.Repeated, r.Due = StatePending, true, due
	return r
}

// closed ends a row that did not arrive this time. Where it may have arrived
// the first time, that is unknown.
func (r row) closed(state State) row {
	if r.State = state; r.Repeated {
		r.State = StateUnknown
	}
	return r
}

// expired is what becomes of a row whose time is over.
func (r row) expired() row {
	r = r.closed(StateExpired)
	if r.Error == "" {
		r.Error = "it came to be of no use before it could be sent"
	}
	return r
}

// interrupted is what becomes of a row that an earlier process was sending.
func (r row) interrupted(now time.Time, verifies bool) row {
	r.Error = "the daemon ended while it was being sent, so it may have arrived"
	r.Next = "Look on the device whether it is there"
	if verifies {
		return r.inDoubt(now)
	}
	r.Doubted = time.Time{}
	return r.again(now, now)
}

// failure puts what a driver returned into an *Error whose words can be shown.
// Words of other errors are not: they may hold an address with a key in it.
func (o *Outbox) failure(err error) *Error {
	if err == nil {
		return nil
	}
	known, ok := errors.AsType[*Error](err)
	if ok && known != nil {
		e := *known
		e.Text, e.Next = cut(plain(o.Redact(plain(e.Text))), maxWords), cut(plain(o.Redact(plain(e.Next))), maxWords)
		if e.Text == "" {
			e.Text = "the channel did not take it"
		}
		if e.Trouble != Refused && e.Trouble != Unavailable {
			e.Trouble = Unknown
		}
		return &e
	}
	e := &Error{Trouble: Unknown, Text: "sending broke off, so it may have arrived", Next: "Look on the device whether it is there", Err: err}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Text = "the channel did not answer in time, so it may have arrived"
	case errors.Is(err, context.Canceled):
		e.Text = "the daemon was stopped while it was being sent, so it may have arrived"
	}
	return e
}

// health is how a channel has fared since the start.
type health struct {
	failures int // in a row
	until    time.Time
	err      *Error
}

// after returns the health after an attempt. What is refused counts as a
// failure but asks for no rest: the next message is refused at once or not.
func (h health) after(err *Error, now time.Time) health {
	if err == nil {
		return health{}
	}
	next := health{failures: h.failures, err: err}
	if err.Trouble == Refused {
		return next
	}
	next.failures++
	var rest time.Duration
	if next.failures >= restAfter {
		rest = backoff(next.failures-restAfter+1, restMin, restMax)
	}
	if err.Trouble == Unavailable {
		rest = max(rest, min(err.After, restAsked))
	}
	if rest > 0 {
		next.until = now.Add(rest)
	}
	return next
}

// rests is how much longer the channel is left alone. A rest that a clock set
// back has made longer than any is over.
func (h health) rests(now time.Time) time.Duration {
	if left := h.until.Sub(now); !h.until.IsZero() && left <= restAsked {
		return max(left, 0)
	}
	return 0
}

func (h health) state(now time.Time) ChannelState {
	switch {
	case h.rests(now) > 0:
		return ChannelResting
	case h.err != nil:
		return ChannelFailing
	}
	return ChannelOK
}
