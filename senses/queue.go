package senses

import (
	"maps"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// queue is what one thread has not been shown, by observation: the changes of
// an observation are one. A queue that is in records is never changed.
type queue struct {
	items map[subconscious.Ref]*subconscious.Observation
	// overflow counts what was dropped since the thread last ran.
	overflow int
}

// copy returns a queue that may be changed. The map is made anew: one that was
// large once, in a burst, would stay so.
func (q queue) copy() queue {
	items := make(map[subconscious.Ref]*subconscious.Observation, len(q.items))
	maps.Copy(items, q.items)
	q.items = items
	return q
}

// list returns what waits in the order in which it was recorded.
func (q queue) list() []subconscious.Observation {
	list := make([]subconscious.Observation, 0, len(q.items))
	for _, o := range q.items {
		list = append(list, *o)
	}
	slices.SortFunc(list, func(a, b subconscious.Observation) int { return int(a.Seq - b.Seq) })
	return list
}

// trim keeps the MaxPending that matter most: the least severe go first, then
// the oldest.
func (q *queue) trim() {
	excess := len(q.items) - MaxPending
	if excess <= 0 {
		return
	}
	list := q.list()
	slices.SortStableFunc(list, func(a, b subconscious.Observation) int { return int(a.Severity - b.Severity) })
	kept := make(map[subconscious.Ref]*subconscious.Observation, MaxPending)
	for i := range list[excess:] {
		ref := list[excess+i].Ref()
		kept[ref] = q.items[ref]
	}
	q.items = kept
	q.overflow += excess
}

// join makes one change of what a thread has not been shown and what came
// after it. known says that the thread was shown the observation since it
// appeared; before is nil where nothing waits.
func join(before, after *subconscious.Observation, known bool) *subconscious.Observation {
	o := *after
	switch {
	case o.Change == subconscious.Gone && !known:
		o.Change = subconscious.Momentary
	case o.Change == subconscious.Changed && !known:
		o.Change, o.BandOnly = subconscious.Appeared, false
	}
	if before == nil {
		return &o
	}
	o.Severity = max(o.Severity, before.Severity)
	if o.BandOnly && !before.BandOnly {
		o.BandOnly = false
		o.Change = before.Change
	}
	return &o
}
