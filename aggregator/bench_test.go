package aggregator_test

import (
	"fmt"
	"testing"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// fullWorld is a mind whose lists are full of what stands, with a few
// observations parked, and the input of its next tick, in which 12 findings
// come of all sorts: of new files, of what has changed, repetitions, a
// connection, and what has nothing to do with each other.
func fullWorld(b *testing.B, busy bool) aggregator.Input {
	p := newPlay(b)
	kinds := map[subconscious.ThreadName]subconscious.Kind{
		subconscious.Watcher: subconscious.KindAnomaly, subconscious.Librarian: subconscious.KindPattern,
		subconscious.Dreamer: subconscious.KindIdea,
	}
	first := newTurn(subconscious.Scheduled)
	for thread, kind := range kinds {
		for i := range 8 {
			name := fmt.Sprintf("%s%d", thread, i)
			p.observe(name, "health", "unit:"+name)
			p.happen(&first, name, "appears", 1)
			first.find(thread, subconscious.Finding{Kind: kind, Importance: 5, Evidence: p.cite(name),
				Summary: name + " is in a state that somebody should look at some day"})
		}
	}
	p.tick(first)
	next := newTurn(subconscious.Scheduled)
	if busy {
		p.busy(&next)
	}
	p.tick(next)
	if len(p.input.State.Entries) != 15 || len(p.input.State.Parked) != 9 {
		b.Fatalf("%d entries and %d parked are not a full world", len(p.input.State.Entries), len(p.input.State.Parked))
	}
	return p.input
}

func (p *play) busy(u *turn) {
	find := func(thread subconscious.ThreadName, kind subconscious.Kind, cites ...string) {
		u.find(thread, subconscious.Finding{Kind: kind, Importance: 6, Evidence: p.cite(cites...),
			Summary: cites[0] + " has something in it that is worth a look, and here is why"})
	}
	for i := range 4 {
		name := fmt.Sprintf("new%d", i)
		p.observe(name, "files", "work/"+name)
		p.happen(u, name, "happens", 0)
		find(subconscious.Watcher, subconscious.KindObservation, name)
		changed := fmt.Sprintf("watcher%d", i)
		p.happen(u, changed, "changes", 2)
		find(subconscious.Watcher, subconscious.KindAnomaly, changed)
	}
	find(subconscious.Librarian, subconscious.KindPattern, "librarian1", "librarian1@-0")
	find(subconscious.Oracle, subconscious.KindRisk, "watcher7")
	find(subconscious.Dreamer, subconscious.KindConnection, "watcher0", "watcher1")
	find(subconscious.Dreamer, subconscious.KindIdea, "new0", "dreamer1")
}

// BenchmarkMerge measures the mechanics alone, without serialisation: an
// unchanged tick over full lists, and one with 12 findings.
func BenchmarkMerge(b *testing.B) {
	for _, bench := range []struct {
		name string
		busy bool
	}{{"unchanged", false}, {"full-12-findings", true}} {
		in := fullWorld(b, bench.busy)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				aggregator.Merge(in)
			}
		})
	}
}
