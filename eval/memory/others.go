package memory

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// others makes up records by what word follows which in the conversations: they speak of
// the same things in the same words, and answer nothing. The same every time.
type others struct {
	random *rand.Rand
	next   map[string][]string // "" begins a turn
}

// newOthers learns of the texts.
func newOthers(texts ...string) *others {
	o := &others{rand.New(rand.NewPCG(3, 7)), map[string][]string{}}
	for _, text := range texts {
		before := ""
		for word := range strings.FieldsSeq(text) {
			o.next[before] = append(o.next[before], word)
			before = word
		}
	}
	return o
}

// text has so many words.
func (o *others) text(words int) string {
	var b strings.Builder
	before := ""
	for range words {
		all := o.next[before]
		if len(all) == 0 {
			all = o.next[""]
		}
		before = all[o.random.IntN(len(all))]
		b.WriteString(before)
		b.WriteByte(' ')
	}
	return b.String()
}

// turn is the nth of them, in sessions of twenty.
func (o *others) turn(n int) turn {
	speakers := [...]string{"Ada", "Bruno", "Chiara", "Dmitri", "Edda", "Farid", "Greta", "Hugo"}
	return turn{session: fmt.Sprint("other/", n/20), place: n % 20, speaker: speakers[(n/20*3+n%2)%len(speakers)], text: o.text(8 + o.random.IntN(30)),
		said: time.Date(2022, 1, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(n/20) * 5 * time.Hour)}
}
