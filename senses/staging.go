package senses

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// staging works out one Staged. What the senses say is gathered by observation
// first, in touches, so that however often an observation is spoken of in one
// tick it has one change.
type staging struct {
	*Staged
	touches map[subconscious.Ref]*touch
	order   []subconscious.Ref // of touches, as they were first spoken of
	leaving []scoped           // claims that complete sets no longer make
}

// touch is what was said of one observation in this tick.
type touch struct {
	claims []claim
	// momentary is the last momentary change; fleeting what appeared and may
	// be gone again; went the last word that it is gone.
	momentary, fleeting, went *subconscious.Observation
	// severity is the highest that was said.
	severity subconscious.Severity
	// returned: it was gone and came back in between.
	returned bool
	// moved: what it is held for left the configuration, or came back; left: such
	// has been forgotten.
	moved, left bool
}

// touch returns the touch of an observation, with the claims that it has now.
func (p *staging) touch(ref subconscious.Ref) *touch {
	if t, ok := p.touches[ref]; ok {
		return t
	}
	t := &touch{}
	if known := p.now.get(ref); known != nil {
		t.claims = slices.Clone(known.claims)
	}
	p.touches[ref] = t
	p.order = append(p.order, ref)
	return t
}

// collect takes in what one sense instance brought.
func (p *staging) collect(c Collected) {
	id := SenseID{c.Sense, c.ID}
	src := p.now.sources[id]
	before := src.health
	src.health = c.Health
	src.health.ID, src.health.Kind = c.ID, c.Sense
	src.refused = 0
	p.now.sources[id] = src
	if c.Health.State != Blind {
		p.batch(id, c.Batch)
		src = p.now.sources[id]
		if c.Batch.Cursor != nil && string(c.Batch.Cursor) != string(src.cursor) {
			src.cursor = slices.Clone(c.Batch.Cursor)
			p.touched[id] = true
		}
		if len(c.Batch.Rows) > 0 {
			p.rows = append(p.rows, sourceRows{id, c.Batch.Rows})
		}
		if src.refused > 0 {
			src.health.State = worse(src.health.State, Degraded)
			src.health.Error = Joined(src.health.Error, fmt.Sprintf(
				"%d observations more than the %d that are kept of one sense; narrow what it looks at", src.refused, MaxStanding))
		}
	}
	if src.health.Since = p.at; src.health.State == before.State {
		src.health.Since = before.Since
	}
	// The next try moves with every failure and need not be stored.
	if before.State != src.health.State || before.Error != src.health.Error {
		p.touched[id] = true
	}
	p.now.sources[id] = src
}

// worse returns the state that sees less.
func worse(a, b State) State {
	order := []State{OK, Starting, Degraded, Blind}
	return order[max(slices.Index(order, a), slices.Index(order, b), 0)]
}

// Joined puts what is said of a sense into one line, without what is empty.
func Joined(said ...string) string {
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
}

func (p *staging) batch(id SenseID, batch Batch) {
	for i := range batch.Changes {
		o := batch.Changes[i]
		o.Sense, o.Instance = id.Sense, id.ID
		p.explicit(id, &o)
	}
	// A scope may come in several parts.
	present := map[string]map[subconscious.Ref]bool{}
	for i := range batch.Sets {
		set := &batch.Sets[i]
		scope := setScope(set.Scope)
		if present[scope] == nil {
			present[scope] = make(map[subconscious.Ref]bool, len(set.Items))
		}
		for j := range set.Items {
			o := set.Items[j]
			o.Sense, o.Instance = id.Sense, id.ID
			if set.Left {
				present[scope][o.Ref()] = p.moves(id, scope, outScope+scope, o.Ref())
			} else {
				p.item(id, scope, &o, present[scope])
			}
		}
	}
	for i := range batch.Sets {
		scope := setScope(batch.Sets[i].Scope)
		if here := present[scope]; here != nil {
			p.missing(id, scope, here, false)
			if batch.Listing != Unchanged {
				p.missing(id, outScope+scope, here, batch.Listing == Forgotten)
			}
			delete(present, scope)
		}
	}
}

// item takes in one observation of a complete set. The first of two with one
// identity counts.
func (p *staging) item(id SenseID, scope string, o *subconscious.Observation, present map[subconscious.Ref]bool) {
	ref := o.Ref()
	if present[ref] || p.over(o) {
		return
	}
	present[ref] = true
	p.moves(id, outScope+scope, scope, ref)
	if p.touches[ref] == nil {
		if t := p.now.get(ref); t != nil && t.phase == standing {
			if i := t.claimIndex(id.ID, scope); i >= 0 && sameClass(t.claims[i].obs, o) && !restates(t.claims[i].obs, o) {
				return
			}
		}
	}
	p.claim(id, scope, o)
}

// moves lets what is held in one scope be held in another, of what left the
// configuration or came back. It reports whether it is held there now.
func (p *staging) moves(id SenseID, from, to string, ref subconscious.Ref) bool {
	known := p.now.get(ref)
	if known == nil || known.claimIndex(id.ID, from) < 0 {
		return known != nil && known.claimIndex(id.ID, to) >= 0
	}
	t := p.touch(ref)
	i := slices.IndexFunc(t.claims, func(c claim) bool { return c.instance == id.ID && c.scope == from })
	if i >= 0 {
		t.claims[i].scope, t.moved = to, true
	}
	return i >= 0
}

// over reports whether the observation says itself that it no longer stands.
func (p *staging) over(o *subconscious.Observation) bool {
	return !o.Until.IsZero() && !o.Until.After(p.at)
}

// missing finds the claims of a scope that were not made again. They are taken
// back only after every batch was read: one may have moved to another scope.
func (p *staging) missing(id SenseID, scope string, present map[subconscious.Ref]bool, forgotten bool) {
	p.now.scopes.Ascend(scoped{id, scope, ""}, func(s scoped) bool {
		if s.source != id || s.scope != scope {
			return false
		}
		if !present[s.ref] {
			p.leaving = append(p.leaving, s)
			if forgotten {
				p.touch(s.ref).left = true
			}
		}
		return true
	})
}

func (p *staging) leave() {
	for _, s := range p.leaving {
		t := p.touch(s.ref)
		p.unclaim(s.source, t, func(c claim) bool { return c.instance == s.source.ID && c.scope == s.scope })
	}
}

// explicit takes in a change that a sense worked out itself.
func (p *staging) explicit(id SenseID, o *subconscious.Observation) {
	ref := o.Ref()
	mine := func(c claim) bool { return c.instance == id.ID }
	switch {
	case o.Change == subconscious.Momentary:
		t := p.touch(ref)
		t.momentary, t.severity = o, max(t.severity, o.Severity)
	case o.Change == subconscious.Gone:
		// What never stood cannot go: the change was told before.
		if t := p.touches[ref]; t == nil && p.now.get(ref) == nil {
			return
		}
		t := p.touch(ref)
		if p.unclaim(id, t, mine) {
			t.went = o
		}
	case p.over(o):
		t := p.touch(ref)
		p.unclaim(id, t, func(c claim) bool { return c.instance == id.ID && c.scope == "" })
		t.fleeting, t.severity = o, max(t.severity, o.Severity)
	default:
		t := p.touch(ref)
		t.returned = t.returned || t.went != nil
		if p.claim(id, "", o) {
			t.fleeting, t.severity = o, max(t.severity, o.Severity)
		}
	}
}

// claim records that an instance holds the observation to stand. It reports
// whether that was accepted.
func (p *staging) claim(id SenseID, scope string, said *subconscious.Observation) bool {
	t := p.touch(said.Ref())
	o := new(*said) // not to keep all of a batch alive
	i := slices.IndexFunc(t.claims, func(c claim) bool { return c.instance == id.ID && c.scope == scope })
	if i < 0 {
		src := p.now.sources[id]
		if src.standing >= MaxStanding {
			src.refused++
			p.now.sources[id] = src
			return false
		}
		src.standing++
		p.now.sources[id] = src
		t.claims = append(t.claims, claim{id.ID, scope, o})
		return true
	}
	switch before := t.claims[i].obs; {
	case !sameClass(before, o):
		t.claims[i].obs = o
	case restates(before, o):
		again := *before
		again.Until, again.Trust = o.Until, o.Trust
		t.claims[i].obs = &again
	}
	return true
}

// unclaim takes claims of an instance back and reports whether there were any.
func (p *staging) unclaim(id SenseID, t *touch, which func(claim) bool) bool {
	kept := slices.DeleteFunc(slices.Clone(t.claims), which)
	n := len(t.claims) - len(kept)
	if n == 0 {
		return false
	}
	t.claims = kept
	src := p.now.sources[id]
	src.standing -= n
	p.now.sources[id] = src
	return true
}

// expire touches the observations that stop standing by themselves.
func (p *staging) expire() {
	for _, ref := range upTo(p.now.until, p.at) {
		p.touch(ref)
	}
}
