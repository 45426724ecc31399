package recall

import (
	"math"
	"slices"
)

const (
	// relevance is what a score counts in a list of variety, beside likeness to what
	// stands before; pool is how many of the best there are for each place in it.
	relevance = 0.7
	pool      = 4
)

func (x *Index) idf(of uint32) float64 {
	return math.Log(1 + (float64(len(x.byID))-float64(of)+0.5)/(float64(of)+0.5))
}

// weighed are terms, rising, with what each weighs.
type weighed struct {
	terms   []uint32
	weights []float64
	whole   float64
}

func (x *Index) weigh(terms []uint32) weighed {
	w := weighed{terms: terms}
	for _, t := range terms {
		idf := x.idf(x.lists[t].n)
		w.weights, w.whole = append(w.weights, idf), w.whole+idf
	}
	return w
}

// like is the weight of the terms of both as part of all.
func (w weighed) like(o weighed) float64 {
	shared := 0.0
	for i, j := 0, 0; i < len(w.terms) && j < len(o.terms); {
		switch {
		case w.terms[i] < o.terms[j]:
			i++
		case w.terms[i] > o.terms[j]:
			j++
		default:
			shared += w.weights[i]
			i++
			j++
		}
	}
	return shared / max(w.whole+o.whole-shared, math.SmallestNonzeroFloat64)
}

// vary orders the best by their scores less their likeness to those before them (maximal
// marginal relevance), at most so many.
func (x *Index) vary(all []scored, most int) (list []scored) {
	texts, likest := make([]weighed, len(all)), make([]float64, len(all))
	for i, a := range all {
		texts[i] = x.weigh(x.termsIn(a.n))
	}
	highest := 0.0
	if len(all) > 0 {
		highest = all[0].full
	}
	for len(list) < most && len(all) > 0 {
		next, value := 0, math.Inf(-1)
		for i, a := range all {
			if v := relevance*a.full/highest - (1-relevance)*likest[i]; v > value {
				next, value = i, v
			}
		}
		chosen := texts[next]
		list = append(list, all[next])
		all, texts, likest = slices.Delete(all, next, next+1), slices.Delete(texts, next, next+1), slices.Delete(likest, next, next+1)
		for i := range all {
			likest[i] = max(likest[i], chosen.like(texts[i]))
		}
	}
	return list
}
