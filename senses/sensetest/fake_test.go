package sensetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// shelf is a source: numbered observations, each with a version.
type shelf struct {
	mu       sync.Mutex
	versions map[int]int
	broken   bool
	count    int
}

func (s *shelf) set(n, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions[n] = version
}

// fault is one way in which a sense can be wrong.
type fault string

const (
	repeats      fault = "repeats"   // reports again what it reported
	loses        fault = "loses"     // reports what changed since its last collect, not since the cursor
	forgets      fault = "forgets"   // reports nothing that happened while it was closed
	deaf         fault = "deaf"      // ignores that it was cancelled
	leaks        fault = "leaks"     // leaves a goroutine behind
	grows        fault = "grows"     // keeps more and more
	mutates      fault = "mutates"   // changes a batch that it has handed over
	scribbles    fault = "scribbles" // changes the cursor that it was given
	pretends     fault = "pretends"  // takes an unreadable source for an empty one
	nameless     fault = "nameless"  // leaves out the title
	untrusted    fault = "untrusted" // leaves out whose word it is
	garbled      fault = "garbled"   // reports bytes that are no text
	halves       fault = "halves"    // does not report that versions are removed
	doubles      fault = "doubles"   // reports an observation under two names at first, then under one
	shouts       fault = "shouts"    // reports on the first collect what a silent baseline must not
	hasty        fault = "hasty"     // takes what it saw when it was cancelled for reported
	hurts        fault = "hurts"     // cannot be stopped twice
	noFault      fault = ""
	collectSpace       = 64 << 10
)

// fake reports a shelf: as a complete set, or as momentary changes.
type fake struct {
	shelf     *shelf
	momentary bool
	fault     fault

	last    map[int]int // what it saw last: only faulty ones rely on it
	handed  []senses.Batch
	ballast [][]byte
	leaked  <-chan struct{} // closed at the end of the test
	stop    chan struct{}
	done    chan struct{}
	once    sync.Once
	stops   atomic.Int32
}

var _ senses.Stopper = (*fake)(nil)

func newFake(s *shelf, momentary bool, f fault, leaked <-chan struct{}) *fake {
	k := &fake{shelf: s, momentary: momentary, fault: f, leaked: leaked, stop: make(chan struct{}), done: make(chan struct{})}
	if f == leaks {
		go func() { <-leaked }()
	}
	go func() {
		defer close(k.done)
		<-k.stop
	}()
	return k
}

func (k *fake) Name() string { return "fake" }
func (k *fake) ID() string   { return "one" }

func (k *fake) Stop(context.Context) error {
	if k.fault == hurts && k.stops.Add(1) > 1 {
		return errors.New("stopped twice")
	}
	k.once.Do(func() { close(k.stop) })
	<-k.done
	return nil
}

func (k *fake) observation(n, version int, change subconscious.Change) subconscious.Observation {
	o := subconscious.Observation{
		ID: fmt.Sprintf("item-%d", n), Kind: "item", Change: change, Title: fmt.Sprintf("Item %d", n),
		Fingerprint: fmt.Sprint(version), Trust: subconscious.Machine, Attrs: map[string]string{"n": fmt.Sprint(n)},
		Links: []string{fmt.Sprintf("item:%d", n)},
	}
	switch k.fault {
	case nameless:
		o.Title = ""
	case untrusted:
		o.Trust = ""
	case garbled:
		o.Text = "\xff\xfe"
	}
	return o
}

func (k *fake) Collect(ctx context.Context, _ time.Time, cursor []byte) (senses.Batch, error) {
	if err := ctx.Err(); err != nil {
		if k.fault == hasty {
			k.shelf.mu.Lock()
			k.last = maps.Clone(k.shelf.versions)
			k.shelf.mu.Unlock()
		}
		if k.fault != deaf {
			return senses.Batch{}, err
		}
		<-k.leaked
	}
	k.shelf.mu.Lock()
	defer k.shelf.mu.Unlock()
	if k.shelf.broken && k.fault != pretends {
		return senses.Batch{}, errors.New("the shelf cannot be read")
	}
	now := maps.Clone(k.shelf.versions)
	if k.shelf.broken {
		now = map[int]int{}
	}
	k.shelf.count++
	batch, err := k.batch(now, cursor)
	k.misbehave(&batch, cursor)
	k.last = now
	return batch, err
}

func (k *fake) batch(now map[int]int, cursor []byte) (senses.Batch, error) {
	var batch senses.Batch
	data, err := json.Marshal(now)
	if err != nil {
		return batch, err
	}
	batch.Cursor = data
	if !k.momentary {
		set := senses.Set{Scope: "shelf"}
		for _, n := range slices.Sorted(maps.Keys(now)) {
			set.Items = append(set.Items, k.observation(n, now[n], ""))
		}
		batch.Sets = []senses.Set{set}
		return batch, nil
	}
	before := map[int]int{}
	first := cursor == nil
	if !first {
		if err := json.Unmarshal(cursor, &before); err != nil {
			return batch, err
		}
	}
	if (k.fault == loses || k.fault == hasty) && k.last != nil || k.fault == forgets {
		first = k.last == nil
		before = k.last
	}
	for _, n := range slices.Sorted(maps.Keys(now)) {
		if version, was := before[n]; (!was || version != now[n]) && (!first || k.fault == shouts) {
			batch.Changes = append(batch.Changes, k.observation(n, now[n], subconscious.Momentary))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(before)) {
		if _, is := now[n]; !is && k.fault != halves {
			batch.Changes = append(batch.Changes, k.observation(n, 0, subconscious.Momentary))
		}
	}
	return batch, nil
}

// misbehave does to a batch what is not the choice of what to report.
func (k *fake) misbehave(batch *senses.Batch, cursor []byte) {
	switch k.fault {
	case repeats:
		batch.Cursor = nil
		if k.momentary {
			batch.Cursor = []byte("{}")
		} else if len(batch.Sets[0].Items) > 0 {
			batch.Sets[0].Items[0].Fingerprint = fmt.Sprint(k.shelf.count)
		}
	case halves:
		if !k.momentary {
			batch.Changes, batch.Sets = batch.Sets[0].Items, nil
			for i := range batch.Changes {
				batch.Changes[i].Change = subconscious.Appeared
			}
		}
	case grows:
		k.ballast = append(k.ballast, make([]byte, collectSpace))
	case scribbles:
		if len(cursor) > 0 {
			cursor[0] = '!'
		}
	case mutates:
		for _, b := range k.handed {
			for i := range b.Changes {
				b.Changes[i].Title = "another"
			}
			for _, set := range b.Sets {
				for i := range set.Items {
					set.Items[i].Title = "another"
				}
			}
		}
		k.handed = append(k.handed, *batch)
	case doubles:
		if k.shelf.count%2 == 0 && !k.momentary {
			for i := range batch.Sets[0].Items {
				batch.Sets[0].Items[i].ID += "-again"
			}
		}
	}
}

// fakeHarness is a Harness whose faulty sense can be let go at the end.
type fakeHarness struct {
	Harness
	leaked chan struct{}
}

func harness(momentary bool, f fault) *fakeHarness {
	h := &fakeHarness{leaked: make(chan struct{})}
	s := &shelf{versions: map[int]int{}}
	breaking := func(broken bool) func(testing.TB) {
		return func(testing.TB) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.broken = broken
		}
	}
	h.Harness = Harness{
		Open: func(testing.TB) senses.Sense { return newFake(s, momentary, f, h.leaked) },
		Add:  func(_ testing.TB, n int) { s.set(n, 1) },
		Change: func(_ testing.TB, n int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.versions[n]++
		},
		Remove: func(_ testing.TB, n int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.versions, n)
		},
		Momentary: momentary, SilentBaseline: momentary,
		Break: breaking(true), Mend: breaking(false),
	}
	return h
}
