package days

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// words are those of one line, taken one after the other. After the first
// mistake the rest is passed over.
type words struct {
	p    *parser
	line int
	date time.Time // the day that a bare HH:MM is of
	list []word
	ok   bool
}

type word struct {
	text   string
	quoted bool
}

var (
	clockTime = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)
	dateAlone = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	nextWord  = regexp.MustCompile(`^(?:"((?:[^"\\]|\\.)*)"|(\{".*\})$|([^"\s]\S*))(?:[ \t]+|$)`)
	badEscape = regexp.MustCompile(`^(?:[^\\]|\\[nt"\\])*(\\[^nt"\\])`)
	unescape  = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`)
)

// words cuts a line at blanks; what stands in quotes is one word, and so is JSON to the
// end of the line.
func (p *parser) words(l line) *words {
	w := &words{p: p, line: l.n, date: p.day.start, ok: true}
	for rest := strings.TrimSpace(l.text); rest != ""; {
		parts := nextWord.FindStringSubmatch(rest)
		if parts == nil {
			w.fail("the quote before %q is not closed, or no blank follows it", clip(rest[1:]))
			break
		}
		if bad := badEscape.FindStringSubmatch(parts[1]); bad != nil {
			w.fail(`%s is not known in a text; there are \n, \t, \" and \\`, bad[1])
		}
		w.list = append(w.list, word{unescape.Replace(parts[1]) + parts[2] + parts[3], rest[0] == '"'})
		rest = rest[len(parts[0]):]
	}
	return w
}

func (w *words) fail(format string, args ...any) {
	if w.ok {
		w.p.fail(w.line, format, args...)
	}
	w.ok = false
}

// more reports whether a word follows.
func (w *words) more() bool { return w.ok && len(w.list) > 0 }

// next takes one word; what says for which it is.
func (w *words) next(what string) (one word) {
	if !w.more() {
		w.fail("%s is missing at the end", what)
		return word{}
	}
	one, w.list = w.list[0], w.list[1:]
	return one
}

func (w *words) take(what string) string { return w.next(what).text }

// is takes the next word if it is that one.
func (w *words) is(text string) bool {
	found := w.more() && w.list[0] == word{text: text}
	if found {
		w.list = w.list[1:]
	}
	return found
}

// text takes a text in quotes.
func (w *words) text(what string) string {
	one := w.next(what)
	if !one.quoted {
		w.fail("%s stands in double quotes, not as %q", what, clip(one.text))
	}
	return one.text
}

// oneOf takes one of some words.
func (w *words) oneOf(what string, all ...string) string {
	one := w.take(what)
	if !slices.Contains(all, one) {
		w.fail("%s is %q; it is one of %s", what, clip(one), strings.Join(all, ", "))
	}
	return one
}

// later takes later/NAME, and returns that section.
func (w *words) later() section {
	name := w.take("later/NAME")
	short, ok := strings.CutPrefix(name, "later/")
	s, there := w.p.later[short]
	if !ok || !there {
		w.fail("there is no section %q to take the text from", clip(name))
	}
	w.p.used[short] = true
	return s
}

// number takes a number with that unit at its end, within bounds.
func (w *words) number(what, unit string, low, high float64) float64 {
	one := w.take(what)
	digits, ok := strings.CutSuffix(one, unit)
	value, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil || !(value >= low && value <= high) || strings.ContainsAny(digits, "eExXpP_+") {
		w.fail("%s is %q; write a number from %g%s to %g%s", what, clip(one), low, unit, high, unit)
	}
	return value
}

var size = regexp.MustCompile(`^(\d{1,5}(?:\.\d+)?)([KMGT])B$`)

// bytes takes a size such as 500GB.
func (w *words) bytes() (value float64) {
	one := w.take("the size")
	if parts := size.FindStringSubmatch(one); parts != nil {
		value, _ = strconv.ParseFloat(parts[1], 64) // it is a number
		value *= math.Pow(1000, float64(1+strings.Index("KMGT", parts[2])))
	}
	if value == 0 {
		w.fail("the size is %q; write it like 500GB, with KB, MB, GB or TB", clip(one))
	}
	return value
}

// dateTime takes HH:MM of the day, or a date and a time; with alone a date will
// do, and means 18:00 of that day.
func (w *words) dateTime(alone bool) time.Time {
	one, date := w.take("a time"), w.date
	if w.ok && dateAlone.MatchString(one) {
		var err error
		if date, err = time.ParseInLocation(time.DateOnly, one, w.p.day.zone); err != nil {
			w.fail("there is no date %s", one)
		}
		if one = "18:00"; !alone || w.more() && clockTime.MatchString(w.list[0].text) {
			one = w.take("the time after the date")
		}
	}
	return w.clock(date, one)
}

// clock is HH:MM on that day. Of a time that comes twice it is the first.
func (w *words) clock(date time.Time, text string) time.Time {
	if !clockTime.MatchString(text) {
		w.fail("%q is not a time; write HH:MM, from 00:00 to 23:59", clip(text))
		return time.Time{}
	}
	want, _ := time.Parse("15:04", text) // it is a time
	at := time.Date(date.Year(), date.Month(), date.Day(), want.Hour(), want.Minute(), 0, 0, w.p.day.zone)
	if at.Format("15:04") != text {
		w.fail("there is no %s on %s: the clock is put forward", text, date.Format(time.DateOnly))
	}
	for _, shift := range []time.Duration{time.Hour, 30 * time.Minute} {
		if first := at.Add(-shift); first.Format("15:04") == text {
			return first
		}
	}
	return at
}

// done complains about what is left.
func (w *words) done() {
	if w.more() {
		w.fail("nothing may follow before %q", clip(w.list[0].text))
	}
}
