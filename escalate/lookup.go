package escalate

import (
	"maps"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Lookups are the keys by which the incidents must be looked up that a tick's
// requests and commands are about: for a pair and a pattern those of its parts
// too. Those that wait, were told and are not over, or are to be reminded of
// the caller knows by itself.
func Lookups(requests []subconscious.Request, commands []subconscious.Command) []subconscious.IncidentKey {
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
	for _, w := range requests {
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
// history, with what deliberations came to in the place of their beginning, and
// with what the person said of what was told before behind its outcome. The given
// state is left as it is.
func Remember(state subconscious.State, out Decided) subconscious.State {
	if len(out.History)+len(out.Concluded)+len(out.Answers) == 0 {
		return state
	}
	history := slices.Clone(state.History)
	for _, a := range out.Answers {
		for i, r := range slices.Backward(history) {
			if r.Incident == a.Incident {
				outcome, _, _ := strings.Cut(r.Outcome, answerMark)
				history[i].Outcome = outcome + answerMark + a.Said
				break
			}
		}
	}
	history = append(history, out.History...)
	for _, ended := range out.Concluded {
		for i, began := range history {
			outcome, said, answered := strings.Cut(began.Outcome, answerMark)
			if began.Incident == ended.Incident && began.At.Equal(ended.At) && outcome == string(subconscious.OutcomePending) {
				ended.At, ended.Summary = began.At, began.Summary
				if answered {
					ended.Outcome += answerMark + said
				}
				history[i] = ended
				break
			}
		}
	}
	state.History = history[max(0, len(history)-historyKept):]
	return state
}

// answerMark parts what became of an escalation from the person's last word on it.
const answerMark = "; you: "
