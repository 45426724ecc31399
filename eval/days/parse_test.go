package days

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// heading is how the days of these tests begin.
const heading = `title: A small day
who: Somebody who tests
zone: Europe/Berlin
start: 2026-03-03
set: tune
tags: test
language: en
`

// small is a day that is well; tests change a line of it.
const small = heading + `-- notes/todo.md --
- [ ] call Anna
-- home.ics --
BEGIN:VEVENT
UID:dentist@home
DTSTART;TZID=Europe/Berlin:20260303T150000
DTEND;TZID=Europe/Berlin:20260303T160000
SUMMARY:Dentist
END:VEVENT
-- later/more.ics --
BEGIN:VEVENT
UID:other@home
DTSTART:20260304T150000Z
SUMMARY:Other
END:VEVENT
-- timeline --
09:00 append notes/todo.md "- [x] done\n"
09:05 event home.ics from later/more.ics
10:00-11:00/20m write files/log-{n}.txt "at {time}"
12:00 disk /srv to 97% by 15:00
13:00 unit backup.service failed exit 3 "no space left"
-- labels --
needle srv
  since 14:00
  by 14:30
  until 15:00
  about disk /srv
  match "srv"
  again 14:45 because "By then it is nearly full."
  because "Everything stops when the disk is full."
noise logs
  about file files/
  because "Nobody wants to hear of log files."
`

func TestParseDay(t *testing.T) {
	d, err := parseDay("x/small.txtar", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	berlin, _ := time.LoadLocation("Europe/Berlin")
	if d.name != "small" || !d.start.Equal(time.Date(2026, 3, 3, 0, 0, 0, 0, berlin)) || d.days() != 1 || d.quietDay() {
		t.Errorf("name %q, start %s, %d days, quiet %v", d.name, d.start, d.days(), d.quietDay())
	}
	if len(d.files) != 2 || d.files[0].modified.Format(time.DateTime) != "2026-03-02 18:00:00" {
		t.Errorf("files: %+v", d.files)
	}
	var logs []string
	for _, e := range d.timeline {
		if strings.HasPrefix(e.deed.path, "files/") {
			logs = append(logs, e.at.Format("15:04 ")+e.deed.path+" "+e.deed.text)
		}
	}
	if got, want := strings.Join(logs, "; "), "10:00 files/log-1.txt at 10-00; 10:20 files/log-2.txt at 10-20; 10:40 files/log-3.txt at 10-40; 11:00 files/log-4.txt at 11-00"; got != want {
		t.Errorf("repeated: %s\nwant %s", got, want)
	}
	l := d.labels[0]
	if l.kind != needle || l.from.Format("15:04") != "14:00" || l.until.Format("15:04") != "15:00" || len(l.again) != 1 || !l.about[0].covers("health:disk:/srv") {
		t.Errorf("label: %+v", l)
	}
}

// Each mistake is said with its line.
func TestParseDayRefuses(t *testing.T) {
	refuses(t, "x/small.txtar", small, map[string]mistake{
		"no zone":                 {"Europe/Berlin\n", "Europe/Berlyn\n", `:3: there is no zone "Europe/Berlyn"`},
		"zone of the machine":     {"Europe/Berlin\n", "Local\n", ":3: there is no zone"},
		"no date":                 {"start: 2026-03-03", "start: 2026-02-30", ":4: start is"},
		"no set":                  {"set: tune", "set: both", ":5: set is"},
		"no title":                {"title: A small day\n", "", ":1: the header has no title"},
		"unknown key":             {"tags: test", "tag: test", `:6: there is no key "tag"`},
		"twice":                   {"tags: test", "tags: test\ntags: more", ":7: tags is there already, at line 6"},
		"ends before it starts":   {"tags: test", "tags: test\nend: 2026-03-01", ":7: it ends on 2026-03-01"},
		"too long":                {"tags: test", "tags: test\nend: 2026-03-30", ":7: it ends on 2026-03-30"},
		"quiet hours":             {"tags: test", "tags: test\nquiet_hours: 9-10", ":7: quiet_hours is"},
		"old of nothing":          {"tags: test", "tags: test\nold: notes/x.md 2026-03-01", ":7: old: there is no file notes/x.md"},
		"old in the future":       {"tags: test", "tags: test\nold: notes/todo.md 2026-03-04", ":7: old: 2026-03-04 18:00 is after the start"},
		"section":                 {"-- notes/todo.md --", "-- diary/todo.md --", ":8: the section diary/todo.md is none of"},
		"path":                    {"-- notes/todo.md --", "-- notes/../../x --", ":8: the section"},
		"twice a section":         {"-- home.ics --", "-- notes/todo.md --", ":10: the section notes/todo.md is there already"},
		"mail":                    {"-- notes/todo.md --", "-- mail/x.txt --", ":8: the section mail/x.txt is none of"},
		"a line of a mail":        {"-- notes/todo.md --", "-- mail/x.eml --", ":9: \"- [ ] call Anna\" is not a line NAME: VALUE"},
		"calendar":                {"END:VEVENT\n-- later", "-- later", ":10: home.ics: the event"},
		"zone of an event":        {"TZID=Europe/Berlin:20260303T15", "TZID=Mars/Base:20260303T15", ":10: home.ics: the event"},
		"unused":                  {"09:05 event home.ics from later/more.ics\n", "", ":17: nothing in the timeline takes later/more.ics"},
		"order":                   {"09:05 event", "08:59 event", ":25: 08:59 is earlier"},
		"no time":                 {"09:05 event", "9:05 event", `:25: "9:05" is not a time`},
		"minute":                  {"09:05 event", "09:61 event", ":25:"},
		"verb":                    {"09:00 append", "09:00 apend", `:24: "apend" is nothing that can happen here`},
		"quote":                   {`done\n"`, `done\n`, ":24: the quote before"},
		"escape":                  {`done\n`, `done\q`, `:24: \q is not known`},
		"not quoted":              {`"- [x] done\n"`, "done", ":24: the text, or `from later/NAME`, stands in double quotes"},
		"too much":                {`done\n"`, `done\n" more`, ":24: nothing may follow"},
		"outside":                 {"append notes/todo.md", "append ../todo.md", ":24:"},
		"not there":               {`append notes/todo.md`, `replace notes/todo.md "Bert"`, `:24: 09:00: notes/todo.md does not have "Bert" then`},
		"delete":                  {`append notes/todo.md "- [x] done\n"`, "delete notes/none.md", ":24: 09:00: notes/none.md is not there then"},
		"move onto":               {`append notes/todo.md "- [x] done\n"`, "move notes/todo.md notes/todo.md", ":24: 09:00: notes/todo.md cannot be moved into itself"},
		"file as a folder":        {`append notes/todo.md`, "append notes/todo.md/x.md", ":24: 09:00: notes/todo.md is a file then"},
		"no calendar":             {"event home.ics", "event work.ics", ":25: 09:05: there is no calendar work.ics at the start"},
		"cancel":                  {"12:00 disk", "12:00 cancel home.ics none@home\n12:00 disk", ":27: 12:00: home.ics has no event"},
		"step":                    {"10:00-11:00/20m", "10:00-11:00/20s", ":26: the step is"},
		"backwards":               {"10:00-11:00/20m", "11:00-10:00/20m", ":26: 11:00 is not before 10:00"},
		"value":                   {"97% by", "970% by", ":27: the value is"},
		"unit of a value":         {"97% by", "97 by", ":27: the value is"},
		"goes there at once":      {"by 15:00", "by 12:00", ":27: 12:00: it goes there by a time"},
		"cause":                   {"exit 3", "sunstroke", ":28: the cause is"},
		"model":                   {"12:00 disk", "12:00 fail model\n12:00 disk", ":27: models that fail are reserved"},
		"mend":                    {"12:00 disk", "12:00 mend phone\n12:00 disk", ":27: 12:00: phone is in that state already"},
		"wake":                    {"12:00 disk", "12:00 wake\n12:00 disk", ":27: 12:00: the machine is in that state already"},
		"answer":                  {"12:00 disk", "12:00 ack srw useful\n12:00 disk", ":27: 12:00: there is no label"},
		"day after the end":       {"12:00 disk", "2026-03-04\n12:00 disk", ":27: 2026-03-04 is after the end"},
		"kind":                    {"needle srv", "nedle srv", ":30: the kind is"},
		"label twice":             {"noise logs", "noise srv", ":38: there is a label srv already, at line 30"},
		"no by":                   {"  by 14:30\n", "", ":30: the needle srv has no by"},
		"by before since":         {"by 14:30", "by 13:30", ":30: the label srv can never be met"},
		"until before by":         {"until 15:00", "until 14:15", ":30: the label srv has until before by"},
		"between two ticks":       {"since 14:00\n  by 14:30", "since 14:01\n  by 14:04", ":30: the label srv can never be met"},
		"outside of the days":     {"by 14:30", "by 2026-03-05 14:30", ":30: the label srv has"},
		"about nothing":           {"about disk /srv", "about disk /data", ":34: nothing in the file is disk /data"},
		"about what":              {"about disk /srv", "about love", `:34: a label can not be about "love"`},
		"about mail":              {"about disk /srv", "about mail x", ":34: nothing in the file is mail x"},
		"no mail to fail":         {"12:00 disk", "12:00 fail mail\n12:00 disk", ":27: 12:00: there is no mail that could fail"},
		"expression":              {`match "srv"`, `match "srv("`, ":35: the regular expression does not compile"},
		"matches everything":      {`match "srv"`, `match "srv|"`, ":35: the regular expression matches everything"},
		"says":                    {`match "srv"`, `says "srv("`, ":35: the regular expression does not compile"},
		"says of noise":           {"  about file files/\n", "  says \"a\"\n", ":39: says is no word of a label noise"},
		"again too early":         {"again 14:45", "again 13:45", ":36: again is not between"},
		"no argument":             {`"Nobody wants to hear of log files."`, `"No."`, `:40: "No." is no argument`},
		"no because":              {"  because \"Nobody wants to hear of log files.\"\n", "", ":38: the label logs has no because"},
		"neither about nor match": {"  about file files/\n", "", ":38: the label logs has neither about nor match"},
		"by of noise":             {"  about file files/\n", "  by 12:00\n", ":39: by is no word of a label noise"},
		"no labels":               {"-- labels --", "-- label --", ":29: the section label is none of"},
	})
}

// mistake is a passage of a script, what stands in its place, and how what is
// wrong then is said.
type mistake struct{ old, new, want string }

// refuses puts each mistake into a script that is well.
func refuses(t *testing.T, path, script string, mistakes map[string]mistake) {
	for name, c := range mistakes {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(script, c.old, c.new, 1)
			if text == script {
				t.Fatalf("the script has no %q", c.old)
			}
			_, err := parseDay(path, []byte(text))
			if err == nil || !strings.Contains(err.Error(), path+c.want) {
				t.Errorf("%v\nwant %s%s", err, path, c.want)
			}
			var problem problem
			if !errors.As(err, &problem) {
				t.Errorf("%T is no problem with a place", err)
			}
		})
	}
}

// Summer time skips a time, and has another twice.
func TestParseDayClock(t *testing.T) {
	change := func(date, at string) (*day, error) {
		text := strings.Replace(strings.Replace(small, "start: 2026-03-03", "start: "+date, 1), "09:00 append", at+" append", 1)
		return parseDay("small.txtar", []byte(text))
	}
	if _, err := change("2026-03-29", "02:30"); err == nil || !strings.Contains(err.Error(), "there is no 02:30 on 2026-03-29") {
		t.Errorf("a time that is skipped: %v", err)
	}
	d, err := change("2026-10-25", "02:30")
	if err != nil {
		t.Fatal(err)
	}
	if got := d.timeline[0].at.UTC().Format(time.RFC3339); got != "2026-10-25T00:30:00Z" {
		t.Errorf("the first 02:30 is %s", got)
	}
	if d.end.Sub(d.start) != 25*time.Hour {
		t.Errorf("the day has %s", d.end.Sub(d.start))
	}
}

// The example of the page is a day, and so is each that is shipped.
func TestShippedDays(t *testing.T) {
	page := testutil.Read(t, "../../docs/days.md")
	example := regexp.MustCompile("(?s)```\n(title:.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("docs/days.md has no example")
	}
	if _, err := parseDay("docs/days.md", example[1]); err == nil || !strings.Contains(err.Error(), "the file is called") {
		t.Errorf("a file with another name: %v", err)
	}
	if _, err := parseDay("example.txtar", example[1]); err != nil {
		t.Errorf("the example of docs/days.md is no day:\n%v", err)
	}
	days, err := readDays(".")
	if err != nil {
		t.Fatal(err)
	}
	tune, zones := 0, map[string]bool{}
	for _, d := range days {
		if d.set == setTune {
			tune++
		}
		zones[d.zone.String()] = true
	}
	if tune < 6 || len(zones) < 4 {
		t.Errorf("%d days of the set tune, in %d zones", tune, len(zones))
	}
}

// Sections are cut as txtar cuts them.
func TestSplitDay(t *testing.T) {
	paths, err := filepath.Glob("*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no days", err)
	}
	for _, path := range paths {
		data := testutil.Read(t, path)
		archive, sections := txtar.Parse(data), sectionsOf(data)
		if len(sections) != len(archive.Files)+1 || sections[0].text != string(archive.Comment) {
			t.Fatalf("%s: %d sections, and %d files", path, len(sections), len(archive.Files))
		}
		for i, f := range archive.Files {
			if s := sections[i+1]; s.name != f.Name || s.text != string(f.Data) {
				t.Errorf("%s: section %s is not file %s", path, s.name, f.Name)
			}
		}
	}
}

func FuzzParseDay(f *testing.F) {
	f.Add([]byte(small))
	paths, err := filepath.Glob("*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatal("no days", err)
	}
	for _, path := range paths {
		data := testutil.Read(f, path)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := parseDay("fuzz.txtar", data)
		if err != nil {
			var problem problem
			if !errors.As(err, &problem) || problem.line < 1 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		at := d.start
		for _, e := range d.timeline {
			if e.at.Before(at) {
				t.Fatalf("line %d is out of order", e.line)
			}
			at = e.at
		}
		for _, l := range d.labels {
			if l.wanted() && (l.from.After(l.until) || l.by.After(l.until)) {
				t.Fatalf("label %s: from %s by %s until %s", l.name, l.from, l.by, l.until)
			}
		}
	})
}
