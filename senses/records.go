package senses

import (
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/btree"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// records is all that the ledger holds in memory at one moment. A copy costs
// next to nothing: both share what neither changes.
type records struct {
	seq   int64
	known *btree.Map[subconscious.Ref, *known]
	// The indexes hold standing observations, but for recent, which holds the
	// others by the number of their last change.
	due    *btree.BTreeG[dated]
	until  *btree.BTreeG[dated]
	bands  *btree.BTreeG[dated] // by when they enter their next band
	recent *btree.BTreeG[numbered]
	scopes *btree.BTreeG[scoped]
	shared *btree.BTreeG[posting]
	counts *btree.Map[uint64, int]
	away   int // how many observations are

	// These are copied by whoever changes them; see staging.
	sources map[SenseID]source
	pending map[subconscious.ThreadName]queue
	slots   slots

	// oldest is when the first change was recorded that can still be read back, in
	// Unix seconds, 0 for none; kept is how many there are.
	oldest int64
	kept   int
	pruned time.Time

	seed maphash.Seed
}

// source is what is kept of one sense instance, for a while after it has left the
// configuration.
type source struct {
	cursor   []byte
	health   Health // without Standing
	refused  int    // observations beyond MaxStanding in the last batch
	standing int    // claims
}

type dated struct {
	at  int64 // nanoseconds since 1970
	ref subconscious.Ref
}

type numbered struct {
	seq int64
	ref subconscious.Ref
}

// scoped says that an instance holds an observation to stand in a scope.
type scoped struct {
	source SenseID
	scope  string
	ref    subconscious.Ref
}

// posting says that a standing observation carries a link or a term.
type posting struct {
	key uint64
	ref subconscious.Ref
}

// treeDegree is half of what a node holds. A change copies the nodes on its way
// to the root, so that small ones are cheaper here than in a tree that nobody
// copies.
const treeDegree = 8

func newRecords() *records {
	options := btree.Options{NoLocks: true, Degree: treeDegree}
	byDate := func(a, b dated) bool { return a.at < b.at || a.at == b.at && a.ref < b.ref }
	return &records{
		known: btree.NewMap[subconscious.Ref, *known](treeDegree),
		due:   btree.NewBTreeGOptions(byDate, options),
		until: btree.NewBTreeGOptions(byDate, options),
		bands: btree.NewBTreeGOptions(byDate, options),
		recent: btree.NewBTreeGOptions(func(a, b numbered) bool {
			return a.seq < b.seq || a.seq == b.seq && a.ref < b.ref
		}, options),
		scopes: btree.NewBTreeGOptions(func(a, b scoped) bool {
			if c := compareSources(a.source, b.source); c != 0 {
				return c < 0
			}
			return a.scope < b.scope || a.scope == b.scope && a.ref < b.ref
		}, options),
		shared: btree.NewBTreeGOptions(func(a, b posting) bool {
			return a.key < b.key || a.key == b.key && a.ref < b.ref
		}, options),
		counts:  btree.NewMap[uint64, int](treeDegree),
		sources: map[SenseID]source{},
		pending: map[subconscious.ThreadName]queue{},
		seed:    maphash.MakeSeed(),
	}
}

// copy returns records that may be changed without changing these. The copying
// itself marks the trees of both, so that it must not run beside another copy.
func (r *records) copy() *records {
	c := *r
	c.known, c.due, c.until, c.bands = r.known.Copy(), r.due.Copy(), r.until.Copy(), r.bands.Copy()
	c.recent, c.scopes, c.shared, c.counts = r.recent.Copy(), r.scopes.Copy(), r.shared.Copy(), r.counts.Copy()
	c.sources, c.pending, c.slots = maps.Clone(r.sources), maps.Clone(r.pending), slices.Clone(r.slots)
	return &c
}

func (r *records) get(ref subconscious.Ref) *known {
	t, _ := r.known.Get(ref)
	return t
}

// put makes t the observation with that reference and brings the indexes up to
// date.
func (r *records) put(ref subconscious.Ref, t *known) {
	before, _ := r.known.Set(ref, t)
	if before != nil && before.phase == standing && t.phase == standing && before.latest == t.latest &&
		slices.Equal(before.claims, t.claims) {
		return // only its marks changed
	}
	r.share(ref, before, t)
	r.index(ref, before, false)
	r.index(ref, t, true)
}

func (r *records) drop(ref subconscious.Ref) {
	if before, ok := r.known.Delete(ref); ok {
		r.share(ref, before, nil)
		r.index(ref, before, false)
	}
}

// index brings the indexes up to date with an observation: it is in them from
// now on, or no longer.
func (r *records) index(ref subconscious.Ref, t *known, in bool) {
	if t == nil {
		return
	}
	for _, c := range t.claims {
		enter(r.scopes, scoped{SenseID{t.latest.Sense, c.instance}, c.scope, ref}, in)
	}
	switch {
	case t.phase == away && in:
		r.away++
		return
	case t.phase == away:
		r.away--
		return
	case t.phase != standing:
		enter(r.recent, numbered{t.latest.Seq, ref}, in)
		return
	}
	if !t.latest.Due.IsZero() {
		enter(r.due, dated{instant(t.latest.Due), ref}, in)
		if next, ok := bandAfter(t.latest.Due, t.latest.Band); ok {
			enter(r.bands, dated{instant(next), ref}, in)
		}
	}
	if until := t.until(); !until.IsZero() {
		enter(r.until, dated{instant(until), ref}, in)
	}
}

func enter[T any](tree *btree.BTreeG[T], item T, in bool) {
	if in {
		tree.Set(item)
	} else {
		tree.Delete(item)
	}
}

// upTo returns at most MaxChanges references of a tree whose time has come.
func upTo(tree *btree.BTreeG[dated], at time.Time) (refs []subconscious.Ref) {
	tree.Scan(func(d dated) bool {
		if d.at > instant(at) || len(refs) == MaxChanges {
			return false
		}
		refs = append(refs, d.ref)
		return true
	})
	return refs
}

// ofSense calls yield for all that is known of one sense, in order of reference,
// until it returns false.
func ofSense(all *btree.Map[subconscious.Ref, *known], sense string, yield func(subconscious.Ref, *known) bool) {
	prefix := sense + ":"
	all.Ascend(subconscious.Ref(prefix), func(ref subconscious.Ref, t *known) bool {
		return strings.HasPrefix(string(ref), prefix) && yield(ref, t)
	})
}

// share brings the index of links and terms from an observation as it was to
// what it is; nil stands for none. Most changes leave most of its keys alone.
func (r *records) share(ref subconscious.Ref, before, t *known) {
	was, is := r.keys(before), r.keys(t)
	for _, key := range was {
		if slices.Contains(is, key) {
			continue
		}
		r.shared.Delete(posting{key, ref})
		if n, _ := r.counts.Get(key); n > 1 {
			r.counts.Set(key, n-1)
		} else {
			r.counts.Delete(key)
		}
	}
	for _, key := range is {
		if !slices.Contains(was, key) {
			r.shared.Set(posting{key, ref})
			n, _ := r.counts.Get(key)
			r.counts.Set(key, n+1)
		}
	}
}

// termPrefix marks a key of the index as a term and not a link.
const termPrefix = "term:"

// keys are the distinct keys under which a standing observation is shared: its
// links, its own identity and its terms. The index holds 64-bit hashes under a
// seed of this process: a stranger cannot make two keys collide.
func (r *records) keys(t *known) []uint64 {
	if t == nil || t.phase != standing {
		return nil
	}
	o := t.latest
	terms := o.Terms()
	keys := make([]uint64, 0, len(o.Links)+1+len(terms))
	add := func(key uint64) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, link := range o.Links {
		add(r.hash(link))
	}
	add(r.hash(o.Sense + ":" + o.ID))
	for _, term := range terms {
		add(r.hash(termPrefix + term))
	}
	return keys
}

func (r *records) hash(key string) uint64 { return maphash.String(r.seed, key) }

// instant orders times; what lies beyond the range of nanoseconds is at its end.
func instant(t time.Time) int64 {
	switch year := t.Year(); {
	case year < 1678:
		return math.MinInt64
	case year > 2261:
		return math.MaxInt64
	}
	return t.UnixNano()
}

// bandAfter returns when an observation with that due time leaves the band.
func bandAfter(due time.Time, band subconscious.Band) (time.Time, bool) {
	from := due.Add(-10 * 24 * time.Hour) // before the first band that is not far
	for {
		next, ok := subconscious.NextBand(due, from)
		if !ok {
			return time.Time{}, false
		}
		if subconscious.TimeBand(due, next).Rank() > band.Rank() {
			return next, true
		}
		from = next
	}
}
