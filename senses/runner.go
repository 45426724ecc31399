package senses

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// runner asks one sense, one collect of a time.
type runner struct {
	id       SenseID
	sense    Sense
	deadline time.Duration
	clean    Cleaner
	logger   *slog.Logger
	random   func() float64

	mu      sync.Mutex
	health  Health
	breaker breaker
	// running is closed when the collect that goes on, or hangs, has ended; nil
	// while none does. hangs is since when it should have ended.
	running chan struct{}
	hangs   time.Time
	stopped bool
	// panicked is the last panic whose stack was logged.
	panicked string
}

// answer is what one collect brought.
type answer struct {
	batch Batch
	lost  Cut
	err   error
	// short: the tick ended before the sense had its time. That is no failure
	// of the sense.
	short bool
}

// errLate is the error of a collect that was not over in time.
var errLate = errors.New("it did not answer in time")

// ask asks the sense and waits for its answer, for the deadline, or for ctx.
func (r *runner) ask(ctx, life context.Context, at time.Time, cursor func(sense, id string) []byte) Collected {
	c := Collected{Sense: r.id.Sense, ID: r.id.ID}
	answers, cancel, refused := r.start(ctx, life, at, cursor)
	if refused != nil {
		c.Health = *refused
		return c
	}
	defer cancel()
	timer := time.NewTimer(r.deadline)
	defer timer.Stop()
	var a answer
	select {
	case a = <-answers:
	case <-timer.C:
		a.err = fmt.Errorf("%w (%v); what it says later is thrown away", errLate, r.deadline)
	case <-ctx.Done():
		// It may have answered at the same moment.
		select {
		case a = <-answers:
		default:
			a.err = fmt.Errorf("%w: the tick ended first; what it says later is thrown away", errLate)
			a.short = true
		}
	}
	if a.err == nil {
		c.Batch = a.batch
	}
	c.Health = r.judge(at, a)
	return c
}

// retry closes the breaker until the next failure, which opens it again for as
// long as before.
func (r *runner) retry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.breaker.next = time.Time{}
}

// start begins a collect, unless one still hangs, the breaker is open or the
// collector has stopped; then it returns the health that says so.
func (r *runner) start(ctx, life context.Context, at time.Time, cursor func(sense, id string) []byte) (<-chan answer, context.CancelFunc, *Health) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.stopped:
		return nil, nil, r.refuse(at, "it was stopped")
	case r.running != nil && r.hangs.IsZero():
		return nil, nil, r.refuse(at, "an earlier collect of it goes on")
	case r.running != nil:
		return nil, nil, r.refuse(at, "it hangs since "+r.hangs.Format(time.RFC3339)+" and is not asked again before it answers")
	case !r.breaker.ready(at):
		return nil, nil, new(r.health)
	}
	// Its own time ends a little before ours, so that one that keeps to it is
	// not taken for one that hangs.
	ctx, cancel := context.WithTimeout(ctx, r.deadline-r.deadline/20)
	release := context.AfterFunc(life, cancel)
	answers := make(chan answer, 1)
	r.running = make(chan struct{})
	committed := cursor(r.id.Sense, r.id.ID)
	go func() {
		a := answer{err: errors.New("it ended its own goroutine")}
		defer func() {
			if p := recover(); p != nil {
				a = answer{err: r.panicking(p)}
			}
			release()
			// First: whoever has the answer may ask again at once.
			r.ended()
			answers <- a
		}()
		a = r.collect(ctx, at, committed)
	}()
	return answers, cancel, nil
}

func (r *runner) collect(ctx context.Context, at time.Time, cursor []byte) answer {
	batch, err := r.sense.Collect(ctx, at, cursor)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", errLate, err)
		}
		return answer{err: err}
	}
	if len(batch.Cursor) > MaxCursor {
		return answer{err: fmt.Errorf("its cursor has %d bytes; %d are kept: narrow what it looks at", len(batch.Cursor), MaxCursor)}
	}
	clean, lost := r.clean.Batch(at, r.id, batch)
	return answer{batch: clean, lost: lost}
}

// ended notes that the collect is over, however late.
func (r *runner) ended() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.hangs.IsZero() {
		r.logger.Warn("a sense that hung has answered; the answer is thrown away", "since", r.hangs)
	}
	close(r.running)
	r.running, r.hangs = nil, time.Time{}
}

// panicking turns a panic into an error; its stack is logged once.
func (r *runner) panicking(p any) error {
	line, _, _ := strings.Cut(fmt.Sprint(p), "\n")
	line = r.clean.line(line, MaxTitleBytes)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.panicked != line {
		r.panicked = line
		r.logger.Error("a sense panicked", "panic", line, "stack", r.clean.redact(string(debug.Stack())))
	}
	return fmt.Errorf("it panicked: %s", line)
}

// judge brings health and breaker up to date with what a collect brought.
func (r *runner) judge(at time.Time, a answer) Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !a.short {
		r.breaker = r.breaker.after(a.err != nil, at, r.random())
	}
	state, said := OK, Joined(a.batch.Aside, a.lost.String())
	switch {
	case a.err != nil:
		state, said = Blind, r.clean.line(a.err.Error(), maxSaidBytes)
		if r.running != nil && errors.Is(a.err, errLate) {
			r.hangs = at
			r.logger.Warn("a sense hangs", "deadline", r.deadline)
		}
	case a.batch.Degraded != "" || a.lost.Refused > 0:
		state, said = Degraded, Joined(a.batch.Degraded, said)
	case a.batch.Starting:
		state = Starting
	}
	r.become(at, state, said)
	return r.health
}

// refuse says why the sense is not asked. The caller holds the lock.
func (r *runner) refuse(at time.Time, why string) *Health {
	r.become(at, Blind, why)
	return new(r.health)
}

func (r *runner) become(at time.Time, state State, said string) {
	if r.health.State != state || r.health.Since.IsZero() {
		r.health.Since = at
	}
	r.health.State, r.health.Error = state, said
	r.health.Next = time.Time{}
	if state == Blind && r.breaker.next.After(at) {
		r.health.Next = r.breaker.next
	}
}

func (r *runner) healthAt(at time.Time) Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	health := r.health
	if health.Since.IsZero() {
		health.Since = at
	}
	return health
}

// end waits for the collect that goes on and stops the sense, until ctx ends.
func (r *runner) end(ctx context.Context) error {
	r.mu.Lock()
	r.stopped = true
	running := r.running
	r.mu.Unlock()
	var late error
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			late = fmt.Errorf("%s: it still hangs: %w", r.id, ctx.Err())
		}
	}
	// Stopping a sense that hangs may be what frees it.
	stopper, ok := r.sense.(Stopper)
	if !ok {
		return late
	}
	return errors.Join(late, r.stopSense(ctx, stopper))
}

func (r *runner) stopSense(ctx context.Context, stopper Stopper) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("stop %s: %w", r.id, r.panicking(p))
		}
	}()
	if err := stopper.Stop(ctx); err != nil {
		return fmt.Errorf("stop %s: %w", r.id, err)
	}
	return nil
}

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
