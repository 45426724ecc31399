package letters

import (
	"cmp"
	"math"
	"slices"

	"github.com/subconsciousd/subconsciousd/eval/days"
)

// sample is one labelled letter.
type sample struct {
	Name     string // of its day and its mail
	Group    string // whose letters are kept together: the day
	Language string
	Writer   string // known, automatic, stranger
	X        []int
	Has      []int // features that it has once, where most have few of many
	// Want is what the person would have: 1 at once, 0.5 in a digest, 0 not at all.
	Want     float64
	Weight   float64
	labelled days.Labelled
}

// model is a linear score in hundredths.
type model struct {
	bias    int
	weights []int
}

const (
	// rounds bounds how often each weight is mended, and still is from which change
	// on they all stand still.
	rounds, still = 500, 1e-6
	// ridge holds weights that few letters speak for near 0, and those of words, which
	// are many, more than those of features.
	ridge, wordRidge = 2.0, 6.0
)

// limits are the least and the largest weight of a feature.
type limits struct{ least, most float64 }

// cost is what it costs to judge a letter wrongly: one that matters and is not told
// counts as much as two that are told and not wanted.
func cost(s sample) float64 { return s.Weight * (1 + s.Want) }

// cell is a feature of a sample that is not 0.
type cell struct {
	sample int
	x      float64
}

// columns are the features of samples, and last one that all have.
func columns(samples []sample, n int) [][]cell {
	all := make([][]cell, n+1)
	for k, s := range samples {
		for i, x := range s.X {
			if x != 0 {
				all[i] = append(all[i], cell{k, float64(x)})
			}
		}
		for _, i := range s.Has {
			all[i] = append(all[i], cell{k, 1})
		}
		all[n] = append(all[n], cell{k, 1})
	}
	return all
}

// train fits a logistic model by mending one weight after the other, over the
// samples in the order of their names, so that the same samples give the same
// weights. Each weight keeps its limits.
func train(samples []sample, within []limits, ridge float64) model {
	samples = slices.Clone(samples)
	slices.SortStableFunc(samples, func(a, b sample) int { return cmp.Compare(a.Name, b.Name) })
	n := len(within)
	table := columns(samples, n)
	w, sums := make([]float64, n+1), make([]float64, len(samples))
	costs, wants := make([]float64, len(samples)), make([]float64, len(samples)) // which are all that is read of most
	for k, s := range samples {
		costs[k], wants[k] = cost(s), s.Want
	}
	for range rounds {
		moved := 0.0
		for i, column := range table {
			slope, bend, bounds := 0.0, 0.0, limits{math.Inf(-1), math.Inf(1)}
			if i < n {
				slope, bend, bounds = float64(-ridge*w[i]), ridge, within[i]
			}
			for _, c := range column {
				cost, p := costs[c.sample], logistic(sums[c.sample])
				slope += float64(cost * (wants[c.sample] - p) * c.x)
				bend += float64(cost * p * (1 - p) * c.x * c.x)
			}
			if bend == 0 {
				continue
			}
			step := min(max(w[i]+slope/bend, bounds.least), bounds.most) - w[i]
			w[i] += step
			moved = max(moved, math.Abs(step))
			for _, c := range column {
				sums[c.sample] += float64(step * c.x)
			}
		}
		if moved < still {
			break
		}
	}
	m := model{bias: hundredths(w[n]), weights: make([]int, n)}
	for i := range n {
		m.weights[i] = hundredths(w[i])
	}
	return m
}

func hundredths(w float64) int { return int(math.Round(w * 100)) }

func logistic(s float64) float64 { return 1 / (1 + math.Exp(-s)) }

// chance is what the model says of a letter, 0 to 1.
func (m model) chance(one sample) float64 {
	s := m.bias
	for i, v := range one.X {
		s += m.weights[i] * v
	}
	for _, i := range one.Has {
		s += m.weights[i]
	}
	return logistic(float64(s) / 100)
}

// held is one letter judged by a model that was trained without its group.
type held struct {
	sample
	P float64
}

// crossValidate judges each letter by a model of the letters of all other groups.
func crossValidate(samples []sample, within []limits, ridge float64, group func(sample) string) (all []held) {
	groups := map[string]bool{}
	for _, s := range samples {
		groups[group(s)] = true
	}
	for g := range groups {
		others := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return group(s) == g })
		m := train(others, within, ridge)
		for _, s := range samples {
			if group(s) == g {
				all = append(all, held{s, m.chance(s)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b held) int { return cmp.Or(cmp.Compare(b.P, a.P), cmp.Compare(a.Name, b.Name)) })
	return all
}

// area is the area under the curve of hits over false alarms: how often a letter
// that matters is judged higher than one that does not.
func area(all []held) float64 {
	hits, misses, above := 0.0, 0.0, 0.0
	for _, h := range all { // from the highest
		switch {
		case h.Want == 1:
			hits += h.Weight
		case h.Want == 0:
			misses += h.Weight
			above += h.Weight * hits
		}
	}
	if hits*misses == 0 {
		return 0
	}
	return above / (hits * misses)
}

// recallAt is the share of letters that matter which are found at the lowest
// threshold at which at least such a share of what is told is wanted.
func recallAt(all []held, precision float64) float64 {
	matter, told, right, found, best := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, h := range all {
		if h.Want == 1 {
			matter++
		}
	}
	for _, h := range all {
		told += h.Weight
		if h.Want > 0 {
			right += h.Weight
		}
		if h.Want == 1 {
			found++
		}
		if right >= precision*told {
			best = found
		}
	}
	if matter == 0 {
		return 0
	}
	return best / matter
}
