package daemon

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// soon is how far ahead an event is kept in mind, so that it is known while it
// is on: its sense lets it stand only until it begins. As long may pass from one
// tick to the next, where the machine sleeps or the schedule is a rare one.
const soon = 12 * time.Hour

// presence judges whether now is a natural pause, from what the calendar, the
// session and the command line show.
func (d *Daemon) presence(staged *senses.Staged, at time.Time) subconscious.Presence {
	signals := presence.Signals{At: at, Events: d.eventsAround(staged, at)}
	if d.options.Signals != nil {
		given := d.options.Signals(at)
		signals.CommandUsed, signals.ChatUsed, signals.Session = given.CommandUsed, given.ChatUsed, given.Session
	} else {
		ctx, cancel := context.WithTimeout(d.ticking, time.Second)
		defer cancel()
		signals.Session = d.session.Session(ctx)
	}
	d.mu.Lock()
	if d.view.used.After(signals.CommandUsed) {
		signals.CommandUsed = d.view.used
	}
	d.mu.Unlock()
	return presence.Judge(d.options.Config.Presence, signals)
}

// eventsAround are the events that may be on: those that were near at an
// earlier tick, as they are now. The first tick after a start looks for those
// that had begun before it.
func (d *Daemon) eventsAround(staged *senses.Staged, at time.Time) []subconscious.Observation {
	if d.near == nil {
		d.near = map[subconscious.Ref]bool{}
		staged.View().Ended("calendar", func(o subconscious.Observation) bool {
			d.near[o.Ref()] = true
			return true
		})
	}
	staged.View().Due(at.Add(-soon), at.Add(soon), func(o subconscious.Observation) bool {
		if o.Sense == "calendar" && len(d.near) < nearKept {
			d.near[o.Ref()] = true
		}
		return true
	})
	refs := slices.Sorted(maps.Keys(d.near))
	var events []subconscious.Observation
	for _, e := range staged.Evidence(refs, nil, nil) {
		end, err := time.Parse(time.RFC3339, e.Latest.Attrs["end"])
		if err != nil || at.After(end) && !e.Standing {
			delete(d.near, e.Ref)
			continue
		}
		events = append(events, e.Latest)
	}
	return events
}

// nearKept bounds how many events are kept in mind.
const nearKept = 1000

// use notes that the person used the command line.
func (d *Daemon) use() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.view.used = d.options.Now()
}

// poll is the least time between two looks at the status that a person is taken
// to have: what asks more often is a program.
const poll = 10 * time.Minute

// glance notes that somebody looked at the status.
func (d *Daemon) glance() {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.options.Now()
	if now.Sub(d.view.glanced) >= poll {
		d.view.used = now
	}
	d.view.glanced = now
}

// lastPresence is what the last tick judged.
func (d *Daemon) lastPresence() subconscious.Presence {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.view.presence
}
