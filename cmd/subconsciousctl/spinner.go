package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	spinAfter = time.Second
	spinEvery = 120 * time.Millisecond
)

// spin shows that something takes long, on a terminal alone. The function that
// it returns takes the sign away and waits until it is gone.
func (a *app) spin(doing string) (stop func()) {
	if !a.errTerminal {
		return func() {}
	}
	return spin(a.bare.stderr, doing)
}

func spin(w io.Writer, doing string) (stop func()) {
	done := make(chan struct{})
	var gone sync.WaitGroup
	gone.Go(func() {
		timer := time.NewTimer(spinAfter)
		defer timer.Stop()
		select {
		case <-done:
			return
		case <-timer.C:
		}
		ticker := time.NewTicker(spinEvery)
		defer ticker.Stop()
		started := time.Now().Add(-spinAfter)
		for i := 0; ; i++ {
			frame := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")[i%10]
			// A terminal that cannot be written to shows no sign of life.
			_, _ = fmt.Fprintf(w, "\r%c %s, %d s ", frame, doing, int(time.Since(started).Seconds()))
			select {
			case <-done:
				_, _ = io.WriteString(w, "\r\x1b[K")
				return
			case <-ticker.C:
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		gone.Wait()
	})
}
