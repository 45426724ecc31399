package health

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// clockGrace is how long the clock may be out of step, as after a start of
	// the machine or of its network, before it is worth a word.
	clockGrace = 30 * time.Minute
	// clockOffset in seconds is where time services give up on correcting the
	// clock slowly and set it; half of it ends the matter.
	clockOffset = 0.128
)

// clockNow is what was last seen of a clock that is out of step: since when,
// in Unix seconds, and whether that was announced.
type clockNow struct {
	Since int64 `json:"since"`
	Told  bool  `json:"told,omitempty"`
}

// clock looks at whether the clock is in step. A clock that nothing keeps in
// step is as somebody wanted it.
func (l *collect) clock() {
	if l.failed("clock") {
		l.now.Clock = l.before.Clock
		return
	}
	c, before := l.reading.Clock, l.before.Clock
	if c == nil || !c.Kept || !l.config.Clock {
		l.set("clock")
		return
	}
	offset, far := math.Abs(c.Offset), clockOffset
	if before != nil {
		far /= 2
	}
	if c.Synchronised && offset < far {
		l.set("clock")
		return
	}
	now := clockNow{Since: l.at.Unix()}
	if before != nil {
		now = *before
	}
	now.Told = now.Told || l.at.Sub(time.Unix(now.Since, 0)) >= clockGrace
	l.now.Clock = &now
	if !now.Told {
		l.set("clock")
		return
	}
	o := l.standing("clock", "clock")
	o.Title = "The clock is not synchronised, although a time service runs"
	if c.Synchronised {
		o.Title = fmt.Sprintf("The clock is off by %.2f seconds", offset)
	}
	o.Fingerprint, o.Severity = "out of step", subconscious.Notable
	o.Attrs = map[string]string{"band": string(warning), "offset": strconv.FormatFloat(c.Offset, 'f', 3, 64)}
	l.set("clock", o)
}
