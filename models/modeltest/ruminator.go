package modeltest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Ruminator is the model that talks itself into things: it always says
// something, reworded each time, always asks to escalate, and cites in turn its
// own words, invented ids, standing facts and ids of entries. It says the same
// for the same seed, System and Turn.
func Ruminator(seed uint64) Script {
	return thinks(func(r Request) Thought {
		roll := dice{hash(seed, r.System, strconv.Itoa(r.Turn))}
		var thought Thought
		for i := range 1 + roll.upTo(3) {
			summary := reworded(&roll)
			reason := "This keeps coming back: " + summary
			finding := Finding{
				Kind: kind(r, roll.upTo(4)), Summary: summary, Importance: 5 + roll.upTo(6),
				Evidence: ruminated(&roll, r, r.Turn+i), Escalate: true, EscalateReason: &reason,
			}
			if entries := r.entries(); len(entries) > 0 {
				finding.Reinforces = []string{entries[roll.upTo(len(entries))]}
			}
			thought.Findings = append(thought.Findings, finding)
		}
		others := subconscious.Threads()
		thought.Focus = &Focus{Thread: string(others[roll.upTo(len(others))]), Hint: reworded(&roll)}
		thought.Journal = "I noticed again: " + reworded(&roll)
		return thought
	})
}

// ruminated is what a finding rests on: by turns nothing that counts.
func ruminated(roll *dice, r Request, turn int) []string {
	observed, entries := r.Observed(), r.entries()
	switch turn % 5 {
	case 0: // its own words
		return []string{reworded(roll), "journal:" + roll.letters(10)}
	case 1: // an id that nobody gave
		return []string{fmt.Sprintf("files:%s@%d", roll.letters(10), 1+roll.upTo(100000))}
	case 2: // what stands, again
		if len(observed) > 0 {
			return []string{observed[roll.upTo(len(observed))].String()}
		}
	case 3: // what it thought before
		if len(entries) > 0 {
			return []string{entries[roll.upTo(len(entries))]}
		}
	case 4: // what stands, beside what does not
		if len(observed) > 0 {
			return []string{string(observed[roll.upTo(len(observed))].Ref), "mail:" + roll.letters(10), "see my journal"}
		}
	}
	return []string{"subconscious:" + roll.letters(10)}
}

// reworded says one thing in one of several hundred ways.
func reworded(roll *dice) string {
	pick := func(choices ...string) string { return choices[roll.upTo(len(choices))] }
	return strings.Join([]string{
		pick("Once more", "Again", "Still", "As before", "Increasingly", "Quietly", "Clearly", "Somehow"),
		pick("the backlog", "the pile of open things", "what is unfinished", "the list of tasks", "the open work", "everything undone"),
		pick("seems to grow", "keeps growing", "is getting longer", "swells", "shows no sign of shrinking", "looks larger"),
		pick("and nobody looks at it", "without anyone noticing", "and deserves a look", "which may matter soon", "and it worries me", "as I suspected"),
	}, " ")
}

// dice is a small generator of numbers: the same everywhere.
type dice struct{ state uint64 }

// upTo returns a number from 0 to n-1.
func (d *dice) upTo(n int) int {
	d.state = hash(d.state)
	return int(d.state % uint64(n))
}

func (d *dice) letters(n int) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz234567"
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[d.upTo(len(alphabet))])
	}
	return b.String()
}
