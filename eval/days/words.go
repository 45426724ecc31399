package days

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dayWords are the words of one line, taken one after the other. After the
// first mistake the rest is passed over.
type dayWords struct {
	p    *dayParser
	line int
	date time.Time // the day that a bare HH:MM is of
	list []dayWord
	ok   bool
}

type dayWord struct {
	text   string
	quoted bool
}

var (
	dayClock = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)
	dayDate  = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// words cuts a line at blanks; what stands in quotes is one word.
func (p *dayParser) words(line dayLine) *dayWords {
	w := &dayWords{p: p, line: line.n, date: p.day.start, ok: true}
	rest := strings.TrimSpace(line.text)
	for rest != "" && w.ok {
		if rest[0] == '"' {
			rest = w.quoted(rest)
		} else {
			end := strings.IndexAny(rest, " \t")
			if end < 0 {
				end = len(rest)
			}
			w.list = append(w.list, dayWord{text: rest[:end]})
			rest = rest[end:]
		}
		rest = strings.TrimLeft(rest, " \t")
	}
	return w
}

var (
	quotedText = regexp.MustCompile(`^"((?:[^"\\]|\\.)*)"`)
	badEscape  = regexp.MustCompile(`^(?:[^\\]|\\[nt"\\])*(\\[^nt"\\])`)
	unescape   = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`)
)

// quoted takes a text in quotes off the front and returns what follows.
func (w *dayWords) quoted(rest string) string {
	parts := quotedText.FindStringSubmatch(rest)
	if parts == nil {
		w.fail("the quote before %q is not closed", clip(rest[1:]))
		return ""
	}
	if bad := badEscape.FindStringSubmatch(parts[1]); bad != nil {
		w.fail(`%s is not known in a text; there are \n, \t, \" and \\`, bad[1])
		return ""
	}
	text, tail := unescape.Replace(parts[1]), rest[len(parts[0]):]
	w.list = append(w.list, dayWord{text, true})
	if tail != "" && tail[0] != ' ' && tail[0] != '\t' {
		w.fail("write a blank after the closing quote of %q", clip(text))
	}
	return tail
}

func (w *dayWords) fail(format string, args ...any) {
	if w.ok {
		w.p.fail(w.line, format, args...)
	}
	w.ok = false
}

// peek is the next word, "" at the end.
func (w *dayWords) peek() string {
	if len(w.list) == 0 || !w.ok {
		return ""
	}
	return w.list[0].text
}

// next takes one word; what says for which it is.
func (w *dayWords) next(what string) dayWord {
	if !w.ok {
		return dayWord{}
	}
	if len(w.list) == 0 {
		w.fail("%s is missing at the end", what)
		return dayWord{}
	}
	word := w.list[0]
	w.list = w.list[1:]
	return word
}

func (w *dayWords) take(what string) string { return w.next(what).text }

// is takes the next word if it is that one.
func (w *dayWords) is(word string) bool {
	if w.ok && len(w.list) > 0 && !w.list[0].quoted && w.list[0].text == word {
		w.list = w.list[1:]
		return true
	}
	return false
}

// text takes a text in quotes.
func (w *dayWords) text(what string) string {
	word := w.next(what)
	if w.ok && !word.quoted {
		w.fail("%s stands in double quotes, not as %q", what, clip(word.text))
	}
	return word.text
}

// content takes a text in quotes, or `from later/NAME`.
func (w *dayWords) content() string {
	if !w.is("from") {
		return w.text("the text, or `from later/NAME`,")
	}
	return w.later()
}

// later takes later/NAME and returns that section.
func (w *dayWords) later() string {
	name := w.take("later/NAME")
	short, ok := strings.CutPrefix(name, "later/")
	section, there := w.p.later[short]
	if w.ok && (!ok || !there) {
		w.fail("there is no section %q to take the text from", clip(name))
	}
	w.p.used[short] = true
	return section.text
}

// path takes the path of a note, a file or a calendar.
func (w *dayWords) path() string {
	name := w.take("a path")
	if err := checkDayPath(name); w.ok && err != nil {
		w.fail("%v", err)
	}
	return name
}

// calendar takes NAME.ics.
func (w *dayWords) calendar() string {
	name := w.take("the calendar")
	if w.ok && !isDayCalendar(name) {
		w.fail("%q is not a calendar NAME.ics", clip(name))
	}
	return name
}

// number takes a number with that unit at its end, within bounds.
func (w *dayWords) number(what, unit string, low, high float64) float64 {
	word := w.take(what)
	digits, ok := strings.CutSuffix(word, unit)
	value, err := strconv.ParseFloat(digits, 64)
	if w.ok && (!ok || err != nil || !(value >= low && value <= high) || strings.ContainsAny(digits, "eExXpP_+")) {
		w.fail("%s is %q; write a number from %g%s to %g%s", what, clip(word), low, unit, high, unit)
	}
	return value
}

var daySize = regexp.MustCompile(`^(\d{1,5}(?:\.\d+)?)([KMGT])B$`)

// bytes takes a size such as 500GB.
func (w *dayWords) bytes() float64 {
	word := w.take("the size")
	var value float64
	if parts := daySize.FindStringSubmatch(word); parts != nil {
		value, _ = strconv.ParseFloat(parts[1], 64) // it is a number
		value *= math.Pow(1000, float64(1+strings.Index("KMGT", parts[2])))
	}
	if value == 0 {
		w.fail("the size is %q; write it like 500GB, with KB, MB, GB or TB", clip(word))
	}
	return value
}

// dateTime takes HH:MM of the day, or a date and a time; with dateAlone a
// date will do, and means 18:00 of that day.
func (w *dayWords) dateTime(dateAlone bool) time.Time {
	word := w.take("a time")
	date := w.date
	if w.ok && dayDate.MatchString(word) {
		var err error
		if date, err = time.ParseInLocation(time.DateOnly, word, w.p.day.zone); err != nil {
			w.fail("there is no date %s", word)
			return time.Time{}
		}
		if word = "18:00"; !dateAlone || dayClock.MatchString(w.peek()) {
			word = w.take("the time after the date")
		}
	}
	if !w.ok {
		return time.Time{}
	}
	return w.clock(date, word)
}

// clock is HH:MM on that day. Of a time that comes twice it is the first.
func (w *dayWords) clock(date time.Time, text string) time.Time {
	if !dayClock.MatchString(text) {
		w.fail("%q is not a time; write HH:MM, from 00:00 to 23:59", clip(text))
		return time.Time{}
	}
	hour, _ := strconv.Atoi(text[:2])
	minute, _ := strconv.Atoi(text[3:])
	at := time.Date(date.Year(), date.Month(), date.Day(), hour, minute, 0, 0, w.p.day.zone)
	if at.Hour() != hour || at.Minute() != minute {
		w.fail("there is no %s on %s: the clock is put forward", text, date.Format(time.DateOnly))
		return time.Time{}
	}
	for _, shift := range []time.Duration{time.Hour, 30 * time.Minute} {
		if first := at.Add(-shift); first.Hour() == hour && first.Minute() == minute {
			return first
		}
	}
	return at
}

// done complains about what is left.
func (w *dayWords) done() {
	if w.ok && len(w.list) > 0 {
		w.fail("nothing may follow before %q", clip(w.list[0].text))
	}
}
