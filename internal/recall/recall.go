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
	named    = 0.2  // more, where whom or when it is about is named
	ofBest   = 0.2  // of the best of its session
	best     = 3    // as many of them

	// spread is how many of the best scores are spread to their neighbours.
	spread = 300
)

// Passage is what is found.
type Passage struct {
	// ID is what the owner of the text calls it, unlike any other.
	ID int64
	// Session is what it is part of, and Place its number there; "" stands alone.
	Session string
	Place   int
	// Speaker is whose words it is, and About who or what they are about.
	Speaker string
	About   []string
	// Text is what is searched, with title and tags.
	Text string
	// Said is when; zero for unknown.
	Said time.Time
}

// Question is what is looked for.
type Question struct {
	Text string
	// Limit is the most that is found.
	Limit int
	// From and Until are a time that the question names, which raises what was said
	// then; zero for none.
	From, Until time.Time
	// Only, if set, reports whether a passage may be found. Neighbours that may not
	// count nevertheless.
	Only func(id int64) bool
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
	terms    map[string]*posting
	passages []passage
	byID     map[int64]uint32
	sessions map[string]*session
	names    map[string]int // terms of speakers and of what passages are about
	alive    int
	length   int64 // of all that are alive, in terms
}

// posting are the passages with a term, in order, and how often it is in each.
type posting struct {
	in    []uint32
	often []uint8
	alive int
}

type passage struct {
	id      int64
	session *session
	place   int32
	said    int32 // day since 1970
	length  uint16
	asks    bool
	gone    bool
	about   []string // terms
}

// session are passages by their place.
type session struct {
	name string
	in   []uint32
}

// New returns an index with nothing in it.
func New() *Index {
	return &Index{terms: map[string]*posting{}, byID: map[int64]uint32{}, sessions: map[string]*session{}, names: map[string]int{}}
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
		text += "\n" + p.Said.Format("2 January 2006")
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
	kept := passage{
		id: p.ID, place: int32(p.Place), said: day(p.Said), length: uint16(min(len(all), math.MaxUint16)),
		asks: strings.Contains(p.Text, "?"),
	}
	for _, who := range append([]string{p.Speaker}, p.About...) {
		kept.about = append(kept.about, fulltext.Terms(who)...)
	}
	if p.Session != "" {
		s := x.sessions[p.Session]
		if s == nil {
			s = &session{name: p.Session}
			x.sessions[p.Session] = s
		}
		at, _ := slices.BinarySearchFunc(s.in, p.Place, func(i uint32, place int) int { return cmp.Compare(int(x.passages[i].place), place) })
		s.in = slices.Insert(s.in, at, n)
		kept.session = s
	}
	x.passages = append(x.passages, kept)
	x.byID[p.ID] = n
	x.alive++
	x.length += int64(len(all))
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := x.terms[all[i]]
		if t == nil {
			t = &posting{}
			x.terms[strings.Clone(all[i])] = t
		}
		t.in, t.often = append(t.in, n), append(t.often, uint8(min(j-i, math.MaxUint8)))
		t.alive++
		i = j
	}
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
	mean := float64(x.length) / float64(max(x.alive, 1))
	for _, forms := range asked {
		for _, form := range forms {
			t := x.terms[form]
			if t == nil || t.alive == 0 {
				continue
			}
			idf := math.Log(1 + (float64(x.alive)-float64(t.alive)+0.5)/(float64(t.alive)+0.5))
			for i, n := range t.in {
				p := &x.passages[n]
				if p.gone {
					continue
				}
				often := float64(t.often[i])
				s := float32(idf * often * (k1 + 1) / (often + k1*(1-b+b*float64(p.length)/mean)))
				if r.own[n] == 0 {
					r.touched = append(r.touched, n)
				}
				r.own[n] += s
			}
		}
	}
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

// spreadAll scores the passages around the best.
func (x *Index) spreadAll(r *room, q *Question, asked [][]string) []scored {
	around := r.touched
	if len(around) > spread {
		around = slices.Clone(around)
		slices.SortFunc(around, func(a, c uint32) int { return cmp.Or(cmp.Compare(r.own[c], r.own[a]), cmp.Compare(a, c)) })
		around = around[:spread]
	}
	tops := map[*session]float64{}
	seen := make(map[uint32]bool, 4*len(around))
	var all []scored
	about := map[string]bool{}
	for _, forms := range asked {
		for _, f := range forms {
			about[f] = true
		}
	}
	from, until := day(q.From), day(q.Until)
	consider := func(n uint32) {
		if seen[n] || x.passages[n].gone {
			return
		}
		seen[n] = true
		p := &x.passages[n]
		total, asks := float64(r.own[n]), 0.0
		if s := p.session; s != nil {
			at, _ := slices.BinarySearchFunc(s.in, p.place, func(i uint32, place int32) int { return cmp.Compare(x.passages[i].place, place) })
			own := func(i int) float64 {
				if i < 0 || i >= len(s.in) {
					return 0
				}
				return float64(r.own[s.in[i]])
			}
			total += beside*(own(at-1)+own(at+1)) + beyond*(own(at-2)+own(at+2))
			if at > 0 && x.passages[s.in[at-1]].asks {
				asks = answered * own(at-1)
			}
		}
		if total+asks == 0 {
			return
		}
		factor := 1.0
		if slices.ContainsFunc(p.about, func(w string) bool { return about[w] }) || !q.From.IsZero() && p.said >= from && p.said <= until {
			factor += named
		}
		whole := 0.0
		if s := p.session; s != nil {
			top, ok := tops[s]
			if !ok {
				var three [best]float64
				for _, i := range s.in {
					if own := float64(r.own[i]); own > three[best-1] {
						three[best-1] = own
						slices.SortFunc(three[:], func(a, c float64) int { return cmp.Compare(c, a) })
					}
				}
				for _, t := range three {
					top += t
				}
				tops[s] = top
			}
			whole = ofBest * top
		}
		all = append(all, scored{n, (total+asks)*factor + whole, total*factor + whole})
	}
	for _, n := range around {
		consider(n)
		if s := x.passages[n].session; s != nil {
			at, _ := slices.BinarySearchFunc(s.in, x.passages[n].place, func(i uint32, place int32) int { return cmp.Compare(x.passages[i].place, place) })
			for i := max(at-2, 0); i <= min(at+2, len(s.in)-1); i++ {
				consider(s.in[i])
			}
		}
	}
	return all
}

// Search returns what fits the question best, best first. A question without words
// finds nothing.
func (x *Index) Search(q Question) []Hit {
	asked := fulltext.Asked(q.Text)
	x.mu.RLock()
	defer x.mu.RUnlock()
	r := rooms.Get().(*room)
	defer r.clear()
	x.score(r, asked)
	all := x.spreadAll(r, &q, asked)
	slices.SortFunc(all, func(a, c scored) int {
		return cmp.Or(cmp.Compare(c.full, a.full), cmp.Compare(x.passages[c.n].said, x.passages[a.n].said), cmp.Compare(a.n, c.n))
	})
	var hits []Hit
	for _, s := range all {
		if len(hits) == q.Limit {
			break
		}
		if id := x.passages[s.n].id; q.Only == nil || q.Only(id) {
			hits = append(hits, Hit{ID: id, Score: s.full, Own: float64(r.own[s.n])})
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
	for _, s := range x.spreadAll(r, &q, asked) {
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
