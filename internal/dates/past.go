package dates

import (
	"cmp"
	"time"
)

// Span is a time that a text names: from From until before To.
type Span struct{ From, To time.Time }

// what the words of "past" in the files of lang can do.
const (
	agoBefore = 1 + iota // vor drei Tagen, hace tres días
	agoBehind            // three days ago
	last
	yesterday
	dayBefore
)

// oldestNamed is the first year that four digits alone name.
const oldestNamed = 1950

// Past returns the days, weeks, months and years of text that have begun, in order, as who
// looks back at now means them: "on Friday" is the last one, "in May" that of this year or
// the last. What is ahead of now is left out.
func Past(text string, now time.Time) []Span {
	text = text[:min(len(text), MaxText)]
	p := parser{text: text, tokens: look(text, tokenize(nil, text))}
	y, m, d := now.Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	var all []Span
	for i := 0; i < len(p.tokens) && len(all) < MaxMatches; {
		from, to, next := p.past(i, today)
		if next == 0 {
			i++
			continue
		}
		if i = next; !from.After(now) {
			all = append(all, Span{from, to})
		}
	}
	return all
}

// past reads what begins at token i; next is 0 where nothing does.
func (p *parser) past(i int, today time.Time) (from, to time.Time, next int) {
	t := p.tok(i)
	if t.lex.past >= yesterday {
		from, to = back(today, days, int(t.lex.past-yesterday)+1)
		return from, to, i + 1
	}
	if n, after, ok := p.count(i); ok && p.is(after, rUnit) {
		behind := p.tok(after+1).lex.past == agoBehind
		if next = after + 1; behind {
			next++
		}
		if behind || p.tok(i-1).lex.past == agoBefore {
			from, to = back(today, p.tok(after).lex.unit, n)
			return from, to, next
		}
	}
	at, is := i, 0
	next = i + 1
	if t.lex.past == last {
		at, is, next = i+1, last, i+2
	} else if p.tok(i+1).lex.past == last && !p.tok(i+1).broken {
		is, next = last, i+2
	}
	switch t := p.tok(at); {
	case is == last && t.lex.is(rWeekday|rWeekdayShort):
		from, to = sinceWeekday(today, time.Weekday(t.lex.weekday))
		return from, to, next
	case is == last && t.lex.is(rWeekend):
		monday, _ := back(today, weeks, 0)
		return monday.AddDate(0, 0, -2), monday, next
	case is == last && t.lex.is(rUnit) && t.lex.unit >= weeks:
		from, to = back(today, t.lex.unit, 1)
		return from, to, next
	}
	if p.begins(i) {
		core, lead := p.introduce(i)
		if s, ok := p.core(core, lead); ok && s.day.kind != noDay {
			if from, to, ok = s.day.before(today); ok {
				return from, to, s.to
			}
		}
	}
	if u, n, after, ok := p.unitPhrase(i); ok && n == 0 {
		from, to = back(today, u, 0)
		return from, to, after
	}
	switch t = p.tok(at); {
	case t.lex.is(rMonth) && (!t.lex.is(rMonthWeak) || t.upper) && p.tok(at-1).kind != number:
		year, after := p.year(at + 1)
		month := today
		if is == last {
			month, _ = back(today, months, 1)
		}
		from = begun(month, year, int(t.lex.month), 1)
		return from, from.AddDate(0, 1, 0), max(next, after)
	case p.digits(i, 4, 4) && t.spaced && t.number >= oldestNamed && t.number <= today.Year() && p.ends(i+1):
		from, to = back(today, years, today.Year()-t.number)
		return from, to, i + 1
	}
	return from, to, 0
}

// back is the day, week, month or year that is n before that of today.
func back(today time.Time, u unit, n int) (from, to time.Time) {
	y, m, _ := today.Date()
	switch u {
	case weeks:
		monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7-7*n)
		return monday, monday.AddDate(0, 0, 7)
	case months:
		from = time.Date(y, m-time.Month(n), 1, 0, 0, 0, 0, today.Location())
		return from, from.AddDate(0, 1, 0)
	case years:
		from = time.Date(y-n, 1, 1, 0, 0, 0, 0, today.Location())
		return from, from.AddDate(1, 0, 0)
	case days:
		return today.AddDate(0, 0, -n), today.AddDate(0, 0, 1-n)
	}
	return today, today.AddDate(0, 0, 1)
}

// begun is a day of a year, or of the last that has reached it.
func begun(today time.Time, year, month, day int) time.Time {
	from := time.Date(cmp.Or(year, today.Year()), time.Month(month), day, 0, 0, 0, 0, today.Location())
	if year == 0 && from.After(today) {
		return from.AddDate(-1, 0, 0)
	}
	return from
}

func sinceWeekday(today time.Time, weekday time.Weekday) (from, to time.Time) {
	return back(today, days, 1+(int(today.Weekday())-int(weekday)+6)%7)
}

// before is the last such day up to today.
func (d day) before(today time.Time) (from, to time.Time, ok bool) {
	switch d.kind {
	case absolute:
		from = begun(today, d.year, d.month, d.num)
		return from, from.AddDate(0, 0, 1), true
	case onWeekday:
		from, to = sinceWeekday(today, d.weekday)
		return from, to, true
	}
	from, to = back(today, days, 0)
	return from, to, d.kind == ahead && d.n == 0 && d.months == 0
}
