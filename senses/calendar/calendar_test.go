package calendar

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// desk is a sense over a file of its own, and a clock.
type desk struct {
	t     *testing.T
	path  string
	sense *Sense
	at    time.Time
	zone  *time.Location
	sensetest.Kept
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, path: filepath.Join(t.TempDir(), "sample.ics"), at: noon, zone: time.UTC}
	d.open(Config{ID: "sample"})
	return d
}

func (d *desk) open(config Config) {
	d.t.Helper()
	config.ICS = d.path
	sense, err := New(config, Options{Zone: func() *time.Location { return d.zone }, Rows: d})
	if err != nil {
		d.t.Fatal(err)
	}
	d.sense = sense
}

// write saves the file as if at some time long before the clock.
func (d *desk) write(text string) {
	d.t.Helper()
	replaceFile(d.t, d.path, text)
	old := d.at.Add(-time.Minute)
	if err := os.Chtimes(d.path, old, old); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) collect() (senses.Batch, error) {
	return d.sense.Collect(context.Background(), d.at, d.Cursor)
}

// tick collects and commits.
func (d *desk) tick() senses.Batch {
	d.t.Helper()
	batch, err := d.collect()
	if err != nil {
		d.t.Fatal(err)
	}
	d.Keep(batch)
	return batch
}

func (d *desk) items(batch senses.Batch) []subconscious.Observation {
	d.t.Helper()
	if len(batch.Sets) != 1 || batch.Sets[0].Scope != d.path {
		d.t.Fatalf("want one set for the file, got %d sets", len(batch.Sets))
	}
	return batch.Sets[0].Items
}

var (
	dentist = eventOf("dentist@example.org", "DTSTART:20261127T150000Z\r\nDTEND:20261127T153000Z\r\nSUMMARY:Dentist")
	soon    = eventOf("soon@example.org", "DTSTART:20261121T123000Z\r\nSUMMARY:Soon")
)

func TestUnchangedFileIsNotReadAgain(t *testing.T) {
	d := newDesk(t)
	d.write(calendarOf(dentist))
	if n := len(d.items(d.tick())); n != 1 {
		t.Fatalf("%d events, want 1", n)
	}
	for range 3 {
		d.at = d.at.Add(5 * time.Minute)
		if batch := d.tick(); batch.Sets != nil || batch.Cursor != nil || batch.Rows != nil {
			t.Fatalf("an unchanged file brought %+v", batch)
		}
	}
	allocations := testing.AllocsPerRun(100, func() { d.tick() })
	if allocations > 10 {
		t.Errorf("%v allocations a collect of an unchanged file", allocations)
	}
}

func TestWindowMovesOn(t *testing.T) {
	d := newDesk(t)
	d.write(calendarOf(dentist + eventOf("later@example.org", "DTSTART:20261226T123000Z\r\nSUMMARY:Just beyond") + soon))
	if n := len(d.items(d.tick())); n != 2 {
		t.Fatalf("%d events, want 2", n)
	}
	d.at = d.at.Add(time.Hour)
	items := d.items(d.tick())
	if len(items) != 2 || items[1].Title != "Just beyond, Sat 26 Dec 12:30" {
		t.Fatalf("after an hour: %+v", items)
	}
}

func TestTouchedFileBringsNothing(t *testing.T) {
	d := newDesk(t)
	d.write(calendarOf(dentist))
	d.tick()
	d.at = d.at.Add(5 * time.Minute)
	d.write(calendarOf(dentist))
	if batch := d.tick(); batch.Sets != nil {
		t.Fatalf("the same content brought %+v", batch)
	}
}

func TestMoveIsAChangeOfTheSameEvent(t *testing.T) {
	d := newDesk(t)
	d.write(calendarOf(dentist))
	first := d.items(d.tick())[0]
	move := func(hour string) subconscious.Observation {
		d.at = d.at.Add(5 * time.Minute)
		d.write(calendarOf(strings.ReplaceAll(strings.ReplaceAll(dentist, "T1530", "T1930"), "T1500", "T"+hour)))
		return d.items(d.tick())[0]
	}
	second := move("1600")
	if second.ID != first.ID || second.Fingerprint == first.Fingerprint || second.Due.Equal(first.Due) {
		t.Fatalf("moved from %+v to %+v", first, second)
	}
	if got := second.Attrs["moved_from"]; got != "2026-11-27T15:00:00Z" {
		t.Errorf("moved_from %q", got)
	}
	// A restart remembers where it was.
	d.open(Config{ID: "sample"})
	if got := move("1700").Attrs["moved_from"]; got != "2026-11-27T16:00:00Z" {
		t.Errorf("moved_from after a restart %q", got)
	}
	if len(d.All) != 1 {
		t.Errorf("rows %v, want one", d.All)
	}
	d.at = d.at.Add(5 * time.Minute)
	d.write(calendarOf(""))
	if items := d.items(d.tick()); len(items) != 0 || len(d.All) != 0 {
		t.Errorf("an empty calendar leaves %v and rows %v", items, d.All)
	}
}

// TestTakenOut: of an event that took time and is there no more it is said once, after a
// restart too; not where it was planned anew, had begun, took no time, or went with all
// the others.
func TestTakenOut(t *testing.T) {
	event := func(uid, start, lines string) string {
		return eventOf(uid, "DTSTART:"+start+"\r\nSUMMARY:"+strings.ToUpper(uid[:1])+uid[1:]+"\r\n"+lines)
	}
	tea := event("tea", "20261128T100000Z", "")
	daily := event("daily", "20261124T090000Z", "RRULE:FREQ=DAILY;COUNT=9")
	many := ""
	for n := range takenMost + 1 {
		many += event(fmt.Sprint("many", n), "20261128T100000Z", "")
	}
	malformed := "BEGIN:VEVENT\r\nUID:x\r\nDTSTART:never\r\nEND:VEVENT\r\n"
	for name, c := range map[string]struct{ before, after, want string }{
		"deleted":      {tea, "", "Tea, Sat 28 Nov 10:00"},
		"cancelled":    {tea, event("tea", "20261128T100000Z", "STATUS:CANCELLED"), "Tea, Sat 28 Nov 10:00"},
		"a series":     {daily, "", "Daily, Tue 24 Nov 09:00"},
		"one date":     {daily, event("daily", "20261124T090000Z", "RRULE:FREQ=DAILY;COUNT=9\r\nEXDATE:20261126T090000Z"), "Daily, Thu 26 Nov 09:00"},
		"another time": {daily, event("daily", "20261124T110000Z", "RRULE:FREQ=DAILY;COUNT=9"), ""},
		"planned anew": {tea, strings.Replace(event("other", "20261129T100000Z", ""), "Other", "Tea", 1), ""},
		"moved":        {tea, event("tea", "20261129T100000Z", ""), ""},
		"replaced":     {tea, event("cake", "20261128T100000Z", ""), ""},
		"moved to now": {tea, event("tea", "20261121T120500Z", ""), ""},
		"free":         {event("tea", "20261128T100000Z", "TRANSP:TRANSPARENT"), "", ""},
		"has begun":    {event("tea", "20261121T120500Z", ""), "", ""},
		"all at once":  {many, "", ""},
		"put off":      {tea, event("tea", "20270228T100000Z", ""), "Tea, Sat 28 Nov 10:00 (put off)"},
		"one put off":  {daily, daily + event("daily", "20270228T100000Z", "RECURRENCE-ID:20261126T090000Z"), "Daily, Thu 26 Nov 09:00 (put off)"},
		"one of two put off": {daily, daily + event("daily", "20261126T090000Z", "RECURRENCE-ID:20261126T090000Z\r\nSTATUS:CANCELLED") +
			event("daily", "20270228T100000Z", "RECURRENCE-ID:20261125T090000Z"), "Daily, Wed 25 Nov 09:00 (put off)"},
		"all day":        {eventOf("tea", "DTSTART;VALUE=DATE:20261128\r\nSUMMARY:Tea"), "", "Tea, Sat 28 Nov, all day (all day)"},
		"it malformed":   {tea, strings.Replace(malformed, "UID:x", "UID:tea", 1), ""},
		"one malformed":  {tea, malformed, "Tea, Sat 28 Nov 10:00"},
		"one unnamed":    {tea, strings.Replace(malformed, "UID:x\r\n", "", 1), ""},
		"of no calendar": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.write(calendarOf(c.before))
			d.tick()
			d.open(Config{ID: "sample"})
			var got []string
			for range 3 {
				d.at = d.at.Add(10 * time.Minute)
				d.write(calendarOf(c.after))
				for _, o := range d.tick().Changes {
					title := o.Title
					if o.Attrs["status"] == statusPutOff {
						title += " (put off)"
					}
					if o.Attrs["all_day"] != "" {
						title += " (all day)"
					}
					got = append(got, title)
				}
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("it says %q", got)
			}
		})
	}
}

func TestFailedCommitIsRepeated(t *testing.T) {
	d := newDesk(t)
	d.write(calendarOf(dentist))
	for range 2 {
		batch, err := d.collect() // not committed
		if err != nil {
			t.Fatal(err)
		}
		if len(d.items(batch)) != 1 {
			t.Fatal("the event is not reported until it is committed")
		}
		d.at = d.at.Add(time.Minute)
	}
	d.tick()
	d.at = d.at.Add(time.Minute)
	d.write(calendarOf(dentist + soon))
	if _, err := d.collect(); err != nil { // not committed either
		t.Fatal(err)
	}
	d.at = d.at.Add(time.Minute)
	if n := len(d.items(d.tick())); n != 2 {
		t.Fatalf("%d events after a failed commit, want 2", n)
	}
}

func TestHalfWrittenFileKeepsWhatWas(t *testing.T) {
	d := newDesk(t)
	whole := calendarOf(dentist + soon)
	d.write(whole)
	d.tick()
	for _, text := range []string{"", whole[:20], whole[:len(whole)/2], whole[:len(whole)-5]} {
		d.at = d.at.Add(time.Minute)
		d.write(text)
		batch := d.tick()
		if batch.Sets != nil || !strings.Contains(batch.Degraded, "are kept") {
			t.Errorf("%d bytes of the file brought %+v", len(text), batch)
		}
		if again := d.tick(); again.Sets != nil || again.Degraded != batch.Degraded {
			t.Errorf("the second look at %d bytes brought %+v", len(text), again)
		}
	}
	d.at = d.at.Add(time.Minute)
	d.write(whole)
	if batch := d.tick(); batch.Sets != nil || batch.Degraded != "" {
		t.Errorf("the whole file again brought %+v", batch)
	}
}

func TestZoneChange(t *testing.T) {
	d := newDesk(t)
	d.write(calendarOf(eventOf("day@example.org", "DTSTART;VALUE=DATE:20261127\r\nSUMMARY:Holiday") +
		eventOf("call@example.org", "DTSTART:20261127T150000Z\r\nSUMMARY:Call") + eventOf("run@example.org", "DTSTART:20261128T070000\r\nSUMMARY:Run")))
	before := d.items(d.tick())
	d.zone = testutil.Zone(t, "Asia/Tokyo")
	after := d.items(d.tick())
	titles := []string{"Holiday, Fri 27 Nov, all day", "Call, Sat 28 Nov 00:00", "Run, Sat 28 Nov 07:00"}
	for i := range before {
		if after[i].ID != before[i].ID {
			t.Errorf("%s became %s", before[i].ID, after[i].ID)
		}
		if after[i].Title != titles[i] {
			t.Errorf("%q, want %q", after[i].Title, titles[i])
		}
	}
	if after[0].Fingerprint != before[0].Fingerprint || after[1].Fingerprint != before[1].Fingerprint {
		t.Error("a journey changed an all-day event or one with a zone")
	}
	d.zone = testutil.Zone(t, "America/Lima")
	d.open(Config{ID: "sample"})
	for _, item := range d.items(d.tick())[:2] {
		if from, moved := item.Attrs["moved_from"]; moved {
			t.Errorf("a journey moved %q from %s", item.Title, from)
		}
	}
}

func TestWholeDayIsMovedFromADay(t *testing.T) {
	d := newDesk(t)
	day := func(date string) subconscious.Observation {
		d.at = d.at.Add(5 * time.Minute)
		d.write(calendarOf(eventOf("day@example.org", "DTSTART;VALUE=DATE:"+date+"\r\nSUMMARY:Holiday")))
		return d.items(d.tick())[0]
	}
	day("20261127")
	d.zone = testutil.Zone(t, "America/Lima")
	if got := day("20261128").Attrs["moved_from"]; got != "2026-11-27T00:00:00-05:00" {
		t.Errorf("moved from %q", got)
	}
}

func TestFingerprint(t *testing.T) {
	d := newDesk(t)
	base := "DTSTART:20261127T150000Z\r\nDTEND:20261127T160000Z\r\nSUMMARY:Review\r\nLOCATION:Room 1\r\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:owner@example.com"
	d.open(Config{ID: "sample", Addresses: []string{"OWNER@example.com"}})
	fingerprint := func(lines string) string {
		d.at = d.at.Add(time.Second)
		d.write(calendarOf(eventOf("review@example.org", lines)))
		batch, err := d.sense.Collect(context.Background(), d.at, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d.items(batch)[0].Fingerprint
	}
	first := fingerprint(base)
	for _, same := range []string{base, base + "\r\nDTSTAMP:20261101T000000Z", base + "\r\nDESCRIPTION:More words", base + "\r\nSEQUENCE:7"} {
		if fingerprint(same) != first {
			t.Errorf("changed by %q", strings.TrimPrefix(same, base))
		}
	}
	for _, swap := range [][2]string{{"T150000Z", "T143000Z"}, {"T160000Z", "T163000Z"}, {"Review", "Retro"}, {"Room 1", "Room 2"},
		{"NEEDS-ACTION", "ACCEPTED"}, {"\r\nATTENDEE", "\r\nATTENDEE:mailto:guest@example.org\r\nATTENDEE"}, {"SUMMARY", "STATUS:TENTATIVE\r\nSUMMARY"}} {
		if fingerprint(strings.Replace(base, swap[0], swap[1], 1)) == first {
			t.Errorf("not changed by %q", swap[1])
		}
	}
}

func TestUnreadable(t *testing.T) {
	d := newDesk(t)
	check := func(what, want string) {
		t.Helper()
		if _, err := d.collect(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), d.path) {
			t.Errorf("%s: error %v, want one with the path and %q", what, err, want)
		}
	}
	check("missing", "export it again")
	if err := syscall.Mkfifo(d.path, 0o600); err != nil {
		t.Fatal(err)
	}
	check("a pipe", "is not a file")
	if err := os.Remove(d.path); err != nil {
		t.Fatal(err)
	}
	d.write("")
	if err := os.Truncate(d.path, maxFile+1); err != nil {
		t.Fatal(err)
	}
	check("too large", "16 MiB")
	d.write(calendarOf(dentist))
	d.sense.options.Exclude = []string{filepath.Dir(d.path)}
	check("our own folder", "folder of this daemon")
	d.sense.options.Exclude = nil
	if n := len(d.items(d.tick())); n != 1 {
		t.Errorf("%d events once it can be read", n)
	}
}

func TestOwnExportIsLeftOut(t *testing.T) {
	d := newDesk(t)
	d.write(calendarOf("X-COMMENT:" + subconscious.Mark + "\r\n" + dentist))
	batch := d.tick()
	if len(d.items(batch)) != 0 || !strings.Contains(batch.Degraded, "written by this daemon") {
		t.Fatalf("%+v", batch)
	}
}

// TestChangeWithinTheClockOfTheFileSystem: a file that was read right after it
// was written is read once more, since a second change may leave its stamp.
func TestChangeWithinTheClockOfTheFileSystem(t *testing.T) {
	d := newDesk(t)
	replaceFile(t, d.path, calendarOf(dentist))
	if err := os.Chtimes(d.path, d.at, d.at); err != nil {
		t.Fatal(err)
	}
	d.tick()
	file, err := os.OpenFile(d.path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(calendarOf(strings.ReplaceAll(dentist, "T15", "T14"))); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(d.path, d.at, d.at); err != nil {
		t.Fatal(err)
	}
	d.at = d.at.Add(5 * time.Minute)
	if got := d.items(d.tick())[0].Due.Hour(); got != 14 {
		t.Fatalf("still at %d o'clock", got)
	}
}

func TestTrust(t *testing.T) {
	for given, want := range map[subconscious.Trust]subconscious.Trust{"": subconscious.Outsider, subconscious.Owner: subconscious.Owner} {
		d := newDesk(t)
		d.open(Config{ID: "sample", Trust: given})
		d.write(calendarOf(dentist))
		if got := d.items(d.tick())[0].Trust; got != want {
			t.Errorf("%q gives %q, want %q", given, got, want)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	good := Config{ID: "home", ICS: "/sample/home.ics", Addresses: []string{"owner@example.com"}, Trust: subconscious.Owner}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for key, spoil := range map[string]func(*Config){
		"id: ":           func(c *Config) { c.ID = " " },
		"ics: is miss":   func(c *Config) { c.ICS = "" },
		"ics: holds":     func(c *Config) { c.ICS = "a\x00b" },
		"ics: \"webcal:": func(c *Config) { c.ICS = "webcal://example.com/home.ics" },
		"addresses[0]: ": func(c *Config) { c.Addresses = []string{"nobody"} },
		"trust: ":        func(c *Config) { c.Trust = "friend" },
		"ics: more than": func(c *Config) { c.URL = "https://example.com/home.ics" },
		"url: ":          func(c *Config) { c.ICS, c.URL = "", "http://example.com/home.ics" },
		"caldav: ":       func(c *Config) { c.ICS, c.CalDAV = "", "ftp://example.com" },
		"user: is miss":  func(c *Config) { c.ICS, c.CalDAV, c.Password.Env = "", "me@example.com", "WORD" },
		"password_file":  func(c *Config) { c.ICS, c.CalDAV, c.User = "", "https://example.com/me@example.com/", "me" },
		"user: a user":   func(c *Config) { c.User = "me" },
		"calendars: ":    func(c *Config) { c.Calendars = []string{"Work"} },
	} {
		c := good
		spoil(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), key) {
			t.Errorf("error %v, want one that begins with %q", err, key)
		}
		if _, err := New(c, Options{}); err == nil {
			t.Errorf("New took what Validate refuses: %s", key)
		}
	}
}

// sampleKey looks like a key of a service and is none.
const sampleKey = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3xR6"

func TestSecretsAreNotKept(t *testing.T) {
	d := newDesk(t)
	secret := func(start string) string {
		return calendarOf(eventOf(sampleKey+"@example.org", "DTSTART:"+start+"\r\nSUMMARY:Talk"))
	}
	d.write(secret("20261127T150000Z"))
	d.tick()
	for key := range d.All {
		if strings.Contains(key, sampleKey) || len(d.All) != 1 {
			t.Errorf("rows %v", d.All)
		}
	}
	d.open(Config{ID: "sample"})
	d.at = d.at.Add(5 * time.Minute)
	d.write(secret("20261127T160000Z"))
	if items := d.items(d.tick()); len(items) != 1 || items[0].Attrs["moved_from"] != "2026-11-27T15:00:00Z" {
		t.Errorf("after a restart: %+v", items)
	}
}

func TestNoCutGoesThroughASecret(t *testing.T) {
	for before := range 60 {
		text := strings.Repeat("w ", 30) + strings.Repeat("x", before) + " " + sampleKey + " " + strings.Repeat("end ", 400)
		d := newDesk(t)
		d.write(calendarOf(eventOf("a@example.org", "DTSTART:20261127T150000Z\r\nSUMMARY:"+text+"\r\nLOCATION:"+text[30:]+
			"\r\nDESCRIPTION:"+strings.Repeat("w ", 450)+text)))
		item := d.items(d.tick())[0]
		all := item.Title + "\n" + item.Text + "\n" + item.Attrs["location"]
		for i := range len(sampleKey) - 8 {
			if part := sampleKey[i : i+9]; strings.Contains(strings.ReplaceAll(all, sampleKey, ""), part) {
				t.Fatalf("%d before: %q holds %q", before, all, part)
			}
		}
	}
}

// TestOthersOrganize: what somebody else organizes is their word, whoever the calendar is of.
func TestOthersOrganize(t *testing.T) {
	for name, c := range map[string]struct {
		trust subconscious.Trust
		lines string
		want  subconscious.Trust
	}{
		"own":                 {subconscious.Owner, "", subconscious.Owner},
		"organized by me":     {subconscious.Owner, "ORGANIZER;CN=Anna:mailto:Me@example.com\r\n", subconscious.Owner},
		"a stranger's":        {subconscious.Owner, "ORGANIZER;CN=Me:mailto:them@example.com\r\n", subconscious.Outsider},
		"of a name alone":     {subconscious.Owner, "ORGANIZER;CN=Me:\r\n", subconscious.Outsider},
		"in a calendar of no": {"", "", subconscious.Outsider},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sample.ics")
			testutil.Write(t, path, calendarOf(eventOf("a", "DTSTART:20261120T090000Z\r\n"+c.lines)))
			s, err := New(Config{ID: "home", ICS: path, Trust: c.trust, Addresses: []string{"me@example.com"}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			batch, err := s.Collect(t.Context(), time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC), nil)
			if err != nil || len(batch.Sets) != 1 || len(batch.Sets[0].Items) != 1 {
				t.Fatalf("%+v, %v", batch, err)
			}
			if got := batch.Sets[0].Items[0].Trust; got != c.want {
				t.Errorf("it is the word of %s, not %s", got, c.want)
			}
			testutil.Write(t, path, calendarOf(""))
			batch, err = s.Collect(t.Context(), time.Date(2026, 11, 18, 10, 5, 0, 0, time.UTC), batch.Cursor)
			if err != nil || len(batch.Changes) != 1 || batch.Changes[0].Trust != c.want {
				t.Errorf("taken out: %+v, %v", batch.Changes, err)
			}
		})
	}
}
