package prompts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// MaxBytes bounds the part of the moment where nothing else is said.
const MaxBytes = 24 << 10

// How long the text of one observation is shown, in bytes, and how many of its
// earlier changes.
const (
	newText      = 800
	widerText    = 400
	letterText   = 200
	historyShown = 8
)

// moment is what the part of the moment is made of: the parts of the page that
// never grow, and observations that can be shown in fewer words.
type moment struct {
	base                 page
	mind                 []string // lines of the blocks below
	closed, last         []string
	standing, wider, new section
	entries              []subconscious.Ref // named by what the mind holds
	overflow             int
}

// newMoment renders what is shown of a thread's input.
func newMoment(base page, name subconscious.ThreadName, in Thread) *moment {
	m := &moment{base: base, overflow: in.Field.Overflow}
	m.base.Now = now(in.At)
	m.base.Pressure = widened(in.Field, in.At)
	m.base.Hint = hint(in.Field.Hint, in.State.Threads[name].FocusSource)
	if said := short(in.Field.Journal, true); said != "" {
		m.base.Journal = "- " + said
	}
	for _, summary := range in.Field.Closed {
		m.closed = append(m.closed, "- "+short(summary, true))
	}
	m.mind, m.entries = mindLines(in.State, in.At.Location())
	m.last = lastLines(in.State, name)
	zone := in.At.Location()
	m.standing = newSection(in.Field.Standing, zone, 0) // it was shown, or a rule judges it: its title is enough
	m.wider = newSection(in.Field.Wider, zone, widerText)
	m.new = newSection(in.Field.New, zone, newText)
	for i := range m.new.observations {
		if in.Field.New[i].Sense == "mail" { // judged one by one by triage, or by rules, which read all of it
			m.new.observations[i].text = subconscious.Clip(m.new.observations[i].text, letterText)
		}
		m.new.observations[i].history = history(in.Field.History[m.new.observations[i].ref], m.new.observations[i], zone)
	}
	m.new.history = historyShown
	return m
}

// page prints the moment as it is left after trimming.
func (m *moment) page(system string) page {
	p := m.base
	frame(system, []framed{
		{"closed", lines(m.closed), &p.Closed},
		{"standing", m.standing.String(), &p.Standing},
		{"subconscious", lines(m.mind), &p.Mind},
		{"own_ticks", lines(m.last), &p.Last},
		{"hint", p.Hint, &p.Hint},
		{"journal", p.Journal, &p.Journal},
		{"wider", m.wider.String(), &p.Wider},
		{"new", m.new.String(), &p.New},
	})
	p.Omitted = m.omitted()
	return p
}

func (m *moment) size() int {
	return linesSize(m.closed, m.mind, m.last) + m.standing.size() + m.wider.size() + m.new.size()
}

// linesSize is how many bytes lists of lines take.
func linesSize(lists ...[]string) (n int) {
	for _, list := range lists {
		for _, line := range list {
			n += len(line) + 1
		}
	}
	return n
}

func lines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

// shown are the references in the prompt, sorted.
func (m *moment) shown() []subconscious.Ref {
	refs := slices.Concat(m.standing.refs(false), m.wider.refs(false), m.new.refs(false))
	if len(m.mind) > 0 {
		refs = append(refs, m.entries...)
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// left are the new and wider observations that found no room.
func (m *moment) left() []subconscious.Ref { return append(m.wider.refs(true), m.new.refs(true)...) }

// section is a list of observations, each of which can be shown in fewer words.
type section struct {
	observations []shown
	// text and history are how many bytes of text and how many earlier changes
	// are shown of each.
	text, history int
	shortened     bool
}

// shown is an observation as it is shown.
type shown struct {
	ref      subconscious.Ref
	seq      int64
	severity subconscious.Severity
	head     string // with its form
	form     string
	title    string
	text     string
	foreign  bool     // somebody else wrote title and text
	history  []string // newest first
	left     bool
}

func newSection(list []subconscious.Observation, zone *time.Location, text int) section {
	s := section{text: text}
	for _, o := range list {
		s.observations = append(s.observations, show(o, zone))
	}
	return s
}

// Untrusted reports whether text of that trust is set off as somebody else's.
func Untrusted(trust subconscious.Trust) bool {
	return trust != subconscious.Owner && trust != subconscious.Machine
}

// severities are the words for how bad it is.
var severities = [...]string{"plain", "notable", "warning", "critical"}

func severityWord(s subconscious.Severity) string {
	return severities[min(max(int(s), 0), len(severities)-1)]
}

func show(o subconscious.Observation, zone *time.Location) shown {
	t := shown{ref: o.Ref(), seq: o.Seq, severity: o.Severity, foreign: Untrusted(o.Trust), title: clipped(o.Title, false, lineBytes)}
	t.head = fmt.Sprintf("[%s] %s · ", subconscious.Citation{Ref: t.ref, Seq: o.Seq}, short(o.Sense, false))
	if o.Change != subconscious.Appeared {
		t.head += string(o.Change) + " · "
	}
	if o.Severity > subconscious.Plain {
		t.head += severityWord(o.Severity) + " · "
	}
	if form := attributes(o, formAttrs[:]); form != "" {
		t.form = form + " · "
	}
	if !o.Due.IsZero() {
		t.form += "due " + exact(o.Due, zone)
		if slices.Contains([]string{"mail", "notes", "conversation", "person"}, o.Sense) { // it stands in their text
			t.form += ", by rule"
		}
		t.form += " · "
	}
	if !o.AsOf.IsZero() {
		t.form += "as of " + day(o.AsOf, zone) + ", its sense has seen nothing since · "
	}
	t.head += t.form
	if said := attributes(o, saidAttrs[:]); said != "" {
		t.text = "(" + said + ")\n"
	}
	if text := strings.TrimSpace(o.Text); text != "" && text != strings.TrimSpace(o.Title) {
		t.text += text
	}
	return t
}

// print is the observation with so many bytes of its text.
func (t shown) print(limit int) string {
	said := t.title + "\n" + body(t.text, limit)
	if t.foreign {
		said = quoted(strings.TrimSuffix(said, "\n")) + "\n"
	}
	return t.head + said
}

// The attributes that help to judge an observation, in order: those that a sense
// says in words of its own, and those that bear somebody's words.
var (
	formAttrs = [...]string{"addressed", "asks", "awaited", "urgent", "known", "seen", "bulk", "automated", "attachments", "trend", "full_at", "all_day", "secret", "config"}
	saidAttrs = [...]string{"from", "to", "list", "location", "organizer", "partstat", "status", "state", "moved_from", "zone", "date_text", "heading", "file"}
)

// attributes are what the sense says of an observation.
func attributes(o subconscious.Observation, names []string) string {
	var said []string
	for _, name := range names {
		switch value := o.Attrs[name]; value {
		case "", "confirmed": // as events are
		case "true":
			said = append(said, name)
		default:
			said = append(said, name+": "+short(value, false))
		}
	}
	return strings.Join(said, "; ")
}

// history is the earlier changes of an observation, newest first.
func history(occurrences []subconscious.Occurrence, of shown, zone *time.Location) []string {
	var said []string
	for _, o := range slices.Backward(occurrences) {
		if o.Seq == of.seq {
			continue
		}
		said = append(said, fmt.Sprintf("[%s] %s, %s, %s", subconscious.Citation{Ref: of.ref, Seq: o.Seq}, day(o.At, zone), o.Change, severityWord(o.Severity)))
	}
	return said
}

func (s section) String() string {
	var out strings.Builder
	for _, t := range s.observations {
		if t.left {
			continue
		}
		out.WriteString(t.print(s.text))
		for _, earlier := range t.history[:min(len(t.history), s.history)] {
			out.WriteString("    earlier " + earlier + "\n")
		}
	}
	return out.String()
}

func (s section) refs(left bool) []subconscious.Ref {
	var refs []subconscious.Ref
	for _, t := range s.observations {
		if t.left == left {
			refs = append(refs, t.ref)
		}
	}
	return refs
}

// size is how many bytes the section takes.
func (s section) size() int {
	n := 0
	for _, t := range s.observations {
		if !t.left {
			n += s.sizeOf(t)
		}
	}
	return n
}

// sizeOf is about how many bytes an observation takes.
func (s section) sizeOf(t shown) int {
	n := len(t.head) + len(t.title) + 1 + min(len(t.text)+len(gutter)+1, s.text)
	if t.foreign {
		n += len(opening) + len(closing)
	}
	for _, earlier := range t.history[:min(len(t.history), s.history)] {
		n += len(earlier) + len("    earlier \n")
	}
	return n
}

// leave leaves out observations of at least excess bytes together, in the order
// of worth: the least first. It reports whether any was left.
func (s *section) leave(excess int, worth func(a, b shown) int) bool {
	order := make([]int, 0, len(s.observations))
	for i, t := range s.observations {
		if !t.left {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return worth(s.observations[a], s.observations[b]) })
	for _, i := range order {
		if excess <= 0 {
			break
		}
		excess -= s.sizeOf(s.observations[i])
		s.observations[i].left = true
	}
	return len(order) > 0
}

// shorten bounds the texts to limit bytes each, and reports whether that can
// make a difference.
func (s *section) shorten(limit int) bool {
	if s.text <= limit {
		return false
	}
	longer := slices.ContainsFunc(s.observations, func(t shown) bool { return !t.left && len(t.text) > limit })
	s.text, s.shortened = limit, s.shortened || longer
	return longer
}

func (s *section) forget(limit int) bool {
	if s.history <= limit {
		return false
	}
	longer := slices.ContainsFunc(s.observations, func(t shown) bool { return !t.left && len(t.history) > limit })
	s.history = limit
	return longer
}

// missing says what of the section was left out.
func (s section) missing(what string) (said []string) {
	if n := len(s.refs(true)); n > 0 {
		said = append(said, fmt.Sprintf("%d of %d observations %s", n, len(s.observations), what))
	}
	if s.shortened {
		said = append(said, "parts of the texts "+what)
	}
	return said
}

// trim takes away what is worth the least, and reports whether there was
// anything: texts of the wider field, earlier changes, texts of what is new; then what stands; then wider ones from the end; at last new
// ones, which come again at the next tick; and, where even that is not
// enough, what the mind holds. The least severe and newest go
// first: what was shown before stays where it was.
func (m *moment) trim(excess int) bool {
	for _, step := range [...]func() bool{
		func() bool { return m.new.shorten(newText / 2) },
		func() bool { return m.wider.shorten(0) },
		func() bool { return m.new.forget(historyShown / 4) },
		func() bool { return m.new.shorten(newText / 5) },
		func() bool { return m.standing.leave(excess, leastSevereNewest) },
		func() bool { return m.new.shorten(newText / 20) },
		func() bool { return m.new.forget(0) },
		func() bool { return m.new.shorten(0) },
		func() bool { return m.wider.leave(excess, last) },
		func() bool { return m.new.leave(excess, leastSevereNewest) },
	} {
		if step() {
			return true
		}
	}
	had := len(m.mind)+len(m.closed)+len(m.last) > 0
	m.mind, m.closed, m.last = nil, nil, nil
	return had
}

func leastSevereNewest(a, b shown) int {
	return cmp.Or(cmp.Compare(a.severity, b.severity), cmp.Compare(b.seq, a.seq))
}

func last(a, b shown) int { return cmp.Compare(b.seq, a.seq) }

// omitted says what was left out.
func (m *moment) omitted() string {
	said := slices.Concat(m.standing.missing("of what stands"), m.wider.missing("of the wider field"), m.new.missing("of what is new"))
	if m.new.history > 0 && m.new.history < historyShown {
		said = append(said, "older changes")
	}
	if m.overflow > 0 {
		said = append(said, fmt.Sprintf("%d older new observations, for good", m.overflow))
	}
	return leftOut(said)
}
