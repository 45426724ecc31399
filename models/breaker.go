package models

import (
	"context"
	"sync"
	"time"
)

// NewBreaker does not ask a model that failed three times in a row until it has
// rested: a minute first, twice as long each time, half an hour at most; nor one
// whose provider asked to be left alone, for as long. Then one call probes it.
func NewBreaker(inner Generator, by Identity, circuit *Circuit) Generator {
	return GeneratorFunc(func(ctx context.Context, request Request) (answer Answer, err error) {
		probe, ok, health := circuit.enter()
		if !ok {
			return Answer{}, resting(by, health, circuit.now())
		}
		failure := &Error{Kind: KindAnswer, By: by, Text: "it was not asked, by a fault in this program"}
		defer func() { circuit.leave(probe, failure) }() // also where it panics
		answer, err = inner.Generate(ctx, request)
		if err == nil {
			failure = nil
			answer.Judge = circuit.judge
			return answer, nil
		}
		failure = asError(err, by)
		return Answer{}, failure
	})
}

// resting says why a model is not asked; RetryAfter is for how long.
func resting(by Identity, health Health, now time.Time) *Error {
	failure := &Error{Kind: KindResting, By: by, RetryAfter: max(0, health.Next.Sub(now))}
	text := "it is left alone"
	if failure.RetryAfter == 0 {
		text = "it is being tried by another call"
	}
	if health.Error != nil {
		text += " after failures, the last of them: " + health.Error.Text
		failure.Next, failure.Err = health.Error.Next, health.Error
	}
	failure.Text = line(text, maxWords)
	return failure
}

// A model that fails several times in a row is left alone, longer each time.
const (
	breakAfter = 3
	restMin    = time.Minute
	restMax    = 30 * time.Minute
	// restAsked bounds what a provider may ask for.
	restAsked = 24 * time.Hour
)

// State of a model's health.
type State string

const (
	StateUnused  State = "unused"  // never asked
	StateOK      State = "ok"      // its last call was answered
	StateFailing State = "failing" // its last call failed
	StateResting State = "resting" // it failed in a row and is not asked
)

// Health is how a model does.
type Health struct {
	State State
	// Since is when the state began; zero where it is unused.
	Since time.Time
	// Error is its last failure, nil where it is ok.
	Error *Error
	// Next is when it is asked again; zero where it may be at any time.
	Next time.Time
}

// Circuit counts the failures of one model in a row, and says when it may be
// asked. All who ask the model share it.
type Circuit struct {
	now func() time.Time

	mu       sync.Mutex
	health   Health
	failures int
	probing  bool
	// useless counts conversations in a row whose answers could not be used.
	useless int
}

// NewCircuit returns one that is closed. now is the clock; nil is time.Now.
func NewCircuit(now func() time.Time) *Circuit {
	return &Circuit{now: clock(now), health: Health{State: StateUnused}}
}

// Health says how the model does.
func (c *Circuit) Health() Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.health
}

// enter reports whether the model may be asked, and as a probe. Where not, it
// returns when it may be.
func (c *Circuit) enter() (probe, ok bool, health Health) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.health.State != StateResting {
		return false, true, c.health
	}
	now := c.now()
	// A clock that was set back does not keep it closed for longer than asked.
	due := !now.Before(c.health.Next) || c.health.Next.Sub(now) > restAsked
	if !due || c.probing {
		return false, false, c.health
	}
	c.probing = true
	return true, true, c.health
}

// leave counts how a call ended; err is nil where it was answered.
func (c *Circuit) leave(probe bool, err *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if probe {
		c.probing = false
	}
	now := c.now()
	switch {
	case err == nil:
		c.failures = 0
		if c.useless == 0 || c.health.State == StateUnused {
			c.turn(StateOK, now, nil, time.Time{})
		}
	case !tells(err.Kind), c.health.State == StateResting && !probe && opens(err.Kind):
		return // it says nothing, or nothing new: it was under way when the rest began
	case !opens(err.Kind):
		c.failures = 0
		c.turn(StateFailing, now, err, time.Time{})
	default:
		c.failures++
		c.fail(now, err)
	}
}

// judge notes whether what the model answered was of use in the end; err says
// why not. A model that answers and never usefully is failing, and is left alone
// like one that does not answer.
func (c *Circuit) judge(err *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		if c.useless > 0 {
			c.useless = 0
			c.turn(StateOK, c.now(), nil, time.Time{})
		}
		return
	}
	c.useless++
	rest := restAfter(c.useless)
	if rest <= 0 {
		c.turn(StateFailing, c.now(), err, time.Time{})
		return
	}
	c.turn(StateResting, c.now(), err, c.now().Add(rest))
}

// restAfter is how long a model is left alone after so many failures in a row.
func restAfter(failures int) time.Duration {
	if doublings := failures - breakAfter; doublings >= 0 {
		return min(restMax, restMin<<min(doublings, 5))
	}
	return 0
}

// fail rests where there were enough failures, or where the provider says for
// how long it wants to be left alone.
func (c *Circuit) fail(now time.Time, err *Error) {
	rest := restAfter(c.failures)
	if rest = max(rest, min(err.RetryAfter, restAsked)); rest <= 0 {
		c.turn(StateFailing, now, err, time.Time{})
		return
	}
	c.turn(StateResting, now, err, now.Add(rest))
}

// turn sets the health; a state that stays keeps its beginning.
func (c *Circuit) turn(state State, now time.Time, err *Error, next time.Time) {
	since := c.health.Since
	was := c.health.State
	if was != state && !(isBad(was) && isBad(state)) {
		since = now
	}
	c.health = Health{State: state, Since: since, Error: err, Next: next}
}

// isBad: a model that rests has been failing since before.
func isBad(s State) bool { return s == StateFailing || s == StateResting }

// opens are the kinds of failure after which waiting helps.
func opens(kind Kind) bool {
	return passing(kind) || kind.is(KindTooLarge, KindAnswer, KindWrongModel)
}

// tells are the kinds that say something about the model, rather than about
// who asked.
func tells(kind Kind) bool { return opens(kind) || kind.is(KindKey, KindModel, KindRequest) }

// Reset lets a model be asked at once again: a live test has shown that it
// answers.
func (c *Circuit) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures, c.useless = 0, 0
	c.turn(StateOK, c.now(), nil, time.Time{})
}
