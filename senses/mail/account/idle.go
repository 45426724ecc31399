package account

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
)

const (
	// renewal is how long one IDLE lasts: servers may end it after 30 minutes.
	renewal = 24 * time.Minute
	// doneWithin is how long the server may take to answer DONE.
	doneWithin = 10 * time.Second
	// firstPause and lastPause bound the wait before a connection that broke is
	// made again; it doubles in between.
	firstPause = time.Second
	lastPause  = 5 * time.Minute
)

// idler waits for news between calls of Do, with the connection that they use.
type idler struct {
	mu      sync.Mutex
	started bool
	stopped bool
	done    chan struct{} // closed when its goroutine has ended
	// waiting counts the calls of Do that wait or run; wanted tells the idler
	// that there is one, freed that there is none any more.
	waiting       atomic.Int32
	wanted, freed chan struct{}
}

// start starts the idler, once.
func (i *idler) start(a *Account) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.started || i.stopped {
		return
	}
	i.started = true
	go a.idle()
}

// wait waits until the idler has ended.
func (i *idler) wait(ctx context.Context) error {
	i.mu.Lock()
	i.stopped = true
	started := i.started
	i.mu.Unlock()
	if !started {
		return nil
	}
	select {
	case <-i.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (i *idler) interrupt() {
	i.waiting.Add(1)
	tell(i.wanted)
}

func (i *idler) resume() {
	if i.waiting.Add(-1) == 0 {
		tell(i.freed)
	}
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// idle waits for news until the account is stopped.
func (a *Account) idle() {
	defer close(a.idler.done)
	failures := 0
	for {
		if a.take(a.life) != nil {
			return
		}
		err := a.listen(failures > 0)
		a.release()
		if a.life.Err() != nil {
			return
		}
		var pause <-chan time.Time // nil: until the next Do has ended
		if err == nil {
			failures = 0
		} else {
			if failures == 0 {
				a.options.Logger.Warn("the connection that waits for mail broke", "account", a.options.Name, "error", err)
			}
			failures++
			pause = time.After(pauseAfter(failures))
		}
		select {
		case <-a.idler.freed:
		case <-pause:
		case <-a.life.Done():
			return
		}
	}
}

// pauseAfter is how long to wait after so many failures in a row: from 1 s,
// doubling, to 5 minutes, a quarter more or less, so that many do not come back
// at once.
func pauseAfter(failures int) time.Duration {
	pause := min(firstPause<<min(failures-1, 20), lastPause)
	return pause*3/4 + rand.N(pause/2)
}

// listen waits for news until a Do wants the connection. It does nothing where
// the server has no IDLE, or refused the last sign-in: each further one could
// lock the account. again says that the connection broke: there may be news
// that nobody heard.
func (a *Account) listen(again bool) error {
	select {
	case <-a.idler.wanted:
	default:
	}
	if a.idler.waiting.Load() > 0 || a.barred && (a.conn == nil || !a.conn.alive()) {
		return nil
	}
	if err := a.ready(again); err != nil || !a.conn.caps.Has(imap.CapIdle) {
		return err
	}
	for {
		ended, err := a.conn.idle(a.life, a.idler.wanted)
		if ended || err != nil {
			return err
		}
	}
}

// ready connects, and opens the folder whose news are waited for.
func (a *Account) ready(again bool) error {
	ctx, cancel := context.WithTimeoutCause(a.life, 4*a.options.Patience, ErrSilent)
	defer cancel()
	if err := a.connected(ctx); err != nil {
		return err
	}
	if again {
		a.hint()
	}
	if !a.conn.caps.Has(imap.CapIdle) || strings.EqualFold(a.conn.opened.Name, a.options.IdleFolder) {
		return nil
	}
	opened, err := a.conn.examine(ctx, a.options.IdleFolder)
	if err != nil {
		return err
	}
	if a.seen.Name != "" && a.seen != opened {
		a.hint()
	}
	a.seen = opened
	return nil
}

// idle waits for the end of one IDLE. It returns true where it was asked to end,
// and an error where the connection ended.
func (c *connection) idle(life context.Context, wanted <-chan struct{}) (bool, error) {
	c.guard.expect(allowance{}, c.patienceFor())
	idle, err := c.client.Idle()
	c.guard.rest()
	if err != nil {
		return false, c.explain(err)
	}
	c.answered = true
	timer := time.NewTimer(renewal)
	defer timer.Stop()
	ended := true
	select {
	case <-wanted:
	case <-life.Done():
	case <-c.client.Closed():
	case <-timer.C:
		ended = false
	}
	c.guard.expect(allowance{}, min(doneWithin, c.guard.patience))
	err = errors.Join(idle.Close(), idle.Wait())
	c.guard.rest()
	if err != nil {
		return ended, c.explain(err)
	}
	return ended, nil
}
