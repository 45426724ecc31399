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
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
)

// Passage is what is found.
type Passage struct {
	// ID is what the owner of the text calls it, unlike any other.
	ID int64
	// Session is what it is part of, and Place its number there; "" stands alone.
	Session string
	Place   int
	// Speaker is whose words it is, or what it is about; its words are searched, too.
	Speaker string
	// Text is what is searched, with title and tags.
	Text string
	// Said is when; zero for unknown.
	Said time.Time
	// Labels are what a question may be confined to, as "kind:fact". They are not
	// searched. There are few different sets of them, and all are kept.
	Labels []string
}

// Question is what is looked for.
type Question struct {
	Text string
	// Limit is the most that is found.
	Limit int
	// With, Session and Since confine what is found: to passages with all these labels,
	// of that session, said no earlier. Neighbours beyond count nevertheless.
	With    []string
	Session string
	Since   time.Time
	// Now, where it is set, is when it is asked. Dates in the text ("last week", "in
	// May") raise what was said then, and exclude nothing.
	Now time.Time
	// Variety finds what is less like what stands before it, for a list.
	Variety bool
}

// Index holds passages. It may be used by many at once.
type Index struct {
	mu       sync.RWMutex
	weights  Weights
	terms    map[string]uint32 // their numbers in lists
	lists    []list
	passages []passage
	lengths  []uint8  // of the passages, as lengthOf has them
	asks     []bool   // the passages
	labels   []uint32 // of the passages, the number of their set
	byID     []uint32 // the passages by their ID
	sessions map[string]uint32
	rows     []session // 0 is none
	speakers interned
	sets     interned
	// Numbers that nothing has, and that are given again.
	freeTerms, freePassages, freeSessions []uint32
	length                                int64 // of all passages, in terms
	day                                   string
	ofDay                                 []string // the terms of the day of the passage that was entered or taken out last
}

type passage struct {
	id   int64
	said int64 // nanoseconds since 1970
	// terms are the numbers of the terms of its text, rising, as varints of their
	// differences.
	terms     string
	session   uint32
	place, at int32 // as it was given, and in the session's row
	speaker   uint32
}

// session are passages by their place.
type session struct {
	name string
	in   []uint32
}

// interned are values that many passages have, each with its parts.
type interned struct {
	numbers map[string]uint32
	parts   [][]string
}

func (i *interned) number(value string, parts func() []string) uint32 {
	n, known := i.numbers[value]
	if !known {
		n = uint32(len(i.parts))
		i.numbers[strings.Clone(value)], i.parts = n, append(i.parts, parts())
	}
	return n
}

// New returns an index with nothing in it.
func New() *Index { return NewWith(Standard()) }

// NewWith returns an index that weighs otherwise: what measures a part leaves it out.
func NewWith(w Weights) *Index {
	return &Index{weights: w, terms: map[string]uint32{}, sessions: map[string]uint32{}, rows: make([]session, 1),
		speakers: interned{numbers: map[string]uint32{}}, sets: interned{numbers: map[string]uint32{}}}
}

// Len is how many passages there are.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.byID)
}

// number gives a number of those that are free, or the next.
func number[T any](free *[]uint32, all *[]T) uint32 {
	if last := len(*free) - 1; last >= 0 {
		n := (*free)[last]
		*free = (*free)[:last]
		return n
	}
	var none T
	*all = append(roomy(*all), none)
	return uint32(len(*all) - 1)
}

// roomy has room for two more, and less to spare than append leaves.
func roomy[T any](all []T) []T {
	if len(all)+2 <= cap(all) {
		return all
	}
	return append(make([]T, 0, len(all)+len(all)/16+2), all...)
}

// Add takes in passages, each in place of one of the same ID.
func (x *Index) Add(all ...Passage) {
	words := make([][]string, len(all))
	var splits sync.WaitGroup
	for half := range min(2, len(all)) { // which is what takes the time
		splits.Go(func() {
			for i := half; i < len(all); i += 2 {
				words[i] = fulltext.Terms(all[i].Text)
			}
		})
	}
	splits.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, p := range all {
		x.add(p, words[i])
	}
}

func (x *Index) add(p Passage, words []string) {
	said := int64(math.MinInt64)
	if !p.Said.IsZero() {
		said = p.Said.UnixNano()
	}
	x.remove(p.ID)
	n := number(&x.freePassages, &x.passages)
	if int(n) == len(x.lengths) {
		x.lengths, x.asks, x.labels = append(roomy(x.lengths), 0), append(roomy(x.asks), false), append(roomy(x.labels), 0)
	}
	set := slices.Compact(slices.Sorted(slices.Values(p.Labels)))
	x.labels[n] = x.sets.number(strings.Join(set, "\x00"), func() []string { return set })
	x.passages[n] = passage{id: p.ID, said: said, place: int32(p.Place),
		speaker: x.speakers.number(p.Speaker, func() []string { return fulltext.Terms(p.Speaker) })}
	x.asks[n] = strings.Contains(p.Text, "?")
	x.post(n, words)
	at, _ := x.find(p.ID)
	x.byID = slices.Insert(roomy(x.byID), at, n)
	if p.Session != "" {
		x.join(n, p.Session)
	}
}

// beside are the words by which a passage is found that are not of its text: its speaker
// and its day.
func (x *Index) beside(n uint32) []string {
	p := &x.passages[n]
	words := x.speakers.parts[p.speaker]
	if p.said == math.MinInt64 {
		return words
	}
	if day := time.Unix(0, p.said).UTC().Format("2 January 2006"); day != x.day {
		x.day, x.ofDay = day, fulltext.Terms(day)
	}
	return append(slices.Clip(words), x.ofDay...)
}

// post enters a passage in the lists of its terms.
func (x *Index) post(n uint32, words []string) {
	own := len(words)
	words = append(words, x.beside(n)...)
	x.lengths[n] = lengthOf(len(words))
	x.length += int64(termsOf(x.lengths[n]))
	numbers := make([]uint32, len(words))
	for i, w := range words {
		t, known := x.terms[w]
		if !known {
			t = number(&x.freeTerms, &x.lists)
			x.lists[t].name = strings.Clone(w)
			x.terms[x.lists[t].name] = t
		}
		numbers[i] = t
	}
	text := slices.Clone(numbers[:own])
	slices.Sort(text)
	slices.Sort(numbers)
	for len(numbers) > 0 {
		often := 1
		for often < len(numbers) && numbers[often] == numbers[0] {
			often++
		}
		x.lists[numbers[0]].put(n, often)
		numbers = numbers[often:]
	}
	var packed []byte
	before := uint32(0)
	for _, t := range slices.Compact(text) {
		packed = binary.AppendUvarint(packed, uint64(t-before))
		before = t
	}
	x.passages[n].terms = string(packed)
}

// termsIn are the numbers of the terms of a passage's text, rising.
func (x *Index) termsIn(n uint32) (all []uint32) {
	before := uint32(0)
	for packed := []byte(x.passages[n].terms); len(packed) > 0; {
		gap, size := binary.Uvarint(packed)
		before += uint32(gap)
		all, packed = append(all, before), packed[size:]
	}
	return all
}

// join enters a passage in the row of its session.
func (x *Index) join(n uint32, name string) {
	s, known := x.sessions[name]
	if !known {
		s = number(&x.freeSessions, &x.rows)
		x.rows[s].name = strings.Clone(name)
		x.sessions[x.rows[s].name] = s
	}
	row := &x.rows[s]
	p := &x.passages[n]
	at, _ := slices.BinarySearchFunc(row.in, p, func(i uint32, p *passage) int {
		return cmp.Or(cmp.Compare(x.passages[i].place, p.place), cmp.Compare(x.passages[i].id, p.id))
	})
	row.in = slices.Insert(roomy(row.in), at, n)
	p.session = s
	x.renumber(row, at)
}

// renumber says to the passages of a session from one on where they stand.
func (x *Index) renumber(row *session, from int) {
	for i := from; i < len(row.in); i++ {
		x.passages[row.in[i]].at = int32(i)
	}
}

// find is where in byID a passage is.
func (x *Index) find(id int64) (at int, there bool) {
	return slices.BinarySearchFunc(x.byID, id, func(n uint32, id int64) int { return cmp.Compare(x.passages[n].id, id) })
}

// Remove takes out a passage. One that is not there is passed over.
func (x *Index) Remove(id int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(id)
}

func (x *Index) remove(id int64) {
	at, there := x.find(id)
	if !there {
		return
	}
	n := x.byID[at]
	terms := x.termsIn(n)
	for _, w := range x.beside(n) {
		if t := x.terms[w]; !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	}
	for _, t := range terms {
		if l := &x.lists[t]; l.take(n) {
			delete(x.terms, l.name)
			*l = list{}
			x.freeTerms = append(x.freeTerms, t)
		}
	}
	if s := x.passages[n].session; s != 0 {
		row, at := &x.rows[s], int(x.passages[n].at)
		row.in = slices.Delete(row.in, at, at+1)
		x.renumber(row, at)
		if len(row.in) == 0 {
			delete(x.sessions, row.name)
			*row = session{}
			x.freeSessions = append(x.freeSessions, s)
		}
	}
	x.length -= int64(termsOf(x.lengths[n]))
	x.byID = slices.Delete(x.byID, at, at+1)
	x.passages[n] = passage{}
	x.freePassages = append(x.freePassages, n)
}
