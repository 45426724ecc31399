package dates

import "time"

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
	if d, next, ok := p.dayOfPart(i, l); ok {
		return d, next, true
	}
	return p.wholeDay(i, l, explicit)
}

// dayReaders read a day each way that there is; the first five one of the calendar.
var dayReaders = [...]func(*parser, int, lead) (day, int, bool){
	(*parser).isoDay, (*parser).dottedDay, (*parser).slashedDay, (*parser).dayMonth, (*parser).monthDay, (*parser).weekdayName,
	(*parser).relativeDay, (*parser).spanAhead, (*parser).endOf, (*parser).period, (*parser).dayOfMonth,
}

// wholeDay reads a day from token i on that no part of it leads to.
func (p *parser) wholeDay(i int, l lead, explicit bool) (day, int, bool) {
	led := l.roles != 0 && l.roles&(rThe|rAt|rBy) != rThe // "Thursday the 26th"
	for n, read := range dayReaders {
		if explicit && n >= 5 {
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

// dayOfPart reads "evening of Thursday 26" behind "before the".
func (p *parser) dayOfPart(i int, l lead) (day, int, bool) {
	i = p.skipOf(i)
	part := p.tok(i).lex.roles & (rNight | rForenoon)
	of := p.skipOf(i + 1)
	if part == 0 || l.roles&rBy == 0 || of == i+1 {
		return day{}, 0, false
	}
	l.roles |= rThe | rOn
	d, next, ok := p.wholeDay(of, l, false)
	if ok && d.kind == onWeekday && d.num == 0 {
		if num, after, ok := p.numberOfWeekday(next); ok {
			d.num, next = num.num, after
		}
	}
	d.part = part
	return d, next, ok
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

// isoDay reads 2026-11-27, 2026/11/27 and 2026-11-27T15:00Z.
func (p *parser) isoDay(i int, _ lead) (day, int, bool) {
	if !p.digits(i, 4, 4) || !p.digits(i+2, 2, 2) || !p.digits(i+4, 2, 2) {
		return day{}, 0, false
	}
	dash := p.joined(i+1, '-') && p.joined(i+3, '-')
	slash := p.joined(i+1, '/') && p.joined(i+3, '/')
	if !dash && !slash || p.tok(i+2).spaced || p.tok(i+4).spaced {
		return day{}, 0, false
	}
	d, ok := calendarDay(p.tok(i).number, p.tok(i+2).number, p.tok(i+4).number)
	if !ok {
		return day{}, 0, false
	}
	if at, next, ok := p.isoTime(i+5, d); ok {
		return at, next, true
	}
	return d, i + 5, true
}

// isoTime reads T15:00, T15:00:30Z and T15:00+01:00 behind a day. Without an
// offset the time is a local one.
func (p *parser) isoTime(i int, d day) (day, int, bool) {
	if !p.literal(i, "T") || p.tok(i).spaced || !p.digits(i+1, 2, 2) || p.tok(i+1).number > 23 {
		return d, 0, false
	}
	c := clock{}
	next, shape := p.minutes(i+1, &c)
	if shape != withColon {
		return d, 0, false
	}
	if p.joined(next, '.') && p.tok(next+1).kind == number && !p.tok(next+1).spaced {
		next += 2 // parts of a second
	}
	zone := time.UTC
	switch {
	case p.literal(next, "Z") && !p.tok(next).spaced:
		next++
	case (p.joined(next, '+') || p.joined(next, '-')) && p.digits(next+1, 2, 2) && p.joined(next+2, ':') && p.digits(next+3, 2, 2):
		seconds := p.tok(next+1).number*3600 + p.tok(next+3).number*60
		if p.mark(next, '-') {
			seconds = -seconds
		}
		zone = time.FixedZone("", seconds)
		next += 4
	default:
		d.floating = true
	}
	d.kind = instant
	d.at = time.Date(d.year, time.Month(d.month), d.num, p.tok(i+1).number, c.minute, 0, 0, zone)
	return d, next, true
}

// dottedDay reads 24.12.2026 and, where it is introduced, 24.12. and 24.12.26.
func (p *parser) dottedDay(i int, l lead) (day, int, bool) {
	first, second := p.tok(i), p.tok(i+2)
	if !p.digits(i, 1, 2) || !p.joined(i+1, '.') || !p.digits(i+2, 1, 2) || !p.joined(i+3, '.') {
		return day{}, 0, false
	}
	if !second.spaced && !p.tok(i+4).spaced && p.digits(i+4, 4, 4) {
		d, ok := calendarDay(p.tok(i+4).number, second.number, first.number)
		return d, i + 5, ok
	}
	stands := (first.broken || p.mark(i-1, ':')) && first.digits == 2 && second.digits == 2 // a line that begins with its date, or "NAME: DATE"
	if !stands && (l.roles&rDecimal == 0 || p.grows(l.from) || p.literal(l.from, "by") && first.digits == 1) {
		return day{}, 0, false
	}
	year, next := 0, i+4
	if !p.tok(i+4).spaced && p.digits(i+4, 2, 2) {
		year, next = 2000+p.tok(i+4).number, i+5
	}
	d, ok := calendarDay(year, second.number, first.number)
	return d, next, ok
}

// grows reports whether "by" measures a difference or ends a span: "rose by 10.12.",
// "1 bis 5".
func (p *parser) grows(i int) bool {
	t := p.tok(i - 1)
	return p.is(i, rBy|rAt) && !p.tok(i).broken && (t.lex.is(rGrows|rNumber) || t.kind == number || p.mark(i-1, '%'))
}

// slashedDay reads 24/12/2026 and 24-12-2026 (the day first, unless only the
// month can be), 24/12 behind an article, and "bis 05/27", the end of that month, where no language writes the month first.
func (p *parser) slashedDay(i int, l lead) (day, int, bool) {
	if !p.digits(i, 1, 2) || !p.digits(i+2, 1, 2) || p.tok(i+1).spaced || p.tok(i+2).spaced {
		return day{}, 0, false
	}
	char := p.tok(i + 1).char
	if p.tok(i+1).kind != mark || char != '/' && char != '-' {
		return day{}, 0, false
	}
	first, second := p.tok(i).number, p.tok(i+2).number
	if p.joined(i+3, char) && p.digits(i+4, 4, 4) && !p.tok(i+4).spaced {
		if d, ok := calendarDay(p.tok(i+4).number, second, first); ok {
			return d, i + 5, true
		}
		d, ok := calendarDay(p.tok(i+4).number, first, second)
		return d, i + 5, ok
	}
	if char == '/' && p.is(l.from, rTill) && !p.is(l.from, rTwelve) && p.tok(i).digits == 2 && p.tok(i+2).digits == 2 && first >= 1 && first <= 12 && second > 12 {
		return day{kind: monthOf, month: first, year: 2000 + second}, i + 3, true
	}
	if char != '/' || l.roles&rSlashed == 0 || p.tok(i+2).digits != 2 || p.tok(i).digits != 2 {
		return day{}, 0, false
	}
	d, ok := calendarDay(0, second, first)
	return d, i + 3, ok
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
