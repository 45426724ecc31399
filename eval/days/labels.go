package days

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
)

// labels reads the section: a line KIND NAME, then lines set in by blanks.
func (p *parser) labels(s section) {
	var l *label
	for _, one := range s.lines() {
		w := p.words(one)
		if strings.ContainsAny(one.text[:1], " \t") {
			if l == nil {
				p.fail(one.n, "a label begins with a line KIND NAME that is not set in")
				return
			}
			w.labelLine(l)
			continue
		}
		l = &label{kind: kind(w.oneOf("the kind", string(needle), string(worth), string(noise), string(trap))), name: w.take("the name"), line: one.n}
		w.done()
		if !dayName.MatchString(l.name) {
			w.fail("a label is named with lower-case letters, digits and -, not %q", clip(l.name))
		}
		if before := p.day.label(l.name); before != nil {
			p.fail(one.n, "there is a label %s already, at line %d", l.name, before.line)
		}
		p.day.labels = append(p.day.labels, l)
	}
	for _, l := range p.day.labels {
		p.complete(l)
	}
}

func (w *words) labelLine(l *label) {
	key := w.take("a word")
	moment := map[string]*time.Time{"since": &l.since, "from": &l.from, "by": &l.by, "until": &l.until}[key]
	switch {
	case (moment != nil || key == "again") && !l.wanted():
		w.fail("%s is no word of a label %s", key, l.kind)
	case key == "by" && l.kind != needle:
		w.fail("by is a word of needles; nobody is hurt where this is late")
	case moment != nil && !moment.IsZero() || key == "because" && l.because != "":
		w.fail("%s is there already", key)
	case moment != nil:
		*moment = w.dateTime(false)
	case key == "about":
		l.about = append(l.about, w.about())
	case key == "match":
		l.match = append(l.match, w.regexp())
	case key == "says" && !l.wanted():
		w.fail("says is no word of a label %s", l.kind)
	case key == "says":
		l.says = append(l.says, w.regexp())
	case key == "again":
		l.again = append(l.again, again{w.dateTime(false), w.line})
		if !w.is("because") {
			w.fail("write `again TIME because \"…\"`")
		}
		w.argument()
	case key == "because":
		l.because = w.argument()
	default:
		w.fail("%q is no word of a label; there are since, from, by, until, about, match, says, again, because", clip(key))
	}
	w.done()
}

func (w *words) regexp() *regexp.Regexp {
	compiled, err := regexp.Compile("(?i)" + w.text("the regular expression"))
	switch {
	case err != nil:
		w.fail("the regular expression does not compile: %v", err)
	case compiled.MatchString(""):
		w.fail("the regular expression matches everything")
	}
	return compiled
}

// minArgument is how many bytes a reason has at least.
const minArgument = 20

func (w *words) argument() string {
	text := strings.TrimSpace(w.text("the argument"))
	if len(text) < minArgument {
		w.fail("%q is no argument; say why this person wants it or not", clip(text))
	}
	return text
}

// complete fills in what was left out, and looks whether the times can be.
func (p *parser) complete(l *label) {
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
	if l.kind == needle && l.by.IsZero() {
		p.fail(l.line, "the needle %s has no by", l.name)
		return
	}
	l.from = cmp.Or(l.from, l.since, d.start)
	l.until = cmp.Or(l.until, l.by, d.end)
	last := cmp.Or(l.by, l.until)
	switch {
	case l.from.Before(d.start) || l.until.After(d.end) || !l.since.IsZero() && (l.since.Before(d.start) || l.since.After(d.end)):
		p.fail(l.line, "the label %s has a time outside of the days", l.name)
	case l.until.Before(last):
		p.fail(l.line, "the label %s has until before by", l.name)
	case firstTick(d, later(l.from, l.since)).After(last):
		p.fail(l.line, "the label %s can never be met: the daemon does not look between %s and %s", l.name,
			later(l.from, l.since).Format("15:04"), last.Format("15:04"))
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
func firstTick(d *day, at time.Time) time.Time {
	since := max(at.Sub(d.start), 0)
	return d.start.Add((since + harness.Slot - 1) / harness.Slot * harness.Slot)
}

// about is what a label is about, by the names that the file gives.
type about struct {
	kind, name string
	line       int
	// keys are those of the observations that belong to it, "SENSE:ID", with paths as
	// the file has them. A key that ends with / or # covers all that begin with it. A
	// sense that fails has none.
	keys []string
}

// abouts are the keys of the observations of each kind of thing. Those of readings
// and of a mail's thread are worked out elsewhere.
var abouts = map[string][]string{
	"clock":  {"health:clock"},
	"unit":   {"health:unit:NAME", "health:restarts:NAME"},
	"event":  {"calendar:NAME", "calendar:NAME/"},
	"file":   {"files:NAME"},
	"note":   {"notes:NAME", "notes:NAME#"},
	"mail":   {"mail:NAME", "mail:NAME#", "thread:NAME"},
	"item":   {"feeds:NAME"},
	"report": {"exec:NAME"},
	"told":   {"person:note/"},
	"sense":  {},
}

// about reads what follows the word.
func (w *words) about() about {
	t := about{kind: w.take("what it is about"), line: w.line}
	shape, reading := readings[t.kind]
	keys, other := abouts[t.kind]
	switch {
	case reading && !shape.named:
		keys = []string{"health:" + t.kind}
	case reading:
		keys = []string{"health:" + t.kind + ":NAME"}
	case !other:
		w.fail("a label can not be about %q; docs/days.md lists about what", clip(t.kind))
	}
	if reading && shape.named || other && t.kind != "clock" && t.kind != "told" {
		t.name = w.take("its name")
	}
	if t.kind != "mail" { // whose thread is known when all mails are
		t.named(keys, t.name)
	}
	return t
}

// named adds the keys of a name.
func (t *about) named(keys []string, name string) {
	for _, key := range keys {
		t.keys = append(t.keys, strings.ReplaceAll(key, "NAME", name))
	}
}

func (t about) covers(key string) bool {
	return slices.ContainsFunc(t.keys, func(k string) bool {
		return key == k || (strings.HasSuffix(k, "/") || strings.HasSuffix(k, "#")) && strings.HasPrefix(key, k)
	})
}
