package reflex

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// partBytes and partWords bound what a part of a summary begins with.
	partBytes = 240
	partWords = 40
)

// part is a piece of a summary that comes from outside and may be shortened so
// that the rest has room: prose from its end, a name from its middle.
type part struct {
	head, tail string
	name, cut  bool
}

// prose is a part that reads from the left: a title, a promise.
func prose(text string) *part { return &part{head: plain(text, "something without a name")} }

// name is a part whose end matters as much as its beginning: a path.
func name(text string) *part {
	text = plain(text, "something without a name")
	half := len(text) / 3
	for half > 0 && !utf8.RuneStart(text[half]) {
		half--
	}
	return &part{head: text[:half], tail: text[half:], name: true}
}

// plain makes one bounded line out of text.
func plain(text, otherwise string) string {
	if len(text) > partBytes {
		text = text[:partBytes]
		for !utf8.ValidString(text) && len(text) > partBytes-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	words := strings.Fields(subconscious.Printable(text))
	if len(words) == 0 {
		return otherwise
	}
	return strings.Join(words[:min(len(words), partWords)], " ")
}

// String is the part as it is now.
func (p *part) String() string {
	switch {
	case !p.cut:
		return p.head + p.tail
	case p.name:
		return p.head + "…" + p.tail
	}
	return strings.TrimRight(p.head, " ,.;:–-(\"'") + "…"
}

// shorten takes a little away, and reports whether there was anything left to
// take.
func (p *part) shorten() bool {
	if !p.name {
		if i := strings.LastIndexByte(p.head, ' '); i > 0 {
			p.head, p.cut = p.head[:i], true
			return true
		}
		_, size := utf8.DecodeLastRuneInString(p.head)
		if len(p.head) <= size {
			return false
		}
		p.head, p.cut = p.head[:len(p.head)-size], true
		return true
	}
	if len(p.head)+len(p.tail) <= 8 {
		return false
	}
	p.cut = true
	if len(p.head)*2 > len(p.tail) {
		_, size := utf8.DecodeLastRuneInString(p.head)
		p.head = p.head[:len(p.head)-size]
		return true
	}
	_, size := utf8.DecodeRuneInString(p.tail)
	p.tail = p.tail[size:]
	return true
}

// say writes a summary. Where it is too long, its parts are shortened, the
// longest first, and what stands in the format is kept whole.
func say(format string, args ...any) string {
	for {
		line := fmt.Sprintf(format, args...)
		words := len(strings.Fields(line))
		if len(line) <= subconscious.SummaryBytes && words <= subconscious.SummaryWords {
			return subconscious.Summary(line)
		}
		if !shortenLongest(args, words > subconscious.SummaryWords) {
			return subconscious.Summary(line)
		}
	}
}

// shortener is a part, or one with fixed words around it.
type shortener interface {
	fmt.Stringer
	shorten() bool
}

var (
	_ shortener = (*part)(nil)
	_ shortener = (*callee)(nil)
)

// shortenLongest takes a little from the longest part that has something left.
func shortenLongest(args []any, byWords bool) bool {
	var parts []shortener
	for _, arg := range args {
		if p, ok := arg.(shortener); ok {
			parts = append(parts, p)
		}
	}
	length := func(p shortener) int {
		if text := p.String(); byWords {
			return len(strings.Fields(text))*partBytes*4 + len(text)
		} else {
			return len(text)
		}
	}
	slices.SortStableFunc(parts, func(a, b shortener) int { return length(b) - length(a) })
	return slices.ContainsFunc(parts, shortener.shorten)
}

// sentence is what a letter says in its own words, or what it is about where that is
// nothing.
func sentence(o subconscious.Observation) *part { return prose(cmp.Or(o.Attrs["quote"], subject(o))) }

// letterWords are who wrote, and the sentence that says what matters. Who calls
// themselves like an alarm is marked as somebody who writes.
func letterWords(o subconscious.Observation) string {
	format := "%s: “%s”"
	switch {
	case on(o, "awaited"):
		format = "%s answers: “%s”"
	case known(o) == 0:
		format = "Mail from %s: “%s”"
	}
	return say(format, sender(o), sentence(o))
}

// visit is how long something takes of which nobody said so.
const visit = 30 * time.Minute

// fact is what changes what the person would do about a finding: what they attend at
// the time, or what is said of a service; "" for nothing.
func (s *scene) fact(n noticed) string {
	o, at := n.about, n.Due
	switch {
	case o == nil || o.Sense == "calendar":
		return ""
	case o.Kind == "unit" || o.Kind == "restarts":
		return n.EscalateReason
	}
	if named, ok := moment(*o, "names_at"); ok {
		at = named
	} else if at.IsZero() || o.Sense == "health" || !s.timed(*o) {
		return ""
	}
	fact, nearest := "", longest
	s.due(at.Add(-longest), at.Add(visit), 2*seenAtOnce, func(event subconscious.Observation) bool {
		_, end := span(event)
		if apart := event.Due.Sub(at).Abs(); takesTime(event) && end.After(at) && apart < nearest {
			fact, nearest = say("Then: %s, %s", prose(s.eventName(event)), s.hours(event, at)), apart
		}
		return true
	})
	return fact
}

const (
	dayLayout   = "Mon 2 Jan"
	clockLayout = "15:04"
)

// day writes a day as people do, with the year where it is another one.
func (s *scene) day(t time.Time) string {
	t = t.In(s.zone)
	if t.Year() != s.at.In(s.zone).Year() {
		return t.Format(dayLayout + " 2006")
	}
	return t.Format(dayLayout)
}

// when writes a time in the mind's zone: the day, and the time of day.
func (s *scene) when(t time.Time) string { return s.day(t) + " " + s.clock(t) }

func (s *scene) clock(t time.Time) string { return t.In(s.zone).Format(clockLayout) }

func (s *scene) sameDay(a, b time.Time) bool {
	return a.In(s.zone).Format(time.DateOnly) == b.In(s.zone).Format(time.DateOnly)
}

// beside writes a time with its day only where that is another one.
func (s *scene) beside(t, other time.Time) string {
	if s.sameDay(t, other) {
		return s.clock(t)
	}
	return s.when(t)
}

// size writes a number of bytes for people, in powers of 1000: "1.9 GB".
func size(bytes uint64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"}
	value, unit := float64(bytes), 0
	for value >= 999.5 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	if unit > 0 && value < 9.95 {
		return strconv.FormatFloat(value, 'f', 1, 64) + " " + units[unit]
	}
	return strconv.FormatFloat(value, 'f', 0, 64) + " " + units[unit]
}

// number writes a count with commas between the thousands.
func number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// plural writes "1 file" or "4,012 files".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// count reads an attribute that is a number; anything else is 0.
func count(o subconscious.Observation, attr string) int {
	n, err := strconv.Atoi(o.Attrs[attr])
	if err != nil || n < 0 || n > 1e9 {
		return 0
	}
	return n
}

// moment reads an attribute that is a time of a year that can be meant.
func moment(o subconscious.Observation, attr string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, o.Attrs[attr])
	return t, err == nil && t.Year() >= 1970 && t.Year() <= 2200
}

// The lists say themselves what they are for.
//
//go:embed words/*.txt
var lists embed.FS

var (
	commonWords    = wordList("common")
	appointedWords = wordList("appointed")
	remoteWords    = wordList("remote")
	roomWords      = wordList("rooms")
	leadingWords   = wordList("leading")
	pausedWords    = wordList("paused")
	limitWords     = wordList("limit")
	mailHosts      = wordList("mailhosts")
	birthdayWords  = wordList("birthdays")
)

// wordList reads a list when it is used first.
func wordList(name string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		data, err := lists.ReadFile("words/" + name + ".txt")
		if err != nil {
			panic(err)
		}
		set := map[string]bool{}
		for line := range strings.Lines(string(data)) {
			if !strings.HasPrefix(line, "#") {
				for word := range strings.FieldsSeq(line) {
					set[word] = true
				}
			}
		}
		return set
	})
}
