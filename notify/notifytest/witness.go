package notifytest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

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
