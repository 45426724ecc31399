package dates

import "time"

// weekdayName reads a weekday, with "next", "this" or "prochain" around it.
func (p *parser) weekdayName(i int, l lead) (day, int, bool) {
	d := day{kind: onWeekday}
	j := i
	following := false
	switch {
	case p.is(j, rNext):
		d.strict, following = true, p.is(j, rNextEn)
		j++
	case p.is(j, rThis):
		j++
		if p.is(j, rNext) { // this coming Friday
			j++
		}
	}
	t := p.tok(j)
	if t.kind != word || t.broken && j > i || !p.readsAsWeekday(j, j > i || l.roles&(rBy|rOn|rThe) != 0) {
		return day{}, 0, false
	}
	d.weekday = time.Weekday(t.lex.weekday)
	next := j + 1
	if !t.lex.is(rWeekday) && p.joined(next, '.') && !p.tok(next+1).upper {
		next++
	}
	if following {
		d.kind, d.n, d.strict = inWeek, 1, false
		return d, next, true
	}
	return p.afterWeekday(d, next)
}

// readsAsWeekday tells weekdays from the other words that some of them are.
func (p *parser) readsAsWeekday(i int, introduced bool) bool {
	t := p.tok(i)
	short := t.end-t.start <= 3
	j := i + 1
	if p.mark(j, ',') || p.joined(j, '.') {
		j++
	}
	dated := p.tok(j).kind == number || p.is(j, rMonth) && p.tok(j+1).kind == number
	switch {
	case t.lex.is(rWeekday):
		return true
	case t.lex.is(rWeekdayShort):
		return introduced || dated
	case t.lex.is(rWeekdayWeak) && !short: // Domingo is also a name
		return introduced || !t.upper
	case t.lex.is(rWeekdayWeak):
		return dated && t.upper && !p.clockFollows(i)
	}
	return false
}

// clockFollows reports whether the number behind a short word is no day of the
// month: "So 3 Leute".
func (p *parser) clockFollows(i int) bool {
	j := i + 1
	if p.tok(j).kind == mark {
		j++
	}
	if p.is(j, rMonth) {
		return false
	}
	return !p.joined(j+1, '.') && !p.is(j+1, rMonth) && !p.is(j+2, rMonth) && !p.joined(j+1, '/')
}

// afterWeekday reads "prochain", "que viene", "nächster Woche", "next week"
// behind a weekday, and refuses it where it lies in the past.
func (p *parser) afterWeekday(d day, next int) (day, int, bool) {
	if p.tok(next).broken {
		return d, next, true
	}
	switch {
	case p.is(next, rNotAfter) && !p.is(next, rMonth):
		return day{}, 0, false
	case p.is(next, rNight), p.is(next, rMorning) && p.tok(next).spaced, p.literal(next, "matin"), p.literal(next, "morning"), p.literal(next, "früh"):
		next++
	case p.is(next, rQue) && p.is(next+1, rViene):
		d.strict = true
		return d, next + 2, true
	}
	if n, after, ok := p.weekPhrase(next); ok {
		d.kind, d.n = inWeek, n
		return d, after, true
	}
	if p.is(next, rNext) && !p.is(next, rNextEn) && !p.tok(next).upper && !p.is(next+1, rUnit) {
		d.strict = true
		next++
	}
	return d, next, true
}

// weekPhrase reads "next week", "nächster Woche", "de la semaine prochaine",
// "de la próxima semana", "de la semana que viene" and returns how many weeks
// ahead that is.
func (p *parser) weekPhrase(i int) (n, next int, ok bool) {
	u, n, next, ok := p.unitPhrase(p.skipOf(i))
	return n, next, ok && u == weeks
}

// unitPhrase reads "this" or "next" with a week, month or year.
func (p *parser) unitPhrase(i int) (u unit, n, next int, ok bool) {
	named := func(j int) bool { t := p.tok(j); return t.lex.is(rUnit) && t.lex.unit >= weeks && !t.broken }
	switch {
	case p.is(i, rNext) && named(i+1):
		return p.tok(i + 1).lex.unit, 1, i + 2, true
	case p.is(i, rThis) && named(i+1):
		if p.is(i+2, rQue) && p.is(i+3, rViene) {
			return noUnit, 0, 0, false
		}
		return p.tok(i + 1).lex.unit, 0, i + 2, true
	case named(i) && p.is(i+1, rNext) && !p.is(i+1, rNextEn):
		return p.tok(i).lex.unit, 1, i + 2, true
	case named(i) && p.is(i+1, rQue) && p.is(i+2, rViene):
		return p.tok(i).lex.unit, 1, i + 3, true
	}
	return noUnit, 0, 0, false
}

// period reads a whole week, month or year ahead, and the weekend.
func (p *parser) period(i int, l lead) (day, int, bool) {
	if p.is(i, rWeekend) || p.literal(i, "week") && p.joined(i+1, '-') && p.literal(i+2, "end") {
		next := i + 1
		if !p.is(i, rWeekend) {
			next = i + 3
		}
		return day{kind: weekend}, next, l.roles&(rBy|rOn|rThe) != 0 && !p.is(i-1, rNot)
	}
	if p.is(i, rThis) || p.is(i, rNextEn) {
		n := 0
		if p.is(i, rNextEn) {
			n = 1
		}
		switch {
		case p.is(i+1, rWeekend):
			return day{kind: weekend, n: n}, i + 2, true
		case p.literal(i+1, "week") && p.joined(i+2, '-') && p.literal(i+3, "end"):
			return day{kind: weekend, n: n}, i + 4, true
		case p.literal(i+1, "fin") && p.literal(i+2, "de") && p.literal(i+3, "semana"):
			return day{kind: weekend, n: n}, i + 4, true
		}
	}
	switch u, n, next, ok := p.unitPhrase(i); {
	case !ok:
	case u == weeks:
		return day{kind: weekEnds, n: n, whole: true}, next, true
	case u == months:
		return day{kind: monthEnds, n: n, whole: true}, next, true
	case u == years:
		return day{kind: yearEnds, n: n, whole: true}, next, true
	}
	return day{}, 0, false
}

// endOf reads the end of a week, a month, a year or of a named month.
func (p *parser) endOf(i int, _ lead) (day, int, bool) {
	switch {
	case p.is(i, rMonthEnd):
		return day{kind: monthEnds}, i + 1, true
	case p.is(i, rWeekEnd):
		return day{kind: weekEnds}, i + 1, true
	case p.is(i, rYearEnd):
		return day{kind: yearEnds}, i + 1, true
	case !p.is(i, rEnd):
		return day{}, 0, false
	}
	j := p.skipOf(i + 1)
	if u, n, next, ok := p.unitPhrase(j); ok {
		return day{kind: endKind(u), n: n}, next, true
	}
	t := p.tok(j)
	switch {
	case t.broken:
	case t.lex.is(rMonth) && (!t.lex.is(rMonthWeak) || t.upper):
		year, next := p.year(j + 1)
		return day{kind: monthOf, month: int(t.lex.month), year: year}, next, true
	case t.lex.is(rUnit) && t.lex.unit >= weeks:
		spanish := p.literal(j, "semana") && j == i+2 && p.literal(i, "fin") // fin de semana: the weekend
		if spanish {
			return day{kind: weekend}, j + 1, true
		}
		return day{kind: endKind(t.lex.unit)}, j + 1, true
	}
	return day{}, 0, false
}

func endKind(u unit) dayKind {
	switch u {
	case weeks:
		return weekEnds
	case months:
		return monthEnds
	}
	return yearEnds
}

// relativeDay reads today, tomorrow and the day after.
func (p *parser) relativeDay(i int, l lead) (day, int, bool) {
	t := p.tok(i)
	switch {
	case p.literal(i, "aujourd") && p.literal(i+2, "hui"):
		return day{kind: ahead}, p.partOfToday(i + 3), true
	case p.literal(i, "hoy") && p.literal(i+1, "en") && (p.literal(i+2, "día") || p.literal(i+2, "dia")):
		return day{}, 0, false
	case t.lex.is(rToday) && !p.literal(i, "aujourd"):
		return day{kind: ahead}, p.partOfToday(i + 1), true
	case t.lex.is(rTonight):
		return day{kind: ahead}, i + 1, true
	case t.lex.is(rThis) && !t.upper && p.is(i+1, rNight), t.lex.is(rThis) && (p.literal(i+1, "soir") || p.literal(i+1, "noche")):
		return day{kind: ahead}, i + 2, true
	case t.lex.is(rAfterTomorrow):
		n := 2
		if t.end-t.start > len("übermorgen") {
			n = 3
		}
		return day{kind: ahead, n: n}, i + 1, true
	case t.lex.is(rAfter) && (p.literal(i+1, "mañana") || (p.mark(i+1, '-') && p.literal(i+2, "demain"))):
		next := i + 2
		if p.mark(i+1, '-') {
			next++
		}
		return day{kind: ahead, n: 2}, next, true
	case p.literal(i, "day") && p.literal(i+1, "after") && p.literal(i+2, "tomorrow"):
		return day{kind: ahead, n: 2}, i + 3, true
	case t.lex.is(rTomorrow):
		if t.lex.is(rMorning) && p.isMorning(i, l) {
			return day{}, 0, false
		}
		return day{kind: ahead, n: 1}, p.partOfToday(i + 1), true
	}
	return day{}, 0, false
}

// isMorning tells "guten Morgen" and "por la mañana" from tomorrow.
func (p *parser) isMorning(i int, l lead) bool {
	return p.is(i-1, rNotBefore) || p.is(i-1, rWeekday) || l.roles&rLas != 0
}

// partOfToday skips "Abend", "evening", "soir" behind a day.
func (p *parser) partOfToday(i int) int {
	switch {
	case p.tok(i).broken:
	case p.is(i, rNight), p.literal(i, "früh"), p.literal(i, "morning"), p.literal(i, "matin"):
		return i + 1
	case p.literal(i, "por") && p.literal(i+1, "la") && (p.is(i+2, rNight) || p.is(i+2, rMorning)):
		return i + 3
	}
	return i
}

const longestSpan = 999

// spanAhead reads "in 3 days", "within two weeks", "innerhalb von 3 Tagen",
// "dentro de dos semanas", "two weeks from now".
func (p *parser) spanAhead(i int, l lead) (day, int, bool) {
	j := i
	led := l.roles&rBy != 0 && p.is(i-1, rIn) // d'ici deux semaines
	switch {
	case p.is(j, rIn):
		led = true
		j++
		if p.literal(j, "von") || p.literal(j, "the") && p.is(j+1, rNext) {
			j++
		}
	case p.is(j, rInWeak):
		led = true
		j++
		if p.literal(j, "de") || p.literal(j, "von") {
			j++
		}
	}
	if p.is(j, rNext) {
		j++
	}
	n, next, ok := p.count(j)
	if !ok {
		return day{}, 0, false
	}
	for _, filler := range []string{"business", "working", "full"} {
		if p.literal(next, filler) {
			next++
		}
	}
	t := p.tok(next)
	if !t.lex.is(rUnit) || t.broken {
		return day{}, 0, false
	}
	next++
	if p.is(next, rFrom) && p.is(next+1, rNow) {
		led = true
		next += 2
	}
	if !led || p.is(next, rNot) && p.literal(next, "ago") {
		return day{}, 0, false
	}
	return inUnits(n, t.lex.unit), next, true
}

func (p *parser) count(i int) (n, next int, ok bool) {
	t := p.tok(i)
	switch {
	case t.broken && i > 0 && p.tok(i-1).kind != none:
		return 0, 0, false
	case t.kind == number && t.number >= 0 && t.number <= longestSpan:
		return t.number, i + 1, p.begins(i)
	case t.lex.is(rNumber):
		return int(t.lex.value), i + 1, true
	}
	return 0, 0, false
}

func inUnits(n int, u unit) day {
	switch u {
	case minutes:
		return day{kind: soon, span: time.Duration(n) * time.Minute}
	case hours:
		return day{kind: soon, span: time.Duration(n) * time.Hour}
	case days:
		return day{kind: ahead, n: n}
	case weeks:
		return day{kind: ahead, n: 7 * n}
	case months:
		return day{kind: ahead, months: n}
	}
	return day{kind: ahead, months: 12 * n}
}
