package dates

import (
	"cmp"
	"regexp"
	"strconv"
	"time"
)

const (
	oldestYear = 1970
	latestYear = 2199
)

// day reads a day from token i on. explicit asks for a day of the calendar
// alone: what may follow the name of a weekday.
func (p *parser) day(i int, l lead, explicit bool) (day, int, bool) {
	if t := p.tok(i); t.kind == none || !p.begins(i) {
		return day{}, 0, false
	}
	at := p.skipOf(i)
	if of := p.skipOf(at + 1); of > at+1 && l.roles&rBy != 0 && p.is(at, rNight|rForenoon) { // "evening of Thursday 26" behind "before the"
		led := l
		led.roles |= rThe | rOn
		if d, next, ok := p.wholeDay(of, led, false); ok { // and not "tonight's"
			d.part = p.tok(at).lex.roles & (rNight | rForenoon)
			return d, next, true
		}
	}
	return p.wholeDay(i, l, explicit)
}

// dayReaders read a day each way that there is; the first four one of the calendar.
var dayReaders = [...]func(*parser, int, lead) (day, int, bool){
	(*parser).isoDay, (*parser).numericDay, (*parser).dayMonth, (*parser).monthDay, (*parser).weekdayName,
	(*parser).relativeDay, (*parser).spanAhead, (*parser).endOf, (*parser).period, (*parser).dayOfMonth,
}

// wholeDay reads a day from token i on that no part of it leads to.
func (p *parser) wholeDay(i int, l lead, explicit bool) (day, int, bool) {
	led := l.roles != 0 && l.roles&(rThe|rAt|rBy) != rThe // "Thursday the 26th"
	for n, read := range dayReaders {
		if explicit && n >= 4 {
			if led {
				break
			}
			d, next, ok := p.numberOfWeekday(i)
			return d, p.part(next, l, &d), ok
		}
		if explicit {
			l.roles |= rDecimal | rSlashed
		}
		if d, next, ok := read(p, i, l); ok && p.ends(next) {
			return d, p.part(next, l, &d), true
		}
	}
	return day{}, 0, false
}

// part reads "au soir", "in the evening" behind a day that has its number, and notes it.
func (p *parser) part(i int, l lead, d *day) int {
	if d.kind == noDay || d.part != 0 || !p.isPart(i) && (!p.is(i, rNight|rForenoon) || l.roles&rBy == 0 && (!p.follows(i+1) || p.is(i+1, rAt))) {
		return i
	}
	return p.partOfDay(i, d)
}

// isPart reports whether a word is a part of a day and no other thing: Italian "sera" is
// a verb in French.
func (p *parser) isPart(i int) bool {
	return p.is(i, rNight|rForenoon) && p.is(i, rPMWords|rAMWords) && !p.tok(i).broken
}

// numberOfWeekday reads "24" behind "Saturday". Whether the 24th is one is seen when it
// is resolved.
func (p *parser) numberOfWeekday(i int) (day, int, bool) {
	next, num := i+1, p.tok(i).number
	if p.is(next, rOrdinal) && !p.tok(next).spaced || p.joined(next, '.') && !p.tok(next+1).upper && (p.isPart(next+1) || p.is(next+1, rAt)) {
		next++
	}
	const after = rAt | rBy | rOf | rNight | rForenoon | rNoon | rMidnight
	follows := p.follows(next) || p.is(next, after) || p.tok(next).kind == number && p.tok(next).spaced
	return day{kind: onWeekday, num: num}, next, p.digits(i, 1, 2) && num >= 1 && num <= 31 && !p.tok(i).broken && follows && !p.mark(next, ':')
}

// calendarDay checks a day of a known or an open year.
func calendarDay(year, month, num int) (day, bool) {
	if month < 1 || month > 12 || num < 1 || year != 0 && (year < oldestYear || year > latestYear) {
		return day{}, false
	}
	leap := year
	if leap == 0 {
		leap = 2000
	}
	if num > time.Date(leap, time.Month(month)+1, 0, 12, 0, 0, 0, time.UTC).Day() {
		return day{}, false
	}
	return day{kind: absolute, year: year, month: month, num: num}, true
}

// numbers are the days of an ISO calendar, with their time, and those with dots, slashes
// or dashes.
var (
	iso     = regexp.MustCompile(`^(\d{4})([-/])(\d\d)([-/])(\d\d)(?:[Tt](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?\b`)
	numbers = regexp.MustCompile(`^(\d\d?)(?:([/-])(\d\d?)|\. ?(\d\d?)\.)(?:([/-]?)(\d{4}|\d\d)\b)?`)
)

// longestNumbers is how many bytes such a day may have.
const longestNumbers = 40

// written returns what a pattern finds from token i on, and the token behind it.
func (p *parser) written(i int, pattern *regexp.Regexp) (parts []string, next int) {
	start := p.tok(i).start
	parts = pattern.FindStringSubmatch(p.text[start:min(len(p.text), start+longestNumbers)])
	if parts == nil {
		return nil, i
	}
	for next = i; next < len(p.tokens) && p.tokens[next].start < start+len(parts[0]); {
		next++
	}
	return parts, next
}

// isoDay reads 2026-11-27, 2026/11/27 and 2026-11-27T15:00Z. Without an offset the time
// is a local one.
func (p *parser) isoDay(i int, _ lead) (day, int, bool) {
	if !p.digits(i, 4, 4) {
		return day{}, 0, false
	}
	m, next := p.written(i, iso)
	if m == nil || m[2] != m[4] {
		return day{}, 0, false
	}
	d, ok := calendarDay(p.tok(i).number, p.tok(i+2).number, p.tok(i+4).number)
	if m[6] != "" {
		at, err := time.Parse("2006-01-02T15:04Z07:00", m[1]+"-"+m[3]+"-"+m[5]+"T"+m[6]+cmp.Or(m[7], "Z"))
		d.kind, d.at, d.floating, ok = instant, at, m[7] == "", ok && err == nil
	}
	return d, next, ok
}

// numericDay reads 24.12.2026, 24/12/2026 and 24-12-2026 (the day first, unless only the
// month can be), where it is introduced, 24.12. and 24.12.26, and 24/12 behind an article; and "bis 05/27", the end of that month,
// where no language writes the month first.
func (p *parser) numericDay(i int, l lead) (day, int, bool) {
	if !p.digits(i, 1, 2) {
		return day{}, 0, false
	}
	m, next := p.written(i, numbers)
	if m == nil || m[2] != m[5] && m[6] != "" {
		return day{}, 0, false
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	first, second, year := number(m[1]), number(m[3]+m[4]), number(m[6])
	switch {
	case len(m[6]) == 4:
		d, ok := calendarDay(year, second, first)
		if !ok && m[2] != "" {
			d, ok = calendarDay(year, first, second)
		}
		return d, next, ok
	case m[2] == "/" && m[6] == "" && p.is(l.from, rTill) && !p.is(l.from, rTwelve) && len(m[1]+m[3]) == 4 && first >= 1 && first <= 12 && second > 12:
		return day{kind: monthOf, month: first, year: 2000 + second}, next, true
	case m[2] != "":
		d, ok := calendarDay(0, second, first)
		return d, next, ok && m[2] == "/" && m[6] == "" && l.roles&rSlashed != 0 && len(m[1]) == 2 && len(m[3]) == 2
	}
	stands := (p.tok(i).broken || p.mark(i-1, ':')) && len(m[1]) == 2 && len(m[4]) == 2 // a line that begins with its date, or "NAME: DATE"
	led := l.roles&rDecimal != 0 && !p.grows(l.from) && !(p.literal(l.from, "by") && len(m[1]) == 1)
	if m[6] != "" {
		year += 2000
	}
	d, ok := calendarDay(year, second, first)
	return d, next, ok && (stands || led)
}

// grows reports whether "by" measures a difference or ends a span: "rose by 10.12.",
// "1 bis 5".
func (p *parser) grows(i int) bool {
	t := p.tok(i - 1)
	return p.is(i, rBy|rAt) && !p.tok(i).broken && (t.lex.is(rGrows|rNumber) || t.kind == number || p.mark(i-1, '%'))
}

// dayMonth reads 24 December 2026, 24. Dezember, 24th of December, 1er janvier,
// 24 de diciembre de 2026.
func (p *parser) dayMonth(i int, _ lead) (day, int, bool) {
	if !p.digits(i, 1, 2) {
		return day{}, 0, false
	}
	j := i + 1
	switch {
	case p.joined(j, '.'), p.is(j, rOrdinal) && !p.tok(j).spaced, p.joined(j, 'º'), p.joined(j, 'ª'), p.joined(j, '°'):
		j++
	case !p.tok(j).spaced:
		return day{}, 0, false
	}
	j = p.skipOf(j)
	if !p.is(j, rMonth) || p.tok(j).broken && j > i+2 || p.is(j, rMonthWeak) && !p.tok(j).upper {
		return day{}, 0, false
	}
	year, next := p.year(j + 1)
	d, ok := calendarDay(year, int(p.tok(j).lex.month), p.tok(i).number)
	return d, next, ok
}

// monthDay reads Dec 24, December 24th, 2026.
func (p *parser) monthDay(i int, _ lead) (day, int, bool) {
	if !p.is(i, rMonth) || p.is(i, rMonthWeak) && !p.tok(i).upper {
		return day{}, 0, false
	}
	j := i + 1
	if p.joined(j, '.') {
		j++
	}
	if !p.digits(j, 1, 2) || !p.tok(j).spaced || p.tok(j).broken || p.joined(j+1, ':') {
		return day{}, 0, false
	}
	next := j + 1
	if p.is(next, rOrdinal) && !p.tok(next).spaced {
		next++
	} else if p.is(next, rMonth) || p.is(next, rAM|rPM|rUhr|rHours|rShift) || !p.ends(next) {
		return day{}, 0, false
	}
	year, after := p.year(next)
	d, ok := calendarDay(year, int(p.tok(i).lex.month), p.tok(j).number)
	return d, after, ok
}

// year reads ", 2026", "de 2026" and " 2026" from token i on; 0 where there is none.
func (p *parser) year(i int) (year, next int) {
	j := i
	if p.joined(j, '.') {
		j++
	}
	after := j
	if p.joined(j, ',') || p.is(j, rOf) {
		j++
	}
	t := p.tok(j)
	if p.digits(j, 4, 4) && t.spaced && !t.broken && t.number >= oldestYear && t.number <= latestYear && p.ends(j+1) {
		return t.number, j + 1
	}
	if after > i && !p.tok(after).spaced { // the dot ends no abbreviation
		after = i
	}
	if after > i && p.tok(after).kind != none && p.tok(after).upper || p.tok(after).kind == none {
		after = i // it ends the sentence
	}
	return 0, after
}

// dayOfMonth reads "the 24th", "zum 24.", "para el 24", "dia 24", "le 24 au soir".
func (p *parser) dayOfMonth(i int, l lead) (day, int, bool) {
	const led = rOn | rBy
	before, next := p.tok(i-1).lex, i+1
	switch {
	case !p.digits(i, 1, 2) || l.roles&led == 0 && !before.is(rDayNumber):
		return day{}, 0, false
	case p.is(next, rOrdinal) && !p.tok(next).spaced && before.is(rThe) && !before.is(rBare|rDotted):
		next++
	case p.joined(next, '.') && before.is(rDotted) && (l.roles&rBy != 0 || p.isPart(next+1)):
		next++
	case before.is(rBare) && (p.isPart(next) || p.is(next, rMidnight) && !p.tok(next).broken):
	case before.is(rBare) && (l.roles&rBy != 0 || before.is(rDayNumber)):
		const part = rNight | rForenoon | rNoon
		if p.tok(next).kind == word && !p.tok(next).broken && !p.is(next, rAt) && (p.plural(next) || !p.is(next, part)) && !(before.is(rDayNumber) && p.is(next, rThen)) {
			return day{}, 0, false // "para el 3 piso"
		}
	default:
		return day{}, 0, false
	}
	num := p.tok(i).number
	return day{kind: ofMonth, num: num}, next, num >= 1 && num <= 31
}
