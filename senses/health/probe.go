package health

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// probeTimeout is how long one group of the machine may take to answer.
const probeTimeout = 3 * time.Second

// errNoAnswer is returned for what hangs, such as a disk on a server that is gone.
var errNoAnswer = errors.New("did not answer")

// probes run what may hang for good, each in a goroutine of its own. What hangs
// is not asked again before it has answered, so that there is at most one
// goroutine for each key.
type probes struct {
	mu      sync.Mutex
	pending map[string]bool
	idle    chan struct{} // closed when none is pending any more
}

func newProbes() *probes { return &probes{pending: map[string]bool{}} }

// begin reserves the key; it reports false while the last probe still hangs.
func (p *probes) begin(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending[key] {
		return false
	}
	if len(p.pending) == 0 {
		p.idle = make(chan struct{})
	}
	p.pending[key] = true
	return true
}

func (p *probes) end(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if delete(p.pending, key); len(p.pending) == 0 {
		close(p.idle)
	}
}

// wait returns when no probe is left, or with an error when ctx is done before.
func (p *probes) wait(ctx context.Context) error {
	p.mu.Lock()
	left, idle := len(p.pending), p.idle
	p.mu.Unlock()
	if left == 0 {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop reading the machine: a reader still hangs: %w", ctx.Err())
	}
}

// answer is what a probe returned.
type answer[T any] struct {
	value T
	err   error
}

// probe returns what read returns, or errNoAnswer after the timeout.
func probe[T any](ctx context.Context, p *probes, key string, timeout time.Duration, read func(context.Context) (T, error)) (T, error) {
	var none T
	if !p.begin(key) {
		return none, errNoAnswer
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answers := make(chan answer[T], 1)
	go func() {
		a := answer[T]{err: errors.New("the reader broke")}
		defer func() {
			if broken := recover(); broken != nil {
				a.err = fmt.Errorf("the reader broke: %v", broken)
			}
			p.end(key) // before the answer: who has it may ask again
			answers <- a
		}()
		a.value, a.err = read(ctx)
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return none, errNoAnswer
	}
}
