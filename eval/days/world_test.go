package days

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// dayOf makes a day of the header and these sections.
func dayOf(t *testing.T, sections string) *day {
	t.Helper()
	header, _, _ := strings.Cut(small, "-- ")
	if !strings.Contains(sections, "-- labels --") {
		sections += "-- labels --\n"
	}
	d, err := parseDay("small.txtar", []byte(header+sections))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// readAt is what the machine shows after everything up to a time has happened.
func readAt(t *testing.T, d *day, clock string) health.Reading {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", d.start.Format(time.DateOnly)+" "+clock, d.zone)
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(d, func() time.Time { return at })
	for _, e := range d.timeline {
		if !e.at.After(at) {
			m.apply(e.deed, e.at)
		}
	}
	r, err := m.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDayMachine(t *testing.T) {
	d := dayOf(t, `-- health --
disk /srv 50% of 1TB
battery 90% discharging
-- timeline --
01:00 memory wander 30% 50%
10:00 disk /srv to 90% by 14:00
10:00 inodes /srv 20%
11:00 unit user/sync.service failed signal 9 "bye"
11:00 unit web.service restarted
11:30 unit web.service restarted
12:00 unit user/sync.service ok
15:00 disk /srv gone
16:00 clock off -3.5
`)
	used := func(r health.Reading, path string) int {
		for _, disk := range r.Disks {
			if disk.Path == path {
				return int(disk.Used * 100 / (disk.Used + disk.Available))
			}
		}
		return -1
	}
	for clock, want := range map[string]int{"09:00": 50, "11:00": 60, "12:00": 70, "14:30": 90, "15:00": -1} {
		if got := used(readAt(t, d, clock), "/srv"); got != want {
			t.Errorf("/srv at %s: %d%%, want %d%%", clock, got, want)
		}
	}
	if r := readAt(t, d, "09:00"); used(r, "/") != 45 || r.Battery.Percent != 90 || !r.Battery.Discharging || r.Load.Cores != usualCores || r.Swap != nil {
		t.Errorf("at the start: %+v", r)
	}
	r := readAt(t, d, "11:45")
	if len(r.Units) != 1 || r.Units[0].Name != "sync.service" || !r.Units[0].User || r.Units[0].Result != "signal" || r.Units[0].ExitCode != 9 || r.Units[0].Since.Hour() != 11 {
		t.Errorf("units: %+v", r.Units)
	}
	if len(r.Services) != 1 || r.Services[0].Restarts != 2 || r.Disks[1].InodesUsed != usualInodes/5 {
		t.Errorf("services %+v, disks %+v", r.Services, r.Disks)
	}
	if r := readAt(t, d, "16:00"); len(r.Units) != 0 || r.Clock.Offset != -3.5 {
		t.Errorf("later: %+v", r)
	}
	for _, clock := range []string{"01:00", "04:40", "09:10", "13:15", "22:05"} {
		m := readAt(t, d, clock).Memory
		if share := 100 - float64(m.Available)*100/float64(m.Total); share < 29.9 || share > 50.1 {
			t.Errorf("memory at %s: %.1f%%", clock, share)
		}
	}
}

func TestApplyICS(t *testing.T) {
	d := dayOf(t, `-- home.ics --
BEGIN:VEVENT
UID:a
DTSTART:20260303T150000Z
SUMMARY:A
END:VEVENT
-- later/b --
BEGIN:VEVENT
UID:b
DTSTART:20260303T160000Z
SUMMARY:B
END:VEVENT
-- later/a --
BEGIN:VEVENT
UID:a
DTSTART:20260303T170000Z
SUMMARY:A moved
END:VEVENT
-- timeline --
01:00 event home.ics from later/b
02:00 event home.ics from later/a
03:00 cancel home.ics b
04:00 cancel home.ics a
05:00 event home.ics from later/b
`)
	files := tree{"home.ics": d.files[0].text}
	for i, want := range []string{"A B", "B A moved", "A moved", "", "B"} {
		change := files.event
		if d.timeline[i].deed.verb == "cancel" {
			change = files.cancel
		}
		if err := change(d.timeline[i].deed); err != nil {
			t.Fatal(err)
		}
		text := files["home.ics"]
		var names []string
		for line := range strings.Lines(text) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "SUMMARY:"); ok {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("after %d: %q, want %q", i+1, got, want)
		}
		if !strings.HasPrefix(text, "BEGIN:VCALENDAR\r\n") || !strings.HasSuffix(text, "\r\nEND:VCALENDAR\r\n") || strings.Count(text, "VCALENDAR") != 2 {
			t.Errorf("after %d it is no calendar:\n%s", i+1, text)
		}
	}
}

// busy has something of everything in its first two hours.
const busy = `-- health --
disk /srv 70% of 100GB
-- notes/todo.md --
- [ ] call Anna
-- files/a.txt --
a
-- home.ics --
BEGIN:VEVENT
UID:a@home
DTSTART;TZID=Europe/Berlin:20260303T150000
SUMMARY:A
END:VEVENT
-- timeline --
00:10 presence active
00:12 write files/deep/er/b.txt "b"
00:14 append files/a.txt "a\n"
00:16 move files/deep files/deeper
00:17 move files/a.txt files/c.txt
00:18 tell "the plumber comes at noon"
00:20 fail files
00:21 write files/unseen.txt "u"
00:22 fail home.ics
00:30 fail health
00:40 mend health
00:41 mend files
00:42 mend home.ics
00:45 sleep
00:46 write notes/while-asleep.md "zzz"
01:00 wake
01:01 delete files/deeper
01:02 restart
01:05 disk /srv 99%
01:15 ack srv useful
01:16 dismiss anna
01:20 presence command
`

const busyLabels = `-- labels --
needle srv
  since 01:05
  by 02:00
  about disk /srv
  because "Everything stops when the disk is full."
worth anna
  about note notes/todo.md
  because "A call to Anna is welcome any day."
`

// played plays the first part of a day.
func played(t *testing.T, d *day, hours time.Duration) *Played {
	t.Helper()
	d.end = d.start.Add(hours)
	p, err := playDay(t.Context(), d, "reflex")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A day is played through a whole daemon: everything that can happen does, the
// phone gets what is urgent, and nothing is left behind.
func TestPlayDay(t *testing.T) {
	defer goleak.VerifyNone(t)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	p := played(t, dayOf(t, busy+busyLabels), 2*time.Hour)
	if p.Ticks != 24-3 {
		t.Errorf("%d ticks, want 21: three are slept through", p.Ticks)
	}
	f := judge(p)
	if f.Told != 1 || len(f.Delays) != 1 || f.Delays[0] > 1 {
		t.Errorf("the disk: %d told, delays %v, verdicts %s", f.Told, f.Delays, f.verdicts())
	}
	if len(f.Unanswered) != 1 || !strings.Contains(f.Unanswered[0], "anna") {
		t.Errorf("unanswered: %q; Anna was never told of, the disk was", f.Unanswered)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v behind: %v", left, err)
	}
}

// opened opens a day that rules think about. It is closed with the test.
func opened(t *testing.T, d *day) *Player {
	t.Helper()
	w, err := open(t.Context(), d, "reflex")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// What cannot be read is blind, and what is written meanwhile is there after.
func TestDayFaults(t *testing.T) {
	d := dayOf(t, busy+busyLabels)
	w := opened(t, d)
	next := 0
	until := func(clock string) map[string]string {
		t.Helper()
		at, _ := time.ParseInLocation("2006-01-02 15:04", "2026-03-03 "+clock, d.zone)
		for ; next < len(d.timeline) && !d.timeline[next].at.After(at); next++ {
			w.Set(d.timeline[next].at)
			if err := verbs[d.timeline[next].deed.verb].do(w, t.Context(), d.timeline[next]); err != nil {
				t.Fatal(err)
			}
		}
		w.Set(at)
		report, err := w.Tick(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		states := map[string]string{}
		for _, s := range report.Senses {
			states[s.ID] = s.State
		}
		return states
	}
	until("00:00")
	if s := until("00:15"); s["files"] != "ok" || s["home"] != "ok" || s["health"] != "ok" || s["notes"] != "ok" {
		t.Errorf("at first: %v", s)
	}
	if s := until("00:35"); s["files"] == "ok" || s["home"] == "ok" || s["health"] == "ok" || s["notes"] != "ok" {
		t.Errorf("while they fail: %v", s)
	}
	until("01:20")
	if _, err := os.Stat(filepath.Join(w.Dir, "files", "unseen.txt")); err != nil {
		t.Errorf("what was written meanwhile: %v", err)
	}
	if info, err := os.Stat(filepath.Join(w.Dir, "files", "c.txt")); err != nil || info.ModTime().In(d.zone).Format("15:04") != "00:14" {
		t.Errorf("the moved file: %v, %v", info, err)
	}
}

// A phone that cannot be reached gets the message when it can again, over HTTP from
// a server of ntfy, and what it shows then is kept.
func TestDayPhone(t *testing.T) {
	d := dayOf(t, `-- timeline --
00:10 fail phone
00:20 disk / 99%
00:40 mend phone
`+strings.ReplaceAll(strings.ReplaceAll(busyLabels[:strings.Index(busyLabels, "worth")], "/srv", "/"), "01:05", "00:20"))
	d.phone = true
	p := played(t, d, 3*time.Hour)
	if len(p.Pushes) != 1 || p.Pushes[0].At.Format("15:04") < "00:40" {
		t.Errorf("pushes: %+v", p.Pushes)
	}
	if len(p.phone) != 1 || p.phone[0].Priority != 5 || len(p.phone[0].Actions) == 0 || !strings.Contains(harness.Text(table, result{Days: []figures{{Phone: p.phone}}}), "priority 5") {
		t.Errorf("the phone shows %+v", p.phone)
	}
}

// Each item of a digest is a push of its own, and a notice is one.
func TestArrive(t *testing.T) {
	d := dayOf(t, busy+busyLabels)
	p := newPlayer(&harness.World{Dir: "/somewhere"}, d)
	p.ask = func(_ context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error) {
		return api.IncidentExplanation{
			Incident: api.InboxIncident{Summary: "about " + string(id)}, Record: subconscious.Incident{Key: "notes:/somewhere/notes/todo.md#1"},
			Observations: []api.CitedObservation{{Observation: subconscious.Observation{Sense: "files", ID: "files/a.txt"}}},
		}, nil
	}
	p.waiting = []api.ToldMessage{
		{Kind: "notice", Title: "files"}, {Kind: "digest", Title: "Two things", Incidents: []subconscious.IncidentID{"i-anna-1", "i-b-2"}},
		{Kind: "incident", Title: "C", Incidents: []subconscious.IncidentID{"i-c-3"}},
	}
	for _, m := range []notify.Message{
		{Kind: notify.KindIncident, Incident: "i-c-3", Title: "C", Text: "now"}, {Kind: notify.KindDigest, Title: "Two things", Text: "a, b"},
		{Kind: notify.KindNotice, Title: "The sense files cannot be read"},
	} {
		if err := p.arrive(t.Context(), harness.Arrival{At: d.start.Add(time.Hour), Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	var words []string
	for _, push := range p.Played.Pushes {
		words = append(words, push.Kind+" "+push.Words)
	}
	if got, want := strings.Join(words, "; "), "incident C\nnow; digest about i-anna-1; digest about i-b-2; notice The sense files cannot be read"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := strings.Join(p.Played.Pushes[1].Keys, " "); got != "files:files/a.txt notes:notes/todo.md#1" || p.Played.Messages != 3 {
		t.Errorf("keys %q, %d messages", got, p.Played.Messages)
	}
	if !d.label("anna").covers(p.Played.Pushes[1]) {
		t.Error("a digest's item is not found by its words")
	}
	sense := label{about: []about{{kind: "sense", name: "files"}}}
	if !sense.covers(p.Played.Pushes[3]) || sense.covers(p.Played.Pushes[0]) {
		t.Error("a notice about a sense is not found by its name, or what is no notice is")
	}
	if err := p.arrive(t.Context(), harness.Arrival{At: d.start, Message: notify.Message{Kind: notify.KindIncident, Incident: "i-x-9", Title: "X"}}); err == nil {
		t.Error("a message that no tick told is taken")
	}
}

// The same day gives the same verdicts, wherever it is played.
func TestPlayDayIsRepeatable(t *testing.T) {
	until := 16 * time.Hour
	if testing.Short() {
		until = 4 * time.Hour
	}
	var texts []string
	for range 2 {
		days, err := readDays("oncall-disk.txtar")
		if err != nil {
			t.Fatal(err)
		}
		f := judge(played(t, days[0], until))
		f.TickMS = 0
		text := testutil.JSON(t, f)
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Errorf("%s\n%s", texts[0], texts[1])
	}
}

// The command plays what is asked for and prints figures that can be read.
func TestRunDays(t *testing.T) {
	folder := t.TempDir()
	header, _, _ := strings.Cut(small, "-- ")
	testutil.Write(t, filepath.Join(folder, "quiet.txtar"), header+"-- timeline --\n-- labels --\n")
	if err := os.Mkdir(filepath.Join(folder, "hold"), 0o700); err != nil {
		t.Fatal(err)
	}
	testutil.Write(t, filepath.Join(folder, "hold", "held.txtar"), strings.Replace(header, "tune", "hold", 1)+"-- timeline --\n-- labels --\n")
	if days, err := readDays(folder); err != nil || len(days) != 2 {
		t.Fatalf("%d days are read: %v", len(days), err)
	}
	var out bytes.Buffer
	for floors, want := range map[string]string{
		`{}`: "no recall for the set tune",
		`{"tune": {"recall": 1, "precision": 1, "repeats": 0, "traps_told": 0, "quiet_days_silent": 2}}`: "on the set tune quiet_days_silent is 1, and its floor is 2",
		`{"tune": {"recall": 1, "precision": 1, "repeats": 0, "traps_told": 0, "quiet_days_silent": 1}}`: "",
	} {
		testutil.Write(t, filepath.Join(folder, "floors.json"), floors)
		out.Reset()
		err := Suite().Run(t.Context(), harness.Call{Args: []string{folder, "--json", "--set", "tune", "--strict"}, Stdout: &out})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", floors, err)
		}
	}
	var found result
	if err := json.Unmarshal(out.Bytes(), &found); err != nil || len(found.Days) != 1 || found.Days[0].Name != "quiet" || found.Sets[0].Silent != 1 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Of the days that rules are measured on nobody is told what was missed.
func TestHoldIsNotListed(t *testing.T) {
	d := dayOf(t, busy+busyLabels)
	d.set, d.end = setHold, d.start.Add(90*time.Minute)
	played, err := playDays(t.Context(), []*day{d}, &options{set: "both", preset: "reflex", verbose: true})
	if err != nil {
		t.Fatal(err)
	}
	f, text := played.Days[0], harness.Text(table, played)
	if f.Told != 1 || f.Pushes == 0 || len(f.Verdicts)+len(f.Missed)+len(f.Unanswered) > 0 || strings.Contains(text, "needle srv") {
		t.Errorf("%+v\n%s", f, text)
	}
}

func TestParseDays(t *testing.T) {
	parsed, _, _, err := Suite().Parse([]string{"--set", "hold", "eval/days", "--verbose"})
	o := parsed.(*options)
	if err != nil || o.path != "eval/days" || o.set != "hold" || !o.verbose || o.preset != "reflex" {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{}, {"a", "b"}, {"a", "--set", "half"}, {"a", "--models", "best"}, {"a", "--oracle", "--models", "free"}, {"a", "--what"}} {
		if _, _, _, err := Suite().Parse(args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	if _, err := readDays(t.TempDir()); err == nil || !strings.Contains(err.Error(), "there is no day") {
		t.Errorf("an empty folder: %v", err)
	}
}
