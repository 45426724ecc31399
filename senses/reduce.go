package senses

import (
	"cmp"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reduce makes at most one change of all that was said of each observation.
func (p *staging) reduce() {
	for _, ref := range p.order {
		t := p.touches[ref]
		held := slices.ContainsFunc(t.claims, func(c claim) bool { return p.now.absence(c) == 0 })
		for _, c := range slices.Clone(t.claims) {
			if held && p.over(c.obs) { // what nobody holds who is there ends when they are back
				p.unclaim(SenseID{c.obs.Sense, c.instance}, t, func(other claim) bool { return other == c })
			}
		}
		// The word of who is trusted most counts, and among equals the first's; of
		// those who left the configuration none.
		slices.SortStableFunc(t.claims, func(a, b claim) int {
			return cmp.Or(p.now.absence(a)-p.now.absence(b), a.obs.Trust.Rank()-b.obs.Trust.Rank())
		})
		before := p.now.get(ref)
		stands := len(t.claims) > 0 && p.now.absence(t.claims[0]) == 0
		if stands && before != nil && before.phase == away {
			before = before.copy()
			before.phase = standing
			p.put(ref, before)
		}
		stood := before != nil && (before.phase == standing || before.phase == away)
		switch {
		case stood && !stands && len(t.claims) > 0:
			next := before.copy()
			next.claims, next.phase = t.claims, away
			p.put(ref, next)
		case stood && stands:
			p.stays(ref, before, t)
		case stands:
			p.appears(ref, before, t, subconscious.Appeared)
		case stood && t.left:
			p.leaves(ref, before)
		case stood:
			p.ends(ref, before, t)
		default:
			p.passes(ref, before, t)
		}
	}
}

// stays handles an observation that stood and stands.
func (p *staging) stays(ref subconscious.Ref, before *known, t *touch) {
	holder := t.claims[0].obs
	switch {
	case t.returned:
		p.appears(ref, before, t, subconscious.Appeared)
	case !sameClass(heldBefore(before, t), holder):
		p.appears(ref, before, t, subconscious.Changed)
	case t.momentary != nil:
		// Something happened to it that its class does not show.
		o := *t.momentary
		o.Change = subconscious.Changed
		o.Due, o.Until, o.Fingerprint = holder.Due, holder.Until, holder.Fingerprint
		next := before.copy()
		next.claims = t.claims
		p.record(ref, next, &o)
	case !slices.Equal(before.claims, t.claims):
		next := before.copy()
		next.claims = t.claims
		o := *before.latest
		if t.moved && o.Instance != holder.Instance { // another's words count, which are no news
			o = *holder
			o.Seq, o.Change, o.Band, o.BandOnly = before.latest.Seq, before.latest.Change, before.latest.Band, before.latest.BandOnly
		}
		o.Until, o.Trust, o.Instance = holder.Until, holder.Trust, holder.Instance
		if before.claims[0].obs == before.latest || t.moved {
			next.claims = slices.Clone(t.claims)
			next.claims[0].obs = &o
		}
		next.latest = &o
		p.put(ref, next)
	}
}

// heldBefore is what the word was that counts: where that is another's since a
// sense left the configuration or came back, that other's.
func heldBefore(before *known, t *touch) *subconscious.Observation {
	if i := before.claimIndex(t.claims[0].instance, t.claims[0].scope); t.moved && i > 0 {
		return before.claims[i].obs
	}
	return before.claims[0].obs
}

// appears records that an observation stands in a class in which it did not.
func (p *staging) appears(ref subconscious.Ref, before *known, t *touch, change subconscious.Change) {
	next := &known{phase: standing}
	if before != nil {
		next = before.copy()
		next.phase = standing
	}
	o := *t.claims[0].obs
	o.Change, o.BandOnly = change, false
	next.claims = slices.Clone(t.claims)
	next.claims[0].obs = &o
	p.record(ref, next, &o)
}

// ends records that an observation stands no more. To a mind that never knew of
// it, it came and went in one moment.
func (p *staging) ends(ref subconscious.Ref, before *known, t *touch) {
	o := *before.latest
	if t.went != nil && t.went.Title != "" {
		o.Title, o.Text, o.At, o.Trust, o.Attrs = t.went.Title, t.went.Text, t.went.At, t.went.Trust, t.went.Attrs
	} else {
		o.At = p.at
	}
	next := before.copy()
	next.claims, next.phase = nil, gone
	o.Change, o.BandOnly = subconscious.Gone, false
	if before.known == 0 {
		next.phase, o.Change = past, subconscious.Momentary
	}
	p.record(ref, next, &o)
}

// leaves lets an observation go without a word, for its sense is no longer
// there.
func (p *staging) leaves(ref subconscious.Ref, before *known) {
	next := before.copy()
	next.claims, next.phase, next.marks = nil, past, marks{}
	next.latest = withoutText(before.latest)
	p.put(ref, next)
	for thread, q := range p.now.pending {
		if q.items[ref] != nil {
			q = p.queue(thread)
			delete(q.items, ref)
		}
	}
}

// passes records what happened and never stood.
func (p *staging) passes(ref subconscious.Ref, before *known, t *touch) {
	said := cmp.Or(t.momentary, t.fleeting)
	if said == nil {
		return
	}
	o := *said
	o.Change, o.Severity = subconscious.Momentary, max(o.Severity, t.severity)
	next := &known{}
	if before != nil {
		next = before.copy()
	}
	next.claims, next.phase, next.known = nil, past, 0
	p.record(ref, next, &o)
}

// record numbers a change, keeps it and lets the threads know.
func (p *staging) record(ref subconscious.Ref, next *known, o *subconscious.Observation) {
	p.now.seq++
	o.Seq = p.now.seq
	if o.Change != subconscious.Gone {
		o.Band = subconscious.TimeBand(o.Due, p.at)
	}
	known := next.known
	if o.BandOnly {
		next.shown &^= p.now.slots.bit(subconscious.Oracle) | p.now.slots.bit(subconscious.Oracle.Rules())
	} else {
		next.shown = 0
	}
	next.record(o)
	if next.phase != standing {
		next.latest = withoutText(o)
	}
	p.put(ref, next)
	p.changes = append(p.changes, o)
	p.announce(ref, o, known)
}

func (s *Staged) put(ref subconscious.Ref, t *known) {
	s.now.put(ref, t)
	s.rewritten[ref] = true
}

// announce adds the change to what each thread has not been shown.
func (p *staging) announce(ref subconscious.Ref, o *subconscious.Observation, known uint64) {
	for i, slot := range p.now.slots {
		if !slot.active || o.BandOnly && slot.name.Thread() != subconscious.Oracle {
			continue
		}
		if p.interested != nil && !p.interested(slot.name, *o) {
			continue
		}
		q := p.queue(slot.name)
		q.items[ref] = join(q.items[ref], o, known&(1<<i) != 0)
	}
}

// trim drops what is too much for a thread.
func (p *staging) trim() {
	for thread := range p.queues {
		if q, ok := p.now.pending[thread]; ok {
			q.trim()
			p.now.pending[thread] = q
		}
	}
}

// cross records the bands of time that standing observations have entered.
func (p *staging) cross() {
	for _, ref := range upTo(p.now.bands, p.at) {
		next := p.now.get(ref).copy()
		o := *next.latest
		o.Change, o.BandOnly, o.At = subconscious.Changed, true, p.at
		if next.claims[0].obs == next.latest {
			next.claims[0].obs = &o
		}
		p.record(ref, next, &o)
	}
}
