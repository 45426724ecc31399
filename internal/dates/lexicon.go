package dates

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// role is what a word can do in a date. A word can have several.
type role uint64

const (
	// Introducers.
	rBy      role = 1 << iota // sets a limit: by, bis, avant
	rBefore                   // sets a limit that is over when the day begins: before, vor
	rOn                       // leads to a day: on, am, den
	rThe                      // article that leads to a day of the month: the, zum, le, el
	rAt                       // leads to a time: at, um, vers
	rLas                      // las, in "a las 15:00"
	rIn                       // leads to a span: in, within, dans
	rInWeak                   // leads to a span only with what follows: "dentro de", "innerhalb von"
	rDecimal                  // introduces a date with two dots and no year
	rSlashed                  // introduces a date with one slash and no year
	// Days.
	rWeekday
	rWeekdayShort // an abbreviation, read beside a date or after an introducer
	rWeekdayWeak  // an abbreviation or name that is also another word
	rMonth
	rMonthWeak // also another word: read with a capital only
	rToday
	rTonight // ends "this", "heute", "ce", "esta" as well
	rTomorrow
	rMorning // as rTomorrow but also "morning": Morgen, mañana
	rAfterTomorrow
	rAfter // "day after", "après-", "pasado"
	rClosing
	rClosingUpper // an abbreviation that is read in capitals, or after "by"
	rUnit
	rNumber
	rNext    // nearest after today
	rNextEn  // of the following week
	rThis    // nearest, today included
	rWeekend // the days off
	rEnd     // end, Ende, fin, final
	rMonthEnd
	rWeekEnd
	rYearEnd
	// Times.
	rNoon
	rNoonWeak // also a name or a part of the day: read behind what leads to a time
	rMidnight
	rUhr
	rAM
	rPM
	rHours // h, heures, horas
	rHalf  // media, demie
	rQuarter
	rNight // abend, evening: makes a small hour one of the afternoon
	// Small words.
	rOf
	rOrdinal // st, nd, rd, th, er, º
	rQue     // "que viene"
	rViene
	rFrom // "from now"
	rNow
	// Words that forbid what follows.
	rNot       // last, every, since, black
	rNotBefore // makes "Morgen" and "mañana" a morning
	rNotAfter  // dernier, pasado, gras: forbids the weekday before it
	rVersion   // version, chapter: the numbers after it are no date
)

type unit uint8

const (
	noUnit unit = iota
	minutes
	hours
	days
	weeks
	months
	years
)

// lexeme is all that one word can mean.
type lexeme struct {
	roles   role
	weekday int8 // 0 Sunday, where rWeekday, rWeekdayShort or rWeekdayWeak
	month   int8 // 1 to 12
	value   int16
	unit    unit
}

func (l lexeme) is(r role) bool { return l.roles&r != 0 }

// lexiconText is the words of each role; its first lines say how they are
// written.
//
//go:embed lexicon.txt
var lexiconText string

// roleNames are what lexicon.txt calls the roles, in their order.
const roleNames = `by before on the at las in inWeak decimal slashed weekday weekdayShort weekdayWeak month monthWeak today
	tonight tomorrow morning afterTomorrow after closing closingUpper unit number next nextEn this weekend end
	monthEnd weekEnd yearEnd noon noonWeak midnight uhr am pm hours half quarter night of ordinal que viene from
	now not notBefore notAfter version`

var lexicon = sync.OnceValue(buildLexicon)

func buildLexicon() map[string]lexeme {
	lexicon, known := map[string]lexeme{}, strings.Fields(roleNames)
	for line := range strings.Lines(strings.ReplaceAll(lexiconText, "\n ", " ")) {
		names, all, ok := strings.Cut(line, ":")
		if !ok || line[0] == '#' {
			continue
		}
		var roles role
		for name := range strings.FieldsSeq(names) {
			roles |= 1 << slices.Index(known, name) // every test finds what is no role: it panics
		}
		n := int8(0)
		for words := range strings.SplitSeq(all, "|") {
			for word := range strings.FieldsSeq(words) {
				word = fold(word)
				lexicon[word] = lexicon[word].with(roles, n)
			}
			n++
		}
	}
	return lexicon
}

// with is what a word means that can do this as well; n counts the bars before
// it.
func (l lexeme) with(roles role, n int8) lexeme {
	l.roles |= roles
	switch {
	case roles&(rWeekday|rWeekdayShort|rWeekdayWeak) != 0:
		l.weekday = n
	case roles&rMonth != 0:
		l.month = n + 1
	case roles&rUnit != 0:
		l.unit = unit(n + 1)
	case roles&rNumber != 0:
		l.value = int16(n + 1)
	}
	return l
}
