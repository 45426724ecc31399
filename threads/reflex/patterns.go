package reflex

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// patternDays is on how many local days something must have gone wrong.
const patternDays = 3

// pattern looks at the times at which something went wrong, not at how it went
// on. That a battery runs down is no pattern.
func pattern(s *scene, o subconscious.Observation) noticed {
	now := subconscious.Occurrence{Seq: o.Seq, At: o.At, Change: o.Change, Severity: o.Severity}
	if o.Kind == "battery" || !onset(o, now) {
		return noticed{}
	}
	times, evidence := []time.Time{}, []string{string(o.Ref())}
	for _, past := range append(slices.Clone(s.field.History[o.Ref()]), now) {
		if !onset(o, past) {
			continue
		}
		if past.Seq != o.Seq {
			evidence = append(evidence, subconscious.Citation{Ref: o.Ref(), Seq: past.Seq}.String())
		}
		if !slices.ContainsFunc(times, func(t time.Time) bool { return s.sameDay(t, past.At) }) {
			times = append(times, past.At.In(s.zone))
		}
	}
	if len(times) < patternDays {
		return noticed{}
	}
	slices.SortFunc(times, time.Time.Compare)
	subject, verb := habit(o)
	n := notice(subconscious.KindPattern, 6, say("%s %s %s", subject, verb, s.rhythm(times)), o)
	n.Evidence = evidence
	return n
}

// rhythm names what the times have in common, in their order: the weekday, the
// day of the month, every day, the hour.
func (s *scene) rhythm(times []time.Time) string {
	first := times[0]
	since := ", since " + first.Format("2 Jan")
	if first.Year() != s.at.In(s.zone).Year() {
		since = ", since " + first.Format("2 Jan 2006")
	}
	hour := ""
	if mean, ok := usualHour(times); ok {
		hour = " at about " + mean
	}
	all := func(so func(a, b time.Time) bool) bool {
		for i := 1; i < len(times); i++ {
			if !so(times[i-1], times[i]) {
				return false
			}
		}
		return true
	}
	switch {
	case all(func(a, b time.Time) bool { return daysApart(a, b) == 7 }):
		return "every " + first.Weekday().String() + hour + since
	case all(func(a, b time.Time) bool { return a.Weekday() == b.Weekday() }):
		return "on " + first.Weekday().String() + "s" + hour + since
	case all(func(a, b time.Time) bool { return daysApart(a, b) == 1 }):
		return "every day" + hour + since
	case all(func(a, b time.Time) bool { return a.Day() == b.Day() }):
		return fmt.Sprintf("on the %s of the month%s%s", ordinal(first.Day()), hour, since)
	case hour != "":
		return hour[1:] + fmt.Sprintf(", on %d days", len(times)) + since
	}
	return fmt.Sprintf("again and again: on %d days", len(times)) + since
}

// daysApart counts midnights from a to b on the calendar.
func daysApart(a, b time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(b).Sub(day(a)).Hours() / 24)
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// usualHour is the time of day that all lie within half an hour of, to ten
// minutes.
func usualHour(times []time.Time) (string, bool) {
	const whole = 24 * 60
	minute := func(t time.Time) int { return t.Hour()*60 + t.Minute() }
	// Counted from the first, so that midnight parts nothing.
	var low, high int
	for _, t := range times {
		off := (minute(t)-minute(times[0])+whole+whole/2)%whole - whole/2
		low, high = min(low, off), max(high, off)
	}
	if high-low > 60 {
		return "", false
	}
	mean := (minute(times[0]) + (low+high)/2 + whole + 5) % whole / 10 * 10
	return fmt.Sprintf("%02d:%02d", mean/60, mean%60), true
}

// quietAfter is how many open observations of one note are told as one.
const quietAfter = 3

// aging are the open observations without a date that only the wider field
// holds, by the note or conversation that they stand in, the oldest first.
func (s *scene) aging() (notes map[string][]subconscious.Observation, order []string) {
	notes = map[string][]subconscious.Observation{}
	for _, o := range s.news {
		if !s.wider[o.Ref()] || o.Sense != "notes" && !threads.SaidPromise(o) || !o.Stands() || !o.Due.IsZero() {
			continue
		}
		file := o.Sense + "/" + o.Instance + "/" + place(o)
		if notes[file] == nil {
			order = append(order, file)
		}
		notes[file] = append(notes[file], o)
	}
	for _, open := range notes {
		slices.SortFunc(open, func(a, b subconscious.Observation) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Ref(), b.Ref()))
		})
	}
	slices.Sort(order)
	return notes, order
}

func forgotten(s *scene) (out []noticed) {
	notes, order := s.aging()
	for _, file := range order {
		if len(notes[file]) >= quietAfter {
			continue
		}
		for _, o := range notes[file] {
			out = append(out, notice(subconscious.KindForgotten, s.age(o), say("Open since %s: %s", s.day(o.At), prose(o.Title)), o))
		}
	}
	return out
}

// quiet tells what is open in one note or conversation as one, by the oldest.
func quiet(s *scene) (out []noticed) {
	notes, order := s.aging()
	for _, file := range order {
		open := notes[file]
		if len(open) < quietAfter || place(open[0]) == "" {
			continue
		}
		total := len(open)
		for _, link := range open[0].Links {
			if hasScheme(link, []string{"file:"}) {
				_, all := s.world.Sharing(link, 0)
				total = max(total, all)
			}
		}
		out = append(out, notice(subconscious.KindStale, s.age(open[0]), say("%s has gone quiet: %s open, the oldest since %s: %s",
			name(place(open[0])), plural(total, "thing"), s.day(open[0].At), prose(open[0].Title)), open[0], open[1:min(len(open), evidenceKept)]...))
	}
	return out
}

// age makes what has been open for more than a month count more.
func (s *scene) age(o subconscious.Observation) int {
	if s.at.Sub(o.At) > 30*24*time.Hour {
		return 5
	}
	return 4
}
