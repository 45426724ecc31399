package notifytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

// Recorder is a channel that keeps what it is sent. The zero value takes
// everything. It is safe for concurrent use.
type Recorder struct {
	mu      sync.Mutex
	taken   []notify.Message
	tried   []notify.Message
	script  []error
	failing error
	held    chan struct{}
	changed chan struct{} // nil where nobody waits
	take    func(context.Context, string)
}

var (
	_ notify.Notifier = (*Recorder)(nil)
	_ notify.Listener = (*Recorder)(nil)
)

// Script says what becomes of the next messages, one each: nil is taken.
// Those with an *notify.Error of notify.Unknown are kept too: they arrived,
// and the sender does not know.
func (r *Recorder) Script(outcomes ...error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.script = append(r.script, outcomes...)
}

// Fail says what becomes of all messages after those of Script, until it is
// called again.
func (r *Recorder) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing = err
}

// Hold lets each message wait, until release is called or its context ends.
func (r *Recorder) Hold() (release func()) {
	held := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = held
	return sync.OnceFunc(func() { close(held) })
}

// Send implements notify.Notifier.
func (r *Recorder) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unavailable, Text: "it was broken off before it began", Next: "Try again", Err: err}
	}
	m.Buttons = slices.Clone(m.Buttons)
	r.mu.Lock()
	r.tried = append(r.tried, m)
	held := r.held
	r.tell()
	r.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return notify.Receipt{}, &notify.Error{Trouble: notify.Unknown, Text: "it was broken off while it was being sent",
				Next: "Look whether it is there", Err: ctx.Err()}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.failing
	if len(r.script) > 0 {
		err, r.script = r.script[0], r.script[1:]
	}
	if e, ok := errors.AsType[*notify.Error](err); err == nil || ok && e.Trouble == notify.Unknown {
		r.taken = append(r.taken, m)
		r.tell()
	}
	if err != nil {
		return notify.Receipt{}, err
	}
	return notify.Receipt{ID: fmt.Sprint("recorded-", len(r.taken))}, nil
}

// tell wakes those who wait.
func (r *Recorder) tell() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// Messages are those that arrived, in order.
func (r *Recorder) Messages() []notify.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.taken)
}

// Attempts are all that were to be sent, in order.
func (r *Recorder) Attempts() []notify.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.tried)
}

// Wait waits until n messages have arrived and returns all.
func (r *Recorder) Wait(ctx context.Context, n int) ([]notify.Message, error) {
	err := r.until(ctx, fmt.Sprintf("%d messages", n), func() bool { return len(r.taken) >= n })
	return r.Messages(), err
}

// until waits until ready, which is asked under the lock.
func (r *Recorder) until(ctx context.Context, what string, ready func() bool) error {
	for {
		r.mu.Lock()
		done := ready()
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("there are not %s: %w", what, ctx.Err())
		}
	}
}

// Listen implements notify.Listener: what is pressed is handed on.
func (r *Recorder) Listen(ctx context.Context, take func(context.Context, string), status func(error)) error {
	r.mu.Lock()
	r.take = take
	r.tell()
	r.mu.Unlock()
	status(nil)
	<-ctx.Done()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.take = nil
	return ctx.Err()
}

// Press presses a button, by its token, and returns when it was handled. It
// waits until somebody listens.
func (r *Recorder) Press(ctx context.Context, token string) error {
	var take func(context.Context, string)
	err := r.until(ctx, "any listeners", func() bool {
		take = r.take
		return take != nil
	})
	if err == nil {
		take(ctx, token)
	}
	return err
}

// Witness is a Recorder that can be asked what arrived. It is safe for
// concurrent use.
type Witness struct {
	Recorder

	mu      sync.Mutex
	asked   []notify.Message
	since   []time.Time
	answers []Sight
}

// Sight is what a Witness says.
type Sight struct {
	Arrived bool
	Err     error
}

var _ notify.Verifier = (*Witness)(nil)

// Say scripts the next answers, one each; after them it tells what is true.
func (w *Witness) Say(answers ...Sight) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = append(w.answers, answers...)
}

// Asked are the questions so far: the messages, and since when.
func (w *Witness) Asked() ([]notify.Message, []time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked), slices.Clone(w.since)
}

// Arrived implements notify.Verifier.
func (w *Witness) Arrived(ctx context.Context, m notify.Message, since time.Time) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked, w.since = append(w.asked, m), append(w.since, since)
	if len(w.answers) > 0 {
		s := w.answers[0]
		w.answers = w.answers[1:]
		return s.Arrived, s.Err
	}
	return slices.ContainsFunc(w.Messages(), func(taken notify.Message) bool { return taken.Sequence == m.Sequence }), nil
}
