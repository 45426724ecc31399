// Package dates reads dates, times and deadlines in text of six languages:
// English, German, French, Spanish, Italian and Portuguese. Their words are files
// in lang.
//
// It stores nothing. Senses call it on what people write: senses/notes on
// notes, others on mail and invitations. The text is hostile: one pass over
// its words, a bounded look ahead at each, and at most MaxMatches matches.
package dates

import (
	"strings"
	"sync"
	"time"
)

const (
	// MaxMatches is the most that Find returns of one text.
	MaxMatches = 64
	// MaxText is how many bytes of a text are read.
	MaxText = 1 << 20
	// DueHour is the local hour at which what has a date and no time is due.
	DueHour = 18
	// staleDays is how long a date without a year may lie back before it
	// means the next year.
	staleDays = 60
)

// Match is one date or time in a text.
type Match struct {
	// Start and End are byte offsets: text[Start:End] is Text, with the word
	// that introduces the date ("by Friday").
	Start, End int
	Text       string
	// Due is in the location of now.
	Due time.Time
	// DateOnly: the text names a day and no time, so that Due is at DueHour.
	DateOnly bool
	// Deadline: the text introduces it as a limit ("by", "bis", "d'ici",
	// "antes del").
	Deadline bool
	// Till: the word of that limit may lead to the end of a time that has begun
	// ("until", "bis", "jusqu'à").
	Till bool
	// Day: the text names a day, and not only a time or a span of minutes or
	// hours.
	Day bool
	// Weekday: that day is named by its weekday alone.
	Weekday bool
}

// Find returns the dates and times of text in order, without overlap.
// Relative ones are counted from now, whose location is the zone. Where now
// stands in time never decides whether something is a date, only which.
//
// A weekday is the next such day; on the day itself it is today until 18:00
// and then a week later. "Next Friday" is the Friday of the following week in
// English, and the first one after today in the other languages. The end of a
// week is its Friday. What has a date only is due at 18:00; "today" and its
// like, said after that, at 23:59. A date without a year that lies more than
// 60 days back is one of the next year. Of the two readings of an hour that says
// neither which ("at five", "by 4") the next one from 7:00 to 23:00 is meant, and
// beside a day the one from 7:00 to 19:00.
//
// What is to be done before a day has to be done by the end of the day before
// it, and is due then at 18:00, or at 23:59 if that hour has passed on it;
// before a weekend, by its Friday; before next week, month or year, by the end
// of this one. Before a weekday, said on such a day, means that of next week.
// Before a time of day is that time, and before the afternoon, evening or night of a day, that day. "By"
// a day and its like hold the day itself, and so does before the end of a week, month or year.
func Find(text string, now time.Time) []Match {
	var found []span
	text = text[:min(len(text), MaxText)]
	p := parsers.Get().(*parser)
	defer func() {
		p.text = ""
		parsers.Put(p)
	}()
	p.text, p.tokens = text, look(text, tokenize(p.tokens[:0], text))
	for i := 0; i < len(p.tokens) && len(found) < MaxMatches; {
		s, ok := p.at(i)
		if !ok {
			i++
			continue
		}
		found = append(found, s)
		i = s.to
	}
	found = p.join(found)
	matches := make([]Match, 0, len(found))
	for _, s := range found {
		due, ok := s.resolve(now)
		if !ok {
			continue
		}
		start, end := p.tokens[s.from].start, p.tokens[s.to-1].end
		matches = append(matches, Match{
			Start: start, End: end, Text: text[start:end],
			Due: due, DateOnly: s.dateOnly(), Deadline: s.deadline, Till: s.deadline && p.is(s.from, rTill),
			Day:     s.day.kind != noDay && s.day.kind != soon,
			Weekday: s.day.kind == onWeekday && s.day.num == 0 || s.day.kind == inWeek,
		})
	}
	return matches
}

// parsers have room for the tokens of one text after the other.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// span is what was read at tokens[from:to].
type span struct {
	from, to int
	day      day
	clock    clock
	deadline bool
	before   bool // the limit is over when the day begins
	closing  bool // the end of the working day is named
}

func (s span) dateOnly() bool {
	return !s.clock.set && s.day.kind != instant && s.day.kind != soon
}

// join gives a lone time the one day that was named before it in the same
// sentence: "on Friday I call them at 15:00" is one appointment.
func (p *parser) join(found []span) []span {
	out := found[:0]
	for _, s := range found {
		if s.day.kind == noDay && len(out) > 0 {
			last := &out[len(out)-1]
			if last.clock.set && s.from == last.to && s.deadline && p.is(s.from, rTill) {
				continue // until when the appointment lasts
			}
			if last.dateOnly() && !last.before && last.day.takesTime() && p.sameSentence(last.to, s.from) {
				last.clock = s.clock
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// sentenceReach is how many tokens a lone time looks back for its day.
const sentenceReach = 24

func (p *parser) sameSentence(from, to int) bool {
	if to-from > sentenceReach {
		return false
	}
	between := p.text[p.tokens[from-1].end:p.tokens[to].start]
	return !strings.ContainsAny(between, ".!?;\n")
}
