// Package wake has what a worker sleeps on while it has nothing to do, and by
// which others see that it does. The workers of package escalate/deliberate and
// of package notify sleep on one. It has what else they wait for, too, and stores
// nothing.
package wake

import (
	"context"
	"sync"
	"time"
)

// Bell wakes one worker. New makes one.
type Bell struct {
	// Rung is readable once after a Ring, for a worker that is not asleep.
	Rung chan struct{}

	mu     sync.Mutex
	asleep bool
	idle   chan struct{} // closed while the worker is asleep and nobody has rung
}

// New returns a bell whose worker is not asleep.
func New() *Bell { return &Bell{Rung: make(chan struct{}, 1), idle: make(chan struct{})} }

// Ring wakes the worker, or keeps it from its next sleep.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rise()
	select {
	case b.Rung <- struct{}{}:
	default:
	}
}

// rise ends a sleep for those who look.
func (b *Bell) rise() {
	if b.asleep {
		b.asleep, b.idle = false, make(chan struct{})
	}
}

// Sleep returns when it is rung, when ctx is done, or after wait, where that is
// more than 0.
func (b *Bell) Sleep(ctx context.Context, wait time.Duration) {
	var after <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		after = timer.C
	}
	b.mu.Lock()
	if len(b.Rung) == 0 {
		b.asleep = true
		close(b.idle)
	}
	b.mu.Unlock()
	select {
	case <-after:
	case <-b.Rung:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rise()
}

// Idle waits until the worker is asleep, and has been since whatever was rung
// for.
func (b *Bell) Idle(ctx context.Context) error {
	b.mu.Lock()
	idle := b.idle
	b.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pause waits for so long, whoever rings, or until ctx is done.
func Pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Joined waits for what a group does, and reports whether that ended before ctx.
func Joined(ctx context.Context, group *sync.WaitGroup) bool {
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
