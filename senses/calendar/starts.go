package calendar

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const startPrefix = "start/"

// reported is the start of an event as it was last reported, and the one
// before it where the event was moved. Of one that takes the person's time title and
// organiser are kept as well, and its UID.
type reported struct {
	start, before, title, organizer, uid string
	name                                 string // the key of its row
}

// row is how it is kept: a line each, of which the first has both starts.
func (r reported) row() []byte {
	return []byte(strings.TrimSpace(strings.Join([]string{strings.TrimSpace(r.start + " " + r.before), r.title, r.organizer, r.uid}, "\n")))
}

// starts remembers what was reported, by startName, to say from when an event was
// moved, and which was taken out.
type starts map[string]reported

// startName is the ID of an event without its secrets, and with the hash of
// the whole in place of them.
func startName(id string) string {
	if name := redact.Text(id); name != id {
		return name + "#" + digest(id)
	}
	return id
}

// load takes one row back; it always goes on.
func (s starts) load(key string, value []byte) bool {
	if id, found := strings.CutPrefix(key, startPrefix); found {
		lines := append(strings.Split(string(value), "\n"), "", "", "")
		start, before, _ := strings.Cut(lines[0], " ")
		s[id] = reported{start, before, lines[1], lines[2], lines[3], id}
	}
	return true
}

// update sets the attribute moved_from where an event has another start than
// before, and returns the rows that say so. Events that are over are forgotten.
func (s starts) update(items []subconscious.Observation, keep bool) []senses.Row {
	var rows []senses.Row
	standing := make(map[string]bool, len(items))
	for i := range items {
		item := &items[i]
		name := startName(item.ID)
		standing[name] = true
		now := reported{start: startOf(*item), name: name}
		if item.Attrs["transparent"] == "busy" && item.Attrs["partstat"] != "declined" {
			uid := uidOf(item.ID)
			now.title, now.uid = subconscious.Printable(item.Title), digest(uid)
			if item.Trust != subconscious.Owner { // else the person organizes it
				now.organizer = redact.Text(subconscious.Printable(item.Attrs["organizer"]))
			}
		}
		old, known := s[name]
		switch {
		case known && old.start != now.start:
			now.before = old.start
		case known:
			now.before = old.before
		}
		if now.before != "" {
			if before, ok := startFrom(now.before, item.Due.Location()); ok {
				item.Attrs["moved_from"] = before.Format(time.RFC3339)
			}
		}
		if now != old {
			s[name] = now
			rows = append(rows, senses.Row{Key: startPrefix + name, Value: now.row()})
		}
	}
	for id := range s {
		if !standing[id] {
			delete(s, id)
			rows = append(rows, senses.Row{Key: startPrefix + id})
		}
	}
	if !keep {
		return nil
	}
	return rows
}

// takenMost is how many events are taken out at once at most: with more, a calendar
// went, or was made anew.
const takenMost = 5

// taken are the events ahead that are not among the items any more, of a series the
// next one alone. One whose UID, title or start comes anew was planned anew.
func (s starts) taken(items []subconscious.Observation, at time.Time, zone *time.Location) (out []reported) {
	standing, anew := make(map[string]bool, len(items)), map[string]bool{}
	for _, item := range items {
		name := startName(item.ID)
		if standing[name] = true; s[name].start == "" {
			uid := uidOf(item.ID)
			anew[digest(uid)], anew[named(item.Title)], anew[startOf(item)] = true, true, true
		}
	}
	next := map[string]reported{}
	for name, old := range s {
		start, ok := startFrom(old.start, zone)
		if standing[name] || old.title == "" || !ok || !start.After(at) || anew[old.uid] || anew[named(old.title)] || anew[old.start] {
			continue
		}
		if first, more := next[old.uid]; !more || old.start < first.start {
			next[old.uid] = old
		}
	}
	if len(next) > takenMost {
		return nil
	}
	return slices.SortedFunc(maps.Values(next), func(a, b reported) int { return strings.Compare(a.start+a.uid, b.start+b.uid) })
}

// uidOf is the UID in the ID of an event, which may have slashes of its own.
func uidOf(id string) string { return id[:max(0, strings.LastIndexByte(id, '/'))] }

// past notes that an event is over, and not taken out.
func (s starts) past(id string) {
	if old, known := s[startName(id)]; known {
		old.title = ""
		s[old.name] = old
	}
}

// named is a title up to its time.
func named(title string) string {
	name, _, _ := strings.Cut(title, ", ")
	return name
}

// startOf is how a start is remembered: as a moment, and of an event of whole
// days as its day, which is the same wherever its owner is.
func startOf(item subconscious.Observation) string {
	if item.Attrs["all_day"] == "true" {
		return item.Due.Format(time.DateOnly)
	}
	return item.Due.UTC().Format(time.RFC3339)
}

// startFrom reads what startOf wrote.
func startFrom(text string, zone *time.Location) (time.Time, bool) {
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return day, true
	}
	moment, err := time.Parse(time.RFC3339, text)
	return moment.In(zone), err == nil
}
