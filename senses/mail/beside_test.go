package mail

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// TestReadBesideCollect reads messages, some of them in a hurry, while collects go
// on over a mailbox that changes, and over connections that are lost. Readers
// see the message that they asked for or none, collects lose and repeat nothing,
// and nobody waits for ever.
func TestReadBesideCollect(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	const first = 20
	uids := map[int]imap.UID{}
	for n := range first {
		uids[n] = h.deliver("INBOX", h.message(fmt.Sprint("n", n), boss, fmt.Sprint("Figures ", n), asking))
	}
	h.ticks()
	ended := make(chan struct{})
	var readers sync.WaitGroup
	var mu sync.Mutex
	read, unknown := 0, 0
	for reader := range 4 {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(reader), 5))
			for {
				select {
				case <-ended:
					return
				default:
				}
				n := random.IntN(first + 10)
				ctx, done := context.WithTimeout(context.Background(), time.Minute)
				if reader == 3 { // who leaves early
					done()
					ctx, done = context.WithTimeout(context.Background(), time.Duration(random.IntN(2000))*time.Microsecond)
				}
				got, err := h.sense.Read(ctx, fmt.Sprintf("mid:n%d@example.org", n))
				late := ctx.Err() != nil
				done()
				mu.Lock()
				switch {
				case err == nil && got.Subject == fmt.Sprint("Figures ", n):
					read++
				case errors.Is(err, ErrUnknown):
					unknown++
				case err == nil:
					t.Errorf("asked for n%d, and read %q", n, got.Subject)
				case !late && reader != 3:
					// The connection was lost; the collect tells of what is wrong for longer.
					unknown++
				}
				mu.Unlock()
			}
		})
	}
	told := 0
	for n := first; n < first+10; n++ {
		uids[n] = h.deliver("INBOX", h.message(fmt.Sprint("n", n), boss, fmt.Sprint("Figures ", n), asking))
		switch n % 3 {
		case 0:
			h.box.Expunge("INBOX", uids[n-first])
		case 1:
			h.box.Drop()
		}
		told += len(h.tick())
	}
	close(ended)
	readers.Wait()
	h.ticks()
	if read == 0 {
		t.Error("nothing was read")
	}
	t.Logf("%d read, %d not there; %d changes told", read, unknown, told)
	if again := h.ticks(); len(again) > 0 {
		t.Errorf("afterwards it tells again: %v", again)
	}
	for n := 4; n < first+10; n++ {
		got, err := h.sense.Read(t.Context(), fmt.Sprintf("mid:n%d@example.org", n))
		gone := (n+first)%3 == 0 && n < 10
		if gone != errors.Is(err, ErrUnknown) || !gone && (err != nil || got.Subject != fmt.Sprint("Figures ", n)) {
			t.Errorf("n%d, gone %v: %q, %v", n, gone, got.Subject, err)
		}
	}
	for uid, flags := range h.box.Flags("INBOX") {
		if len(flags) > 0 {
			t.Errorf("%d: %v", uid, flags)
		}
	}
}
