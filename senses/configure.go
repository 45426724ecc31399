package senses

import (
	"maps"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// configure removes the threads and senses that are no longer configured.
func (p *staging) configure(config configuration) {
	for i, slot := range p.now.slots {
		if slot.active && !slices.Contains(config.threads, slot.name) {
			p.now.slots[i].active = false
			p.slotted, p.queues[slot.name] = true, true
			delete(p.now.pending, slot.name)
		}
	}
	if config.senses == nil {
		return
	}
	for _, id := range slices.SortedFunc(maps.Keys(p.now.sources), compareSources) {
		src := p.now.sources[id]
		switch gone := src.health.State == left; {
		case config.senses[id] == !gone: // as it was
			if gone && !p.at.Before(src.health.Since.Add(leftKept)) {
				p.holds(id, func(t *touch) {
					p.unclaim(id, t, func(c claim) bool { return c.instance == id.ID })
					t.left = true
				})
				delete(p.now.sources, id)
			}
		default:
			p.holds(id, func(t *touch) { t.moved = true })
			src.health = Health{ID: id.ID, Kind: id.Sense, State: left, Since: p.at}
			if gone {
				src.health.State = Starting
			}
			p.now.sources[id] = src
		}
	}
}

// holds touches all that a sense instance holds to stand.
func (p *staging) holds(id SenseID, do func(*touch)) {
	p.now.scopes.Ascend(scoped{source: id}, func(s scoped) bool {
		if s.source == id {
			do(p.touch(s.ref))
		}
		return s.source == id
	})
	p.touched[id] = true
}

// absence is 1 for a claim of what left the configuration: its sense, or that which
// the sense holds it for.
func (r *records) absence(c claim) int {
	if strings.HasPrefix(c.scope, outScope) || r.sources[SenseID{c.obs.Sense, c.instance}].health.State == left {
		return 1
	}
	return 0
}

// seed adds the threads that were not there before. Everything that stands and
// that they were not shown is new to them.
func (p *staging) seed(config configuration) {
	for _, name := range config.threads {
		i := slices.IndexFunc(p.now.slots, func(s slot) bool { return s.name == name })
		if i >= 0 && p.now.slots[i].active {
			continue
		}
		if i < 0 {
			i = len(p.now.slots)
			p.now.slots = append(p.now.slots, slot{name: name})
		}
		p.now.slots[i].active = true
		p.slotted = true
		p.fill(name, 1<<i)
	}
}

func (p *staging) fill(thread subconscious.ThreadName, bit uint64) {
	q := p.queue(thread)
	for _, o := range p.changes {
		if !o.Stands() && (p.interested == nil || p.interested(thread, *o)) {
			q.items[o.Ref()] = o
		}
	}
	p.now.known.Scan(func(ref subconscious.Ref, t *known) bool {
		if t.phase == standing && t.shown&bit == 0 && (p.interested == nil || p.interested(thread, *t.latest)) {
			q.items[ref] = join(nil, t.latest, t.known&bit != 0)
		}
		return true
	})
}

// prune forgets observations that have ended, by age and by number.
func (p *staging) prune() {
	var refs []subconscious.Ref
	excess := p.now.recent.Len() - maxPast
	old, overdue := p.at.Add(-textKept), p.at.Add(-textKept-pruneEvery)
	stale := false
	p.now.recent.Scan(func(n numbered) bool {
		t := p.now.get(n.ref)
		stale = stale || t.latest.At.Before(overdue)
		if len(refs) >= excess && !(stale && t.latest.At.Before(old)) || len(refs) == pruneStep+len(p.changes) {
			return false
		}
		refs = append(refs, n.ref)
		return true
	})
	for _, ref := range refs {
		p.now.drop(ref)
		p.rewritten[ref] = true
	}
}
