package calendar

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// itemPrefix begins the keys of rows that hold items: "item/", a digest of the
// collection, one of the item, and the number of the part, with a slash between
// each. A changed occurrence has that of its series and a dot before its own. The first line of a value is a digest of the version. What is wrong with
// the item stands behind "!" in the lines that follow, and then an iCalendar
// object of its fields, without secrets.
const itemPrefix = "item/"

const (
	maxParts     = 400      // of one item
	maxPart      = 60 << 10 // bytes; a row takes 64 KiB
	maxEventText = 40 << 10 // bytes of one event without its words
	maxZoneText  = 8 << 10  // bytes of one zone
)

// shelf are the items that are kept, in parts, by the key of their rows without
// prefix and number.
type shelf map[string][][]byte

func shelfKey(collection, item string) string { return digest(collection) + "/" + digest(item) }

// readShelf reads the rows of the last commit.
func (s *Sense) readShelf(ctx context.Context) (shelf, error) {
	all := shelf{}
	err := s.options.Rows.Rows(ctx, senseName, s.config.ID, func(key string, value []byte) bool {
		rest, found := strings.CutPrefix(key, itemPrefix)
		end := max(0, strings.LastIndexByte(rest, '/'))
		if n, err := strconv.Atoi(strings.TrimPrefix(rest[end:], "/")); found && err == nil && n >= 0 && n < maxParts {
			for len(all[rest[:end]]) <= n {
				all[rest[:end]] = append(all[rest[:end]], nil)
			}
			all[rest[:end]][n] = bytes.Clone(value)
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read what is kept of the calendar %s: %w", s.config.ID, err)
	}
	return all, nil
}

// has reports whether an item is kept in a version.
func (all shelf) has(collection, item, version string) bool {
	parts := all[shelfKey(collection, item)]
	return len(parts) > 0 && bytes.HasPrefix(parts[0], []byte(digest(version)+"\n"))
}

// put replaces the parts of an item, nil for none, and appends the rows that differ.
func (all shelf) put(rows []senses.Row, key string, parts [][]byte) []senses.Row {
	old := all[key]
	for n := range max(len(old), len(parts)) {
		row := senses.Row{Key: itemPrefix + key + "/" + strconv.Itoa(n)}
		if n < len(parts) {
			row.Value = parts[n]
		}
		if n >= len(old) || !bytes.Equal(old[n], row.Value) {
			rows = append(rows, row)
		}
	}
	if all[key] = parts; parts == nil {
		delete(all, key)
	}
	return rows
}

// take brings the shelf in line with what was found, and returns the rows that
// change by it.
func (all shelf) take(found Found) (rows []senses.Row) {
	there, full, gone, listed := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	zones := newZones(window{}, nil)
	for _, c := range found.Collections {
		there[digest(c.Name)], full[digest(c.Name)] = true, c.Full
		for _, name := range c.Removed {
			gone[shelfKey(c.Name, name)] = true
		}
		for _, name := range c.Same {
			listed[shelfKey(c.Name, name)] = true
		}
		for _, item := range c.Changed {
			key := shelfKey(c.Name, item.Name)
			if item.Of != "" {
				key = shelfKey(c.Name, item.Of) + "." + digest(item.Name)
			}
			listed[key] = true
			if len(all) < 2*maxComponents || all[key] != nil { // split says so long before
				rows = all.put(rows, key, fields(item, zones))
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		collection, _, _ := strings.Cut(key, "/")
		series, _, _ := strings.Cut(key, ".")
		if !there[collection] || (full[collection] || gone[series]) && !listed[key] {
			rows = all.put(rows, key, nil)
		}
	}
	return rows
}

// parted are the items of calendars that are looked at, and of those that left.
func (all shelf) parted(left senses.Left) (there, out shelf) {
	there, out = maps.Clone(all), shelf{}
	for name := range left {
		for key, parts := range there {
			if strings.HasPrefix(key, digest(name)+"/") {
				out[key] = parts
				delete(there, key)
			}
		}
	}
	return there, out
}

// split is what split makes of a file: the components of all items. Their lines
// are their places among them.
func (all shelf) split() splitting {
	out := splitting{}
	out.notes.where = func(n int) string { return out.components[n].called() }
	for _, key := range slices.Sorted(maps.Keys(all)) {
		for _, part := range all[key] {
			_, text, _ := bytes.Cut(part, []byte("\n"))
			for len(text) > 0 && text[0] == '!' {
				var problem []byte
				problem, text, _ = bytes.Cut(text[1:], []byte("\n"))
				out.notes.addText(string(problem))
			}
			for _, c := range split(text).components {
				if len(out.components) == maxComponents {
					out.notes.addText(fmt.Sprintf("there are more than %d events and zones, and the rest is not read", maxComponents))
					return out
				}
				c.line = len(out.components)
				out.components = append(out.components, c)
			}
		}
	}
	return out
}

// called is what an event is called in messages.
func (c *component) called() string {
	if name := line(redact.Text(c.read().value("SUMMARY")), 40); name != "" {
		return "“" + name + "”"
	}
	return "an event without a name"
}

// fields are the parts that are kept of an item.
func fields(item Item, zones *zones) [][]byte {
	k := keeper{zones: zones, head: digest(item.Version) + "\n", written: map[string]bool{}}
	clear(zones.definitions)
	var events []*component
	if !bytes.Contains(item.Data[:min(len(item.Data), 4<<10)], []byte(subconscious.Mark)) { // or it is the daemon's own
		cut := split(item.Data)
		k.cancelled = cut.cancelled
		if problem := cmp.Or(item.Problem, cut.incomplete); problem != "" {
			k.problem("an event", problem)
			cut.components = nil
		}
		for _, c := range cut.components {
			switch {
			case c.problem != "":
				k.problem(c.called(), c.problem)
			case c.name == "VTIMEZONE":
				zones.define(c)
			default:
				events = append(events, c)
			}
		}
	}
	for _, c := range events {
		k.event(c.read())
	}
	k.close()
	return k.parts
}

// keeper makes the parts of one item.
type keeper struct {
	zones          *zones
	head, problems string
	cancelled      bool
	parts          [][]byte
	open           Text // of the part at hand
	written        map[string]bool
}

func (k *keeper) problem(name, text string) {
	if len(k.problems) < 800 {
		k.problems += "!" + name + " " + text + "\n"
	}
}

// close ends the part at hand.
func (k *keeper) close() {
	if len(k.parts) < maxParts {
		k.parts = append(k.parts, slices.Concat([]byte(k.head), []byte(k.problems), k.open.Calendar()))
	}
	k.problems, k.open = "", Text{}
}

// plainFields are kept as they are, in this order: what tells when an event is
// comes first, in case there is too much of it.
var plainFields = strings.Fields(`DTSTART DTEND DURATION RECURRENCE-ID RRULE EXDATE RDATE SEQUENCE LAST-MODIFIED STATUS
	TRANSP X-MICROSOFT-CDO-BUSYSTATUS X-EVENT-TYPE`)

// event writes the fields of one event.
func (k *keeper) event(properties properties) {
	e := &event{source: properties}
	e.describe()
	e.readIdentity(properties)
	uid := startName(e.uid)
	if strings.HasPrefix(uid, noUID) {
		uid = noUID + digest(e.summary, properties.value("DTSTART"), e.location)
	}
	if len(properties["LAST-MODIFIED"]) == 0 { // where there is both, DTSTAMP may be when it was asked for
		properties["LAST-MODIFIED"] = properties["DTSTAMP"]
	}
	if k.cancelled {
		properties["STATUS"] = []property{{value: "CANCELLED"}}
	}
	var t Text
	t.Begin("VEVENT")
	t.Put("UID", uid)
	for _, name := range plainFields {
		for _, p := range properties[name] {
			if len(t.bytes)+len(p.value) > maxEventText {
				k.problem(e.summary, "holds more than is kept of one event: "+name)
				break
			}
			t.Put(name, redact.Text(p.value), "TZID", k.zone(p.parameters["TZID"]), "RANGE", line(p.parameters["RANGE"], 20))
		}
	}
	t.Say("SUMMARY", redact.Text(e.summary))
	t.Say("LOCATION", redact.Text(e.location))
	t.Say("DESCRIPTION", redact.Text(e.description))
	for _, link := range e.meetings {
		t.Put("CONFERENCE", redact.Text(link))
	}
	put := func(name string, p person) {
		if len(t.bytes) < maxEventText {
			t.Put(name, redact.Text(p.address), "CN", redact.Text(p.name), "PARTSTAT", p.partstat)
		}
	}
	if len(properties["ORGANIZER"]) > 0 {
		put("ORGANIZER", e.organizer)
	}
	for _, a := range e.attendees {
		put("ATTENDEE", a)
	}
	t.End("VEVENT")
	if len(k.open.bytes)+len(t.bytes) > maxPart-2_000 {
		k.close()
	}
	k.open.bytes = append(k.open.bytes, t.bytes...)
}

// zone is the name of a zone as it is kept. One that the item itself defines is
// written into the part at hand, under a name that no other definition has.
func (k *keeper) zone(id string) string {
	name := redact.Text(zoneName(id))
	definition := k.zones.definitions[name]
	if definition == nil || k.zones.named(name) != nil {
		return name
	}
	var t Text
	t.Put("X-LIC-LOCATION", definition.read().value("X-LIC-LOCATION"))
	for _, part := range definition.parts {
		t.Begin(part.name)
		for _, raw := range part.lines {
			t.bytes = append(t.bytes, oneLine(redact.Text(folds.Replace(string(raw))))+"\n"...)
		}
		t.End(part.name)
	}
	name += "#" + digest(string(t.bytes))
	if !k.written[name] && len(t.bytes) <= maxZoneText {
		k.written[name] = true
		if len(k.open.bytes) > maxPart-2*maxZoneText {
			k.close()
		}
		var whole Text
		whole.Begin("VTIMEZONE")
		whole.Put("TZID", name)
		whole.bytes = append(whole.bytes, t.bytes...)
		whole.End("VTIMEZONE")
		k.open.bytes = append(k.open.bytes, whole.bytes...)
	}
	return name
}
