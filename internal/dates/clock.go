package dates

// clock reads a time of day from token i on. dated: a day stands beside it,
// so that "15:00" and "15h" cannot be a ratio or a duration.
func (p *parser) clock(i int, l lead, dated bool) (clock, int, bool) {
	t := p.tok(i)
	led := dated || l.roles&(rAt|rBy) != 0 || p.mark(i-1, '@')
	switch {
	case t.lex.is(rNoon) && p.begins(i) && p.ends(i+1):
		return clock{set: true, hour: 12}, i + 1, true
	case t.lex.is(rNoonWeak) && l.roles&(rBy|rAt) != 0 && p.begins(i) && p.ends(i+1):
		return clock{set: true, hour: 12}, i + 1, true
	case t.lex.is(rMidnight) && led && p.begins(i):
		return clock{set: true, hour: 24}, i + 1, true
	case !p.digits(i, 1, 2) || t.number > 24 || !p.begins(i):
		return clock{}, 0, false
	}
	c := clock{set: true, hour: t.number}
	next, shape := p.minutes(i, &c)
	spoken := l.roles&rLas != 0 && l.roles&(rAt|rBefore) != 0
	next, marked := p.halfDay(next, &c, spoken && shape == bare)
	switch {
	case marked == unreadable:
		return clock{}, 0, false
	case marked == named: // pm, Uhr, de la tarde
	case shape == withColon && led && t.digits == 2, shape == withColon && led && l.roles&(rAt|rLas) != 0:
	case shape == withColon && dated:
	case shape == withLetter: // 15h30
	case shape == onHour && (dated || l.roles&rAt != 0 || l.roles&rBy != 0):
	case shape == bare && spoken:
		if c.hour >= 1 && c.hour <= 6 { // nobody means three in the night
			c.hour += 12
		}
	default:
		return clock{}, 0, false
	}
	if c.hour == 24 && c.minute != 0 || !p.ends(next) {
		return clock{}, 0, false
	}
	return c, next, true
}

type clockShape int

const (
	bare       clockShape = iota // 15
	withColon                    // 15:00
	withDot                      // 15.30, a time only before Uhr or pm
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

type halfDay int

const (
	unnamed halfDay = iota
	named
	unreadable
)

// halfDay reads "Uhr", "pm" or "de la tarde" from token i on.
func (p *parser) halfDay(i int, c *clock, spoken bool) (next int, result halfDay) {
	if p.is(i, rUhr) {
		next = i + 1
		if t := p.tok(next); c.minute == 0 && p.digits(next, 2, 2) && t.number < 60 && !p.mark(next+1, '.') && p.ends(next+1) {
			c.minute = t.number
			next++
		}
		return p.partOfDay(next, c), named
	}
	if next, pm, ok := p.meridiem(i); ok {
		if c.hour < 1 || c.hour > 12 {
			return i, unreadable
		}
		c.hour %= 12
		if pm {
			c.hour += 12
		}
		return next, named
	}
	if spoken && p.literal(i, "y") && p.is(i+1, rHalf|rQuarter) {
		c.minute = 15
		if p.is(i+1, rHalf) {
			c.minute = 30
		}
		i += 2
	}
	if p.literal(i, "o") && p.mark(i+1, '\'') && p.literal(i+2, "clock") {
		if c.hour >= 1 && c.hour <= 6 {
			c.hour += 12
		}
		return i + 3, named
	}
	if p.literal(i, "de") && p.literal(i+1, "la") && (p.is(i+2, rNight) || p.is(i+2, rMorning)) {
		return p.partOfDay(i+2, c), named
	}
	return i, unnamed
}

// partOfDay reads "abends" or "tarde", which turn 8 into 20.
func (p *parser) partOfDay(i int, c *clock) int {
	switch {
	case p.tok(i).broken:
		return i
	case p.is(i, rNight):
		if c.hour < 12 && c.hour >= 1 {
			c.hour += 12
		}
		return i + 1
	case p.is(i, rMorning) && !p.tok(i).upper:
		return i + 1
	}
	return i
}

// meridiem reads am, pm, a.m. and p.m. German "am" leads to a day instead.
func (p *parser) meridiem(i int) (next int, pm, ok bool) {
	t := p.tok(i)
	if t.broken {
		return i, false, false
	}
	if t.lex.is(rPM) {
		return i + 1, true, true
	}
	if t.lex.is(rAM) {
		german := t.spaced && (p.is(i+1, rWeekday|rWeekdayShort|rWeekdayWeak|rNext) || p.tok(i+1).kind == number)
		return i + 1, false, !german
	}
	if (p.literal(i, "p") || p.literal(i, "a")) && p.joined(i+1, '.') {
		j := i + 2
		if p.literal(j, "m") {
			if j++; p.joined(j, '.') {
				j++
			}
			return j, p.literal(i, "p"), true
		}
	}
	return i, false, false
}

// closing reads the end of a working day: EOD, "end of day", Feierabend.
func (p *parser) closing(i int, l lead) (next int, ok bool) {
	t := p.tok(i)
	if !p.begins(i) {
		return i, false
	}
	if t.lex.is(rClosing) {
		upper := p.text[t.start:t.end] == "EOD" || p.text[t.start:t.end] == "COB" || p.text[t.start:t.end] == "EOB"
		return i + 1, p.ends(i+1) && (!t.lex.is(rClosingUpper) || upper || l.roles&rBy != 0)
	}
	if !t.lex.is(rEnd) {
		return i, false
	}
	j := p.skipOf(i + 1)
	if j > i+1 && (p.is(j, rUnit) && p.tok(j).lex.unit == days || p.literal(j, "business") || p.literal(j, "play")) {
		return j + 1, p.ends(j + 1)
	}
	return i, false
}

// skipOf skips "of the", "de la", "des", "d'".
func (p *parser) skipOf(i int) int {
	for n := 0; n < 3 && (p.is(i, rOf) || p.mark(i, '\'') || p.mark(i, '’')); n++ {
		i++
	}
	return i
}
