package days

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
)

// dayPattern is what the words of a push must match.
type dayPattern struct {
	source string
	regexp *regexp.Regexp
}

// labels reads the section: a line KIND NAME, then lines set in by blanks.
func (p *dayParser) labels(s daySection) {
	var l *dayLabel
	for _, line := range s.lines() {
		w := p.words(line)
		if strings.HasPrefix(line.text, " ") || strings.HasPrefix(line.text, "\t") {
			if l == nil {
				p.fail(line.n, "a label begins with a line KIND NAME that is not set in")
				return
			}
			p.labelLine(l, w)
			continue
		}
		kind, name := dayKind(w.oneOf("the kind", string(dayNeedle), string(dayWorth), string(dayNoise), string(dayTrap))), w.take("the name")
		w.done()
		if w.ok && !dayName.MatchString(name) {
			w.fail("a label is named with lower-case letters, digits and -, not %q", clip(name))
		}
		if before, ok := p.day.label(name); ok {
			p.fail(line.n, "there is a label %s already, at line %d", name, before.line)
		}
		if len(p.day.labels) == maxDayLabels {
			p.fail(line.n, "there are more than %d labels", maxDayLabels)
			return
		}
		p.day.labels = append(p.day.labels, dayLabel{kind: kind, name: name, line: line.n})
		l = &p.day.labels[len(p.day.labels)-1]
	}
	for i := range p.day.labels {
		p.complete(&p.day.labels[i])
	}
}

func (p *dayParser) labelLine(l *dayLabel, w *dayWords) {
	key := w.take("a word")
	if moment, ok := map[string]*time.Time{"since": &l.since, "from": &l.from, "by": &l.by, "until": &l.until}[key]; ok {
		switch {
		case !l.wanted():
			w.fail("%s is no word of a label %s", key, l.kind)
		case key == "by" && l.kind != dayNeedle:
			w.fail("by is a word of needles; nobody is hurt where this is late")
		case !moment.IsZero():
			w.fail("%s is there already", key)
		}
		*moment = w.dateTime(false)
		w.done()
		return
	}
	switch key {
	case "about":
		l.about = append(l.about, p.about(w))
	case "match":
		source := w.text("the regular expression")
		compiled, err := regexp.Compile("(?i)" + source)
		switch {
		case !w.ok:
		case err != nil:
			w.fail("the regular expression does not compile: %v", err)
		case compiled.MatchString(""):
			w.fail("the regular expression matches everything")
		default:
			l.match = append(l.match, dayPattern{source, compiled})
		}
	case "again":
		again := dayAgain{from: w.dateTime(false), line: w.line}
		if !l.wanted() {
			w.fail("again is no word of a label %s", l.kind)
		}
		if !w.is("because") {
			w.fail("write `again TIME because \"…\"`")
		}
		again.because = w.argument()
		l.again = append(l.again, again)
	case "because":
		if l.because != "" {
			w.fail("because is there already")
		}
		l.because = w.argument()
	default:
		w.fail("%q is no word of a label; there are since, from, by, until, about, match, again, because", clip(key))
	}
	w.done()
}

// minArgument is the least that says anything.
const minArgument = 20

func (w *dayWords) argument() string {
	text := strings.TrimSpace(w.text("the argument"))
	if w.ok && len(text) < minArgument {
		w.fail("%q is no argument; say why this person wants it or not", clip(text))
	}
	return text
}

// complete fills in what was left out, and looks whether the times can be.
func (p *dayParser) complete(l *dayLabel) {
	d := p.day
	if l.because == "" {
		p.fail(l.line, "the label %s has no because", l.name)
	}
	if len(l.about)+len(l.match) == 0 {
		p.fail(l.line, "the label %s has neither about nor match", l.name)
	}
	if !l.wanted() {
		return
	}
	if l.kind == dayNeedle && l.by.IsZero() {
		p.fail(l.line, "the needle %s has no by", l.name)
		return
	}
	l.from = cmp.Or(l.from, l.since, d.start)
	l.until = cmp.Or(l.until, l.by, d.end)
	last := l.until
	if l.kind == dayNeedle {
		last = l.by
	}
	switch {
	case l.from.Before(d.start) || l.until.After(d.end) || !l.since.IsZero() && (l.since.Before(d.start) || l.since.After(d.end)):
		p.fail(l.line, "the label %s has a time outside of the days", l.name)
	case l.until.Before(last):
		p.fail(l.line, "the label %s has until before by", l.name)
	case firstTick(d, maxTime(l.from, l.since)).After(last):
		p.fail(l.line, "the label %s can never be met: the daemon does not look between %s and %s", l.name,
			maxTime(l.from, l.since).Format("15:04"), last.Format("15:04"))
	}
	before := l.from
	for _, a := range l.again {
		if !a.from.After(before) || a.from.After(l.until) {
			p.fail(a.line, "again is not between %s and %s, when %s may be told", before.Format("15:04"), l.until.Format("15:04"), l.name)
		}
		before = a.from
	}
}

// firstTick is the first at or after a time.
func firstTick(d *Day, at time.Time) time.Time {
	since := max(at.Sub(d.start), 0)
	return d.start.Add((since + harness.Slot - 1) / harness.Slot * harness.Slot)
}

// dayAbout is what a label is about, by the names that the file gives.
type dayAbout struct {
	kind, name string
	line       int
	// exact and prefixes are the observations that are of it, "SENSE:ID", with
	// paths as the file has them. Those of a sense that fails have none.
	exact, prefixes []string
}

const (
	aboutUnit  = "unit"
	aboutEvent = "event"
	aboutFile  = "file"
	aboutNote  = "note"
	aboutTold  = "told"
	aboutSense = "sense"
	aboutMail  = "mail"
)

// about reads what follows `about`.
func (p *dayParser) about(w *dayWords) dayAbout {
	t := dayAbout{kind: w.take("what it is about"), line: w.line}
	shape, reading := dayReadings[t.kind]
	switch {
	case !w.ok || t.kind == aboutTold || t.kind == verbClock || reading && !shape.named:
	case reading || slices.Contains([]string{aboutUnit, aboutEvent, aboutFile, aboutNote, aboutSense, aboutMail}, t.kind):
		t.name = w.take("its name")
	default:
		w.fail("a label can not be about %q; docs/days.md lists about what", clip(t.kind))
	}
	switch t.kind {
	case readDisk, readInodes, readTemperature:
		t.exact = []string{"health:" + t.kind + ":" + t.name}
	case readMemory, readSwap, readLoad, readBattery, verbClock:
		t.exact = []string{"health:" + t.kind}
	case aboutUnit:
		t.exact = []string{"health:unit:" + t.name, "health:restarts:" + t.name}
	case aboutEvent:
		t.exact, t.prefixes = []string{"calendar:" + t.name}, []string{"calendar:" + t.name + "/"}
	case aboutFile:
		if t.exact = []string{"files:" + t.name}; strings.HasSuffix(t.name, "/") {
			t.prefixes = []string{"files:" + t.name}
		}
	case aboutNote:
		t.exact, t.prefixes = []string{"notes:" + t.name}, []string{"notes:" + t.name + "#"}
	case aboutTold:
		t.prefixes = []string{"person:note/"}
	}
	return t
}

func (t dayAbout) covers(key string) bool {
	return slices.Contains(t.exact, key) || slices.ContainsFunc(t.prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
