package calendar

import (
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const startPrefix = "start/"

// reported is the start of an event as it was last reported, and the one
// before it where the event was moved.
type reported struct {
	start, before string
}

// starts remembers what was reported, by startName, to say from when an event was
// moved.
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
		start, before, _ := strings.Cut(string(value), " ")
		s[id] = reported{start: start, before: before}
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
		now := reported{start: startOf(*item)}
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
			rows = append(rows, senses.Row{Key: startPrefix + name, Value: []byte(strings.TrimSpace(now.start + " " + now.before))})
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
