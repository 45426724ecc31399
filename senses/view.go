package senses

import (
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// View is what stood at one moment. It never changes, and any number of
// goroutines may read it for as long as they like.
type View struct {
	*records
	blind map[SenseID]time.Time
}

var _ subconscious.World = (*View)(nil)

func newView(r *records) *View {
	v := &View{records: r.copy(), blind: map[SenseID]time.Time{}}
	for id, source := range r.sources {
		if source.health.State == Blind {
			v.blind[id] = source.health.Since
		}
	}
	return v
}

// Len returns how many observations stand.
func (v *View) Len() int { return v.known.Len() - v.recent.Len() - v.away }

// Get implements subconscious.World.
func (v *View) Get(ref subconscious.Ref) (subconscious.Observation, bool) {
	t, ok := v.known.Get(ref)
	if !ok || t.phase != standing {
		return subconscious.Observation{}, false
	}
	return v.observation(t), true
}

// Due implements subconscious.World.
func (v *View) Due(from, to time.Time, yield func(subconscious.Observation) bool) {
	end := instant(to)
	v.due.Ascend(dated{at: instant(from)}, func(d dated) bool {
		if d.at >= end {
			return false
		}
		t, ok := v.known.Get(d.ref)
		return !ok || yield(v.observation(t))
	})
}

// Of implements subconscious.World.
func (v *View) Of(sense string, yield func(subconscious.Observation) bool) {
	ofSense(v.known, sense, func(_ subconscious.Ref, t *known) bool { return t.phase != standing || yield(v.observation(t)) })
}

// Ended calls yield for the observations of one sense that stood and no longer
// do, as far as they are kept, in order of reference, until it returns false.
func (v *View) Ended(sense string, yield func(subconscious.Observation) bool) {
	ofSense(v.known, sense, func(_ subconscious.Ref, t *known) bool { return len(t.claims) > 0 || yield(*t.latest) })
}

// Sharing implements subconscious.World. Keys are links, terms as "term:word",
// and the identity of an observation itself as "sense:id".
func (v *View) Sharing(key string, limit int) (observations []subconscious.Observation, count int) {
	hash := v.hash(key)
	count, _ = v.counts.Get(hash)
	if limit <= 0 || count == 0 {
		return nil, count
	}
	v.shared.Ascend(posting{key: hash}, func(p posting) bool {
		if p.key != hash {
			return false
		}
		if t, ok := v.known.Get(p.ref); ok {
			observations = append(observations, v.observation(t))
		}
		return len(observations) < limit
	})
	return observations, count
}

// All calls yield for everything that stands, in order of reference, until it
// returns false.
func (v *View) All(yield func(subconscious.Observation) bool) {
	v.known.Scan(func(_ subconscious.Ref, t *known) bool {
		return t.phase != standing || yield(v.observation(t))
	})
}

func (v *View) observation(t *known) subconscious.Observation {
	o := *t.latest
	o.AsOf = v.asOf(t)
	return o
}

// asOf returns since when nobody could see the observation that it still
// stands, zero while somebody can.
func (v *View) asOf(t *known) time.Time {
	var last time.Time
	if len(v.blind) == 0 || t.phase != standing {
		return last
	}
	for _, c := range t.claims {
		if v.absence(c) == 1 {
			continue
		}
		since, blind := v.blind[SenseID{t.latest.Sense, c.instance}]
		if !blind {
			return time.Time{}
		}
		if since.After(last) {
			last = since
		}
	}
	return last
}
