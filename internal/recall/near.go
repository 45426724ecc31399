package recall

import (
	"cmp"
	"math"
	"slices"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
)

// Likeness is how like a passage is to a text: the weight of the terms that both have,
// as part of the weight of those that one of them has; rare ones weigh more.
type Likeness struct {
	ID      int64
	Jaccard float64
}

const (
	// mostEntries and mostNear bound what Nearest looks at: entries of lists, and
	// passages that share most of the rarest terms.
	mostEntries = 1 << 17
	mostNear    = 256

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

// Nearest returns the passages that are most like a text, at most n, the likest first.
// Text is compared with text alone: neither speaker nor day counts. All from a half on
// are found, unless very many share the rarest terms.
func (x *Index) Nearest(text string, n int) []Likeness {
	words := fulltext.Terms(text)
	slices.Sort(words)
	x.mu.RLock()
	defer x.mu.RUnlock()
	var terms []uint32
	unknown := 0
	for _, w := range slices.Compact(words) {
		if t, known := x.terms[w]; known {
			terms = append(terms, t)
		} else {
			unknown++
		}
	}
	slices.Sort(terms)
	given := x.weigh(terms)
	left := given.whole // of what is not looked at yet
	given.whole += float64(unknown) * x.idf(0)
	s := x.ask(Question{}, nil)
	defer s.end()
	read := 0
	rarest := slices.SortedFunc(slices.Values(terms), func(a, c uint32) int { return cmp.Compare(x.lists[a].n, x.lists[c].n) })
	for _, t := range rarest {
		if read += int(x.lists[t].n); left < given.whole/2 || read > mostEntries {
			break // who shares no term so far is not half as like
		}
		idf := x.idf(x.lists[t].n)
		s.accumulate(x.lists[t].entries, float32(idf))
		left -= idf
	}
	var near []Likeness
	s.gather(mostNear, nil, func(n uint32) {
		near = append(near, Likeness{x.passages[n].id, given.like(x.weigh(x.termsIn(n)))})
	})
	slices.SortFunc(near, func(a, c Likeness) int { return cmp.Or(cmp.Compare(c.Jaccard, a.Jaccard), cmp.Compare(a.ID, c.ID)) })
	return near[:min(len(near), max(n, 0))]
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
