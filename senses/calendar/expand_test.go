package calendar

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// sampleCalendar draws a calendar of a few series with all that can happen to
// them.
func sampleCalendar(t *rapid.T) string {
	zones := []string{";TZID=Europe/Berlin", ";TZID=America/New_York", ";TZID=Australia/Sydney", ";TZID=W. Europe Standard Time", "", "Z", ";VALUE=DATE"}
	rules := []string{
		"FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,TU", "FREQ=MONTHLY",
		"FREQ=MONTHLY;BYDAY=-1FR", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=YEARLY", "FREQ=YEARLY;BYMONTH=11,12;BYDAY=2TH",
		"FREQ=YEARLY;BYWEEKNO=1,48;BYDAY=TU", "FREQ=DAILY;BYHOUR=6,18", "FREQ=HOURLY;INTERVAL=7", "FREQ=DAILY;COUNT=40", "FREQ=WEEKLY;UNTIL=20261224T090000Z",
		"FREQ=SECONDLY", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "",
	}
	var events strings.Builder
	for n := range rapid.IntRange(1, 4).Draw(t, "events") {
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		base := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
		stamp := func(label string) string {
			m := base.Add(time.Duration(rapid.IntRange(0, 4*24*100).Draw(t, label)) * 15 * time.Minute)
			switch zone {
			case ";VALUE=DATE":
				return zone + ":" + m.Format("20060102")
			case "Z":
				return ":" + m.Format("20060102T150405Z")
			}
			return zone + ":" + m.Format("20060102T150405")
		}
		uid := fmt.Sprintf("sample-%d@example.org", n)
		lines := "DTSTART" + stamp("start")
		if rule := rapid.SampledFrom(rules).Draw(t, "rule"); rule != "" {
			lines += "\r\nRRULE:" + rule
		}
		for range rapid.IntRange(0, 2).Draw(t, "dates") {
			lines += "\r\n" + rapid.SampledFrom([]string{"RDATE", "EXDATE"}).Draw(t, "kind") + stamp("date")
		}
		events.WriteString(eventOf(uid, lines))
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			change := "RECURRENCE-ID" + rapid.SampledFrom([]string{"", "", ";RANGE=THISANDFUTURE"}).Draw(t, "range") + stamp("original") + "\r\nDTSTART" + stamp("moved")
			events.WriteString(eventOf(uid, change+rapid.SampledFrom([]string{"", "\r\nSTATUS:CANCELLED"}).Draw(t, "status")))
		}
	}
	return calendarOf(events.String())
}

// inside expands a calendar and returns when each occurrence starts.
func inside(t *rapid.T, text string, from, to time.Time, mind *time.Location) map[string]time.Time {
	found, err := expand(context.Background(), split([]byte(text)), window{from: from, to: to, mind: mind})
	if err != nil {
		t.Fatal(err)
	}
	starts := map[string]time.Time{}
	for i, o := range found.occurrences {
		id := o.event.uid + "/" + o.original
		if _, twice := starts[id]; twice {
			t.Fatalf("%s comes twice in\n%s", id, text)
		}
		if i > 0 && o.start.Before(found.occurrences[i-1].start) {
			t.Fatalf("occurrences are not in order in\n%s", text)
		}
		if o.start.Before(from) || !o.start.Before(to) || o.end.Before(o.start) {
			t.Fatalf("%s from %s to %s is not within %s to %s in\n%s", id, o.start, o.end, from, to, text)
		}
		starts[id] = o.start.UTC()
	}
	return starts
}

// TestExpansionIsAdditive: what is seen in two windows side by side is what is
// seen in one, with the same identities and the same starts.
func TestExpansionIsAdditive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := sampleCalendar(t)
		mind := testutil.Zone(t, rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Apia"}).Draw(t, "mind"))
		a := time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 24*40).Draw(t, "a")) * time.Hour)
		b := a.Add(time.Duration(rapid.IntRange(0, 24*30).Draw(t, "b")) * time.Hour)
		c := b.Add(time.Duration(rapid.IntRange(0, 24*30).Draw(t, "c")) * time.Hour)
		whole := inside(t, text, a, c, mind)
		parts := inside(t, text, a, b, mind)
		second := inside(t, text, b, c, mind)
		for id := range second {
			if _, both := parts[id]; both {
				t.Fatalf("%s is in both windows of\n%s", id, text)
			}
		}
		maps.Copy(parts, second)
		if !maps.Equal(whole, parts) {
			t.Fatalf("[a,c) holds %v\n[a,b) and [b,c) hold %v\nof %s", whole, parts, text)
		}
	})
}

// TestIdentityIsStable: an occurrence keeps its identity in whatever zone it is
// read.
func TestIdentityIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := sampleCalendar(t)
		from := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
		to := from.AddDate(0, 5, 0)
		first := inside(t, text, from, to, time.UTC)
		again := inside(t, text, from, to, testutil.Zone(t, "Asia/Tokyo"))
		ids := func(m map[string]time.Time) []string {
			var all []string
			for id, start := range m {
				// Dates and floating times may leave the window at its ends.
				if start.After(from.AddDate(0, 0, 2)) && start.Before(to.AddDate(0, 0, -2)) {
					all = append(all, id)
				}
			}
			slices.Sort(all)
			return all
		}
		for _, id := range ids(first) {
			if _, there := again[id]; !there {
				t.Fatalf("%s is not seen from another zone in\n%s", id, text)
			}
		}
	})
}

// TestForwardChangesNothing: beginning near the window gives what counting
// from the first occurrence gives.
func TestForwardChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		freq := rapid.SampledFrom([]string{"YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"}).Draw(t, "freq")
		text := fmt.Sprintf("FREQ=%s;INTERVAL=%d", freq, rapid.IntRange(1, 9).Draw(t, "interval"))
		text += rapid.SampledFrom([]string{"", ";BYDAY=TU,FR", ";WKST=SU;BYDAY=SU,MO", ";BYMONTH=3,11", ";BYMONTHDAY=1,-1,29", ";BYHOUR=3,21"}).Draw(t, "by")
		start := moment{wall: time.Date(2022, 1, 1, 5, 45, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 24*365*4).Draw(t, "start")) * time.Hour)}
		from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 24*365*3).Draw(t, "from")) * time.Hour)
		to := from.AddDate(0, 1, 0)
		walk := func(text string) (walls []time.Time) {
			r, err := parseRule(text, start)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.walk(start, from, to, &budget{}, func(w time.Time) bool { walls = append(walls, w); return true }); err != nil {
				t.Fatal(err)
			}
			return walls
		}
		if fast, slow := walk(text), walk(text+";COUNT=1000000"); !slices.Equal(fast, slow) {
			t.Fatalf("%s from %s in %s: %v, counted from the first: %v", text, start.wall, from, fast, slow)
		}
	})
}

// TestWindowsZones: every name leads to a zone that exists.
func TestWindowsZones(t *testing.T) {
	table := parseWindowsZones()
	if len(table) < 100 {
		t.Fatalf("only %d names", len(table))
	}
	for name, iana := range table {
		if _, err := time.LoadLocation(iana); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDefinedZone: a zone that the file defines shows the same clock as the
// zone that it describes, all year.
func TestDefinedZone(t *testing.T) {
	part := func(name, start, from, to, rule string) string {
		return "BEGIN:" + name + "\r\nDTSTART:" + start + "\r\nTZOFFSETFROM:" + from + "\r\nTZOFFSETTO:" + to + "\r\nRRULE:" + rule + "\r\nEND:" + name + "\r\n"
	}
	definitions := map[string]string{
		"Europe/Berlin": part("STANDARD", "19701025T030000", "+0200", "+0100", "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU") +
			part("DAYLIGHT", "19700329T020000", "+0100", "+0200", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"),
		"America/New_York": part("STANDARD", "20071104T020000", "-0400", "-0500", "FREQ=YEARLY;BYMONTH=11;BYDAY=1SU") +
			part("DAYLIGHT", "20070311T020000", "-0500", "-0400", "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"),
		"Australia/Sydney": part("STANDARD", "20080406T030000", "+1100", "+1000", "FREQ=YEARLY;BYMONTH=4;BYDAY=1SU") +
			part("DAYLIGHT", "20081005T020000", "+1000", "+1100", "FREQ=YEARLY;BYMONTH=10;BYDAY=1SU"),
	}
	for name, definition := range definitions {
		parts := split([]byte(calendarOf("BEGIN:VTIMEZONE\r\nTZID:Described\r\n" + definition + "END:VTIMEZONE\r\n")))
		from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		described, err := definedZone("Described", parts.components[0], window{from: from, to: from.AddDate(1, 0, 0)}, &budget{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		real := testutil.Zone(t, name)
		for at := from; at.Year() == 2026; at = at.Add(30 * time.Minute) {
			if got, want := reading(at.In(described)), reading(at.In(real)); !got.Equal(want) {
				t.Fatalf("%s at %s: %s, want %s", name, at, got, want)
			}
		}
	}
}
