package mail

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/prose"
)

const (
	// quotePieces is how many pieces of a letter are looked at for those that say
	// what it is about, and quoteLong how many characters are quoted at most.
	quotePieces, quoteLong = 32, 170
	// quoteWhose is the room that it takes to say from where somebody new writes.
	quoteWhose = 40
	// pieceLong is how long a sentence is from which on it is quoted in pieces, and
	// pieceLeast how much one has of it.
	pieceLong, pieceLeast = 140, 35
)

// piece is a sentence of a letter, or of a long one what stands between commas.
type piece struct {
	text string
	// ends: it is the end of its sentence. asks: it asks something of the reader.
	ends, asks bool
	times      []dates.Match
}

var (
	comma = regexp.MustCompile(`[,;:)] | [–-] `)
	phone = regexp.MustCompile(`(?:\d[ /().-]{0,2}){7}`)
)

// pieces are those of a text in which these times were found, but for what speaks to
// a program that reads along.
func pieces(said *prose.Text, found []dates.Match, at time.Time) (all []piece) {
	for _, s := range said.Spoken() {
		asking := slices.ContainsFunc(said.Asks(), func(a prose.Ask) bool { return a.Start == s.Start })
		from, to := 0, 0
		if len(all) == 0 {
			from = prose.Greeting(s.Text)
		}
		for ; from < len(s.Text) && len(all) < quotePieces; from = to {
			if to = len(s.Text); to > pieceLong {
				if cut := comma.FindStringIndex(s.Text[min(from+pieceLeast, to):]); cut != nil && from+cut[1] < to-2*pieceLeast {
					to = from + pieceLeast + cut[1]
				}
			}
			p := piece{text: strings.TrimSpace(s.Text[from:to]), ends: to == len(s.Text), asks: asking}
			if to-from < len(s.Text) {
				p.asks = asking && len(prose.Asks(p.text, at)) > 0
			}
			for _, m := range found {
				if m.Start >= s.Start+from && m.Start < s.Start+to {
					p.times = append(p.times, m)
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// soon reports whether a date is a time of day within two days. What "tonight" is
// taken for is none.
func soon(m dates.Match, at time.Time) bool {
	return !m.DateOnly && m.Due.Sub(at) < 48*time.Hour && (m.Due.Minute() != 59 || strings.Contains(m.Text, "59"))
}

// worth is how much a piece says of what matters: its words, a time, what is asked,
// a number to call, what the subject speaks of.
func (p piece) worth(about []string, at time.Time) int {
	worth := min(max(prose.Weigh("", p.text)/15, 0), 8)
	for _, of := range []struct {
		is     bool
		counts int
	}{
		{len(p.times) > 0, 2}, {slices.ContainsFunc(p.times, func(m dates.Match) bool { return soon(m, at) }), 1}, {p.asks, 2}, {phone.MatchString(p.text), 2},
		{slices.ContainsFunc(wordsOf(p.text), func(word string) bool { return slices.Contains(about, word) }), 1},
	} {
		if of.is {
			worth += of.counts
		}
	}
	return worth
}

// wordsOf are the words of a text that say something.
func wordsOf(text string) []string {
	all := strings.FieldsFunc(prose.Fold(text), func(r rune) bool { return !prose.IsWordRune(r) })
	return slices.DeleteFunc(all, func(word string) bool { return utf8.RuneCountInString(word) < 3 })
}

// telling are the pieces of a letter, in their order, that say most of what matters
// within quoteLong characters; and the time that they name until when something is to
// be done, or else the first, zero for none. What says when it is due matters. Of
// somebody unknown what is before that says who they are.
func telling(subject string, said *prose.Text, times []dates.Match, due, at time.Time, unknown bool) (quote string, named time.Time) {
	all, about, most := pieces(said, times, at), wordsOf(subject), quoteLong
	if unknown {
		most -= quoteWhose
	}
	// best are the pieces that say most within so many characters, as bits. One that
	// says much counts for more than many that say a little, and what is torn from what
	// is before it for less.
	var best [quoteLong + 1]struct{ worth, set int }
	for i, p := range all {
		worth, long := p.worth(about, at), min(utf8.RuneCountInString(p.text)+1, most)
		if slices.ContainsFunc(p.times, func(m dates.Match) bool { return m.Due.Equal(due) }) {
			worth += 3 // the title names it
		}
		if i == 0 && unknown && len(p.times) == 0 && !p.asks {
			worth = max(worth-2, 0)
		}
		// Two words are a greeting, or thanks, unless they name something.
		if worth == 0 && len(strings.Fields(p.text)) < 3 {
			continue
		}
		for room := most; room >= long; room-- {
			before, sum := best[room-long], 1+3*worth*worth
			if before.set&(1<<i>>1) == 0 {
				if before.worth -= 10; before.worth == 1-10 || before.set == 0 {
					before.worth, before.set = 0, 0 // it said nothing
				}
			}
			if before.worth+sum > best[room].worth {
				best[room].worth, best[room].set = before.worth+sum, before.set|1<<i
			}
		}
	}
	times = nil
	for i, p := range all {
		if best[most].set&(1<<i) == 0 {
			continue
		}
		if torn := quote != "" && best[most].set&(1<<i>>1) == 0; torn || quote == "" && i > 0 && !all[i-1].ends {
			quote = strings.TrimRight(quote, " ,;:") + " …"
		}
		quote, times = strings.TrimSpace(quote+" "+p.text), append(times, p.times...)
	}
	times = slices.DeleteFunc(times, func(m dates.Match) bool { return !soon(m, at) })
	if m, ok := prose.BestDate(times); ok {
		named = m.Due
	}
	return quote, named
}
