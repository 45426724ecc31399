package days

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
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

// dayParser reads one file. It goes on after a mistake, so that whoever writes
// a day is told of all of them.
type dayParser struct {
	day *Day
	// later are the sections of that folder, by their name in it, and used those
	// that the timeline takes.
	later    map[string]daySection
	used     map[string]bool
	old      map[string]oldFile
	problems []error
	omitted  int
}

// daySection is one file of the archive; the first is the header. Its lines are
// counted through the whole, so that a mistake has its place.
type daySection struct {
	name, text string
	line       int // of its marker; 0 of the header
}

type dayLine struct {
	n    int
	text string
}

// sectionsOf parts a script.
func sectionsOf(data []byte) []daySection {
	archive := txtar.Parse(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	sections := []daySection{{text: string(archive.Comment)}}
	for i, f := range archive.Files {
		next := sections[i].line + strings.Count(sections[i].text, "\n") + 1
		sections = append(sections, daySection{f.Name, string(f.Data), next})
	}
	return sections
}

// lines are those that say something.
func (s daySection) lines() (lines []dayLine) {
	n := s.line
	for line := range strings.Lines(s.text) {
		n++
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			lines = append(lines, dayLine{n, strings.TrimSuffix(line, "\n")})
		}
	}
	return lines
}

// parseDay reads a day, or says what is wrong with it, each mistake with its
// line.
func parseDay(file string, data []byte) (*Day, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".txtar")
	p := &dayParser{day: &Day{path: file, name: name}, later: map[string]daySection{}, used: map[string]bool{}, old: map[string]oldFile{}}
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
	if p.omitted > 0 {
		p.problems = append(p.problems, fmt.Errorf("%s: and %d more", file, p.omitted))
	}
	return nil, errors.Join(p.problems...)
}

var dayName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (p *dayParser) fail(line int, format string, args ...any) {
	if len(p.problems) >= maxDayProblems {
		p.omitted++
		return
	}
	p.problems = append(p.problems, dayProblem{p.day.path, line, fmt.Sprintf(format, args...)})
}

func (p *dayParser) parse(sections []daySection) {
	if !p.header(sections[0]) {
		return // without zone and date no time means anything
	}
	named := map[string]daySection{}
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
func (p *dayParser) section(s daySection) {
	switch name := s.name; {
	case name == "timeline" || name == "labels":
	case name == "health":
		for _, line := range s.lines() {
			w := p.words(line)
			deed := p.healthVerb(w, w.take("what happens"))
			if w.done(); w.ok && deed.reading.how != readingIs {
				w.fail("at the start a reading has one value")
			}
			p.day.machine = append(p.day.machine, deed)
		}
	case strings.HasPrefix(name, "later/"):
		p.later[strings.TrimPrefix(name, "later/")] = s
	case strings.HasPrefix(name, "mail/"):
		p.mailSection(s, folderInbox)
	case strings.HasPrefix(name, "sent/"):
		p.mailSection(s, folderSent)
	default:
		if err := checkDayPath(name); err != nil {
			p.fail(s.line, "the section %s is none of notes/…, files/…, NAME.ics, mail/…, sent/…, later/…, health, timeline, labels: %v", name, err)
			return
		}
		p.day.files = append(p.day.files, dayFile{path: name, text: s.text, line: s.line})
	}
}

// modified says when the files that are there at the start were last changed.
func (p *dayParser) modified() {
	evening := p.day.start.AddDate(0, 0, -1)
	evening = time.Date(evening.Year(), evening.Month(), evening.Day(), 18, 0, 0, 0, p.day.zone)
	calendars := 0
	for i := range p.day.files {
		f := &p.day.files[i]
		f.modified = evening
		if at, ok := p.old[f.path]; ok {
			f.modified = at.at
			delete(p.old, f.path)
		}
		if isDayCalendar(f.path) {
			if calendars++; calendars > maxDayICS {
				p.fail(f.line, "there are more than %d calendars", maxDayICS)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.old)) {
		p.fail(p.old[name].line, "old: there is no file %s at the start", name)
	}
}

// header reads the keys before the first section, and reports whether zone and
// dates are known.
func (p *dayParser) header(s daySection) bool {
	keys := map[string]dayLine{}
	var old []dayLine
	for _, line := range s.lines() {
		key, value, ok := strings.Cut(line.text, ":")
		value = strings.TrimSpace(value)
		before, twice := keys[key]
		switch {
		case !ok || value == "":
			p.fail(line.n, "%q is not a line KEY: VALUE", clip(line.text))
		case key == "old":
			old = append(old, dayLine{line.n, value})
		case !slices.Contains(dayKeys, key):
			p.fail(line.n, "there is no key %q; there are %s, old", clip(key), strings.Join(dayKeys, ", "))
		case twice:
			p.fail(line.n, "%s is there already, at line %d", key, before.n)
		default:
			keys[key] = dayLine{line.n, value}
		}
	}
	for _, key := range dayKeys[:7] {
		if _, ok := keys[key]; !ok {
			p.fail(1, "the header has no %s", key)
		}
	}
	d := p.day
	d.title, d.who, d.set = keys["title"].text, keys["who"].text, keys["set"].text
	if d.set != "" && d.set != daySetTune && d.set != daySetHold {
		p.fail(keys["set"].n, "set is %q; it is tune or hold", clip(d.set))
	}
	d.tags, d.languages, d.addresses = p.list(keys["tags"]), p.list(keys["language"]), p.list(keys["addresses"])
	for _, address := range d.addresses {
		if at := strings.IndexByte(address, '@'); at <= 0 || at == len(address)-1 || strings.ContainsAny(address, " <>") {
			p.fail(keys["addresses"].n, "%q is not a mail address", clip(address))
		}
	}
	p.quietHours(keys["quiet_hours"])
	p.clutterLine(keys["clutter"])
	if !p.span(keys["zone"], keys["start"], keys["end"]) {
		return false
	}
	for _, line := range old {
		p.oldLine(line)
	}
	return true
}

// dayKeys are those of the header that stand once; the first seven must.
var dayKeys = []string{"title", "who", "zone", "start", "set", "tags", "language", "end", "addresses", "quiet_hours", "clutter"}

func (p *dayParser) list(line dayLine) (list []string) {
	for item := range strings.SplitSeq(line.text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

func (p *dayParser) quietHours(line dayLine) {
	p.day.quiet = escalate.DefaultRules().Quiet
	switch from, to, ok := strings.Cut(line.text, "-"); {
	case line.text == "":
	case line.text == "none":
		p.day.quiet = escalate.Hours{From: "00:00", To: "00:00"}
	case ok && dayClock.MatchString(from) && dayClock.MatchString(to) && from != to:
		p.day.quiet = escalate.Hours{From: from, To: to}
	default:
		p.fail(line.n, "quiet_hours is %q; write 22:00-07:00, or none", clip(line.text))
	}
}

func (p *dayParser) span(zone, start, end dayLine) bool {
	d, err := p.day, error(nil)
	if zone.text == "" || start.text == "" {
		return false
	}
	if d.zone, err = time.LoadLocation(zone.text); err != nil || zone.text == "Local" {
		p.fail(zone.n, "there is no zone %q; write an IANA name such as Europe/Berlin", clip(zone.text))
		return false
	}
	if d.start, err = time.ParseInLocation(time.DateOnly, start.text, d.zone); err != nil {
		p.fail(start.n, "start is %q; write a date such as 2026-03-03", clip(start.text))
		return false
	}
	last := d.start
	if end.text != "" {
		if last, err = time.ParseInLocation(time.DateOnly, end.text, d.zone); err != nil {
			p.fail(end.n, "end is %q; write a date such as 2026-03-03", clip(end.text))
			return false
		}
	}
	d.end = last.AddDate(0, 0, 1)
	if d.start.Year() < 2000 || d.start.Year() > 2100 {
		p.fail(start.n, "start is not between the years 2000 and 2100")
		return false
	}
	if last.Before(d.start) || last.After(d.start.AddDate(0, 0, maxDayDays-1)) {
		p.fail(max(end.n, start.n), "it ends on %s; it may have 1 to %d days from %s on", last.Format(time.DateOnly), maxDayDays, start.text)
		return false
	}
	return true
}

// oldFile is when a file was changed last, by a line of the header.
type oldFile struct {
	at   time.Time
	line int
}

// oldLine reads PATH DATE [HH:MM].
func (p *dayParser) oldLine(line dayLine) {
	w := p.words(line)
	file := w.take("a path")
	at := w.dateTime(true)
	w.done()
	if !w.ok {
		return
	}
	if at.After(p.day.start) {
		p.fail(line.n, "old: %s is after the start", at.Format("2006-01-02 15:04"))
	}
	if _, twice := p.old[file]; twice {
		p.fail(line.n, "old: %s is there already", file)
	}
	p.old[file] = oldFile{at, line.n}
}

// checkDayPath says what is wrong with the path of a file.
func checkDayPath(name string) error {
	switch {
	case isDayCalendar(name):
		return nil
	case len(name) > 300 || name != path.Clean(name) || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "..") || strings.ContainsAny(name, "\\\x00"):
		return fmt.Errorf("%q is not a plain path with slashes", clip(name))
	case !strings.HasPrefix(name, "notes/") && !strings.HasPrefix(name, "files/"):
		return fmt.Errorf("%q begins with neither notes/ nor files/", clip(name))
	}
	return nil
}

var dayCalendar = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}\.ics$`)

func isDayCalendar(name string) bool { return dayCalendar.MatchString(name) }

// clip shortens what is quoted in an error.
func clip(text string) string { return subconscious.Clip(text, 60) }
