package score

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The personal part of a score is learnt as a logistic regression is, one act at a
// time: what an act says is how far it lies from what the weights, what was learnt
// before and the person's way with all letters let expect. So who does what the
// weights say teaches nothing, nor does who reads everything, or files everything.
const (
	// ownRate is how fast a habit is learnt, and allRate that of all letters: in
	// hundredths, a fourth of it for the first act that nothing let expect.
	ownRate, allRate = 200, 800
	// chance is from how much on, in hundredths, habits count: what is less is chance.
	chance = 100
	// weakly is what an act counts that says little, in hundredths.
	weakly = 50
	// prior is how many acts the start is worth, in hundredths.
	prior = 400
	// mostLean bounds a habit, in hundredths of a hundredth, mostAll that of all letters.
	mostLean, mostAll = 200_00, 1000_00
	// tellable is from how much on, in hundredths of a hundredth, a habit is shown.
	tellable = 10_00
	// aDay is what is left after a day, in millionths: half after 90.
	aDay = 992_328
)

// deeds say for each act, and each word on what was told, whether the person wanted
// the letter, and how much that counts in hundredths. What is not here says nothing.
var deeds = map[subconscious.Deed]struct {
	wanted bool
	counts int
}{
	subconscious.Answered: {true, 100}, subconscious.ReadSoon: {true, weakly}, subconscious.Removed: {false, weakly}, subconscious.Unread: {false, weakly},
	subconscious.Deed(subconscious.Useful): {true, 100}, subconscious.Deed(subconscious.Missed): {true, 100},
	subconscious.Deed(subconscious.NotUseful): {false, 100}, subconscious.Deed(subconscious.Dismissed): {false, 100},
}

// Habits are what was learnt, by name.
type Habits map[string]subconscious.Habit

// on is a habit as it has faded by a day.
func (h Habits) on(name string, day int) subconscious.Habit {
	habit, left := h[name], 1_000_000
	for n := habit.Day; n < day && habit.Acts > 0 && left > 0; n++ {
		left = left * aDay / 1_000_000
	}
	return subconscious.Habit{Name: name, Lean: habit.Lean * left / 1_000_000, Acts: habit.Acts * left / 1_000_000, Day: max(day, habit.Day)}
}

// Named are the habits with a name, as they have faded by then, but those that move
// next to nothing, as of who once wrote in vain.
func (h Habits) Named(at time.Time) (named []subconscious.Habit) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if habit := h.on(name, dayOf(at)); strings.ContainsAny(name, "@:") && abs(habit.Lean) >= tellable {
			named = append(named, habit)
		}
	}
	return named
}

// Of is by how much habits move the score of a letter that bears these names, in
// hundredths.
func (h Habits) Of(names []string, at time.Time) int {
	lean := h.sum(names, at)
	if abs(lean) < chance {
		return 0
	}
	return min(max(lean, -personalMost), personalMost)
}

// sum is all that was learnt of these names, in hundredths.
func (h Habits) sum(names []string, at time.Time) (lean int) {
	for _, name := range names {
		lean += h.on(name, dayOf(at)).Lean
	}
	return lean / 100
}

// Learn takes in an act on a letter that bears these names and has that sum without
// them.
func (h Habits) Learn(names []string, sum int, deed subconscious.Deed, at time.Time) {
	says, known := deeds[deed]
	if !known || len(names) == 0 {
		return
	}
	all, alike := h.on("", dayOf(at)), h.on(string(deed), dayOf(at))
	counts := says.counts
	if counts == weakly {
		counts = counts * (all.Acts + prior - alike.Acts) / (all.Acts + prior)
	}
	off := 100*is(says.wanted) - percent(sum+h.sum(names, at)+all.Lean/100)
	learn := func(habit subconscious.Habit, rate, most int) {
		habit.Lean = min(max(habit.Lean+rate*counts*off/(habit.Acts+prior), -most), most)
		habit.Acts += says.counts
		h[habit.Name] = habit
	}
	learn(all, allRate, mostAll)
	learn(alike, 0, 0)
	for _, name := range names {
		learn(h.on(name, dayOf(at)), ownRate, mostLean)
	}
}

func dayOf(at time.Time) int { return int(at.Unix() / 86400) }
