package threads

import (
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Attention says whether a thread is asked at a tick, and why.
type Attention struct {
	Ask bool
	// Level is how far its field is widened, 0 to 3.
	Level int
	// Rested: it is not asked because of its cadence, and not because nothing
	// was new.
	Rested bool
	// Reason is in plain words, for a thread that is not asked.
	Reason string
}

// levels are the novelty pressures on reaching which the field widens.
var levels = [...]int{3, 6, 10}

// Level is how far a pressure widens the field.
func Level(pressure int) int {
	level := 0
	for _, at := range levels {
		if pressure >= at {
			level++
		}
	}
	return level
}

// Question is what Attend decides about.
type Question struct {
	Thread subconscious.ThreadName
	Kind   subconscious.TickKind
	// At is in the mind's zone; Tick is the number of the tick.
	At   time.Time
	Tick int64
	// Unseen is how many observations in its field the thread was not shown, and
	// Severe whether something of them is a warning that is no mail.
	Unseen int
	Severe bool
	// Beside: rules judge facts and mails beside it, and Looked is when it was asked
	// last.
	Beside bool
	Looked time.Time
	State  subconscious.ThreadState
}

// Severe reports whether something of what is new is a warning that is no mail.
func Severe(fresh []subconscious.Observation) bool {
	return slices.ContainsFunc(fresh, func(o subconscious.Observation) bool {
		return o.Severity >= subconscious.Warning && o.Stands() && o.Sense != "mail"
	})
}

// rest is how long what is new to a thread with a model gathers after it was asked,
// where rules judge beside it what cannot wait.
func rest(thread subconscious.ThreadName) time.Duration {
	return map[subconscious.ThreadName]time.Duration{subconscious.Watcher: 2, subconscious.Oracle: 2, subconscious.Librarian: 3, subconscious.Dreamer: 6}[thread] * time.Hour
}

// Attend decides whether a thread is asked. It is pure.
func (c Config) Attend(q Question) Attention {
	night := q.Thread == subconscious.Watcher || q.Thread == subconscious.Librarian
	if night && q.Kind == subconscious.Scheduled && c.Night.Hold(q.At) && q.Tick%2 == 1 {
		return Attention{Rested: true, Reason: "at night it thinks at every other tick"}
	}
	if ends := q.Looked.Add(rest(q.Thread)); c.Gate == Adaptive && q.Beside && !q.Severe && q.Kind != subconscious.Manual && q.Unseen > 0 && q.At.Before(ends) {
		return Attention{Rested: true, Reason: "what is new to it gathers until " + ends.In(q.At.Location()).Format("15:04")}
	}
	level := Level(q.State.NoveltyPressure)
	switch {
	case c.Gate == Always:
		return Attention{Ask: true, Level: level}
	case c.Gate == Adaptive && level > q.State.Widened && q.Kind != subconscious.Early:
		return Attention{Ask: true, Level: level}
	case q.Unseen > 0:
		return Attention{Ask: true}
	}
	return Attention{Reason: "nothing new in its field"}
}
