package calendar

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// series is all that a file says under one UID: an event that may repeat, and
// its changed occurrences.
type series struct {
	master *event
	// changed occurrences by the instant they replace, for a UTC reader, or by
	// the date where only that is known.
	changed map[string]*event
	// later are the changes that hold for all that follows, in order.
	later []*event
}

func (s *series) line() int {
	if s.master != nil {
		return s.master.line
	}
	if all := s.ordered(); len(all) > 0 {
		return all[0].line
	}
	return 0
}

// group sorts events by UID, in the order of the file, and keeps the newest
// revision of each.
func group(events []*event, notes *notes) []*series {
	byUID := map[string]*series{}
	var all []*series
	for _, e := range events {
		s := byUID[e.uid]
		if s == nil {
			s = &series{changed: map[string]*event{}}
			byUID[e.uid] = s
			all = append(all, s)
		}
		if e.original == nil {
			s.master = newest(s.master, e, notes)
		}
	}
	for _, e := range events {
		if e.original != nil {
			s := byUID[e.uid]
			if s.master != nil { // it is written as its series would write it
				*e.original = e.original.like(s.master.start)
			}
			key := e.original.name()
			s.changed[key] = newest(s.changed[key], e, notes)
		}
	}
	for _, s := range all {
		for _, e := range s.ordered() {
			switch {
			case !e.later:
			case e.start.wall.Sub(e.original.wall).Abs() > maxShift:
				notes.add(e.line, "this event moves a series by more than %d days; only one date is moved", int(maxShift/day))
			default:
				s.later = append(s.later, e)
			}
		}
	}
	return all
}

// newest returns the later revision. Two events of one UID at different times
// that are not revisions of one another are a fault of the file, and said.
func newest(old, e *event, notes *notes) *event {
	if old == nil {
		return e
	}
	if old.sequence == e.sequence && old.stamp == e.stamp && !old.start.wall.Equal(e.start.wall) {
		notes.add(e.line, "this event has the UID of %s; only the later one is shown", notes.at(old.line))
	}
	if e.newer(old) {
		return e
	}
	return old
}

// expand appends the occurrences of the series within the window.
func (s *series) expand(w window, budget *budget, out *expansion) {
	if s.master != nil && s.master.cancelled() {
		out.away[s.master.uid] = statusCancelled
		return
	}
	room := min(maxPerEvent, maxPerFile-len(out.occurrences))
	before := len(out.occurrences)
	full := func() bool { return len(out.occurrences)-before >= room }
	for _, e := range s.ordered() {
		if full() {
			break
		}
		if e.cancelled() {
			out.away[e.uid+"/"+e.original.name()] = statusCancelled
		} else {
			s.put(w, out, e, *e.original, e.start, e.length, true)
		}
	}
	if s.master == nil {
		return
	}
	if !s.master.repeats() && len(s.changed) == 0 {
		s.put(w, out, s.master, s.master.start, s.master.start, s.master.length, false)
		return
	}
	excluded := s.exclusions()
	s.originals(w, budget, out, func(original moment, l length) bool {
		if len(s.changed)+len(excluded) > 0 { // names are made for each occurrence
			if name := original.name(); s.changed[name] != nil || excluded[name] || excluded[dateName(original)] {
				return true
			}
		}
		e, start := s.shifted(original)
		if e != s.master {
			l = e.length
		}
		if !e.cancelled() {
			s.put(w, out, e, original, start, l, true)
		}
		if full() {
			out.notes.add(s.master.line, "this event repeats more than %d times in 36 days; the first are shown", room)
			return false
		}
		return true
	})
}

// ordered returns the changed occurrences by what they replace.
func (s *series) ordered() []*event {
	return slices.SortedFunc(maps.Values(s.changed), func(a, b *event) int {
		return cmp.Or(a.original.wall.Compare(b.original.wall), a.line-b.line)
	})
}

// put appends an occurrence if it starts within the window.
func (s *series) put(w window, out *expansion, e *event, original, start moment, l length, repeats bool) {
	begins := start.in(w.mind).In(w.mind)
	if !w.holds(begins) {
		if !begins.Before(w.to) {
			name := ""
			if repeats {
				name = original.name()
			}
			out.away[e.uid+"/"+name] = statusPutOff
		}
		return
	}
	e.describe()
	o := occurrence{event: e, start: begins, end: l.end(start, w.mind).In(w.mind), allDay: start.date, zone: start.zone}
	if repeats {
		o.original = original.name()
		if planned := original.in(w.mind).In(w.mind); !planned.Equal(begins) {
			o.planned = planned
		}
	}
	out.occurrences = append(out.occurrences, o)
}

// maxShift bounds how far a change of "this and what follows" may move a
// series.
const maxShift = 60 * day

// originals yields the starts that the master plans around the window, until
// yield returns false.
func (s *series) originals(w window, budget *budget, out *expansion, yield func(moment, length) bool) {
	m := s.master
	// No zone is more than a day from UTC; a shifted occurrence may come from
	// further off.
	margin := 26 * time.Hour
	for _, e := range s.later {
		margin = max(margin, 2*26*time.Hour+e.start.wall.Sub(e.original.wall).Abs())
	}
	from, to := w.from.UTC().Add(-margin), w.to.UTC().Add(margin)
	more := true
	seen := map[string]bool{}
	for _, a := range m.rdates {
		a.start = a.start.like(m.start)
		if !more || a.start.wall.Before(from) || !a.start.wall.Before(to) || seen[a.start.name()] {
			continue
		}
		seen[a.start.name()] = true
		l := m.length
		if a.length != nil {
			l = *a.length
		}
		more = yield(a.start, l)
	}
	visit := func(wall time.Time) bool {
		original := moment{wall: wall, zone: m.start.zone, date: m.start.date}
		return len(seen) > 0 && seen[original.name()] || yield(original, m.length)
	}
	switch r := m.rule; {
	case !more:
	case r == nil:
		if !m.start.wall.Before(from) && m.start.wall.Before(to) {
			visit(m.start.wall)
		}
	default:
		if err := r.walk(m.start, from, to, budget, visit); err != nil {
			out.notes.add(m.line, "this event %v", err)
		}
	}
}

// exclusions returns the names of the starts that EXDATEs take out. A date
// takes out all of its day.
func (s *series) exclusions() map[string]bool {
	names := make(map[string]bool, len(s.master.exdate))
	for _, x := range s.master.exdate {
		if x.date {
			names[dateName(x)] = true
		} else {
			names[x.like(s.master.start).name()] = true
		}
	}
	return names
}

func dateName(m moment) string { return m.wall.Format(time.DateOnly) }

// shifted returns the event that describes an occurrence, and its start, by
// the last change of "this and what follows" before it.
func (s *series) shifted(original moment) (*event, moment) {
	for _, e := range slices.Backward(s.later) {
		if e.original.wall.After(original.wall) {
			continue
		}
		start := original
		start.date, start.zone = e.start.date, e.start.zone
		if e.original.zone != e.start.zone && e.original.zone != nil && e.start.zone != nil {
			start.wall = reading(original.in(e.start.zone).In(e.start.zone))
			moved := reading(e.original.in(e.start.zone).In(e.start.zone))
			return e, start.add(e.start.wall.Sub(moved))
		}
		return e, start.add(e.start.wall.Sub(e.original.wall))
	}
	return s.master, original
}
