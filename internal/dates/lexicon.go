package dates

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// role is what a word, or a phrase of some, can do in a date. It can have several.
type role uint64

const (
	// Introducers.
	rBy        role = 1 << iota // sets a limit: by, bis, avant
	rBefore                     // sets a limit that is over when the day begins: before, vor
	rTill                       // may lead to the end of a time that has begun
	rOn                         // leads to a day: on, am, den
	rThe                        // leads to a day of the month: the, zum, le, el
	rDotted                     // … where that has a dot: zum 24.
	rBare                       // … where that is a number alone: el 24
	rDayNumber                  // says so itself: dia 24
	rAt                         // leads to a time: at, um, vers
	rHour                       // … where that is an hour alone: at five, alle 17
	rTwelve                     // … and to hours of twelve in digits: at 4:30
	rFirm                       // … whatever follows that, but for a plural: a las 5 viene
	rIn                         // leads to a span: in, within, dans
	rInWeak                     // … that is no other thing in this language: en, dentro de
	rDecimal                    // introduces a date with two dots and no year
	rSlashed                    // introduces a date with one slash and no year
	// Days.
	rWeekday
	rWeekdayShort   // an abbreviation, read beside a date or after an introducer
	rWeekdayWeak    // an abbreviation or name that is also another word
	rOrdinalWeekday // an ordinal as well, of what follows it: segunda
	rMonth
	rMonthWeak // also another word: read with a capital only
	rToday
	rTomorrow // by how many days ahead
	rMorning  // tomorrow that is the morning as well: Morgen, mañana
	rNight    // afternoon, evening or night, of a day
	rForenoon
	rClosing
	rClosingUpper // an abbreviation that is read in capitals, or after "by"
	rUnit
	rNumber
	rNext    // nearest after today
	rNextEn  // of the following week
	rThis    // nearest, today included
	rWeekend // the days off
	rEnd     // end, Ende, fin, final
	rUnitEnd // of a week, a month or a year
	// Times.
	rNoon
	rNoonWeak // also a name or a part of the day: read behind what leads to a time
	rMidnight
	rUhr
	rAM
	rPM
	rAMWords // in the morning, abends: they part the hours, too, but also stand behind 20 Uhr
	rPMWords
	rHours   // h, heures, horas
	rShift   // half past, before an hour
	rShifted // y media, behind it
	rZone
	rZoneBehind
	rThen // may follow an hour that stands alone
	// Small words.
	rOf
	rOrdinal // st, nd, rd, th, er, º
	rFromNow
	rFiller // business, in business days
	// Words that forbid what follows.
	rNot       // last, every, since, black
	rNotBefore // makes "Morgen" and "mañana" a morning
	rNotAfter  // dernier, pasado, gras: forbids the weekday before it
	rVersion   // version, chapter: the numbers after it are no date
	rGrows     // rose, in "rose by 5"
	rNever     // a phrase that is none, though its words are some
	opensPhrase
)

// roleNames are what the files of lang call the roles, in their order.
const roleNames = `by before till on the dotted bare dayNumber at hour twelve firm in inWeak decimal slashed weekday weekdayShort
	weekdayWeak ordinalWeekday month monthWeak today tomorrow morning night forenoon closing closingUpper unit number next
	nextEn this weekend end unitEnd noon noonWeak midnight uhr am pm amWords pmWords hours shift shifted zone
	zoneBehind then of ordinal fromNow filler not notBefore notAfter version grows never`

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
	weekday int8 // 0 Sunday, where it names one
	month   int8 // 1 to 12
	value   int8 // of a number, a shift of minutes, days ahead, hours from UTC
	unit    unit
	past    int8 // what it does in a date that lies back
}

func (l lexeme) is(r role) bool { return l.roles&r != 0 }

// lang has the words of each role; en.txt says how they are written.
//
//go:embed lang/*.txt
var lang embed.FS

var lexicon = sync.OnceValue(func() map[string]lexeme {
	l, err := readLexicon(lang)
	if err != nil {
		panic(err) // a test reads them
	}
	return l
})

// readLexicon reads the files of lang. A phrase is kept by its words, folded, with
// spaces between them; each word with which one begins has the role opensPhrase.
func readLexicon(from fs.FS) (map[string]lexeme, error) {
	all, known := make(map[string]lexeme, 2048), strings.Fields(roleNames)
	files, err := fs.Glob(from, "lang/*.txt")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := fs.ReadFile(from, file)
		if err != nil {
			return nil, err
		}
		var roles role
		n := int8(0)
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if line[0] == '#' || strings.TrimSpace(line) == "" {
				continue
			}
			if line[0] != ' ' {
				names, words, ok := strings.Cut(line, ":")
				if !ok {
					return nil, fmt.Errorf("dates: %s:%d: no role and no colon begins the line: write \"today: heute\"", file, number)
				}
				roles, n, line = 0, 0, words
				for name := range strings.FieldsSeq(names) {
					if name == "past" { // of no role: all bits are taken
						n = 1
						continue
					}
					i := slices.Index(known, name)
					if i < 0 {
						return nil, fmt.Errorf("dates: %s:%d: %q is no role: these are: %s", file, number, name, strings.Join(known, " "))
					}
					roles |= 1 << i
				}
			}
			for word := range strings.FieldsSeq(strings.ReplaceAll(line, "|", " | ")) {
				if word == "|" {
					n++
					continue
				}
				enter(all, word, roles, n)
			}
		}
	}
	return all, nil
}

// enter notes a word or phrase; n counts the bars before it.
func enter(all map[string]lexeme, word string, roles role, n int8) {
	key, exact := strings.CutPrefix(word, "=")
	if !exact {
		key = fold(strings.Join(pieces(strings.ReplaceAll(word, "_", " ")), " "))
	}
	if first, _, phrase := strings.Cut(key, " "); phrase {
		l := all[first]
		l.roles |= opensPhrase
		all[first] = l
	}
	all[key] = all[key].with(roles, n)
}

var shifts = [...]int8{30, 15, -15, -30}

// with is what a word means that can do this as well.
func (l lexeme) with(roles role, n int8) lexeme {
	l.roles |= roles
	switch {
	case roles == 0:
		l.past = n
	case roles&(rWeekday|rWeekdayShort|rWeekdayWeak|rOrdinalWeekday) != 0:
		l.weekday = n
	case roles&rMonth != 0:
		l.month = n + 1
	case roles&(rUnit|rUnitEnd) != 0:
		l.unit = unit(n + 1)
	case roles&(rNumber|rTomorrow) != 0:
		l.value = n + 1
	case roles&(rShift|rShifted) != 0:
		l.value = shifts[min(int(n), len(shifts)-1)]
	case roles&rZone != 0:
		l.value = n
	case roles&rZoneBehind != 0:
		l.value = -n
	}
	return l
}
