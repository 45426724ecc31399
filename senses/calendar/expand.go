package calendar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// window is what to expand: occurrences that start within [from, to), as seen
// by a reader in the zone mind.
type window struct {
	from, to time.Time
	mind     *time.Location
}

func (w window) holds(t time.Time) bool { return !t.Before(w.from) && t.Before(w.to) }

// near reports whether a moment may lie in the window, wherever its clock
// hangs.
func (w window) near(m moment) bool {
	return m.wall.After(w.from.Add(-2*day)) && m.wall.Before(w.to.Add(2*day))
}

// occurrence is one event at one time.
type occurrence struct {
	event *event
	// original names the occurrence within its series; empty for an event that
	// does not repeat.
	original string
	// start and end are in the mind's zone; end is exclusive.
	start, end time.Time
	allDay     bool
	zone       *time.Location // of the event, nil where it has none
	// planned is the start by the rule, where the occurrence was moved.
	planned time.Time
}

// expansion is what a file holds within a window.
type expansion struct {
	occurrences []occurrence // by start, then UID
	notes       notes
	// incomplete says why the file is not a whole calendar; there are no
	// occurrences then.
	incomplete string
	// away says what became of events that are there and not ahead: "cancelled", of a
	// whole series by its UID and of one date by its ID, and "put off" beyond the window
	// by the ID.
	away map[string]string
	// steps is what the expansion took, see budget.
	steps int
}

// expand reads the events of a file or an account: it is the one meaning of all
// calendars, and knows nothing of where they come from. Its only error is that
// of ctx.
func expand(ctx context.Context, parts splitting, w window) (expansion, error) {
	out := expansion{away: map[string]string{}, incomplete: parts.incomplete, notes: notes{where: parts.notes.where}}
	if parts.incomplete != "" {
		return out, nil
	}
	budget := &budget{}
	zones := newZones(w, budget)
	events, err := readEvents(ctx, parts, zones, &out.notes)
	if err != nil {
		return expansion{}, err
	}
	for _, series := range group(events, &out.notes) {
		if err := ctx.Err(); err != nil {
			return expansion{}, fmt.Errorf("expand the calendar: %w", err)
		}
		budget.begin()
		series.expand(w, budget, &out)
		if len(out.occurrences) >= maxPerFile {
			out.notes.add(series.line(), "more than %d dates lie ahead; the events from here on are left out", maxPerFile)
			out.notes.whole = true
			break
		}
	}
	// What is only a line of an event comes after what is a whole one.
	out.notes.join(parts.notes)
	for _, text := range zones.problems {
		out.notes.addText(text)
	}
	slices.SortStableFunc(out.occurrences, func(a, b occurrence) int {
		return cmp.Or(a.start.Compare(b.start), strings.Compare(a.event.uid, b.event.uid))
	})
	out.steps = budget.spent
	return out, nil
}

// readEvents decodes the components: zones first, since an event may stand
// before the zone that it names.
func readEvents(ctx context.Context, parts splitting, zones *zones, notes *notes) ([]*event, error) {
	var events []*event
	for _, zone := range []bool{true, false} {
		for i, part := range parts.components {
			if i%64 == 0 && ctx.Err() != nil {
				return nil, fmt.Errorf("read the calendar: %w", ctx.Err())
			}
			switch {
			case zone != (part.name == "VTIMEZONE"):
			case part.problem != "" && zone:
				notes.add(part.line, "this time zone %s", part.problem)
			case part.problem != "":
				notes.add(part.line, "this event %s", part.problem)
			case zone:
				zones.define(part)
			default:
				e, err := readEvent(part.line, part.read(), zones, notes)
				if err != nil {
					notes.add(part.line, "this event %v", err)
					continue
				}
				if parts.cancelled {
					e.status = "CANCELLED"
				}
				if e.original == nil && !e.repeats() && !zones.around.near(e.start) {
					e.source = nil // never shown: kept for its UID alone
				}
				events = append(events, e)
			}
		}
	}
	return events, nil
}

// The bounds of expansion. A step is about one day that the library looks at,
// weighed by the length of the rule's lists; a million take some
// milliseconds. They are counted, not timed, so that the same file always gives the
// same events.
const (
	maxSteps      = 40_000_000 // of one file
	maxEventSteps = 4_000_000  // of one event
	maxPerEvent   = 1_000      // occurrences of one event in the window
	maxPerFile    = 20_000     // occurrences of one file in the window
)

var (
	errEventSteps = errors.New("repeats in a way that takes too long to work out")
	errFileSteps  = errors.New("was not expanded because the file holds too many costly repetitions")
)

// budget counts the steps that expanding a file takes.
type budget struct {
	spent int
	event int // by the event at hand
}

// begin starts the count of another event.
func (b *budget) begin() { b.event = 0 }

// charge counts steps, and refuses once there were too many.
func (b *budget) charge(steps int) error {
	b.spent += steps
	b.event += steps
	return b.check()
}

func (b *budget) check() error {
	switch {
	case b.spent > maxSteps:
		return errFileSteps
	case b.event > maxEventSteps:
		return errEventSteps
	}
	return nil
}

// notes collect what could not be read, in words for a person.
type notes struct {
	first []string // the first few
	count int
	where func(line int) string // what is at a line, if not the line of a file
	// lines are those that something is wrong with. whole says that it may be any
	// event that is not as it should be: what is wrong has no line, there are too
	// many such lines, or not all of the file was read.
	lines []int
	whole bool
}

const (
	maxNotes  = 3   // in words
	maxUnsure = 200 // lines
)

// add notes what is wrong at a line of the file.
func (n *notes) add(line int, format string, args ...any) {
	switch last := len(n.lines) - 1; {
	case last >= 0 && n.lines[last] == line:
	case last+1 < maxUnsure:
		n.lines = append(n.lines, line)
	default:
		n.whole = true
	}
	if n.count++; len(n.first) < maxNotes {
		n.first = append(n.first, n.at(line)+": "+fmt.Sprintf(format, args...))
	}
}

// at says where a line is.
func (n *notes) at(line int) string {
	if n.where != nil {
		return n.where(line)
	}
	return fmt.Sprintf("line %d", line)
}

// join takes over the other's notes.
func (n *notes) join(other notes) {
	n.first = append(n.first, other.first[:min(len(other.first), maxNotes-len(n.first))]...)
	n.count += other.count
	n.lines, n.whole = append(n.lines, other.lines...), n.whole || other.whole
}

// String is empty where there is nothing to say.
func (n *notes) String() string {
	if n.count == 0 {
		return ""
	}
	text := strings.Join(n.first, "; ")
	if more := n.count - len(n.first); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// unsure are the UIDs of the events that something is wrong with. ok is false where
// that may be any event.
func (n *notes) unsure(components []*component) (uids map[string]bool, ok bool) {
	if n.whole {
		return nil, false
	}
	uids = map[string]bool{}
	for _, line := range n.lines {
		i := sort.Search(len(components), func(i int) bool { return components[i].line > line })
		if i == 0 || components[i-1].name != "VEVENT" {
			return nil, false
		}
		uid := uidFrom(components[i-1].read())
		if uid == "" {
			return nil, false
		}
		uids[uid] = true
	}
	return uids, true
}

// addText notes what belongs to no line.
func (n *notes) addText(text string) {
	n.whole = true
	if n.count++; len(n.first) < maxNotes {
		n.first = append(n.first, text)
	}
}
