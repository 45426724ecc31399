package health

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxServices bounds the services whose restarts are counted.
	maxServices = 512
	// worse is how many times the configured count makes a loop critical.
	worse = 5
)

// counter are the restarts of a service at the collects at which they rose, oldest
// first, the first reading before them.
type counter []counted

type counted struct {
	at       time.Time
	restarts uint32
}

// loop is a restart loop that was announced. Restarts is the count when
// the cursor was written.
type loop struct {
	Band     band   `json:"band"`
	Restarts uint32 `json:"restarts"`
}

// add returns the counter with one more reading, without what the window has
// left behind. A count that fell begins anew: somebody started the service.
func (c counter) add(at time.Time, restarts uint32, window time.Duration) counter {
	if len(c) > 0 && (restarts < c[len(c)-1].restarts || at.Before(c[len(c)-1].at)) {
		c = nil
	}
	if len(c) == 0 || restarts > c[len(c)-1].restarts {
		c = append(c, counted{at, restarts})
	}
	for len(c) > 1 && at.Sub(c[1].at) > window {
		c = c[1:]
	}
	return c
}

// risen is how many restarts there were since the first reading that counts.
func (c counter) risen() int { return int(c[len(c)-1].restarts - c[0].restarts) }

// restarts looks at the services that systemd restarts again and again, each
// manager a scope.
func (l *collect) restarts() {
	seen := map[string]bool{}
	for _, bus := range buses {
		if l.failed("units:" + bus.name) {
			l.keepLoops(bus.user, seen)
			continue
		}
		var items []subconscious.Observation
		for _, s := range l.reading.Services[:min(len(l.reading.Services), maxServices)] {
			id := "restarts:" + unitName(s.Name, s.User)
			if !l.config.Units || s.User != bus.user || seen[id] {
				continue
			}
			seen[id] = true
			if o, stands := l.service(id, s); stands {
				items = append(items, o)
			}
		}
		l.set("restarts:"+bus.name, items...)
	}
	for id := range l.counters {
		if !seen[id] {
			delete(l.counters, id)
		}
	}
}

// keepLoops carries over what was announced of a manager that did not answer.
func (l *collect) keepLoops(user bool, seen map[string]bool) {
	isUser := func(id string) bool { return strings.HasPrefix(id, "restarts:user/") }
	for id, before := range l.before.Loops {
		if isUser(id) == user {
			l.now.Loops[id] = before
		}
	}
	for id := range l.counters {
		seen[id] = seen[id] || isUser(id) == user
	}
}

// service returns the observation of a service that is in a restart loop. A
// loop begins with so many restarts within the window and ends when a whole
// window went by without one.
func (l *collect) service(id string, s Service) (subconscious.Observation, bool) {
	before, looping := l.before.Loops[id]
	window := l.config.Restarts.Within
	c := l.counters[id]
	if looping && len(c) == 0 && before.Restarts <= s.Restarts {
		// After a start of the daemon the window begins again: nobody looked.
		c = counter{{l.at, before.Restarts}}
	}
	c = slices.Clone(c.add(l.at, s.Restarts, window))
	l.counters[id] = c
	risen, last := c.risen(), c[len(c)-1]
	begins := risen >= l.config.Restarts.Count
	goesOn := looping && s.Restarts >= before.Restarts && l.at.Sub(last.at) <= window
	if !begins && !goesOn || l.at.Sub(last.at) > window {
		return subconscious.Observation{}, false
	}
	now := loop{Band: cmp.Or(before.Band, warning), Restarts: s.Restarts}
	if risen >= worse*l.config.Restarts.Count {
		now.Band = critical
	}
	l.now.Loops[id] = now
	return l.loop(id, s, now, risen), true
}

func (l *collect) loop(id string, s Service, now loop, risen int) subconscious.Observation {
	o := l.standing("restarts", id)
	o.Title = fmt.Sprintf("%s keeps crashing: restarted %d times in %s", clip(s.Name, 100), risen, span(l.config.Restarts.Within))
	if risen < l.config.Restarts.Count {
		o.Title = fmt.Sprintf("%s keeps crashing: restarted %d times since it was started", clip(s.Name, 100), s.Restarts)
	}
	o.Fingerprint, o.Severity = "loop/"+string(now.Band), subconscious.Warning
	if now.Band == critical {
		o.Severity = subconscious.Critical
	}
	o.Links = []string{"unit:" + unitName(s.Name, s.User)}
	o.Attrs = map[string]string{"band": string(now.Band), "restarts": strconv.Itoa(risen)}
	return o
}
