package senses

import "time"

// A sense that fails several times in a row is left alone for a while. This is
// done here and not by a library because time comes from above: what a breaker
// decides at a tick depends on that tick's time alone, and is tested without a
// clock.
const (
	breakAfter = 3 // failures in a row
	backoffMin = time.Minute
	backoffMax = 30 * time.Minute
	// backoffJitter is the part of a backoff by which it may be shorter.
	backoffJitter = 0.2
)

// breaker counts the failures of one sense.
type breaker struct {
	failures int
	next     time.Time // not before then
}

// ready reports whether the sense may be asked at the time at. A clock that was
// set back does not keep it closed for longer than the longest backoff.
func (b breaker) ready(at time.Time) bool {
	return !at.Before(b.next) || b.next.Sub(at) > backoffMax
}

// after returns the breaker after one more look at the time at; random is in
// [0, 1).
func (b breaker) after(failed bool, at time.Time, random float64) breaker {
	if !failed {
		return breaker{}
	}
	b.failures++
	b.next = time.Time{}
	if b.failures >= breakAfter {
		b.next = at.Add(backoff(b.failures-breakAfter, random))
	}
	return b
}

// backoff doubles from backoffMin to backoffMax, and is shorter by up to
// backoffJitter.
func backoff(doublings int, random float64) time.Duration {
	wait := backoffMax
	if doublings < 10 {
		wait = min(backoffMin<<doublings, backoffMax)
	}
	return wait - time.Duration(float64(wait)*backoffJitter*random)
}
