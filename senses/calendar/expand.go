package calendar

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-ical"
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
	// steps is what the expansion took, see budget.
	steps int
}

// expand reads an iCalendar file. It is the seam between the sources of
// calendars and their meaning: it knows nothing of files or accounts. Its only
// error is that of ctx.
func expand(ctx context.Context, data []byte, w window) (expansion, error) {
	parts := split(data)
	out := expansion{incomplete: parts.incomplete}
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
			break
		}
	}
	// What is only a line of an event comes after what is a whole one.
	out.notes.join(parts.notes)
	for _, text := range zones.problems {
		out.notes.addText(text)
	}
	slices.SortStableFunc(out.occurrences, func(a, b occurrence) int {
		if c := a.start.Compare(b.start); c != 0 {
			return c
		}
		return strings.Compare(a.event.uid, b.event.uid)
	})
	out.steps = budget.spent
	return out, nil
}

// readEvents decodes the components: zones first, since an event may stand
// before the zone that it names.
func readEvents(ctx context.Context, parts splitting, zones *zones, notes *notes) ([]*event, error) {
	decoder := newDecoder()
	var events []*event
	for _, wantZones := range []bool{true, false} {
		for i, raw := range parts.components {
			if i%64 == 0 && ctx.Err() != nil {
				return nil, fmt.Errorf("read the calendar: %w", ctx.Err())
			}
			if wantZones != (raw.name == ical.CompTimezone) {
				continue
			}
			what := "this event"
			if wantZones {
				what = "this time zone"
			}
			if raw.problem != "" {
				notes.add(raw.line, "%s %s", what, raw.problem)
				continue
			}
			component, err := decoder.decode(raw)
			if err != nil {
				notes.add(raw.line, "%s %v", what, err)
				continue
			}
			if wantZones {
				zones.define(component)
				continue
			}
			e, err := readEvent(raw.line, component, zones, notes)
			if err != nil {
				notes.add(raw.line, "this event %v", err)
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
	return events, nil
}
