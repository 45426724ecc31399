package senses

import (
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// restamping is an instance whose earlier observations get another trust.
type restamping struct {
	source SenseID
	trust  func(subconscious.Observation) subconscious.Trust
}

// again returns the observation with the trust that it now has: itself where
// that is the same, or it is another instance's.
func (r restamping) again(o *subconscious.Observation) *subconscious.Observation {
	if o == nil || o.Sense != r.source.Sense || o.Instance != r.source.ID {
		return o
	}
	other := *o
	if other.Trust = trustOf(r.source.Sense, r.trust(*o)); other.Trust == o.Trust {
		return o
	}
	return &other
}

// restamp stamps what is known of the instances that ask for it, before anything
// new is taken in. It is not recorded as a change, since nobody need hear of it.
func (p *staging) restamp(collected []Collected, config configuration) {
	for _, c := range collected {
		id := SenseID{c.Sense, c.ID}
		if c.Batch.Restamp == nil || c.Health.State == Blind || config.senses != nil && !config.senses[id] {
			continue
		}
		r := restamping{id, c.Batch.Restamp}
		p.restamps = append(p.restamps, r)
		p.restampKnown(r)
		for thread := range p.now.pending {
			for ref, o := range p.now.pending[thread].items {
				if other := r.again(o); other != o {
					p.queue(thread).items[ref] = other
				}
			}
		}
	}
}

func (p *staging) restampKnown(r restamping) {
	again := map[subconscious.Ref]*known{}
	ofSense(p.now.known, r.source.Sense, func(ref subconscious.Ref, t *known) bool {
		next := t.copy()
		next.latest = r.again(t.latest)
		for i, c := range t.claims {
			switch {
			case c.obs == t.latest:
				next.claims[i].obs = next.latest
			case c.instance == r.source.ID:
				next.claims[i].obs = r.again(c.obs)
			}
		}
		if next.latest != t.latest || !slices.Equal(next.claims, t.claims) {
			again[ref] = next
		}
		return true
	})
	for ref, t := range again {
		p.put(ref, t)
	}
}

// writeRestamps stamps the changes that can be read back.
func (s *Staged) writeRestamps(w *writer) {
	for _, r := range s.restamps {
		all, err := store.All(w.ctx, w.tx, store.JSONValue[subconscious.Observation],
			`SELECT observation FROM ledger_changes WHERE ref >= ? AND ref < ?`, r.source.Sense+":", r.source.Sense+";")
		if err != nil && w.err == nil {
			w.err = fmt.Errorf("whose word %s is: %w", r.source, err)
		}
		for i := range all {
			if o := &all[i]; r.again(o) != o {
				w.exec(`UPDATE ledger_changes SET observation = ? WHERE seq = ?`, store.JSON(r.again(o)), o.Seq)
			}
		}
	}
}
