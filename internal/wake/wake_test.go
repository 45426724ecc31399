package wake_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
)

// Whoever rang sees the worker idle when it has done what was rung for, however
// the two fall together.
func TestIdleAfterWhatWasRungFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bell := wake.New()
		ctx, cancel := context.WithCancel(t.Context())
		asked, done := make(chan int, 100), 0
		worker := make(chan struct{})
		go func() {
			defer close(worker)
			for ctx.Err() == nil {
				for len(asked) > 0 {
					n := <-asked
					time.Sleep(time.Duration(n%3) * time.Second)
					done = n
				}
				bell.Sleep(ctx, 0)
			}
		}()
		for n := range 50 {
			asked <- n
			bell.Ring()
			if n%2 == 0 {
				time.Sleep(time.Second) // it works by then, or sleeps again
			}
			if n%5 != 4 {
				continue
			}
			if err := bell.Idle(ctx); err != nil || done != n {
				t.Fatalf("it has done %d of %d: %v", done, n, err)
			}
		}
		cancel()
		<-worker
		short, end := context.WithTimeout(t.Context(), time.Hour)
		defer end()
		if err := bell.Idle(short); err == nil {
			t.Error("a worker that has ended is said to be idle")
		}
	})
}

// A sleep ends by itself where it is to.
func TestSleepEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bell := wake.New()
		began := time.Now()
		bell.Sleep(t.Context(), time.Minute)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it slept for %s", took)
		}
		bell.Ring()
		bell.Sleep(t.Context(), time.Minute)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("rung before it, it slept until %s", took)
		}
	})
}
