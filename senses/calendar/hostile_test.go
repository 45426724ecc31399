package calendar

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// around is the window that hostile calendars are expanded in.
func around() window {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	return window{from: at.Add(-behind), to: at.Add(ahead), mind: time.UTC}
}

func mustExpand(t testing.TB, text string) expansion {
	t.Helper()
	found, err := expand(context.Background(), split([]byte(text)), around())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestHostileRules: each rule costs at most what an event may cost and the one
// look that the library takes too far, and yields at most what an event may.
func TestHostileRules(t *testing.T) {
	list := func(from, to int) string {
		var all []string
		for i := from; i <= to; i++ {
			all = append(all, fmt.Sprint(i))
		}
		return strings.Join(all, ",")
	}
	cases := []struct{ name, rule string }{
		{"each second", "FREQ=SECONDLY"},
		{"each minute", "FREQ=MINUTELY;COUNT=100000000"},
		{"all seconds of a day", "FREQ=DAILY;BYHOUR=" + list(0, 23) + ";BYMINUTE=" + list(0, 59) + ";BYSECOND=" + list(0, 59)},
		{"february 30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"},
		{"february 30, daily", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"},
		{"february 30, weekly", "FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=30"},
		{"february 30, hourly", "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30"},
		{"february 30, counted", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=3"},
		{"hours that are never met", "FREQ=HOURLY;INTERVAL=24;BYHOUR=4"},
		{"sixth monday", "FREQ=MONTHLY;BYDAY=6MO"},
		{"53rd monday of a month", "FREQ=MONTHLY;BYDAY=53MO,-53MO"},
		{"53rd monday of february", "FREQ=YEARLY;BYMONTH=2;BYDAY=53MO"},
		{"position that is never filled", "FREQ=YEARLY;BYDAY=MO;BYSETPOS=366,-366"},
		{"positions of a day", "FREQ=DAILY;BYSETPOS=2"},
		{"positions of an hour", "FREQ=HOURLY;BYSETPOS=2"},
		{"all positions", "FREQ=YEARLY;BYDAY=MO,TU,WE;BYSETPOS=" + list(1, 366)},
		{"fifth friday on the first", "FREQ=MONTHLY;BYDAY=5FR;BYMONTHDAY=1"},
		{"week 53 in june", "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6"},
		{"leap day on a monday", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO"},
		{"day 366 in march", "FREQ=DAILY;BYYEARDAY=366;BYMONTH=3"},
		{"easter", "FREQ=YEARLY;BYEASTER=400"},
		{"huge interval", "FREQ=YEARLY;INTERVAL=9223372036854775807"},
		{"interval beyond numbers", "FREQ=YEARLY;INTERVAL=99999999999999999999999999"},
		{"no interval", "FREQ=DAILY;INTERVAL=0"},
		{"negative interval", "FREQ=DAILY;INTERVAL=-5"},
		{"negative count", "FREQ=DAILY;COUNT=-1"},
		{"huge count", "FREQ=DAILY;COUNT=2147483647"},
		{"a month that is none", "FREQ=YEARLY;BYMONTH=13"},
		{"hourly in full", "FREQ=HOURLY;BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55"},
		{"long lists", "FREQ=DAILY;BYMONTHDAY=" + strings.Repeat("1,", 5000) + "1"},
		{"doubles", "FREQ=DAILY;BYMONTHDAY=" + strings.Repeat("1,", 500) + "1"},
		{"no frequency", "INTERVAL=2"},
		{"nothing", ""},
		{"junk", "\x00;=;;=="},
	}
	for _, start := range []string{"16040229T030000Z", "19700101T030000Z", "20261121T030000Z"} {
		for _, c := range cases {
			t.Run(c.name+" from "+start[:4], func(t *testing.T) {
				found := mustExpand(t, calendarOf(eventOf("hostile@example.org", "DTSTART:"+start+"\r\nRRULE:"+c.rule)+
					eventOf("good@example.org", "DTSTART:20261125T090000Z")))
				// 400 years of days at the weight of the longest lists.
				if most := maxEventSteps + 400*366*100; found.steps > most {
					t.Errorf("%d steps, want at most %d", found.steps, most)
				}
				good := 0
				for _, o := range found.occurrences {
					if o.event.uid == "good@example.org" {
						good++
					}
				}
				if good != 1 || len(found.occurrences) > maxPerEvent+1 {
					t.Errorf("%d occurrences, %d of the other event", len(found.occurrences), good)
				}
			})
		}
	}
}

// TestManyCostlyRules: a file full of them stops at the file's bound, says so,
// and still shows first dates.
func TestManyCostlyRules(t *testing.T) {
	var events strings.Builder
	const many = 3000
	for i := range many {
		events.WriteString(eventOf(fmt.Sprintf("costly-%d@example.org", i), "DTSTART:20261122T090000Z\r\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"))
	}
	found := mustExpand(t, calendarOf(events.String()))
	if most := maxSteps + maxEventSteps + 400*366*100; found.steps > most {
		t.Errorf("%d steps, want at most %d", found.steps, most)
	}
	if len(found.occurrences) != many || found.notes.count == 0 {
		t.Errorf("%d first dates and %d notes, want %d and some", len(found.occurrences), found.notes.count, many)
	}
}

func TestHostileFiles(t *testing.T) {
	good := eventOf("good@example.org", "DTSTART:20261125T090000Z\r\nSUMMARY:Good")
	cases := []struct {
		name, text string
		notes      bool // something must be said
	}{
		{"deep nesting", calendarOf(strings.Repeat("BEGIN:VEVENT\r\n", 5000) + good), true},
		{"deep nesting of parts", calendarOf("BEGIN:VEVENT\r\n" + strings.Repeat("BEGIN:X\r\n", 100_000) + strings.Repeat("END:X\r\n", 100_000) + "END:VEVENT\r\n" + good), true},
		{"a line without end", calendarOf(eventOf("long@example.org", "DTSTART:20261125T090000Z\r\nSUMMARY:"+strings.Repeat("x", 1<<20)) + good), true},
		{"a line of a thousand folds", calendarOf(eventOf("fold@example.org", "DTSTART:20261125T090000Z\r\nSUMMARY:x"+strings.Repeat("\r\n y", 50_000)) + good), true},
		{"parameters without end", calendarOf(eventOf("par@example.org", "DTSTART:20261125T090000Z\r\nATTENDEE;CN="+strings.Repeat("x", 60_000)+":mailto:a@example.org") + good), true},
		{"quotes that do not close", calendarOf(eventOf("quote@example.org", "DTSTART:20261125T090000Z\r\nATTENDEE;CN=\"x:mailto:a@example.org") + good), true},
		{"a parameter without value", calendarOf(eventOf("novalue@example.org", "DTSTART:20261125T090000Z\r\nATTENDEE;CN") + good), true},
		{"a quote within", calendarOf(eventOf("within@example.org", "DTSTART:20261125T090000Z\r\nATTENDEE;CN=a\"b\":mailto:a@example.org") + good), false},
		{"many properties", calendarOf(eventOf("many@example.org", "DTSTART:20261125T090000Z"+strings.Repeat("\r\nATTENDEE:mailto:a@example.org", 5000)) + good), true},
		{"many exceptions", calendarOf(eventOf("exdates@example.org", "DTSTART:20261125T090000Z\r\nRRULE:FREQ=DAILY"+strings.Repeat("\r\nEXDATE:20261126T090000Z,20261127T090000Z,2026", 900)) + good), true},
		{"many zones", calendarOf(manyZones() + good), true},
		{"names that are paths", calendarOf(eventOf("path@example.org", "DTSTART;TZID=../../etc/passwd:20261125T090000\r\nSUMMARY:x") + eventOf("path2@example.org", "DTSTART;TZID=/etc/localtime:20261125T090000") + good), true},
		{"no events but much else", calendarOf(strings.Repeat("X-JUNK:1\r\n", 100_000) + good), false},
		{"zero bytes", calendarOf(eventOf("zero@example.org", "DTSTART:20261125T090000Z\r\nSUMMARY:\x00\x00") + "\x00\x00\r\n" + good), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := mustExpand(t, c.text)
			var titles []string
			for _, o := range found.occurrences {
				titles = append(titles, o.event.uid)
			}
			if !strings.Contains(strings.Join(titles, " "), "good@example.org") {
				t.Errorf("the good event is lost: %v; %s %s", titles, found.notes.String(), found.incomplete)
			}
			if said := found.notes.count > 0; said != c.notes {
				t.Errorf("notes %q, want some: %v", found.notes.String(), c.notes)
			}
			if len(found.notes.String()) > 1000 {
				t.Errorf("notes of %d bytes", len(found.notes.String()))
			}
			keptWithin(t, c.text)
		})
	}
}

// keptWithin: what is kept of an account that holds the text fits into rows, and
// shows the good event.
func keptWithin(t *testing.T, text string) {
	t.Helper()
	all := shelf{}
	for _, row := range all.take(Found{Collections: []Collection{{Name: "c", Changed: []Item{{Name: "n", Data: []byte(text)}}}}}) {
		if len(row.Value) > senses.MaxRowValue {
			t.Errorf("a row of %d bytes", len(row.Value))
		}
	}
	found, err := expand(t.Context(), all.split(), around())
	if err != nil || !slices.ContainsFunc(found.occurrences, func(o occurrence) bool { return o.event.uid == "good@example.org" }) {
		t.Errorf("of an account the good event is lost: %v, %s", err, found.notes.String())
	}
}

func manyZones() string {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "BEGIN:VTIMEZONE\r\nTZID:Zone %d\r\n%sEND:VTIMEZONE\r\n", i,
			strings.Repeat("BEGIN:STANDARD\r\nDTSTART:16010101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=DAILY\r\nEND:STANDARD\r\n", 5))
		text.WriteString(eventOf(fmt.Sprintf("zone-%d@example.org", i), fmt.Sprintf("DTSTART;TZID=Zone %d:20261125T090000", i)))
	}
	return text.String()
}

// TestOneEventOfMany: what is wrong with one event of a file costs that event alone,
// and is said for as long as it is so.
func TestOneEventOfMany(t *testing.T) {
	const many = 1000
	for name, c := range map[string]struct{ text, says string }{
		"no start":      {eventOf("bad@example.org", "SUMMARY:Bad"), "this event has no DTSTART"},
		"no time":       {eventOf("bad@example.org", "DTSTART:25 o'clock"), "line 2004: this event"},
		"cut off":       {"BEGIN:VEVENT\r\nUID:bad@example.org\r\nDTSTA\r\n", "has no END:VEVENT"},
		"a broken rule": {eventOf("bad@example.org", "DTSTART:20261125T090000Z\r\nRRULE:FREQ=SECONDLY"), "FREQ=SECONDLY"},
		"a bomb":        {eventOf("bad@example.org", "DTSTART:16040229T030000Z\r\nRRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30"), "takes too long"},
		"letters":       {"\x00\xff\r\n:;=\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			var events strings.Builder
			for n := range many {
				if n == many/2 {
					events.WriteString(c.text)
				}
				events.WriteString(eventOf(fmt.Sprintf("n%d@example.org", n), "DTSTART:20261125T090000Z"))
			}
			d.write(calendarOf(events.String()))
			batch := d.tick()
			good := slices.DeleteFunc(d.items(batch), func(o subconscious.Observation) bool { return !strings.HasPrefix(o.ID, "n") })
			if again := d.tick(); len(good) != many || again.Sets != nil || again.Degraded != batch.Degraded ||
				!strings.Contains(batch.Degraded, c.says) || (batch.Degraded == "") != (c.says == "") {
				t.Errorf("%d events are shown, and it says %q and %q, want %q", len(good), batch.Degraded, again.Degraded, c.says)
			}
		})
	}
}

// TestTooManyEvents: what is beyond the bound is left out and said.
func TestTooManyEvents(t *testing.T) {
	var events strings.Builder
	for i := range maxComponents + 10 {
		events.WriteString(eventOf(fmt.Sprintf("n-%d@example.org", i), "DTSTART:20261125T090000Z"))
	}
	found := mustExpand(t, calendarOf(events.String()))
	if len(found.occurrences) != maxPerFile || found.notes.count == 0 {
		t.Errorf("%d occurrences and %d notes, want %d and some", len(found.occurrences), found.notes.count, maxPerFile)
	}
}

// TestCancelledExpansion: an expansion ends when it is told to.
func TestCancelledExpansion(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := expand(ctx, split([]byte(calendarOf(eventOf("a@example.org", "DTSTART:20261125T090000Z")))), around()); err == nil {
		t.Fatal("a cancelled expansion returned no error")
	}
}

// TestManySmallPieces: a file of nothing but small pieces keeps little more than itself.
func TestManySmallPieces(t *testing.T) {
	for name, text := range map[string]string{
		"parts": "BEGIN:VTIMEZONE\nTZID:x\n" + strings.Repeat("BEGIN:A\nEND:A\n", maxZoneParts) + "END:VTIMEZONE\n",
		"lines": "BEGIN:VEVENT\n" + strings.Repeat("URL:\n", maxProperties) + "END:VEVENT\n",
	} {
		cut := split([]byte(calendarOf(strings.Repeat(text, maxFile/len(text)-1))))
		pieces := 0
		for _, c := range cut.components {
			pieces += len(c.lines) + partPieces*len(c.parts)
		}
		if pieces > maxPieces || !strings.Contains(cut.notes.String(), "the rest is not read") {
			t.Errorf("%s: %d pieces, %s", name, pieces, cut.notes.String())
		}
	}
}

// TestManyProblems: of lines that say nothing no more is kept than of those that do.
func TestManyProblems(t *testing.T) {
	event := "BEGIN:VEVENT\nUID:%d\n" + strings.Repeat("URL;\n", 3)
	for name, text := range map[string]string{
		"in one event":   fmt.Sprintf(event, 1) + strings.Repeat("URL;\n", maxFile/8) + "END:VEVENT\n",
		"in many events": strings.Repeat(fmt.Sprintf(event, 1)+"END:VEVENT\n", maxUnsure),
	} {
		cut := split([]byte(calendarOf(text)))
		if _, ok := cut.notes.unsure(cut.components); ok || len(cut.notes.lines) > maxUnsure || cut.notes.count > maxProperties+1 {
			t.Errorf("%s: %d lines of %d notes, %v", name, len(cut.notes.lines), cut.notes.count, ok)
		}
	}
}

// TestManyPartsOfAZone: no more of them are kept than are read.
func TestManyPartsOfAZone(t *testing.T) {
	part := "BEGIN:STANDARD\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nDTSTART:19961027T030000\r\nEND:STANDARD\r\n"
	parts := split([]byte(calendarOf("BEGIN:VTIMEZONE\r\nTZID:Many\r\n" + strings.Repeat(part, 10_000) + "END:VTIMEZONE\r\n")))
	if zone := parts.components[0]; len(zone.parts) > maxZoneParts+1 || len(zone.parts[0].lines) != 3 {
		t.Errorf("the zone is kept as %d parts", len(zone.parts))
	}
}
