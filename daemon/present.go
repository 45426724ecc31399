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
	if used := d.board.Now().Used; used.After(signals.CommandUsed) {
		signals.CommandUsed = used
	}
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
