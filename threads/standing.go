package threads

import (
	"cmp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// standingShown bounds what stands in a thread's field, machineShown how much of
	// it is the state of the machine.
	standingShown = 40
	machineShown  = 8
)

// Standing returns what a thread with a model is shown beside what is new and
// wider: for the watcher the state of the machine, and dated observations of its
// senses that are due within ahead. What listed entries rest on they tell themselves,
// so that it is left out, and what except names. It comes in the order in which it was
// recorded, so that two ticks between which little happened are shown much the same.
func Standing(thread subconscious.ThreadName, at time.Time, ahead time.Duration, state subconscious.State,
	world subconscious.World, except func(subconscious.Ref) bool) []subconscious.Observation {
	s := shelf{except: except, held: map[subconscious.Ref]bool{}}
	for _, e := range state.Entries {
		for _, h := range e.Evidence {
			s.held[h.Ref] = true
		}
	}
	nature := natureOf(thread)
	if nature.machine {
		world.Of("health", func(o subconscious.Observation) bool { return s.put(o, machineShown) })
	}
	world.Due(at, at.Add(ahead), func(o subconscious.Observation) bool {
		if nature.senses != nil && !slices.Contains(nature.senses, o.Sense) || o.Sense == "mail" && !MailOf(thread, o) {
			return true
		}
		return s.put(o, standingShown)
	})
	slices.SortFunc(s.observations, func(a, b subconscious.Observation) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Ref(), b.Ref()))
	})
	return s.observations
}

// shelf gathers observations, each once.
type shelf struct {
	except       func(subconscious.Ref) bool
	held         map[subconscious.Ref]bool
	observations []subconscious.Observation
}

// put adds an observation, and reports whether there is room for more.
func (s *shelf) put(o subconscious.Observation, limit int) bool {
	ref := o.Ref()
	if len(s.observations) < limit && !s.held[ref] && (s.except == nil || !s.except(ref)) {
		s.held[ref] = true
		s.observations = append(s.observations, o)
	}
	return len(s.observations) < limit
}
