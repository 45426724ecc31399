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
	rounds = 4000
	// ridge holds weights that few letters speak for near 0.
	ridge = 2.0
)

// train fits a logistic model by gradient descent with momentum, over the samples
// in the order of their names, so that the same samples give the same weights.
// What has a sign keeps it.
func train(samples []sample, signs []int) model {
	samples = slices.Clone(samples)
	slices.SortStableFunc(samples, func(a, b sample) int { return cmp.Compare(a.Name, b.Name) })
	n := len(signs)
	w, step := make([]float64, n+1), make([]float64, n+1)
	total := 0.0
	for _, s := range samples {
		total += s.Weight
	}
	for round := range rounds {
		gradient := make([]float64, n+1)
		for _, s := range samples {
			miss := (s.Want - logistic(sum(w, s.X))) * s.Weight
			gradient[n] += miss
			for i, x := range s.X {
				gradient[i] += float64(miss * float64(x))
			}
		}
		rate := 1.0 / (1 + float64(round)/1000)
		for i := range w {
			if i < n {
				gradient[i] -= float64(ridge * w[i])
			}
			step[i] = float64(0.9*step[i]) + float64(rate*gradient[i])/max(1, total)
			w[i] += step[i]
			if i < n && float64(signs[i])*w[i] < 0 {
				w[i], step[i] = 0, 0
			}
		}
	}
	m := model{bias: hundredths(w[n]), weights: make([]int, n)}
	for i := range n {
		m.weights[i] = hundredths(w[i])
	}
	return m
}

func hundredths(w float64) int { return int(math.Round(w * 100)) }

func sum(w []float64, x []int) float64 {
	s := w[len(x)]
	for i, v := range x {
		s += float64(w[i] * float64(v))
	}
	return s
}

func logistic(s float64) float64 { return 1 / (1 + math.Exp(-s)) }

// chance is what the model says of a letter, 0 to 1.
func (m model) chance(x []int) float64 {
	s := m.bias
	for i, v := range x {
		s += m.weights[i] * v
	}
	return logistic(float64(s) / 100)
}

// held is one letter judged by a model that was trained without its group.
type held struct {
	sample
	P float64
}

// crossValidate judges each letter by a model of the letters of all other groups.
func crossValidate(samples []sample, signs []int, group func(sample) string) (all []held) {
	groups := map[string]bool{}
	for _, s := range samples {
		groups[group(s)] = true
	}
	for g := range groups {
		others := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return group(s) == g })
		m := train(others, signs)
		for _, s := range samples {
			if group(s) == g {
				all = append(all, held{s, m.chance(s.X)})
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
