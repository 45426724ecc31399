package days

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/mail"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // days name their zones, wherever they are played
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// parser reads one file. It goes on after a mistake, so that whoever writes
// a day is told of all of them.
type parser struct {
	day *day
	// later are the sections of that folder, by their name in it, and used those
	// that the timeline takes.
	later    map[string]section
	used     map[string]bool
	old      []line // of the header
	problems []error
}

// section is one file of the archive; the first is the header. Its lines are
// counted through the whole, so that a mistake has its place.
type section struct {
	name, text string
	line       int // of its marker; 0 of the header
}

type line struct {
	n    int
	text string
}

// sectionsOf parts a script.
func sectionsOf(data []byte) []section {
	archive := txtar.Parse(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	sections := []section{{text: string(archive.Comment)}}
	for i, f := range archive.Files {
		next := sections[i].line + strings.Count(sections[i].text, "\n") + 1
		sections = append(sections, section{f.Name, string(f.Data), next})
	}
	return sections
}

// lines are those that say something.
func (s section) lines() (lines []line) {
	n := s.line
	for text := range strings.Lines(s.text) {
		n++
		if said := strings.TrimSpace(text); said != "" && said[0] != '#' {
			lines = append(lines, line{n, strings.TrimSuffix(text, "\n")})
		}
	}
	return lines
}

// parseDay reads a day, or says what is wrong with it, each mistake with its
// line.
func parseDay(file string, data []byte) (*day, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".txtar")
	p := &parser{day: &day{path: file, name: name}, later: map[string]section{}, used: map[string]bool{}}
	switch {
	case !utf8.Valid(data) || bytes.ContainsRune(data, 0):
		p.fail(1, "it is not text in UTF-8")
	case !dayName.MatchString(name):
		p.fail(1, "the file is called %q; use lower-case letters, digits and -, as in quiet-sunday.txtar", filepath.Base(file))
	default:
		p.parse(sectionsOf(data))
	}
	if len(p.problems) == 0 {
		return p.day, nil
	}
	if more := len(p.problems) - maxProblems; more > 0 {
		p.problems = append(p.problems[:maxProblems], fmt.Errorf("%s: and %d more", file, more))
	}
	return nil, errors.Join(p.problems...)
}

var dayName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (p *parser) fail(line int, format string, args ...any) {
	p.problems = append(p.problems, problem{p.day.path, line, fmt.Sprintf(format, args...)})
}

func (p *parser) parse(sections []section) {
	if !p.header(sections[0]) {
		return // without zone and date no time means anything
	}
	named := map[string]section{}
	for _, s := range sections[1:] {
		if before, ok := named[s.name]; ok {
			p.fail(s.line, "the section %s is there already, at line %d", s.name, before.line)
			continue
		}
		named[s.name] = s
		p.section(s)
	}
	p.modified()
	for _, name := range []string{"timeline", "labels"} {
		if _, ok := named[name]; !ok {
			p.fail(1, "there is no section %s", name)
		}
	}
	p.timeline(named["timeline"])
	p.labels(named["labels"])
	for _, name := range slices.Sorted(maps.Keys(p.later)) {
		if !p.used[name] {
			p.fail(p.later[name].line, "nothing in the timeline takes later/%s", name)
		}
	}
	if len(p.problems) == 0 {
		p.check()
	}
}

// section reads what is there at the start.
func (p *parser) section(s section) {
	switch name := s.name; {
	case name == "timeline" || name == "labels":
	case name == "health":
		for _, line := range s.lines() {
			w := p.words(line)
			d := w.deed()
			if d.reading.how != is {
				w.fail("at the start there are readings, each with one value")
			}
			p.day.machine = append(p.day.machine, d)
		}
	case name == "sources":
		p.sources(s)
	case strings.HasPrefix(name, "later/"):
		p.later[strings.TrimPrefix(name, "later/")] = s
	case strings.HasPrefix(name, "mail/"):
		p.addMail(s, folderInbox)
	case strings.HasPrefix(name, "sent/"):
		p.addMail(s, folderSent)
	default:
		if err := checkPath(name); err != nil {
			p.fail(s.line, "the section %s is none of notes/…, files/…, NAME.ics, mail/…, sent/…, later/…, health, sources, timeline, labels: %v", name, err)
			return
		}
		p.day.files = append(p.day.files, file{path: name, text: s.text, line: s.line})
	}
}

// modified says when the files that are there at the start were last changed.
func (p *parser) modified() {
	for _, l := range p.old { // PATH DATE [HH:MM]
		w := p.words(l)
		path, at := w.take("a path"), w.dateTime(true)
		w.done()
		switch n := slices.IndexFunc(p.day.files, func(f file) bool { return f.path == path }); {
		case n < 0:
			w.fail("old: there is no file %s at the start", path)
		case at.After(p.day.start):
			w.fail("old: %s is after the start", at.Format("2006-01-02 15:04"))
		case !p.day.files[n].modified.IsZero():
			w.fail("old: %s is there already", path)
		default:
			p.day.files[n].modified = at
		}
	}
	evening := p.day.start.AddDate(0, 0, -1)
	evening = time.Date(evening.Year(), evening.Month(), evening.Day(), 18, 0, 0, 0, p.day.zone)
	for i := range p.day.files {
		p.day.files[i].modified = cmp.Or(p.day.files[i].modified, evening)
	}
}

// header reads the keys before the first section, and reports whether zone and
// dates are known.
func (p *parser) header(s section) bool {
	keys := map[string]line{}
	for _, l := range s.lines() {
		key, value, ok := strings.Cut(l.text, ":")
		value = strings.TrimSpace(value)
		before, twice := keys[key]
		switch {
		case !ok || value == "":
			p.fail(l.n, "%q is not a line KEY: VALUE", clip(l.text))
		case key == "old":
			p.old = append(p.old, line{l.n, value})
		case !slices.Contains(dayKeys, key):
			p.fail(l.n, "there is no key %q; there are %s, old", clip(key), strings.Join(dayKeys, ", "))
		case twice:
			p.fail(l.n, "%s is there already, at line %d", key, before.n)
		default:
			keys[key] = line{l.n, value}
		}
	}
	for _, key := range dayKeys[:7] {
		if _, ok := keys[key]; !ok {
			p.fail(1, "the header has no %s", key)
		}
	}
	d := p.day
	d.title, d.set = keys["title"].text, keys["set"].text
	if d.set != "" && d.set != setTune && d.set != setHold {
		p.fail(keys["set"].n, "set is %q; it is tune or hold", clip(d.set))
	}
	d.languages, d.addresses = list(keys["language"].text), list(keys["addresses"].text)
	for _, address := range d.addresses {
		if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address {
			p.fail(keys["addresses"].n, "%q is not a mail address", clip(address))
		}
	}
	p.quietHours(keys["quiet_hours"])
	p.clutterLine(keys["clutter"])
	return p.span(keys["zone"], keys["start"], keys["end"])
}

// dayKeys are those of the header that stand once; the first seven must.
var dayKeys = []string{"title", "who", "zone", "start", "set", "tags", "language", "end", "addresses", "quiet_hours", "clutter"}

// list are words between commas.
func list(text string) (words []string) {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

func (p *parser) quietHours(l line) {
	p.day.quiet = escalate.DefaultRules().Quiet
	switch from, to, ok := strings.Cut(l.text, "-"); {
	case l.text == "":
	case l.text == "none":
		p.day.quiet = escalate.Hours{From: "00:00", To: "00:00"}
	case ok && clockTime.MatchString(from) && clockTime.MatchString(to) && from != to:
		p.day.quiet = escalate.Hours{From: from, To: to}
	default:
		p.fail(l.n, "quiet_hours is %q; write 22:00-07:00, or none", clip(l.text))
	}
}

func (p *parser) span(zone, start, end line) bool {
	d := p.day
	var noZone, noStart, noEnd error
	if d.zone, noZone = time.LoadLocation(zone.text); noZone == nil {
		d.start, noStart = time.ParseInLocation(time.DateOnly, start.text, d.zone)
		d.end, noEnd = time.ParseInLocation(time.DateOnly, cmp.Or(end.text, start.text), d.zone)
	}
	last := d.end
	d.end = last.AddDate(0, 0, 1)
	switch {
	case zone.text == "" || start.text == "": // which the header misses
	case noZone != nil || zone.text == "Local":
		p.fail(zone.n, "there is no zone %q; write an IANA name such as Europe/Berlin", clip(zone.text))
	case noStart != nil || d.start.Year() < 2000 || d.start.Year() > 2100:
		p.fail(start.n, "start is %q; write a date such as 2026-03-03, from 2000 to 2100", clip(start.text))
	case noEnd != nil:
		p.fail(end.n, "end is %q; write a date such as 2026-03-03", clip(end.text))
	case last.Before(d.start) || last.After(d.start.AddDate(0, 0, maxDays-1)):
		p.fail(max(end.n, start.n), "it ends on %s; it may have 1 to %d days from %s on", last.Format(time.DateOnly), maxDays, start.text)
	default:
		return true
	}
	return false
}

// checkPath says what is wrong with the path of a file.
func checkPath(name string) error {
	switch {
	case isCalendar(name):
		return nil
	case len(name) > 300 || name != path.Clean(name) || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "..") || strings.ContainsAny(name, "\\\x00"):
		return fmt.Errorf("%q is not a plain path with slashes", clip(name))
	case !strings.HasPrefix(name, "notes/") && !strings.HasPrefix(name, "files/"):
		return fmt.Errorf("%q begins with neither notes/ nor files/", clip(name))
	}
	return nil
}

var calendarName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}\.ics$`)

func isCalendar(name string) bool { return calendarName.MatchString(name) }

// clip shortens what is quoted in an error.
func clip(text string) string { return subconscious.Clip(text, 60) }
