package dates

import (
	"strings"
	"time"
)

// clock reads a time of day from token i on. dated: a day stands beside it,
// so that "15h" cannot be a duration, nor "15:00" of one digit a ratio.
func (p *parser) clock(i int, l lead, dated bool) (clock, int, bool) {
	t := p.tok(i)
	led := dated || l.roles&(rAt|rBy) != 0 || p.mark(i-1, '@')
	switch {
	case !p.begins(i):
		return clock{}, 0, false
	case t.lex.is(rNoon), t.lex.is(rNoonWeak) && l.roles&(rBy|rAt) != 0:
		c := clock{set: true, hour: 12}
		if t.lex.is(rShifted) {
			c.minute = int(t.lex.value)
		}
		return c, i + 1, p.ends(i + 1)
	case t.lex.is(rMidnight) && led:
		return clock{set: true, hour: 24}, i + 1, true
	}
	shift := 0 // half past, halb
	if t.lex.is(rShift) {
		shift = int(t.lex.value)
		i++
		t = p.tok(i)
	}
	c := clock{set: true, hour: t.number}
	next, shape := i+1, bare
	switch {
	case t.lex.is(rNumber) && t.lex.value <= 12:
		c.hour = int(t.lex.value)
		if p.is(next, rHours) {
			next, shape = next+1, onHour
		}
	case p.digits(i, 1, 2) && t.number <= 24:
		next, shape = p.minutes(i, &c)
	default:
		return clock{}, 0, false
	}
	// Five in the morning or the afternoon: it is not said.
	c.half = c.hour > 0 && c.hour <= 12 && (shape == bare || t.kind == word || l.roles&rTwelve != 0 && c.hour < firstHour && t.digits < 2)
	if p.is(next, rShifted) {
		shift = int(p.tok(next).lex.value)
		next++
	}
	next, marked := p.halfDay(next, &c, shape)
	switch {
	case p.is(next-1, rAM|rPM) && t.number > 12 && !p.leadsToDay(next-1), shift != 0 && !c.half && !marked: // 13am
		return clock{}, 0, false
	case marked, shift != 0 && shape == bare, shape == withLetter: // pm, Uhr, halb fünf, 15h30
	case shape == withColon && (dated || led && t.digits == 2 || l.roles&rAt != 0):
	case shape == withColon && !led && t.digits == 2 && p.alone(i, next):
	case shape == onHour && led:
	case shape == withDot && dated && c.hour > 12 && p.follows(next): // ven 15 16.30
	case shape == onHour && c.hour > 12 && c.hour < 24 && p.follows(next):
	case (shape == bare && l.roles&rHour != 0 || shape == withDot && l.roles&rHour != 0 && l.roles&rAt != 0) && (p.follows(next) || l.roles&rFirm != 0 && !p.plural(next)) && !p.grows(l.from):
	default:
		return clock{}, 0, false
	}
	if c.hour == 24 && c.minute != 0 || !p.ends(next) {
		return clock{}, 0, false
	}
	c.minute += shift
	return p.zone(next, c)
}

// alone reports whether a time from token i on that nothing introduces is one: no end
// or beginning of a span ("09:00–17:00", hours of opening) and no stamp.
func (p *parser) alone(i, next int) bool {
	dash := func(i int) bool { return p.mark(i, '-') || p.mark(i, '–') }
	return next == i+3 && !dash(i-1) && !dash(next) && !p.mark(i-1, '[') && p.tok(i).number < 24
}

// follows reports whether what stands at token i may follow an hour that is a mere
// number: nothing that it could count.
func (p *parser) follows(i int) bool {
	t := p.tok(i)
	const date = rWeekday | rToday | rTomorrow | rThen
	return t.broken || t.kind == mark && p.ends(i) && t.char != '€' && t.char != '-' || t.lex.is(date) && (!t.upper || !t.lex.is(rThen))
}

// plural reports whether a word may be what a number counts: "a las 3 familias".
func (p *parser) plural(i int) bool {
	t := p.tok(i)
	return t.kind != word || strings.HasSuffix(p.text[t.start:t.end], "s")
}

// zone reads CET behind a time.
func (p *parser) zone(i int, c clock) (clock, int, bool) {
	t := p.tok(i)
	if !t.lex.is(rZone|rZoneBehind) || t.broken || p.text[t.start:t.end] != strings.ToUpper(p.text[t.start:t.end]) || !p.ends(i+1) {
		return c, i, true
	}
	c.zone = time.FixedZone("", int(t.lex.value)*3600)
	return c, i + 1, true
}

type clockShape int

const (
	bare       clockShape = iota // 15
	withColon                    // 15:00
	withDot                      // 15.30, a time only before Uhr or pm, or behind "at"
	withLetter                   // 15h30
	onHour                       // 15h
)

// minutes reads what follows the hour at token i.
func (p *parser) minutes(i int, c *clock) (next int, shape clockShape) {
	minute := func(j int) bool { return p.digits(j, 2, 2) && p.tok(j).number < 60 && !p.tok(j).spaced }
	switch {
	case p.joined(i+1, ':') && minute(i+2):
		c.minute = p.tok(i + 2).number
		if p.joined(i+3, ':') && minute(i+4) {
			return i + 5, withColon
		}
		return i + 3, withColon
	case p.joined(i+1, '.') && minute(i+2):
		c.minute = p.tok(i + 2).number
		return i + 3, withDot
	case p.is(i+1, rHours):
		t := p.tok(i + 2)
		if p.digits(i+2, 2, 2) && t.number < 60 && p.ends(i+3) && !t.broken {
			c.minute = t.number
			return i + 3, withLetter
		}
		return i + 2, onHour
	}
	return i + 1, bare
}

// halfDay reads "Uhr", "pm" or "de la tarde" from token i on.
func (p *parser) halfDay(i int, c *clock, shape clockShape) (next int, marked bool) {
	t := p.tok(i)
	if t.lex.is(rUhr) {
		c.half = c.half && c.hour < firstHour && shape == bare
		marked, i = true, i+1
		if t = p.tok(i); c.minute == 0 && p.digits(i, 2, 2) && t.number < 60 && !p.mark(i+1, '.') && p.ends(i+1) {
			c.minute = t.number
			i++
		}
	}
	t = p.tok(i)
	if t.broken || p.leadsToDay(i) || !t.lex.is(rAM|rPM|rAMWords|rPMWords) {
		return i, marked
	}
	if c.hour >= 1 && c.hour <= 12 {
		c.half = false
		if c.hour %= 12; t.lex.is(rPM | rPMWords) {
			c.hour += 12
		}
	}
	return i + 1, true
}

// leadsToDay tells the German "am" from the one of hours.
func (p *parser) leadsToDay(i int) bool { // or to a noun
	return p.is(i, rAM) && p.is(i, rOn) && p.tok(i).spaced && (p.is(i+1, rWeekday|rWeekdayShort|rWeekdayWeak|rNext) || p.tok(i+1).kind == number ||
		!p.tok(i).upper && p.tok(i+1).upper && !p.tok(i+1).broken && !p.is(i+1, rZone|rZoneBehind|rMonth))
}

// closing reads the end of a working day: EOD, "end of day", Feierabend.
func (p *parser) closing(i int, l lead) (next int, ok bool) {
	t := p.tok(i)
	if !p.begins(i) {
		return i, false
	}
	if t.lex.is(rClosing) {
		text := p.text[t.start:t.end]
		return i + 1, p.ends(i+1) && (!t.lex.is(rClosingUpper) || text == strings.ToUpper(text) || l.roles&rBy != 0)
	}
	j := p.skipOf(i + 1)
	return j + 1, t.lex.is(rEnd) && j > i+1 && p.is(j, rUnit) && p.tok(j).lex.unit == days && p.ends(j+1)
}

// skipOf skips "of the", "de la", "des", "d'".
func (p *parser) skipOf(i int) int {
	for n := 0; n < 3 && (p.is(i, rOf) || p.mark(i, '\'') || p.mark(i, '’')); n++ {
		i++
	}
	return i
}
