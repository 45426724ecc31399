package prompts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// day is a time to the minute as people write it, with its weekday.
func day(t time.Time, zone *time.Location) string { return t.In(zone).Format("2006-01-02 Mon 15:04") }

// exact is a time that can be copied into an answer, with its weekday.
func exact(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02T15:04:05Z07:00 (Mon)")
}

// now says what time it is.
func now(at time.Time) string {
	zone := at.Location()
	name := zone.String()
	if name == "" || name == "Local" {
		name, _ = at.Zone()
	}
	return fmt.Sprintf("It is %s, in %s (%s).", at.Format("Monday 2 January 2006, 15:04"), name, at.Format("UTC-07:00"))
}

// widened names the field that novelty pressure opened; "" where it is the usual.
func widened(field subconscious.Field, at time.Time) string {
	if field.Level <= 0 {
		return ""
	}
	return fmt.Sprintf("The field is wider at this look: it reaches to %s, and to what has long been open.", day(at.Add(field.Ahead), at.Location()))
}

// personLines are who the person is.
func personLines(p subconscious.Person) string {
	var said []string
	add := func(name, text string) {
		if text = clipped(text, false, personBytes); text != "" {
			said = append(said, "- "+name+text)
		}
	}
	add("name: ", p.Name)
	add("addresses: ", strings.Join(p.Addresses, ", "))
	add("working hours: ", p.WorkingHours)
	for _, line := range p.About[:min(len(p.About), subconscious.MostAbout)] {
		add("", line)
	}
	return strings.Join(said, "\n")
}

// personBytes bounds a line of who the person is.
const personBytes = 200

// language says in which language to write.
func language(p subconscious.Person) string {
	if p.Language != "" {
		return "Write in this language: " + clipped(p.Language, false, personBytes) + "."
	}
	return "Write in the language that the person's own notes and mail are in; where they show none, in English."
}

// hint is what the thread was asked to look at. Only the person's own words are
// not set off.
func hint(text, source string) string {
	switch {
	case text == "":
		return ""
	case source == "person":
		return "- from the person: " + short(text, false)
	case source == "":
		return "- " + short(text, true)
	}
	return "- from the " + short(source, false) + ": " + short(text, true)
}

// titles name the lists of the mind.
var titles = map[subconscious.List]string{
	subconscious.ActiveThreads: "followed actively",
	subconscious.Patterns:      "patterns",
	subconscious.Hunches:       "hunches",
	subconscious.Insights:      "insights",
}

// mindLines are the subconscious, list by list; and the references that its
// entries name.
func mindLines(state subconscious.State, zone *time.Location) (said []string, refs []subconscious.Ref) {
	said, refs = entriesLines(state.Entries, zone)
	history := state.History[max(0, len(state.History)-escalationsShown):]
	if len(history) > 0 {
		said = append(said, toldTitle+":")
	}
	for _, r := range history {
		said = append(said, toldLine(r, zone))
	}
	return said, refs
}

// toldTitle names what the person was told, and parkedTitle the entries that
// stand and have no place in a list.
const toldTitle, parkedTitle = "told the person", "set aside, and still standing"

// toldLine is one thing that was escalated, and what came of it if it was not told.
func toldLine(r subconscious.EscalationRecord, zone *time.Location) string {
	line := fmt.Sprintf("- %s · %s", day(r.At, zone), short(r.Summary, true))
	if r.Outcome != "" && r.Outcome != string(subconscious.OutcomeTold) {
		line += " · " + short(r.Outcome, true)
	}
	return line
}

// entriesLines are entries, list by list, and the references that they name.
func entriesLines(all []subconscious.Entry, zone *time.Location) (said []string, refs []subconscious.Ref) {
	under := ""
	for _, e := range byList(all) {
		if title := listTitle(e); title != under {
			under, said = title, append(said, title+":")
		}
		line, named := entryLine(e, zone)
		said, refs = append(said, line), append(refs, named...)
	}
	return said, refs
}

func listTitle(e subconscious.Entry) string { return cmp.Or(titles[e.List], "others") }

// byList are entries in the order of their lists, and of their creation, which
// changes less than that of strength.
func byList(all []subconscious.Entry) []subconscious.Entry {
	lists := subconscious.Lists()
	return slices.SortedStableFunc(slices.Values(all), func(a, b subconscious.Entry) int {
		return cmp.Or(cmp.Compare(uint(slices.Index(lists, a.List)), uint(slices.Index(lists, b.List))), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
}

const (
	// escalationsShown is how many of the kept escalations are shown, and
	// evidenceShown how many references of an entry.
	escalationsShown = 5
	evidenceShown    = 2
)

func entryLine(e subconscious.Entry, zone *time.Location) (line string, refs []subconscious.Ref) {
	fields := []string{fmt.Sprintf("- %s · %s", e.ID, e.Kind), short(e.Summary, true)}
	for _, h := range e.Evidence {
		if len(refs) < evidenceShown && !slices.Contains(refs, h.Ref) {
			refs, fields = append(refs, h.Ref), append(fields, "["+h.String()+"]")
		}
	}
	if !e.Created.IsZero() {
		fields = append(fields, "since "+e.Created.In(zone).Format(time.DateOnly))
	}
	if !e.Due.IsZero() {
		fields = append(fields, "due "+day(e.Due, zone))
	}
	if e.Over {
		fields = append(fields, "over")
	}
	return strings.Join(append(fields, fmt.Sprintf("importance %d", e.Importance)), " · "), refs
}

// ticksAgo names a thread's last ticks, newest first.
var ticksAgo = [...]string{"last tick", "the one before", "the one before that"}

// lastLines are what a thread found in its last three ticks, by entry id and
// summary.
func lastLines(state subconscious.State, name subconscious.ThreadName) []string {
	var said []string
	any := false
	for i, ids := range state.Threads[name].LastFindings {
		if i == len(ticksAgo) {
			break
		}
		any = any || len(ids) > 0
		var found []string
		for _, id := range ids {
			text := string(id)
			if e, ok := state.Entry(id); ok {
				text += " " + short(e.Summary, true)
			}
			found = append(found, text)
		}
		said = append(said, "- "+ticksAgo[i]+": "+cmp.Or(strings.Join(found, "; "), "nothing"))
	}
	if !any {
		return nil
	}
	return said
}
