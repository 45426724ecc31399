package recall

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/fulltext"
)

const (
	// k1 and b are those of BM25: how soon a term that comes again adds little, and how
	// much a long text loses.
	k1, b = 0.9, 0.4

	// spread is how many of the best scores are spread to their neighbours.
	spread = 600
)

// Weights are what a score is made of beside the own score of a passage.
type Weights struct {
	Beside   float64 // of the own scores of the passages before and behind it
	Beyond   float64 // of those beyond
	Answered float64 // of the own score of the one before it, where that asks
	Named    float64 // more, where who speaks is named
	Dated    float64 // more, where it was said when the question says
	Session  float64 // of the three best of its session
}

// Standard are the weights that New takes.
func Standard() Weights {
	return Weights{Beside: 0.35, Beyond: 0.15, Answered: 0.5, Named: 0.2, Dated: 0.2, Session: 0.2}
}

// Hit is a passage that was found. Own is what its own words score.
type Hit struct {
	ID         int64
	Score, Own float64
}

// IDs are those of what was found, in its order.
func IDs(hits []Hit) (all []int64) {
	for _, h := range hits {
		all = append(all, h.ID)
	}
	return all
}

// Found is a session, by its best passage.
type Found struct {
	Session string
	Best    Hit
}

// search is one question on its way. Its slices are used again.
type search struct {
	x      *Index
	q      Question
	asked  [][]string
	own    []float32 // of each passage
	norms  [oftenMost + 1][256]float32
	slope  float32       // for which norms hold
	found  [steps]uint32 // how many of the chosen have an own score of that step
	chosen []uint32
	near   []uint32
	is     []uint64     // a bit for each passage that is in near
	tops   []float32    // of each session, what its best add; less than 0: it is not known
	known  []uint32     // sessions
	speak  []int8       // of each speaker, whether it is named; 0: it is not known
	when   []dates.Span // that the question names
	fits   []bool       // of each set of labels
}

var searches = sync.Pool{New: func() any { return new(search) }}

// ask begins a question: every passage that shares a word with it has its own score.
func (x *Index) ask(q Question, asked [][]string) *search {
	s := searches.Get().(*search)
	s.x, s.q, s.asked = x, q, asked
	s.own = sized(s.own, len(x.passages), 0)
	s.is = sized(s.is, (len(x.passages)+63)/64, 0)
	s.tops = sized(s.tops, len(x.rows), -1)
	s.speak = sized(s.speak[:0], len(x.speakers.parts), 0)
	s.near, s.known = s.near[:0], s.known[:0]
	s.fits = s.fits[:0]
	for _, set := range x.sets.parts {
		fits := true
		for _, label := range q.With {
			fits = fits && slices.Contains(set, label)
		}
		s.fits = append(s.fits, fits)
	}
	if s.when = nil; !q.Now.IsZero() {
		s.when = dates.Past(q.Text, q.Now)
	}
	s.score()
	return s
}

// sized has room for n values; what it has more is as it was.
func sized[T any](all []T, n int, value T) []T {
	for len(all) < n {
		all = append(all, value)
	}
	return all
}

func (s *search) end() {
	clear(s.own[:len(s.x.passages)])
	for _, n := range s.near {
		s.is[n/64] = 0
	}
	for _, n := range s.known {
		s.tops[n] = -1
	}
	s.x, s.q, s.asked = nil, Question{}, nil
	searches.Put(s)
}

func (s *search) score() {
	x := s.x
	if slope := float32(k1 * b * float64(len(x.byID)) / float64(max(x.length, 1))); slope != s.slope {
		s.slope = slope
		for often := 1; often <= oftenMost; often++ {
			for length := range 256 {
				s.norms[often][length] = float32(often) / (float32(often) + k1*(1-b) + slope*float32(termsOf(uint8(length))))
			}
		}
	}
	for _, forms := range s.asked {
		for _, form := range forms {
			if t, known := x.terms[form]; known {
				s.accumulate(x.lists[t].entries, float32((k1+1)*x.idf(x.lists[t].n)))
			}
		}
	}
}

func (s *search) accumulate(entries []uint16, idf float32) {
	own, lengths := s.own, s.x.lengths
	n := uint32(0)
	for _, e := range entries {
		often := e & oftenMost
		if often == 0 {
			n += uint32(e>>oftenBits) << gapBits
			continue
		}
		n += uint32(e >> oftenBits)
		own[n] += idf * s.norms[often][lengths[n]]
	}
}

// passes reports whether a passage is of what is looked for.
func (s *search) passes(n uint32) bool {
	p := &s.x.passages[n]
	return s.fits[s.x.labels[n]] && (s.q.Session == "" || s.x.rows[p.session].name == s.q.Session) &&
		(s.q.Since.IsZero() || p.said >= s.q.Since.UnixNano())
}

func (q *Question) isConfined() bool { return len(q.With) > 0 || q.Session != "" || !q.Since.IsZero() }

// Scores are counted by their upper bits, in steps of a 32nd.
const (
	stepBits = 18
	steps    = 1 << (31 - stepBits)
	sampled  = 16 // of so many passages one
)

// gather goes through the passages with the best own scores, at most most, in no order;
// of equal ones the last.
func (s *search) gather(most int, passes func(uint32) bool, each func(uint32)) {
	s.chosen = s.chosen[:0]
	own := s.own[:len(s.x.passages)]
	if passes == nil && len(own) > sampled*most {
		// Nearly all are under the score that so many of a sample reach.
		for n := 0; n < len(own); n += sampled {
			s.chosen = append(s.chosen, uint32(n))
		}
		floor, _ := s.floor(most * 3 / 2 / sampled)
		s.chosen = s.chosen[:0]
		least := math.Float32frombits(floor << stepBits)
		for n, o := range own {
			if o >= least && o > 0 {
				s.chosen = append(s.chosen, uint32(n))
			}
		}
	}
	if len(s.chosen) < most {
		s.chosen = s.chosen[:0]
		for n, o := range own {
			if o > 0 && (passes == nil || passes(uint32(n))) {
				s.chosen = append(s.chosen, uint32(n))
			}
		}
	}
	floor, left := s.floor(most)
	for _, n := range slices.Backward(s.chosen) {
		step := math.Float32bits(s.own[n]) >> stepBits
		if step == floor {
			left--
		}
		if step > floor || step == floor && left >= 0 {
			each(n)
		}
	}
}

// floor is the step down to which so many of the chosen reach, and how many of that
// step are among them.
func (s *search) floor(most int) (step uint32, left int) {
	clear(s.found[:])
	for _, n := range s.chosen {
		s.found[math.Float32bits(s.own[n])>>stepBits]++
	}
	for step = steps - 1; step > 0 && most > int(s.found[step]); step-- {
		most -= int(s.found[step])
	}
	return step, most
}

// window are the passages of a session that lend to a passage or borrow of it, and itself.
func (s *search) window(n uint32) []uint32 {
	p := &s.x.passages[n]
	row := s.x.rows[p.session].in
	return row[min(int(max(p.at-2, 0)), len(row)):min(int(p.at)+3, len(row))]
}

// around puts a passage and its neighbours in near.
func (s *search) around(n uint32) {
	s.mark(n)
	for _, n := range s.window(n) {
		s.mark(n)
	}
}

func (s *search) mark(n uint32) {
	if bit := uint64(1) << (n % 64); s.is[n/64]&bit == 0 {
		s.is[n/64] |= bit
		s.near = append(s.near, n)
	}
}

type scored struct {
	n             uint32
	full, unasked float64
}

// best gives the passages around the best so many that are of what is looked for.
func (s *search) best(most int, each func(scored)) {
	confined := s.q.isConfined()
	if confined {
		s.gather(most, func(n uint32) bool { return s.passes(n) || slices.ContainsFunc(s.window(n), s.passes) }, s.around)
	} else {
		s.gather(most, nil, s.around)
	}
	for _, n := range s.near {
		if !confined || s.passes(n) {
			each(s.full(n))
		}
	}
}

// full adds to a passage's own score what its neighbours lend.
func (s *search) full(n uint32) scored {
	p, w := &s.x.passages[n], &s.x.weights
	total, credit, whole := float64(s.own[n]), 0.0, 0.0
	if p.session != 0 {
		row := s.x.rows[p.session].in
		own := func(i int32) float64 {
			if i < 0 || int(i) >= len(row) {
				return 0
			}
			return float64(s.own[row[i]])
		}
		total += w.Beside*(own(p.at-1)+own(p.at+1)) + w.Beyond*(own(p.at-2)+own(p.at+2))
		if p.at > 0 && s.x.asks[row[p.at-1]] {
			credit = w.Answered * own(p.at-1)
		}
		whole = w.Session * s.top(p.session)
	}
	factor := 1.0
	if s.isNamed(p.speaker) {
		factor += w.Named
	}
	if slices.ContainsFunc(s.when, func(t dates.Span) bool { return p.said >= t.From.UnixNano() && p.said < t.To.UnixNano() }) {
		factor += w.Dated
	}
	return scored{n, (total+credit)*factor + whole, total*factor + whole}
}

// isNamed reports whether the question names a speaker.
func (s *search) isNamed(speaker uint32) bool {
	if s.speak[speaker] == 0 {
		s.speak[speaker] = -1
		for _, w := range s.x.speakers.parts[speaker] {
			if slices.ContainsFunc(s.asked, func(forms []string) bool { return slices.Contains(forms, w) }) {
				s.speak[speaker] = 1
			}
		}
	}
	return s.speak[speaker] > 0
}

// top is the sum of the highest own scores of a session.
func (s *search) top(session uint32) float64 {
	if s.tops[session] < 0 {
		var tops [3]float32
		for _, n := range s.x.rows[session].in {
			own := s.own[n]
			for at, t := range tops {
				if own > t {
					tops[at], own = own, t
				}
			}
		}
		s.known = append(s.known, session)
		s.tops[session] = tops[0] + tops[1] + tops[2]
	}
	return float64(s.tops[session])
}

// Search returns what fits the question best, best first. A question without words
// finds nothing.
func (x *Index) Search(q Question) []Hit { return x.search(q, spread) }

func (x *Index) search(q Question, spread int) []Hit {
	asked := fulltext.Asked(q.Text)
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.ask(q, asked)
	defer s.end()
	most := max(q.Limit, 0)
	if q.Variety {
		most *= pool
	}
	var all []scored // the best, sorted
	s.best(spread, func(next scored) {
		if len(all) == most && (most == 0 || !x.before(next, all[most-1])) {
			return
		}
		at, _ := slices.BinarySearchFunc(all, next, func(a, next scored) int {
			if x.before(a, next) {
				return -1
			}
			return 1
		})
		all = slices.Insert(all[:min(len(all), most-1)], at, next)
	})
	if q.Variety {
		all = x.vary(all, q.Limit)
	}
	var hits []Hit
	for _, found := range all {
		hits = append(hits, Hit{ID: x.passages[found.n].id, Score: found.full, Own: float64(s.own[found.n])})
	}
	return hits
}

// before reports whether a passage stands before another: of equal scores the newer.
func (x *Index) before(a, c scored) bool {
	if a.full != c.full {
		return a.full > c.full
	}
	p, o := &x.passages[a.n], &x.passages[c.n]
	return cmp.Or(cmp.Compare(o.said, p.said), cmp.Compare(p.id, o.id)) < 0
}

// Sessions returns the sessions that fit the question best, best first.
func (x *Index) Sessions(q Question) []Found {
	asked := fulltext.Asked(q.Text)
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.ask(q, asked)
	defer s.end()
	bestOf := map[uint32]scored{}
	s.best(spread, func(next scored) {
		if of := x.passages[next.n].session; of != 0 && next.unasked > bestOf[of].unasked {
			bestOf[of] = next
		}
	})
	var found []Found
	for of, best := range bestOf {
		found = append(found, Found{x.rows[of].name, Hit{ID: x.passages[best.n].id, Score: best.unasked, Own: float64(s.own[best.n])}})
	}
	slices.SortFunc(found, func(a, c Found) int {
		return cmp.Or(cmp.Compare(c.Best.Score, a.Best.Score), cmp.Compare(a.Session, c.Session))
	})
	return found[:min(len(found), max(q.Limit, 0))]
}
