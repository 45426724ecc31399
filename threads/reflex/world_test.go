package reflex_test

import (
	"maps"
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// world is a subconscious.World over ordered maps, which counts what is read.
type world struct {
	known  map[subconscious.Ref]subconscious.Observation
	due    *btree.BTreeG[posting]
	shared *btree.BTreeG[posting]
	counts map[string]int
	// calls and visits are how often it was asked, and how many observations it
	// handed out.
	calls, visits int
}

// posting is an observation under a key, or under a time.
type posting struct {
	at  time.Time
	key string
	ref subconscious.Ref
}

var _ subconscious.World = (*world)(nil)

func newWorld() *world {
	less := func(a, b posting) bool {
		if !a.at.Equal(b.at) {
			return a.at.Before(b.at)
		}
		return a.key < b.key || a.key == b.key && a.ref < b.ref
	}
	options := btree.Options{NoLocks: true}
	return &world{
		known: map[subconscious.Ref]subconscious.Observation{}, counts: map[string]int{},
		due: btree.NewBTreeGOptions(less, options), shared: btree.NewBTreeGOptions(less, options),
	}
}

func (w *world) add(o subconscious.Observation) {
	ref := o.Ref()
	if _, known := w.known[ref]; known {
		return
	}
	w.known[ref] = o
	if !o.Due.IsZero() {
		w.due.Set(posting{at: o.Due, ref: ref})
	}
	keys := append([]string{o.Sense + ":" + o.ID}, o.Links...)
	for _, term := range o.Terms() {
		keys = append(keys, "term:"+term)
	}
	for _, key := range keys {
		if _, was := w.shared.Set(posting{key: key, ref: ref}); !was {
			w.counts[key]++
		}
	}
}

func (w *world) Get(ref subconscious.Ref) (subconscious.Observation, bool) {
	w.calls++
	o, ok := w.known[ref]
	return o, ok
}

func (w *world) Due(from, to time.Time, yield func(subconscious.Observation) bool) {
	w.calls++
	w.due.Ascend(posting{at: from}, func(p posting) bool {
		if !p.at.Before(to) {
			return false
		}
		w.visits++
		return yield(w.known[p.ref])
	})
}

func (w *world) Of(sense string, yield func(subconscious.Observation) bool) {
	w.calls++
	for _, ref := range slices.Sorted(maps.Keys(w.known)) {
		if ref.Sense() == sense && !yield(w.known[ref]) {
			return
		}
	}
}

func (w *world) Sharing(key string, limit int) (observations []subconscious.Observation, count int) {
	w.calls++
	if limit > 0 && w.counts[key] > 0 {
		w.shared.Ascend(posting{key: key}, func(p posting) bool {
			if p.key != key || len(observations) == limit {
				return false
			}
			w.visits++
			observations = append(observations, w.known[p.ref])
			return true
		})
	}
	return observations, w.counts[key]
}
