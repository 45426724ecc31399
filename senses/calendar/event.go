package calendar

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// Bounds of one event.
const (
	maxUID       = 200 // bytes; a longer one is hashed
	maxDates     = 5_000
	maxAttendees = 500
)

// event is a VEVENT: an event, a series, or a changed occurrence of one.
type event struct {
	line     int
	uid      string
	sequence int
	stamp    string // DTSTAMP or LAST-MODIFIED; comparable as text

	start  moment
	length length
	rule   *rule
	rdates []addition
	exdate []moment

	// original is set for a changed occurrence of a series; later means that
	// all that follow it are changed alike.
	original *moment
	later    bool

	status string // upper case

	// source holds what describe reads, nil once it has.
	source properties

	transparent bool
	// kind says what else than an appointment it is; it takes no time then.
	kind        string
	summary     string
	location    string
	description string
	organizer   person
	attendees   []person
	invited     int
	meetings    []string
}

// person is an organiser or attendee.
type person struct {
	name, address, partstat string
}

// addition is an RDATE: a start, and a length of its own where it is a PERIOD.
type addition struct {
	start  moment
	length *length
}

// length says where an occurrence ends.
type length struct {
	// clock is the distance on the clock, for an end in the zone of the start.
	clock time.Duration
	span  span
}

// end returns where an occurrence that starts at m ends, for a reader in mind.
func (l length) end(m moment, mind *time.Location) time.Time {
	start := m.in(mind)
	end := m.add(l.clock + time.Duration(l.span.days)*day).in(mind).Add(l.span.exact)
	if end.Before(start) {
		return start
	}
	return end
}

func (e *event) cancelled() bool { return e.status == "CANCELLED" }
func (e *event) repeats() bool {
	return e.rule != nil || len(e.rdates) > 0
}

// newer reports whether e is a later revision than other of the same thing.
func (e *event) newer(other *event) bool {
	return cmp.Or(cmp.Compare(e.sequence, other.sequence), strings.Compare(e.stamp, other.stamp), cmp.Compare(e.line, other.line)) > 0
}

var errNoStart = errors.New("has no DTSTART")

// readEvent reads a decoded VEVENT. What is only partly wrong is noted, and
// read without that part.
func readEvent(line int, properties properties, zones *zones, notes *notes) (*event, error) {
	e := &event{line: line}
	start, found := properties.get("DTSTART")
	if !found {
		return nil, errNoStart
	}
	var err error
	if e.start, err = readMoment(start, zones); err != nil {
		return nil, fmt.Errorf("has DTSTART %w", err)
	}
	if original, found := properties.get("RECURRENCE-ID"); found {
		m, err := readMoment(original, zones)
		if err != nil {
			return nil, fmt.Errorf("has RECURRENCE-ID %w", err)
		}
		e.original, e.later = &m, strings.EqualFold(original.parameters["RANGE"], "THISANDFUTURE")
	}
	if e.length, err = readLength(e.start, properties, zones); err != nil {
		notes.add(line, "this event %v; it is shown without an end", err)
	}
	e.readRepetition(properties, zones, notes)
	e.source = properties
	e.readIdentity(properties)
	return e, nil
}

// readMoment reads a date property with its TZID.
func readMoment(property property, zones *zones) (moment, error) {
	return parseMoment(property.value, zones.find(property.parameters["TZID"]))
}

// readLength reads DTEND or DURATION. Without them a day lasts a day and
// anything else no time.
func readLength(start moment, properties properties, zones *zones) (length, error) {
	plain := length{}
	if start.date {
		plain.span.days = 1
	}
	if end, found := properties.get("DTEND"); found {
		m, err := readMoment(end, zones)
		if err != nil {
			return plain, fmt.Errorf("has DTEND %w", err)
		}
		return between(start, m, plain)
	}
	if text, found := properties.get("DURATION"); found {
		s, err := parseSpan(text.value)
		if err != nil {
			return plain, fmt.Errorf("has DURATION %w", err)
		}
		if start.date {
			return length{span: span{days: max(1, s.days+int((s.exact+day-1)/day))}}, nil
		}
		return length{span: s}, nil
	}
	return plain, nil
}

// between returns the length from start to end. In one zone it is counted on
// the clock, so that a night of a clock change keeps its hours.
func between(start, end moment, plain length) (length, error) {
	l := length{}
	switch {
	case start.date:
		l.span.days = max(1, (daysBetween(start.wall, end.wall.Add(day-1))))
	case end.date || start.zone == end.zone:
		l.clock = end.wall.Sub(start.wall)
	default:
		// A floating time beside a zoned one: both are read in the zone there is.
		zone := cmp.Or(start.zone, end.zone)
		l.span.exact = end.in(zone).Sub(start.in(zone))
	}
	switch {
	case end.wall.Before(start.wall) && start.date, l.clock < 0, l.span.exact < 0:
		return plain, errors.New("ends before it begins")
	case l.clock > maxSpan, l.span.exact > maxSpan, l.span.days > 3660:
		return plain, errors.New("lasts more than ten years")
	}
	return l, nil
}

func (e *event) readRepetition(properties properties, zones *zones, notes *notes) {
	if text, found := properties.get("RRULE"); found && e.original == nil {
		r, err := parseRule(text.value, e.start)
		if err != nil {
			notes.add(e.line, "this event %v; only its first date is shown", err)
			r = &rule{never: true}
		}
		e.rule = r
	}
	if added := readDates(e, "RDATE", properties, zones, notes, parseAddition); e.original == nil {
		e.rdates = added
	}
	e.exdate = readDates(e, "EXDATE", properties, zones, notes, parseMoment)
}

// readDates reads the values of all properties of a name, at most maxDates.
func readDates[T any](e *event, name string, properties properties, zones *zones, notes *notes, parse func(string, *time.Location) (T, error)) []T {
	var all []T
	for _, property := range properties[name] {
		zone := zones.find(property.parameters["TZID"])
		for value := range strings.SplitSeq(property.value, ",") {
			switch one, err := parse(value, zone); {
			case err != nil:
				notes.add(e.line, "this event has %s %v", name, err)
			case len(all) == maxDates:
				notes.add(e.line, "this event has more than %d %ss", maxDates, name)
				return all
			default:
				all = append(all, one)
			}
		}
	}
	return all
}

// parseAddition reads an RDATE value: a date, a time, or a period.
func parseAddition(value string, zone *time.Location) (addition, error) {
	first, second, period := strings.Cut(value, "/")
	m, err := parseMoment(first, zone)
	if err != nil || !period {
		return addition{start: m}, err
	}
	if strings.HasPrefix(strings.ToUpper(second), "P") {
		s, err := parseSpan(second)
		return addition{start: m, length: &length{span: s}}, err
	}
	end, err := parseMoment(second, zone)
	if err != nil {
		return addition{}, err
	}
	l, err := between(m, end, length{})
	return addition{start: m, length: &l}, err
}

// describe reads what only an event that is shown needs: most of a calendar
// lies in the past.
func (e *event) describe() {
	if e.source == nil {
		return
	}
	properties := e.source
	e.source = nil
	text := properties.value
	busy := strings.ToUpper(strings.TrimSpace(text("X-MICROSOFT-CDO-BUSYSTATUS")))
	e.kind = eventKinds[busy]
	if kind := line(text("X-EVENT-TYPE"), 30); e.kind == "" {
		e.kind = eventKinds[kind]
	}
	e.transparent = e.kind != "" || busy == "FREE" || strings.EqualFold(strings.TrimSpace(text("TRANSP")), "TRANSPARENT")
	e.summary = line(text("SUMMARY"), 120)
	e.location = strings.ReplaceAll(paragraph(text("LOCATION"), 100), "\n", ", ")
	e.description = paragraph(text("DESCRIPTION"), 1000)
	if organizer, found := properties.get("ORGANIZER"); found {
		e.organizer = readPerson(organizer)
	}
	attendees := properties["ATTENDEE"]
	e.invited = len(attendees)
	for _, attendee := range attendees[:min(len(attendees), maxAttendees)] {
		e.attendees = append(e.attendees, readPerson(attendee))
	}
	own := []string{text("X-GOOGLE-CONFERENCE"), text("X-MICROSOFT-SKYPETEAMSMEETINGURL"), text("URL")}
	for _, conference := range properties["CONFERENCE"] {
		own = append(own, conference.value)
	}
	e.meetings = meetingLinks(own,
		unescape(subconscious.Head(text("LOCATION"), 2_000))+"\n"+unescape(subconscious.Head(text("DESCRIPTION"), 20_000)))
}

// eventKinds are what is no appointment, as Outlook marks it and as a Source does.
// What Outlook shows as out of office may well be one, at the dentist's.
var eventKinds = map[string]string{
	"WORKINGELSEWHERE": "working location",
	"working location": "working location", "out of office": "out of office", "birthday": "birthday",
}

func readPerson(property property) person {
	address := strings.TrimSpace(property.value)
	if len(address) >= 7 && strings.EqualFold(address[:7], "mailto:") {
		address = address[7:]
	}
	return person{
		name:     line(property.parameters["CN"], 60),
		address:  strings.ToLower(line(address, 120)),
		partstat: strings.ToLower(line(property.parameters["PARTSTAT"], 20)),
	}
}

// readIdentity reads what tells this event and its revisions apart. An event
// without a UID is named by what it says.
func (e *event) readIdentity(properties properties) {
	e.status = strings.ToUpper(strings.TrimSpace(properties.value("STATUS")))
	if e.uid = uidFrom(properties); e.uid == "" {
		e.describe()
		e.uid = noUID + digest(e.summary, e.start.name(), e.location)
	}
	// A sequence that is no number is the same as none.
	e.sequence, _ = strconv.Atoi(strings.TrimSpace(properties.value("SEQUENCE")))
	for _, name := range []string{"DTSTAMP", "LAST-MODIFIED"} {
		e.stamp = max(e.stamp, subconscious.Head(properties.value(name), 16))
	}
}

// uidFrom is what an event is named by, "" where it has no UID.
func uidFrom(properties properties) string {
	uid := strings.TrimSpace(properties.value("UID"))
	if len(uid) > maxUID {
		uid = longUID + digest(uid)
	}
	return uid
}

// participation sums up the answers, in an order that does not depend on the
// file's.
func (e *event) participation() string {
	answers := make([]string, len(e.attendees))
	for i, a := range e.attendees {
		answers[i] = a.address + "=" + a.partstat
	}
	slices.Sort(answers)
	return strconv.Itoa(e.invited) + " " + strings.Join(answers, ",")
}

// digest is 80 bits of the SHA-256 of the parts, in hexadecimal.
func digest(parts ...string) string {
	var text []byte
	for _, part := range parts {
		text = append(strconv.AppendInt(text, int64(len(part)), 10), ':')
		text = append(text, part...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:10])
}

const (
	maxMeetings = 5
	maxLink     = 250 // bytes
)

// meetingHosts are the hosts whose links mean a meeting wherever they stand.
// A link to any other host counts only in a property made for it: a
// description may hold links that a hundred other events hold too.
var meetingHosts = []string{
	"zoom.us", "meet.google.com", "teams.microsoft.com", "teams.live.com", "webex.com", "whereby.com", "meet.jit.si",
	"gotomeeting.com", "bluejeans.com", "chime.aws", "bigbluebutton.org", "jitsi.org",
}

var linkPattern = lazy.Regexp(`https?://[^\s<>"'\\]{4,500}`)

// meetingLinks returns the meeting links of an event, each once, without query
// and fragment: these hold passcodes, and differ for one meeting.
func meetingLinks(own []string, text string) []string {
	var links []string
	add := func(raw string, anyHost bool) {
		link, err := url.Parse(strings.TrimSpace(raw))
		if err != nil || len(raw) > 500 || strings.Contains(raw, "[redacted") || link.Host == "" || link.Scheme != "https" && link.Scheme != "http" || link.Path == "" || link.Path == "/" {
			return
		}
		host := strings.ToLower(link.Hostname())
		if !anyHost && !slices.ContainsFunc(meetingHosts, func(known string) bool {
			return host == known || strings.HasSuffix(host, "."+known)
		}) {
			return
		}
		plain := url.URL{Scheme: link.Scheme, Host: strings.ToLower(link.Host), Path: link.Path, RawPath: link.RawPath}
		if text := plain.String(); len(text) <= maxLink && len(links) < maxMeetings && !slices.Contains(links, text) {
			links = append(links, text)
		}
	}
	for _, raw := range own {
		add(raw, true)
	}
	if strings.Contains(text, "://") {
		for _, raw := range linkPattern().FindAllString(text, 50) {
			add(strings.TrimRight(raw, ".,;:!?)]}"), false)
		}
	}
	return links
}
