package calendar

import (
	"bytes"
	"strings"
)

// The bounds of one file. What is over a bound is left out and said.
const (
	maxFile       = 16 << 20
	maxComponents = 20_000
	maxLine       = 64 << 10 // one unfolded line
	maxParameters = 4 << 10  // of one line
	maxProperties = 1_000    // of one component
	maxDepth      = 6        // VCALENDAR is 1
	maxPieces     = 500_000  // lines that are kept of all components; a part counts as partPieces
	partPieces    = 4
)

// component is an event or a zone definition cut out of the file, or a part of
// the latter, with the lines that the sense reads.
type component struct {
	name string
	// line is where it begins in the file, from 1.
	line int
	// lines are still folded.
	lines [][]byte
	parts []*component
	// problem says why it cannot be read.
	problem string
}

// property is what one line says.
type property struct {
	value string
	// parameters have their first values.
	parameters map[string]string
}

// properties are those of one component, by name.
type properties map[string][]property

// get returns the first of that name, the empty one and false for none.
func (p properties) get(name string) (property, bool) {
	if all := p[name]; len(all) > 0 {
		return all[0], true
	}
	return property{}, false
}

// value is what the first of that name says, "" for none.
func (p properties) value(name string) string {
	first, _ := p.get(name)
	return first.value
}

// splitting is what split found.
type splitting struct {
	components []*component
	// cancelled: the file is a message that cancels what it holds.
	cancelled bool
	// incomplete says why the file does not look like a whole calendar.
	incomplete string
	notes      notes
}

// wanted are the properties that are read.
var wanted = func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(`UID SEQUENCE DTSTAMP LAST-MODIFIED DTSTART DTEND DURATION RRULE RDATE EXDATE
		RECURRENCE-ID STATUS SUMMARY LOCATION DESCRIPTION ORGANIZER ATTENDEE TRANSP URL CONFERENCE X-GOOGLE-CONFERENCE
		X-MICROSOFT-SKYPETEAMSMEETINGURL X-MICROSOFT-CDO-BUSYSTATUS X-EVENT-TYPE TZID X-LIC-LOCATION TZOFFSETFROM TZOFFSETTO`) {
		set[name] = true
	}
	return set
}()

// splitter cuts a file into components. A bad line costs that line alone, and a
// component that does not end costs that component.
type splitter struct {
	data []byte
	line int // of the next physical line, from 1
	// stack holds the names of the open components.
	stack []string
	// open is the event or zone being cut out, kept its number of properties.
	open *component
	kept int
	seen int // components so far
	// pieces are those of all components, see maxPieces.
	pieces int
	ends   int // calendars closed
	out    splitting
}

// notCalendar says that a file is no calendar at all.
const notCalendar = "does not begin with BEGIN:VCALENDAR"

// split cuts data into its components.
func split(data []byte) splitting {
	s := splitter{data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), line: 1}
	for s.next() {
	}
	if s.open != nil {
		s.breakOff("has no END:" + s.open.name)
	}
	switch {
	case s.out.incomplete != "":
	case len(s.stack) > 0:
		s.out.incomplete = "has no END:VCALENDAR"
	case s.ends == 0:
		s.out.incomplete = notCalendar
	}
	return s.out
}

// next takes one unfolded line; false at the end of the file.
func (s *splitter) next() bool {
	if len(s.data) == 0 {
		return false
	}
	start := s.line
	raw, length := s.unfold()
	first, _, _ := bytes.Cut(raw, []byte("\n"))
	first = bytes.TrimRight(first, "\r \t")
	switch name, value := nameOf(first); {
	case name == "BEGIN" && len(value) <= 64:
		s.begin(strings.ToUpper(string(value)), start)
	case name == "END" && len(value) <= 64:
		s.end(strings.ToUpper(string(value)))
	case name == "METHOD" && len(s.stack) == 1:
		s.out.cancelled = s.out.cancelled || strings.EqualFold(string(value), "CANCEL")
	case s.open != nil && s.open.problem == "" && wanted[name] && s.takes():
		s.keep(name, raw, length, start)
	}
	return true
}

// unfold cuts the next line with its continuations off the data, still folded,
// and returns its length once unfolded.
func (s *splitter) unfold() (raw []byte, length int) {
	rest, n := s.data, 0
	for {
		end := bytes.IndexByte(rest[n:], '\n')
		s.line++
		if end < 0 {
			length += len(rest) - n
			n = len(rest)
			break
		}
		length += end
		n += end + 1
		if n == len(rest) || rest[n] != ' ' && rest[n] != '\t' {
			break
		}
	}
	s.data = rest[n:]
	return rest[:n], length
}

// nameOf returns the property's name in upper case and what follows the colon
// where it has no parameters.
func nameOf(first []byte) (name string, value []byte) {
	end := bytes.IndexAny(first, ";:")
	if end <= 0 || end > 40 {
		return "", nil
	}
	if first[end] == ':' {
		value = bytes.TrimSpace(first[end+1:])
	}
	return strings.ToUpper(string(first[:end])), value
}

// takes reports whether a property belongs to the open component and not to an
// alarm inside it. The parts of a zone belong to it.
func (s *splitter) takes() bool {
	return len(s.stack) == 2 || len(s.stack) == 3 && s.open.name == "VTIMEZONE"
}

func (s *splitter) begin(name string, line int) {
	// An event inside an event means that the end of the first is missing.
	if s.open != nil && (name == "VEVENT" || name == s.open.name) {
		s.breakOff("has no END:" + s.open.name)
		s.stack = s.stack[:1]
	}
	if name == "VCALENDAR" && len(s.stack) > 0 {
		s.out.incomplete = "holds a second BEGIN:VCALENDAR before the first has ended"
		s.stack = s.stack[:0]
	}
	if len(s.stack) == 0 && name != "VCALENDAR" {
		return
	}
	if len(s.stack) >= maxDepth {
		if s.open != nil && s.open.problem == "" {
			s.open.problem = "is nested too deeply"
		}
		return
	}
	s.stack = append(s.stack, name)
	switch {
	case len(s.stack) == 2 && (name == "VEVENT" || name == "VTIMEZONE"):
		if s.seen++; s.seen > maxComponents {
			s.out.notes.add(line, "comes after %d events and zones, more than are read", maxComponents)
			s.out.notes.whole = true
			return
		}
		s.open, s.kept = &component{name: name, line: line}, 0
	case len(s.stack) == 3 && s.open != nil && s.open.name == "VTIMEZONE" && len(s.open.parts) <= maxZoneParts && s.room(line, partPieces):
		s.open.parts = append(s.open.parts, &component{name: name, line: line})
	}
}

func (s *splitter) end(name string) {
	if len(s.stack) == 0 {
		return
	}
	if name == "VCALENDAR" {
		if s.open != nil {
			s.breakOff("has no END:" + s.open.name)
		}
		s.stack, s.ends = s.stack[:0], s.ends+1
		return
	}
	if s.stack[len(s.stack)-1] != name {
		if s.open != nil && name == s.open.name {
			s.breakOff("holds a part that does not end")
			s.stack = s.stack[:1]
		}
		return
	}
	s.stack = s.stack[:len(s.stack)-1]
	if s.open != nil && len(s.stack) == 1 {
		s.finish()
	}
}

// keep copies a property into the open component if it is within bounds.
func (s *splitter) keep(name string, raw []byte, length, line int) {
	if len(s.stack) == 3 && len(s.open.parts) > maxZoneParts {
		return // more parts of a zone than are read
	}
	switch {
	case length > maxLine:
		s.out.notes.add(line, "%s is longer than %d KiB", name, maxLine>>10)
	case s.kept >= maxProperties:
		if s.kept == maxProperties {
			s.kept++
			s.out.notes.add(line, "the event has more than %d properties", maxProperties)
		}
	case !hasValue(raw):
		s.kept++
		s.out.notes.add(line, "%s has no value, or parameters longer than %d KiB", name, maxParameters>>10)
	case s.room(line, 1):
		s.kept++
		into := s.open
		if len(s.stack) == 3 {
			into = into.parts[len(into.parts)-1]
		}
		into.lines = append(into.lines, bytes.TrimRight(raw, "\r\n"))
	}
}

// room reports whether so many pieces more may be kept, and says once that they may not.
func (s *splitter) room(line, pieces int) bool {
	before := s.pieces
	if s.pieces += pieces; before <= maxPieces && s.pieces > maxPieces {
		s.out.notes.add(line, "there are more than %d lines of events and zones, and the rest is not read", maxPieces)
		s.out.notes.whole = true
	}
	return s.pieces <= maxPieces
}

// hasValue reports whether parameters within the bound are followed by a value.
func hasValue(raw []byte) bool {
	_, _, found := cutUnquoted(string(raw[:min(len(raw), maxParameters)]), ':')
	return found
}

// cutUnquoted is strings.Cut at a character that is not in quotes.
func cutUnquoted(text string, at byte) (before, after string, found bool) {
	quoted := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == at && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

var folds = strings.NewReplacer("\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "")

// read reads the component's own lines.
func (c *component) read() properties {
	all := make(properties, len(c.lines))
	for _, raw := range c.lines {
		var p property
		var head string
		head, p.value, _ = cutUnquoted(folds.Replace(string(raw)), ':')
		name, head, _ := strings.Cut(head, ";")
		for head != "" {
			var parameter string
			parameter, head, _ = cutUnquoted(head, ';')
			key, value, _ := strings.Cut(parameter, "=")
			value, _, _ = cutUnquoted(value, ',')
			if p.parameters == nil {
				p.parameters = map[string]string{}
			}
			if key = strings.ToUpper(key); p.parameters[key] == "" {
				p.parameters[key] = strings.Trim(value, `"`)
			}
		}
		name = strings.ToUpper(name)
		all[name] = append(all[name], p)
	}
	return all
}

// breakOff gives up the open component.
func (s *splitter) breakOff(problem string) {
	if s.open.problem == "" {
		s.open.problem = problem
	}
	s.finish()
}

func (s *splitter) finish() {
	s.out.components = append(s.out.components, s.open)
	s.open = nil
}
