package escalate

import (
	"maps"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Lookups are the keys by which the incidents must be looked up that a tick's
// wishes and commands are about: for a pair and a pattern those of its parts
// too. Those that wait, were told and are not over, or are to be reminded of
// the caller knows by itself.
func Lookups(wishes []Asked, commands []subconscious.Command) []subconscious.IncidentKey {
	wanted := map[subconscious.IncidentKey]bool{}
	want := func(key subconscious.IncidentKey) {
		if key == "" {
			return
		}
		wanted[key] = true
		for _, part := range key.Parts() {
			wanted[part] = true
		}
	}
	for _, w := range wishes {
		want(w.Incident)
	}
	for _, c := range commands {
		want(c.Incident)
	}
	return slices.Sorted(maps.Keys(wanted))
}

// historyKept is how many escalations a mind remembers.
const historyKept = 10

// Remember returns the state with what was told at this tick at the end of its
// history, and what deliberations came to in the place of their beginning. The
// given state is left as it is.
func Remember(state subconscious.State, out Outcome) subconscious.State {
	if len(out.History)+len(out.Concluded) == 0 {
		return state
	}
	history := slices.Concat(state.History, out.History)
	for _, ended := range out.Concluded {
		for i, began := range history {
			if began.Incident == ended.Incident && began.At.Equal(ended.At) && began.Outcome == string(subconscious.OutcomePending) {
				ended.At, ended.Summary = began.At, began.Summary
				history[i] = ended
				break
			}
		}
	}
	state.History = history[max(0, len(history)-historyKept):]
	return state
}
