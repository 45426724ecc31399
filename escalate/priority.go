package escalate

import (
	"slices"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// How near the time is that a message names.
const (
	atOnce   = iota // within half an hour
	sameDay         // today, within five hours, or of an evening by next morning
	nextDay         // within 36 hours
	farther         // later, or another day of the week that a letter names
	timeless        // it names none, or one that has passed
)

// priorities are what a message is worth by how near its time is, and by its importance:
// below 7, 7, 8, 9, 10. What is for today has to be prepared before then: it has the hour.
var priorities = [...][5]int{
	atOnce:   {withinTheHour, actNow, actNow, actNow, actNow},
	sameDay:  {today, withinTheHour, withinTheHour, withinTheHour, withinTheHour},
	nextDay:  {today, today, today, today, today},
	farther:  {thisWeek, thisWeek, thisWeek, thisWeek, thisWeek},
	timeless: {today, today, withinTheHour, withinTheHour, withinTheHour},
}

// hurried is what the words of a letter that names no time weigh at least, as
// prose.Weigh has it, for it to have the hour, and now.
var hurried = [...]int{70, 105}

// evening is the hour from which on tomorrow morning is near.
const evening = 17

// justNow is how long a time that has passed is still meant.
const justNow = 15 * time.Minute

// soon is how far ahead is near.
const soon = 36 * time.Hour

// nearness is how near the time is that it names.
func (l *candidate) nearness() int {
	at := l.gate.in.At
	t, day := l.when()
	switch ahead := t.Sub(at); {
	case t.IsZero() || ahead <= -justNow:
		if o := l.letter(); o != nil && t.IsZero() {
			if days, err := strconv.Atoi(o.Attrs["days"]); err == nil && o.At.AddDate(0, 0, days).Sub(at) > soon {
				return farther
			}
		}
		return timeless
	case !day && ahead <= 30*time.Minute:
		return atOnce
	case !day && (ahead <= 5*time.Hour || at.Hour() >= evening && ahead <= 16*time.Hour) || t.In(at.Location()).Format(time.DateOnly) == at.Format(time.DateOnly) && !l.stood():
		return sameDay
	case ahead <= soon:
		return nextDay
	}
	return farther
}

// stood reports whether it is a clash of which no part was moved: it can be settled
// later in the day.
func (l *candidate) stood() bool {
	return l.key.IsPair() && !slices.ContainsFunc(l.own, func(e *subconscious.Evidence) bool { return e.Latest.Attrs["moved_from"] != "" })
}

// priority is what the person is to do about it: 5 act now, 4 soon, as
// what is for today, 3 by tomorrow, 2 this week. A letter that names no time tells by its
// words; what a stranger writes has 3 at most, and what is broken is worth as much as
// what counts 8.
func (l *candidate) priority() int {
	if l.critical {
		return actNow
	}
	importance := l.asked.Importance
	if l.severity >= subconscious.Warning {
		importance = max(importance, warns)
	}
	near := l.nearness()
	priority := priorities[near][min(max(importance, 6), 10)-6]
	if o := l.letter(); o != nil && near == timeless {
		words, _ := strconv.Atoi(o.Attrs["words"]) // none weigh nothing
		for priority = today; priority < actNow && words >= hurried[priority-today]; priority++ {
		}
	}
	if l.stranger() != "" {
		return min(priority, today)
	}
	return priority
}

// The priorities of messages, as package notify has them.
const (
	thisWeek = 2 + iota
	today
	withinTheHour
	actNow
)
