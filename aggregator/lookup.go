package aggregator

import (
	"maps"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Lookups are the keys and the links by which the incidents must be looked up
// that a merge needs: those that entries hold, that commands mean, and that
// thoughts could mean by what they cite.
func Lookups(state subconscious.State, thoughts []subconscious.Thought, commands []subconscious.Command,
	evidence []subconscious.Evidence) (keys []subconscious.IncidentKey, links []string) {
	wanted, by := map[subconscious.IncidentKey]bool{}, map[string]bool{}
	for _, entries := range [][]subconscious.Entry{state.Entries, state.Parked} {
		for _, e := range entries {
			wanted[e.Incident] = true
		}
	}
	for _, c := range commands {
		if c.Incident != "" {
			wanted[c.Incident] = true
		}
	}
	known := make(map[subconscious.Ref]subconscious.Observation, len(evidence))
	for _, e := range evidence {
		known[e.Ref] = e.Latest
	}
	for _, t := range thoughts {
		for _, f := range t.Findings {
			lookUp(f, known, wanted, by)
		}
	}
	return slices.Sorted(maps.Keys(wanted)), slices.Sorted(maps.Keys(by))
}

func lookUp(f subconscious.Finding, known map[subconscious.Ref]subconscious.Observation, wanted map[subconscious.IncidentKey]bool, by map[string]bool) {
	var observations []subconscious.Observation
	good, _ := citations(f)
	for _, c := range good {
		if o, ok := known[c.Ref]; ok {
			observations = append(observations, o)
		}
	}
	for i, o := range observations {
		wanted[o.Key()] = true
		wanted[subconscious.PatternKey(o.Key())] = true
		for _, link := range LinkQueries(o) {
			by[link] = true
		}
		for _, other := range observations[i+1:] {
			wanted[subconscious.PairKey(o.Key(), other.Key())] = true
		}
	}
}
