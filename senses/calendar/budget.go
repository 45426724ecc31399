package calendar

import "errors"

// The bounds of expansion. A step is about one day that the library looks at,
// weighed by the length of the rule's lists; a million take some
// milliseconds. They are counted, not timed, so that the same file always gives the
// same events.
const (
	maxSteps      = 40_000_000 // of one file
	maxEventSteps = 4_000_000  // of one event
	maxPerEvent   = 1_000      // occurrences of one event in the window
	maxPerFile    = 20_000     // occurrences of one file in the window
)

var (
	errEventSteps = errors.New("repeats in a way that takes too long to work out")
	errFileSteps  = errors.New("was not expanded because the file holds too many costly repetitions")
)

// budget counts the steps that expanding a file takes.
type budget struct {
	spent int
	event int // by the event at hand
}

// begin starts the count of another event.
func (b *budget) begin() { b.event = 0 }

// charge counts steps, and refuses once there were too many.
func (b *budget) charge(steps int) error {
	b.spent += steps
	b.event += steps
	return b.check()
}

func (b *budget) check() error {
	switch {
	case b.spent > maxSteps:
		return errFileSteps
	case b.event > maxEventSteps:
		return errEventSteps
	}
	return nil
}
