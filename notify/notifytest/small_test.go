package notifytest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

// flaw is one way in which a driver can be wrong.
type flaw string

const (
	sound       flaw = ""
	leaks1      flaw = "leaks in its words"
	leaks2      flaw = "leaks in its cause"
	prints      flaw = "shows its key when printed"
	untyped     flaw = "returns any error"
	wordless    flaw = "says no next step"
	trusting    flaw = "takes every answer for yes"
	impatient   flaw = "does not say when to come back"
	pessimist   flaw = "says unknown of all"
	optimist    flaw = "says unavailable of all"
	deaf        flaw = "goes on after its context"
	eager       flaw = "sends under a context that ended"
	gulps       flaw = "reads an answer to its end"
	doubles     flaw = "sends twice"
	mumbles     flaw = "leaves the text out"
	injects     flaw = "splits lines"
	calm        flaw = "is never urgent"
	buttonless  flaw = "shows no buttons"
	unsequenced flaw = "makes a sequence of its own"
	shared      flaw = "mixes up what is sent at once"
	unhearing   flaw = "does not listen again"
	clinging    flaw = "listens after its context"
	choosy      flaw = "stops at garbage"
	frail       flaw = "does not come back"
	credulous   flaw = "says that all arrived"
	hopeful     flaw = "says that what broke off arrived"
	blinded     flaw = "says that nothing arrived where it cannot tell"
)

const key = "tk-S3cret/Key+1"

// small is a driver written to be checked by the suite: a Witness, behind a service
// that fails.
type small struct {
	*Witness
	flaw   flaw
	second chan struct{}   // the second message is being sent
	end    <-chan struct{} // of the test

	mu       sync.Mutex // for what follows
	fault    Fault
	requests int
	last     notify.Message
	failed   bool
	sends    int
	hang     func() // ends a connection that listens, and waits for its end
}

func (d *small) Format(s fmt.State, _ rune) {
	if d.flaw == prints {
		_, _ = io.WriteString(s, key)
	}
}

func (d *small) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	if err := ctx.Err(); err != nil && d.flaw != eager {
		return notify.Receipt{}, d.fail(notify.Unavailable, err)
	}
	d.mu.Lock()
	d.last = m
	failed := d.failed
	d.mu.Unlock()
	switch d.flaw {
	case frail:
		if failed {
			return notify.Receipt{}, d.fail(notify.Unavailable, errors.New("gave up"))
		}
	case deaf, eager:
		ctx = context.WithoutCancel(ctx)
	case mumbles:
		m.Text = ""
	case calm:
		m.Urgent = false
	case buttonless:
		m.Buttons = nil
	case unsequenced:
		m.Sequence = fmt.Sprint(time.Now().UnixNano())
	case doubles:
		if _, err := d.post(ctx, m); err != nil {
			return notify.Receipt{}, err
		}
	case shared:
		d.mu.Lock()
		if d.sends++; d.sends == 2 {
			close(d.second)
		}
		d.mu.Unlock()
		<-d.second
		d.mu.Lock()
		m = d.last
		d.mu.Unlock()
	case injects:
		if before, after, ok := strings.Cut(m.Title, "\r\n"); ok {
			m.Title = before
			rest := m
			rest.Title = after
			if _, err := d.post(ctx, rest); err != nil {
				return notify.Receipt{}, err
			}
		}
	}
	return d.post(ctx, m)
}

// post is what the service makes of a message.
func (d *small) post(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	d.mu.Lock()
	fault := d.fault
	if d.failed = d.failed || fault == Down || fault == Cuts; fault != Down {
		d.requests++
	}
	d.mu.Unlock()
	if fault == Hangs || fault == Endless && d.flaw == gulps {
		select {
		case <-ctx.Done():
		case <-d.end:
		}
	}
	if fault == Healthy {
		return d.Witness.Send(ctx, m)
	}
	if d.flaw == trusting {
		return notify.Receipt{}, nil
	}
	trouble := notify.Unknown // as this driver has it, and not the suite's table
	switch fault {
	case Refuses:
		trouble = notify.Refused
	case Down, Broken, Limits:
		trouble = notify.Unavailable
	}
	return notify.Receipt{}, d.fail(trouble, errors.New(string(fault)))
}

func (d *small) fail(trouble notify.Trouble, err error) error {
	e := &notify.Error{Trouble: trouble, Text: "the service did not take it", Next: "Look at it", Err: errors.New("failed")}
	if err.Error() == string(Limits) {
		e.After = time.Minute
	}
	switch d.flaw {
	case leaks1:
		e.Text += " with " + key
	case leaks2:
		e.Err = fmt.Errorf("%w at %s", err, key)
	case untyped:
		return errors.New("failed")
	case wordless:
		e.Next = ""
	case impatient:
		e.After = 0
	case pessimist:
		e.Trouble = notify.Unknown
	case optimist:
		e.Trouble = notify.Unavailable
	}
	return e
}

func (d *small) Arrived(ctx context.Context, m notify.Message, since time.Time) (bool, error) {
	d.mu.Lock()
	fault, failed := d.fault, d.failed
	d.mu.Unlock()
	if fault == Hangs {
		<-ctx.Done()
	}
	switch {
	case d.flaw == credulous, d.flaw == hopeful && failed:
		return true, nil
	case fault != Healthy && d.flaw == blinded:
		return false, nil
	case fault != Healthy:
		return false, d.fail(notify.Unavailable, errors.New(string(fault)))
	}
	return d.Witness.Arrived(ctx, m, since)
}

func (d *small) Listen(ctx context.Context, take func(context.Context, string), status func(error)) error {
	var over atomic.Bool // it listens no more
	for ctx.Err() == nil && !over.Load() {
		connection, cut := context.WithCancel(ctx)
		ended := make(chan struct{})
		d.mu.Lock()
		d.hang = func() { cut(); <-ended }
		d.mu.Unlock()
		_ = d.Witness.Listen(connection, func(ctx context.Context, token string) {
			switch {
			case over.Load():
			case len(token) <= 1000:
				take(ctx, token)
			case d.flaw == choosy:
				over.Store(true)
				cut()
			}
		}, status)
		over.CompareAndSwap(false, d.flaw == unhearing)
		close(ended)
	}
	<-ctx.Done()
	if d.flaw == clinging {
		<-d.end
	}
	return ctx.Err()
}

// openSmall returns a small driver with a flaw and its service.
func openSmall(t testing.TB, f flaw) Service {
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	d := &small{Witness: &Witness{}, flaw: f, second: make(chan struct{}), end: end}
	return Service{Notifier: d,
		Received: func() (list []Received) {
			for _, m := range d.Messages() {
				got := Received{Title: m.Title, Text: m.Text, Urgent: m.Urgent, Sequence: m.Sequence, Link: m.Link}
				for _, b := range m.Buttons {
					got.Buttons = append(got.Buttons, b.Label)
				}
				list = append(list, got)
			}
			return list
		},
		Requests: func() int {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.requests
		},
		Fail: func(fault Fault) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.fault = fault
		},
		Press: func(token string) error {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			_ = d.Press(ctx, token) // where nobody listens it is lost
			return nil
		},
		Break: func() {
			d.mu.Lock()
			hang := d.hang
			d.mu.Unlock()
			hang()
		}}
}
