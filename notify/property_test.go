package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/store"
)

// fate is a channel with a script: what it does with each message is drawn
// beforehand, and what arrives is written down.
type fate struct {
	script  []string
	arrived map[string][]notify.Message // by sequence
	sent    []notify.Message            // every attempt
	when    []time.Time
}

func (f *fate) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	outcome := "taken"
	if n := len(f.sent); n < len(f.script) {
		outcome = f.script[n]
	}
	f.sent, f.when = append(f.sent, m), append(f.when, time.Now())
	switch outcome {
	case "refused":
		return notify.Receipt{}, refused()
	case "unavailable":
		return notify.Receipt{}, unavailable()
	case "limited":
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unavailable, Text: "too many", Next: "Wait", After: 3 * time.Minute}
	case "lost":
		return notify.Receipt{}, unknown()
	case "odd":
		return notify.Receipt{}, errors.New("odd")
	case "hangs":
		<-ctx.Done()
		return notify.Receipt{}, ctx.Err()
	}
	f.arrived[m.Sequence] = append(f.arrived[m.Sequence], m)
	switch outcome {
	case "broke":
		return notify.Receipt{}, unknown()
	case "hangs after":
		<-ctx.Done()
		return notify.Receipt{}, ctx.Err()
	}
	return notify.Receipt{}, nil
}

var outcomes = []string{"taken", "taken", "taken", "refused", "unavailable", "unavailable", "limited", "lost", "odd", "hangs", "broke", "hangs after"}

// Whatever a channel does and however often the daemon is started again: each
// message ends, what is sent twice was urgent and is marked, nothing is sent
// after its time, and what the outbox says is what happened.
func TestStatesAreTrue(t *testing.T) {
	property(t, func(f *fate) notify.Notifier { return f }, isTrue)
}

// property draws lives, and checks what each message came to.
func property(t *testing.T, made func(*fate) notify.Notifier, check func(*fate, notify.Post, notify.Delivery) error) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		script := rapid.SliceOfN(rapid.SampledFrom(outcomes), 0, 30).Draw(rt, "script")
		posts := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) notify.Post {
			p := incident("")
			p.Urgent = rapid.Bool().Draw(rt, "urgent")
			if minutes := rapid.IntRange(0, 60).Draw(rt, "expires"); minutes > 0 {
				p.Expires = time.Time{}.Add(time.Duration(minutes) * time.Minute) // from when it is posted
			}
			return p
		}), 1, 8).Draw(rt, "posts")
		pauses := rapid.SliceOfN(rapid.IntRange(0, 300), len(posts), len(posts)).Draw(rt, "pauses")
		restarts := rapid.SliceOfN(rapid.Bool(), len(posts), len(posts)).Draw(rt, "restarts")
		var problem error
		synctest.Test(t, func(t *testing.T) {
			f := &fate{script: script, arrived: map[string][]notify.Message{}}
			problem = live(t, f, made(f), posts, pauses, restarts, check)
		})
		if problem != nil {
			rt.Fatal(problem)
		}
	})
}

// live posts the messages with pauses, and starts the outbox again in between.
func live(t *testing.T, f *fate, n notify.Notifier, posts []notify.Post, pauses []int, restarts []bool, check func(*fate, notify.Post, notify.Delivery) error) error {
	options := notify.Options{DB: database(t, store.Memory), Channels: []notify.Channel{channel("phone", n)}}
	b := opened(t, options)
	if err := b.Start(t.Context()); err != nil {
		return err
	}
	for n, p := range posts {
		p.Key, p.At, p.Title = fmt.Sprint(n), time.Now(), fmt.Sprint("message ", n)
		if !p.Expires.IsZero() {
			p.Expires = p.At.Add(p.Expires.Sub(time.Time{}))
		}
		posts[n] = p
		b.post(t, p)
		time.Sleep(time.Duration(pauses[n]) * time.Second)
		if restarts[n] {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := b.Stop(ctx)
			cancel()
			b = opened(t, options)
			if err = errors.Join(err, b.Start(t.Context())); err != nil {
				return err
			}
		}
	}
	time.Sleep(25 * time.Hour)
	defer stop(t, b.Outbox)
	for n, d := range b.recent(t) {
		if err := check(f, posts[n], d); err != nil {
			return fmt.Errorf("message %d, %+v: %w", n, d, err)
		}
	}
	return nil
}

// isTrue compares a delivery with what its channel saw.
func isTrue(f *fate, p notify.Post, d notify.Delivery) error {
	var attempts []int
	for n, m := range f.sent {
		if strings.TrimSuffix(m.Title, " (possibly repeated)") == p.Title {
			attempts = append(attempts, n)
		}
	}
	var came, doubts int
	marked := true
	for k, n := range attempts {
		m := f.sent[n]
		if came += len(f.arrived[m.Sequence]); k > 0 {
			came = len(f.arrived[m.Sequence])
		}
		if m.Repeated != (doubts > 0) || m.Repeated != strings.HasSuffix(m.Title, " (possibly repeated)") {
			marked = false
		}
		if !d.Expires.After(f.when[n]) {
			return fmt.Errorf("it was sent at %s and is of use until %s", f.when[n], d.Expires)
		}
		if n < len(f.script) && slices.Contains([]string{"lost", "odd", "hangs", "broke", "hangs after"}, f.script[n]) {
			doubts++
		}
	}
	switch {
	case !slices.Contains([]notify.State{notify.StateSent, notify.StateUnknown, notify.StateFailed, notify.StateExpired}, d.State):
		return errors.New("it has not ended")
	case came > 2 || came == 2 && !p.Urgent || doubts > 2 || doubts > 1 && !p.Urgent:
		return fmt.Errorf("it arrived %d times, and may have %d times", came, doubts)
	case !marked:
		return errors.New("the mark is wrong")
	case d.State == notify.StateSent && came == 0, (d.State == notify.StateFailed || d.State == notify.StateExpired) && came > 0:
		return fmt.Errorf("it arrived %d times", came)
	case d.State == notify.StateUnknown && doubts == 0:
		return errors.New("nothing was ever in doubt")
	case (d.State == notify.StateSent) != (d.Error == ""):
		return errors.New("the error is wrong")
	case d.Attempts < len(attempts):
		return fmt.Errorf("%d attempts were made", len(attempts))
	}
	return nil
}
