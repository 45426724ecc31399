// Package recall ranks passages by what is asked: records of memory, messages of
// conversations, passages of transcripts. An Index holds one lane of one of them in
// memory, and none sees into another, so that what is in one changes neither what
// another finds nor its order.
//
// A passage scores by the words that it shares with the question (BM25), and by those of
// its neighbours: what stands beside it, the question that it answers, and the best of
// its session. Context is added as scores, and no text is copied.
//
// It stores nothing: who owns the texts builds the index at the start, and changes it
// after each commit.
package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
)

// What a score is made of.
const (
	k1, b    = 0.9, 0.4
	beside   = 0.35 // of the own scores of the passages before and behind it
	beyond   = 0.15 // of those beyond
	answered = 0.5  // of the own score of the one before it, where that asks
	named    = 0.2  // more, where who speaks is named
	ofBest   = 0.2  // of the best of its session
	best     = 3    // as many of them

	// spread is how many of the best scores are spread to their neighbours.
	spread = 600
)

// Passage is what is found.
type Passage struct {
	// ID is what the owner of the text calls it, unlike any other.
	ID int64
	// Session is what it is part of, and Place its number there; "" stands alone.
	Session string
	Place   int
	// Speaker is whose words it is.
	Speaker string
	// Text is what is searched, with title and tags.
	Text string
	// Said is when; zero for unknown.
	Said time.Time
	// Sort is what sort of thing it is, in the owner's numbers.
	Sort uint8
}

// Question is what is looked for.
type Question struct {
	Text string
	// Limit is the most that is found.
	Limit int
	// Sort, where it is not 0, is of what is found. Neighbours of another sort count
	// nevertheless.
	Sort uint8
}

// Hit is a passage that was found. Own is what its own words score.
type Hit struct {
	ID         int64
	Score, Own float64
}

// Found is a session, by its best passage.
type Found struct {
	Session string
	Best    Hit
}

// Index holds passages. It may be used by many at once.
type Index struct {
	mu       sync.RWMutex
	terms    map[string]posting
	passages []passage
	lengths  []uint16          // of the passages, in terms
	speakers [][]string        // in terms
	numbers  map[string]uint32 // of the speakers
	byID     map[int64]uint32
	sessions map[string]*session
	alive    int
	length   int64 // of all that are alive, in terms
}

// posting are the passages with a term, in order: the number of each, and how often the
// term is in it in the last oftenBits.
type posting []uint32

const (
	oftenBits = 6
	oftenMost = 1<<oftenBits - 1
)

type passage struct {
	id      int64
	session *session
	place   int32
	said    int32 // day since 1970
	speaker uint32
	asks    bool
	sort    uint8
}

// session are passages by their place.
type session struct {
	name string
	in   []uint32
}

// New returns an index with nothing in it.
func New() *Index {
	return &Index{terms: map[string]posting{}, byID: map[int64]uint32{}, numbers: map[string]uint32{}, sessions: map[string]*session{}}
}

// Len is how many passages there are.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.alive
}

func words(p *Passage) []string {
	text := p.Speaker + "\n" + p.Text
	if !p.Said.IsZero() {
		text += "\n" + p.Said.UTC().Format("2 January 2006")
	}
	return fulltext.Terms(text)
}

// Add takes in a passage, in place of one of the same ID, whose text must be given to
// Remove before.
func (x *Index) Add(p Passage) {
	all := words(&p)
	slices.Sort(all)
	x.mu.Lock()
	defer x.mu.Unlock()
	n := uint32(len(x.passages))
	kept := passage{id: p.ID, place: int32(p.Place), said: day(p.Said), asks: strings.Contains(p.Text, "?"), speaker: x.numberOf(p.Speaker), sort: p.Sort}
	if p.Session != "" {
		s := x.sessions[p.Session]
		if s == nil {
			s = &session{name: p.Session}
			x.sessions[p.Session] = s
		}
		at, _ := slices.BinarySearchFunc(s.in, p.Place, func(i uint32, place int) int {
			return cmp.Or(cmp.Compare(int(x.passages[i].place), place), -1) // behind those of the same place
		})
		s.in = slices.Insert(s.in, at, n)
		kept.session = s
	}
	x.passages, x.lengths = append(x.passages, kept), append(x.lengths, uint16(min(len(all), math.MaxUint16)))
	x.byID[p.ID] = n
	x.alive++
	x.length += int64(len(all))
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t, known := x.terms[all[i]]
		t = append(t, n<<oftenBits|uint32(min(j-i, oftenMost)))
		if term := all[i]; known {
			x.terms[term] = t
		} else {
			x.terms[strings.Clone(term)] = t
		}
		i = j
	}
}

// numberOf is the number of a speaker.
func (x *Index) numberOf(speaker string) uint32 {
	n, known := x.numbers[speaker]
	if !known {
		n = uint32(len(x.speakers))
		x.numbers[speaker], x.speakers = n, append(x.speakers, fulltext.Terms(speaker))
	}
	return n
}

// Remove takes out the passage as it was added. One that is not there is passed over.
func (x *Index) Remove(p Passage) {
	all := words(&p)
	slices.Sort(all)
	x.mu.Lock()
	defer x.mu.Unlock()
	n, ok := x.byID[p.ID]
	if !ok {
		return
	}
	delete(x.byID, p.ID)
	kept := &x.passages[n]
	x.alive--
	x.length -= int64(len(all))
	for _, term := range slices.Compact(all) {
		t := x.terms[term]
		if at, ok := slices.BinarySearchFunc(t, n, func(e, n uint32) int { return cmp.Compare(e>>oftenBits, n) }); ok {
			t = slices.Delete(t, at, at+1)
		}
		if x.terms[term] = t; len(t) == 0 {
			delete(x.terms, term)
		}
	}
	if s := kept.session; s != nil {
		if s.in = slices.DeleteFunc(s.in, func(i uint32) bool { return i == n }); len(s.in) == 0 {
			delete(x.sessions, s.name)
		}
	}
	*kept = passage{}
}

func day(at time.Time) int32 {
	if at.IsZero() {
		return math.MinInt32
	}
	return int32(at.Unix() / 86400)
}

// room is what a search needs for each passage.
type room struct {
	own     []float32
	touched []uint32
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// score gives every passage that shares a word with the question its own score.
func (x *Index) score(r *room, asked [][]string) {
	if len(r.own) < len(x.passages) {
		r.own = make([]float32, len(x.passages)*5/4)
	}
	r.touched = r.touched[:0]
	flat, slope := float32(k1*(1-b)), float32(k1*b*float64(x.alive)/float64(max(x.length, 1)))
	for _, forms := range asked {
		for _, form := range forms {
			t := x.terms[form]
			idf := (k1 + 1) * float32(math.Log(1+(float64(x.alive)-float64(len(t))+0.5)/(float64(len(t))+0.5)))
			for _, e := range t {
				n, often := e>>oftenBits, float32(e&oftenMost)
				s := idf * often / (often + flat + slope*float32(x.lengths[n]))
				if r.own[n] == 0 {
					r.touched = append(r.touched, n)
				}
				r.own[n] += s
			}
		}
	}
}

// best are the passages with the highest own scores, at most n, in no order; of equal
// ones the first added.
func (r *room) best(n int) []uint32 {
	if len(r.touched) <= n {
		return r.touched
	}
	worse := func(a, c uint32) bool { return r.own[a] < r.own[c] || r.own[a] == r.own[c] && a > c }
	heap := slices.Clone(r.touched[:n]) // the worst first
	down := func(i int) {
		for {
			child := 2*i + 1
			if child >= n {
				return
			}
			if child+1 < n && worse(heap[child+1], heap[child]) {
				child++
			}
			if !worse(heap[child], heap[i]) {
				return
			}
			heap[i], heap[child] = heap[child], heap[i]
			i = child
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		down(i)
	}
	for _, next := range r.touched[n:] {
		if worse(heap[0], next) {
			heap[0] = next
			down(0)
		}
	}
	return heap
}

func (r *room) clear() {
	for _, n := range r.touched {
		r.own[n] = 0
	}
	rooms.Put(r)
}

type scored struct {
	n             uint32
	full, unasked float64
}

// around scores the passages around the best so many.
func (x *Index) around(r *room, asked [][]string, spread int) []scored {
	var near []uint32
	for _, n := range r.best(spread) {
		near = append(near, n)
		if s, at := x.place(n); s != nil {
			near = append(near, s.in[max(at-2, 0):at]...)
			near = append(near, s.in[at+1:min(at+3, len(s.in))]...)
		}
	}
	slices.Sort(near)
	near = slices.Compact(near)
	asksOf := map[uint32]bool{} // by speaker
	bests := map[*session]float64{}
	all := make([]scored, 0, len(near))
	for _, n := range near {
		p := &x.passages[n]
		total, credit, whole := float64(r.own[n]), 0.0, 0.0
		if s, at := x.place(n); s != nil {
			own := func(i int) float64 {
				if i < 0 || i >= len(s.in) {
					return 0
				}
				return float64(r.own[s.in[i]])
			}
			total += beside*(own(at-1)+own(at+1)) + beyond*(own(at-2)+own(at+2))
			if at > 0 && x.passages[s.in[at-1]].asks {
				credit = answered * own(at-1)
			}
			top, known := bests[s]
			if !known {
				top = s.best(r)
				bests[s] = top
			}
			whole = ofBest * top
		}
		factor := 1.0
		is, known := asksOf[p.speaker]
		if !known {
			is = slices.ContainsFunc(x.speakers[p.speaker], func(w string) bool {
				return slices.ContainsFunc(asked, func(forms []string) bool { return slices.Contains(forms, w) })
			})
			asksOf[p.speaker] = is
		}
		if is {
			factor += named
		}
		all = append(all, scored{n, (total+credit)*factor + whole, total*factor + whole})
	}
	return all
}

// place is where a passage stands in its session; nil for none.
func (x *Index) place(n uint32) (*session, int) {
	s := x.passages[n].session
	if s == nil {
		return nil, 0
	}
	at, _ := slices.BinarySearchFunc(s.in, n, func(i, n uint32) int {
		return cmp.Or(cmp.Compare(x.passages[i].place, x.passages[n].place), cmp.Compare(i, n))
	})
	return s, at
}

// best is the sum of the highest own scores of a session.
func (s *session) best(r *room) (sum float64) {
	var tops [best]float32
	for _, i := range s.in {
		own := r.own[i]
		for at, t := range tops {
			if own > t {
				tops[at], own = own, t
			}
		}
	}
	for _, t := range tops {
		sum += float64(t)
	}
	return sum
}

// Search returns what fits the question best, best first. A question without words
// finds nothing.
func (x *Index) Search(q Question) []Hit { return x.search(q, spread) }

func (x *Index) search(q Question, spread int) []Hit {
	asked := fulltext.Asked(q.Text)
	x.mu.RLock()
	defer x.mu.RUnlock()
	r := rooms.Get().(*room)
	defer r.clear()
	x.score(r, asked)
	all := x.around(r, asked, spread)
	slices.SortFunc(all, func(a, c scored) int {
		if a.full != c.full {
			return cmp.Compare(c.full, a.full)
		}
		return cmp.Or(cmp.Compare(x.passages[c.n].said, x.passages[a.n].said), cmp.Compare(a.n, c.n))
	})
	var hits []Hit
	for _, s := range all {
		if len(hits) == q.Limit {
			break
		}
		if p := &x.passages[s.n]; q.Sort == 0 || q.Sort == p.sort {
			hits = append(hits, Hit{ID: p.id, Score: s.full, Own: float64(r.own[s.n])})
		}
	}
	return hits
}

// Sessions returns the sessions that fit the question best, best first.
func (x *Index) Sessions(q Question) []Found {
	asked := fulltext.Asked(q.Text)
	x.mu.RLock()
	defer x.mu.RUnlock()
	r := rooms.Get().(*room)
	defer r.clear()
	x.score(r, asked)
	bestOf := map[*session]scored{}
	for _, s := range x.around(r, asked, spread) {
		if of := x.passages[s.n].session; of != nil && s.unasked > bestOf[of].unasked {
			bestOf[of] = s
		}
	}
	var found []Found
	for of, s := range bestOf {
		found = append(found, Found{of.name, Hit{ID: x.passages[s.n].id, Score: s.unasked, Own: float64(r.own[s.n])}})
	}
	slices.SortFunc(found, func(a, c Found) int {
		return cmp.Or(cmp.Compare(c.Best.Score, a.Best.Score), cmp.Compare(a.Session, c.Session))
	})
	return found[:min(len(found), q.Limit)]
}
