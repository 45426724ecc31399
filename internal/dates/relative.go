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
	if t.kind != word || t.broken && j > i || !p.readsAsWeekday(j, j > i || l.roles&(rBy|rOn|rThe|rSlashed) != 0, l.roles&rBy != 0) {
		return day{}, 0, false
	}
	d.weekday = time.Weekday(t.lex.weekday)
	d.part = t.lex.roles & (rNight | rForenoon)
	next := j + 1
	if !t.lex.is(rWeekday) && p.joined(next, '.') && !p.tok(next+1).upper {
		next++
	}
	if following {
		d.kind, d.n, d.strict = inWeek, 1, false
		return d, p.partOfDay(next, &d), true
	}
	return p.afterWeekday(d, next)
}

// readsAsWeekday tells weekdays from the other words that some of them are. limited: what
// introduces it sets a limit.
func (p *parser) readsAsWeekday(i int, introduced, limited bool) bool {
	t := p.tok(i)
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
	case t.lex.is(rOrdinalWeekday):
		if introduced && dated { // até terça 24
			_, _, ok := p.numberOfWeekday(j)
			return ok || p.joined(j+1, '/') || p.timed(i, j)
		}
		return introduced && (limited || !p.is(i-1, rOf)) && (p.follows(i+1) || p.is(i+1, rAt|rNight|rForenoon|rNext)) || dated || p.is(i+1, rNext) || p.timed(i, j)
	case t.lex.is(rWeekdayWeak) && t.end-t.start > len("mié"): // Domingo is also a name
		return introduced || !t.upper
	case t.lex.is(rWeekdayWeak):
		if _, _, ok := p.numberOfWeekday(j); ok && j == i+1 && t.end-t.start > len("so") && !p.is(j+1, rThen) {
			return true
		}
		return dated && (t.upper || introduced) && !p.counts(j) || p.timed(i, j)
	}
	return false
}

// timed reports whether a time of day stands at token j, behind the short name of a weekday
// at token i: "Sa 10:15", "sexta às 14h". Where that is another word as well ("so 2pm", "we
// sat at two"), or the number a day ("sab 23 h 11"), it is none.
func (p *parser) timed(i, j int) bool {
	t := p.tok(i)
	next, l := p.introduce(j)
	if !t.upper && p.literal(j, "at") || p.is(next+1, rHours) && p.tok(next+1).spaced || t.end-t.start <= len("so") &&
		(!t.upper || p.is(next+1, rAM|rPM) || next > j && !p.literal(j, "um") || p.literal(i, "so") && (t.broken || next > j)) {
		return false
	}
	_, _, ok := p.clock(next, l, t.upper)
	return ok
}

// counts reports whether the number at token j behind a short word is no day of the
// month: "So 3 Leute".
func (p *parser) counts(j int) bool {
	return !p.is(j, rMonth) && !p.joined(j+1, '.') && !p.is(j+1, rMonth) && !p.is(j+2, rMonth) && !p.joined(j+1, '/')
}

// afterWeekday reads "prochain", "que viene", "nächster Woche", "next week", "evening"
// behind a weekday, and refuses it where it lies in the past.
func (p *parser) afterWeekday(d day, next int) (day, int, bool) {
	if p.tok(next).broken {
		return d, next, true
	}
	if p.is(next, rNotAfter) && !p.is(next, rMonth) {
		return day{}, 0, false
	}
	if u, n, after, ok := p.unitPhrase(p.skipOf(next)); ok && u == weeks {
		d.kind, d.n = inWeek, n
		return d, after, true
	}
	if p.is(next, rNext) && !p.is(next, rNextEn) && !p.tok(next).upper && !p.is(next+1, rUnit) {
		d.strict = true
		next++
	}
	return d, p.partOfDay(next, &d), true
}

// partOfDay skips "Abend", "morning", "soir" behind a day, and notes it.
func (p *parser) partOfDay(i int, d *day) int {
	for n := 0; n < 2 && !p.tok(i).broken && !p.is(i, rNever) && (p.is(i, rNight|rForenoon) || d.kind == onWeekday && p.is(i, rMorning)); n++ {
		d.part = p.tok(i).lex.roles & (rNight | rForenoon)
		i++
	}
	return i
}

// unitPhrase reads "this" or "next" with a week, month or year, in either order.
func (p *parser) unitPhrase(i int) (u unit, n, next int, ok bool) {
	named := func(j int) bool { t := p.tok(j); return t.lex.is(rUnit) && t.lex.unit >= weeks && !t.broken }
	switch {
	case p.is(i, rNext) && named(i+1):
		return p.tok(i + 1).lex.unit, 1, i + 2, true
	case p.is(i, rThis) && named(i+1) && !p.is(i+2, rNext):
		return p.tok(i + 1).lex.unit, 0, i + 2, true
	case named(i) && p.is(i+1, rNext) && !p.is(i+1, rNextEn):
		return p.tok(i).lex.unit, 1, i + 2, true
	}
	return noUnit, 0, 0, false
}

// period reads a whole week, month or year ahead, and the weekend.
func (p *parser) period(i int, l lead) (day, int, bool) {
	if p.is(i, rWeekend) {
		return day{kind: weekend}, i + 1, l.roles&(rBy|rOn|rThe) != 0 && !p.is(i-1, rNot)
	}
	if p.is(i+1, rWeekend) && p.is(i, rThis|rNextEn) {
		d := day{kind: weekend}
		if p.is(i, rNextEn) {
			d.n = 1
		}
		return d, i + 2, true
	}
	u, n, next, ok := p.unitPhrase(i)
	return day{kind: endKind(u), n: n, whole: true}, next, ok
}

// endOf reads the end of a week, a month, a year or of a named month.
func (p *parser) endOf(i int, _ lead) (day, int, bool) {
	if p.is(i, rUnitEnd) {
		return day{kind: endKind(p.tok(i).lex.unit)}, i + 1, true
	}
	if !p.is(i, rEnd) {
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
func (p *parser) relativeDay(i int, _ lead) (day, int, bool) {
	t := p.tok(i)
	d := day{kind: ahead, part: t.lex.roles & rNight}
	switch {
	case t.lex.is(rToday):
	case t.lex.is(rThis) && p.is(i+1, rNight): // this evening, esta tarde
	case t.lex.is(rTomorrow) && !(t.lex.is(rMorning) && p.is(i-1, rNotBefore|rWeekday)):
		d.n = int(t.lex.value)
	default:
		return day{}, 0, false
	}
	return d, p.partOfDay(i+1, &d), true
}

const longestSpan = 999

// spanAhead reads "in 3 days", "within two weeks", "innerhalb von 3 Tagen",
// "dentro de dos semanas", "two weeks from now".
func (p *parser) spanAhead(i int, l lead) (day, int, bool) {
	j := i
	led := l.roles&rBy != 0 && p.is(i-1, rIn) // d'ici deux semaines
	if p.is(j, rIn|rInWeak) {
		led = true
		j++
		if p.literal(j, "the") && p.is(j+1, rNext) {
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
	for p.is(next, rFiller) && next < j+3 {
		next++
	}
	t := p.tok(next)
	if !t.lex.is(rUnit) || t.broken {
		return day{}, 0, false
	}
	next++
	if p.is(next, rFromNow) {
		led = true
		next++
	}
	if !led || p.is(next, rNot) && p.is(next, rNotAfter) { // three days ago
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
