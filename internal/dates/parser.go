package dates

import (
	"slices"
	"strings"
)

// parser reads spans out of the tokens of one text. Every method looks at a
// bounded number of tokens from where it is asked to begin, which keeps the
// whole linear.
type parser struct {
	text   string
	tokens []token
}

// beyond is what stands before the first token and behind the last.
var beyond = token{kind: none, spaced: true, broken: true}

func (p *parser) tok(i int) *token {
	if i < 0 || i >= len(p.tokens) {
		return &beyond
	}
	return &p.tokens[i]
}

// idle reports whether a token is a word that says nothing in a date.
func (t *token) idle() bool { return t.kind == word && t.lex.roles&^opensPhrase == 0 }

// is reports whether token i is a word with one of the roles.
func (p *parser) is(i int, r role) bool { return p.tok(i).lex.is(r) }

// mark reports whether token i is that character.
func (p *parser) mark(i int, char rune) bool {
	t := p.tok(i)
	return t.kind == mark && t.char == char
}

// joined reports whether token i is that character with no space before it.
func (p *parser) joined(i int, char rune) bool { return p.mark(i, char) && !p.tok(i).spaced }

// digits reports whether token i is a number of least to most digits.
func (p *parser) digits(i, least, most int) bool {
	t := p.tok(i)
	return t.kind == number && t.digits >= least && t.digits <= most
}

// literal reports whether token i is that very word, for the few that the
// lexicon cannot tell apart.
func (p *parser) literal(i int, text string) bool {
	t := p.tok(i)
	return t.kind == word && strings.EqualFold(p.text[t.start:t.end], text)
}

// begins reports whether a date may begin at token i: it must not be the rest
// of a number, a name, a path or an amount.
func (p *parser) begins(i int) bool {
	t := p.tok(i)
	if t.spaced {
		return true
	}
	before := p.tok(i - 1)
	switch before.kind {
	case none:
		return true
	case mark:
		switch before.char {
		case '.', '/', '\\', '_', '#', '$', '€', '£', '¥', '+', '=', '%', '~', '&', '^', '<':
			return false
		case '-':
			return p.is(i-2, rWeekday|rWeekdayShort) || before.spaced && before.broken
		case ',', ':':
			return p.tok(i-2).kind != number
		}
		return true
	}
	return false
}

// ends reports whether a date may end before token i.
func (p *parser) ends(i int) bool {
	t, after := p.tok(i), p.tok(i+1)
	if t.spaced {
		return !(t.kind == mark && (t.char == '€' || t.char == '$' || t.char == '%' || t.char == '£'))
	}
	if t.kind != mark {
		return false
	}
	switch t.char {
	case '/', '\\', '_', '%', '€', '$', '£', '°', '+', '^', '@', '=', '#', '~':
		return false
	case '-':
		return after.spaced || p.is(i+1, rWeekday|rWeekdayShort)
	case '.', ':':
		return after.spaced || after.kind == mark
	case ',':
		return after.spaced || after.kind != number
	}
	return true
}

// lead is what introduced a date.
type lead struct {
	roles role
	from  int
}

// maxLead is how many tokens may introduce a date ("a más tardar el próximo").
const maxLead = 6

// introduce reads the words that lead to a date from token i on and returns
// where they end.
func (p *parser) introduce(i int) (next int, l lead) {
	const leading = rBy | rBefore | rOn | rThe | rAt | rHour | rTwelve | rFirm | rDecimal | rSlashed
	for next = i; next < i+maxLead; next++ {
		t := p.tok(next)
		switch {
		case t.kind == word && t.lex.is(leading):
			if next > i && l.roles&rHour != 0 && t.lex.is(rNumber) { // entro le due
				return next, l
			}
			l.roles |= t.lex.roles & leading
		case next > i && t.kind == mark && (t.char == '\'' || t.char == '’') && !t.spaced && p.tok(next-1).end-p.tok(next-1).start <= 5:
			// d'ici, jusqu'au, l'an
		case next > i && t.kind == mark && t.char == ':' && l.roles&rBy != 0:
		case t.kind == mark && (t.char == '📅' || t.char == '⏰'):
			l.roles |= rBy
		case t.kind == mark && t.char == '️' && next > i:
		default:
			return next, l
		}
	}
	return next, l
}

// at reads the date or time that begins at token i, its introduction included.
func (p *parser) at(i int) (span, bool) {
	if t := p.tok(i); t.idle() || t.kind == mark && t.char < 0x2000 || t.lex.is(rNever) {
		return span{}, false
	}
	if !p.begins(i) {
		return span{}, false
	}
	next, l := p.introduce(i)
	l.from = i
	s, ok := p.core(next, l)
	if !ok && next > i { // "in" and "the" also introduce
		s, ok = p.core(i, lead{from: i})
	}
	if !ok || p.forbidden(i) {
		return span{}, false
	}
	s.from = i
	if l.roles&rBefore != 0 && p.withdrawn(i) {
		l.roles &^= rBefore
		if !p.isOr(i - 1) {
			l.roles &^= rBy
		}
	}
	s.before = l.roles&rBefore != 0 && !s.closing
	s.deadline = s.deadline || l.roles&rBy != 0 || s.day.kind != noDay && p.is(next, rIn|rInWeak)
	return s, true
}

// core reads a day and a time in either order from token i on.
func (p *parser) core(i int, l lead) (span, bool) {
	s := span{from: i, to: i}
	leads := l
	for range 4 {
		next := s.to
		if next > i {
			next, leads = p.connect(next)
		}
		if p.tok(next).idle() {
			break
		}
		if s.day.kind == noDay || s.day.kind == onWeekday && !s.clock.set && s.day.n == 0 && s.day.num == 0 {
			if d, after, ok := p.day(next, leads, s.day.kind == onWeekday); ok {
				if d.kind == onWeekday && s.day.kind == onWeekday {
					d.weekday, d.part, d.strict = s.day.weekday, d.part|s.day.part, s.day.strict
				}
				s.day, s.to = d, after
				continue
			}
		}
		if !s.clock.set && s.day.kind != instant {
			if c, after, ok := p.clock(next, leads, s.day.kind != noDay); ok {
				s.clock, s.to = c, after
				s.deadline = s.deadline || leads.roles&rBy != 0 && next > i && !p.withdrawn(next-1)
				continue
			}
		}
		if !s.closing {
			if after, ok := p.closing(next, leads); ok {
				s.closing, s.to = true, after
				s.deadline = true
				continue
			}
		}
		break
	}
	if s.day.kind == noDay && s.closing {
		s.day = day{kind: ahead}
	}
	return s, s.to > i
}

// withdrawn reports whether the word behind which "before" stands at token i
// makes no limit of it ("not before Friday", "nicht vor Freitag"), or one that
// holds the day itself ("on or before Friday").
func (p *parser) withdrawn(i int) bool {
	if p.tok(i).broken {
		return false
	}
	return p.isOr(i-1) || slices.ContainsFunc([]string{"not", "nicht", "pas", "no", "nunca", "never", "nie", "jamais"}, func(no string) bool { return p.literal(i-1, no) })
}

func (p *parser) isOr(i int) bool {
	return p.literal(i, "or") || p.literal(i, "oder") || p.literal(i, "ou") || p.literal(i, "o")
}

// connect skips what may stand between a day and its time, and returns what
// it would introduce.
func (p *parser) connect(i int) (next int, l lead) {
	next = i
	for n := 0; n < 2 && (p.mark(next, ',') || p.mark(next, '(') || p.mark(next, '@') || p.mark(next, '–') && p.tok(next).spaced); n++ {
		next++
	}
	if p.tok(next).broken {
		return i, lead{from: i}
	}
	if p.is(next, rAM|rPM|rUhr) && !p.leadsToDay(next) {
		return next, lead{from: next}
	}
	if (p.literal(next, "von") || p.literal(next, "from")) && p.tok(next+1).kind == number { // "Friday from 10:00 to 12:00"
		next++
	}
	next, l = p.introduce(next)
	l.from = next
	return next, l
}

// forbidden reports whether the words around a span make it no date ahead:
// "last Friday", "every Monday", "guten Morgen", "version 1.2.2024".
func (p *parser) forbidden(i int) bool {
	first := i
	for n := 0; n < 2 && p.is(first-1, rOf) && !p.is(first-1, rNot) && !p.tok(first).broken; n++ {
		first-- // todos los viernes
	}
	return p.is(first-1, rNot) && !p.tok(first).broken || p.mark(i-1, '.') && p.is(i-2, rVersion) ||
		p.is(i-1, rVersion) && !p.tok(i).broken && p.tok(i).kind == number
}
