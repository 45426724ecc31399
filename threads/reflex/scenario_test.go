package reflex_test

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

var update = flag.Bool("update", false, "write the goldens anew")

// scenario is one testdata/*.txtar: what a thread is shown, and what it finds.
// The file "given" holds lines; "#" begins a comment:
//
//	at 2026-11-23 09:00              the time of the tick, in the zone
//	zone Europe/Berlin               the mind's zone, this one if none is named
//	thread oracle                    who thinks
//	level 2                          how far the field is widened
//	nothing                          there must be nothing worth keeping
//	example watcher.file             the finding of this rule must be its Example
//	new SENSE KIND ID "TITLE" key=value…      is new to the thread, and stands
//	                                          unless it is momentary or gone
//	wider …                          as new, but only the wider field holds it
//	stands …                         stands, and the thread was shown it before
//	was ID "2026-11-09 02:00" appeared 2      an earlier change, and its severity
//	entry RULE pair|one|pattern ID… "SUMMARY" is being followed
//	dismissed ID ID                           of their clash nothing more
//
// Of an observation, due, end, at, change, severity, text, link, band, instance
// and trust are its fields, and all others its attributes; times are local. An
// event is given by its bare name, its end by a time or "+45m", and is written
// as the calendar does; a mail by its subject, and is written as the sense mail
// does. The file "findings" is the golden.
type scenario struct {
	t       testing.TB
	name    string
	at      time.Time
	zone    *time.Location
	thread  subconscious.ThreadName
	level   int
	nothing bool
	example string
	world   *world
	field   subconscious.Field
	entries []subconscious.Entry
	closed  []subconscious.ClosedIncident
	known   map[string]subconscious.Observation
	names   map[subconscious.Ref]string
	seq     int64
}

const minScenarios, minNothing = 70, 25

func TestScenarios(t *testing.T) {
	nothing := 0
	testutil.Archives(t, *update, "testdata/*.txtar", minScenarios, func(t *testing.T, file string, archive *txtar.Archive) {
		s := newScenario(t, file, given(t, archive))
		if s.nothing {
			nothing++
		}
		thought := s.think()
		checkThought(t, s.snapshot(), thought)
		s.verify(thought)
		archive.Files = append(archive.Files[:1:1], txtar.File{Name: "findings", Data: s.print(thought)})
	})
	if nothing < minNothing {
		t.Errorf("%d scenarios in which nothing must be found, want at least %d", nothing, minNothing)
	}
}

func given(t testing.TB, archive *txtar.Archive) string {
	t.Helper()
	if len(archive.Files) == 0 || archive.Files[0].Name != "given" {
		t.Fatal("the first file must be what is given")
	}
	return string(archive.Files[0].Data)
}

func newScenario(t testing.TB, file, given string) *scenario {
	t.Helper()
	zone := testutil.Zone(t, "Europe/Berlin")
	s := &scenario{t: t, name: filepath.Base(file), zone: zone, world: newWorld(), known: map[string]subconscious.Observation{},
		names: map[subconscious.Ref]string{}}
	s.at = s.time("2026-11-23 09:00")
	s.field.History = map[subconscious.Ref][]subconscious.Occurrence{}
	for n, line := range strings.Split(given, "\n") {
		words := split(line)
		if len(words) > 0 {
			s.line(n+1, words)
		}
	}
	s.field.Level, s.field.Ahead = s.level, threads.AheadOf(s.level)
	return s
}

// split parts a line at spaces, keeping "quoted words" together, up to a "#".
func split(line string) (words []string) {
	var word strings.Builder
	quoted, open := false, false
	end := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	for i, r := range line {
		switch {
		case r == '"' && (i == 0 || line[i-1] != '\\'):
			quoted, open = !quoted, true
		case r == '\\' && i+1 < len(line) && line[i+1] == '"':
		case r == ' ' && !quoted:
			end()
		case r == '#' && !quoted && !open:
			return words
		default:
			word.WriteRune(r)
			open = true
		}
	}
	end()
	return words
}

func (s *scenario) line(n int, words []string) {
	s.t.Helper()
	switch words[0] {
	case "at":
		s.at = s.time(strings.Join(words[1:], " "))
	case "zone":
		zone := testutil.Zone(s.t, words[1])
		s.zone = zone
	case "thread":
		s.thread = subconscious.ThreadName(words[1])
	case "level":
		s.level = s.number(words[1])
	case "nothing":
		s.nothing = true
	case "example":
		s.example = words[1]
	case "new", "wider", "stands":
		s.observe(words)
	case "was":
		s.was(words)
	case "entry":
		s.entry(words)
	case "dismissed":
		s.closed = append(s.closed, subconscious.ClosedIncident{Incident: subconscious.PairKey(s.known[words[1]].Key(), s.known[words[2]].Key())})
	default:
		s.t.Fatalf("line %d: what is %q?", n, words[0])
	}
}

func (s *scenario) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *scenario) time(text string) time.Time {
	s.t.Helper()
	layout := "2006-01-02 15:04"
	if len(text) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	t, err := time.ParseInLocation(layout, text, s.zone)
	if err != nil {
		s.t.Fatal(err)
	}
	return t
}

func (s *scenario) observe(words []string) {
	s.t.Helper()
	s.seq += 100
	o := subconscious.Observation{Sense: words[1], Kind: words[2], ID: words[3], Title: words[4], Change: subconscious.Appeared,
		Seq: s.seq, At: s.at, Trust: subconscious.Owner, Instance: "sample", Attrs: map[string]string{}}
	if o.Sense == "files" || o.Kind == "note" && o.Sense == "notes" || o.Kind == "mail" {
		o.Change = subconscious.Momentary
	}
	end := ""
	for _, word := range words[5:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			s.t.Fatalf("%q is not key=value", word)
		}
		switch key {
		case "due":
			o.Due = s.time(value)
		case "end":
			end = value
		case "at":
			o.At = s.time(value)
		case "change":
			o.Change = subconscious.Change(value)
		case "severity":
			o.Severity = subconscious.Severity(s.number(value))
		case "text":
			o.Text = value
		case "link":
			o.Links = append(o.Links, value)
		case "band":
			o.BandOnly, o.Change = value == "only", subconscious.Changed
		case "instance":
			o.Instance = value
		case "trust":
			o.Trust = subconscious.Trust(value)
		case "full_at", "moved_from", "received":
			o.Attrs[key] = s.time(value).Format(time.RFC3339)
		default:
			o.Attrs[key] = value
		}
	}
	switch {
	case o.Sense == "calendar" && o.Kind == "event":
		s.asCalendar(&o, end)
	case o.Sense == "mail":
		asMail(&o)
	}
	if o.Sense == "files" && o.Attrs["dir"] == "" {
		_, below, _ := strings.Cut(strings.TrimSuffix(o.ID, "/"), "/")
		o.Attrs["dir"] = path.Dir(below)
	}
	o.Band = subconscious.TimeBand(o.Due, s.at)
	s.known[o.ID], s.names[o.Ref()] = o, o.ID
	switch words[0] {
	case "new":
		s.field.New = append(s.field.New, o)
	case "wider":
		s.field.Wider = append(s.field.Wider, o)
	}
	if o.Stands() {
		s.world.add(o)
	}
	if words[0] != "stands" {
		s.field.History[o.Ref()] = append(s.field.History[o.Ref()],
			subconscious.Occurrence{Seq: o.Seq, At: o.At, Change: o.Change, Severity: o.Severity})
	}
}

// asCalendar writes an event as the sense calendar does.
func (s *scenario) asCalendar(o *subconscious.Observation, end string) {
	stop := o.Due
	if in, ok := strings.CutPrefix(end, "+"); ok {
		d, err := time.ParseDuration(in)
		if err != nil {
			s.t.Fatal(err)
		}
		stop = o.Due.Add(d)
	} else if end != "" {
		stop = s.time(end)
	}
	when := o.Due.Format("Mon 2 Jan 15:04")
	switch {
	case o.Attrs["all_day"] == "true":
		when = o.Due.Format("Mon 2 Jan") + ", all day"
	case stop.Format(time.DateOnly) == o.Due.Format(time.DateOnly) && stop.After(o.Due):
		when += "–" + stop.Format("15:04")
	case stop.After(o.Due):
		when += "–" + stop.Format("Mon 2 Jan 15:04")
	}
	o.Title += ", " + when
	if place := o.Attrs["location"]; place != "" && !strings.Contains(place, "://") {
		o.Title += " (" + place + ")"
	}
	o.Attrs["start"], o.Attrs["end"] = o.Due.Format(time.RFC3339), stop.Format(time.RFC3339)
	o.Attrs["status"] = cmp.Or(o.Attrs["status"], "confirmed")
	o.Attrs["transparent"] = cmp.Or(o.Attrs["transparent"], "busy")
	o.Links = append(o.Links, "uid:"+strings.Split(o.ID, "/")[0])
}

// asMail writes a message as the sense mail does: the title behind the name of
// who wrote it, and the thread that it begins unless another one is given.
func asMail(o *subconscious.Observation) {
	own := threads.OwnMail(*o)
	if o.Trust = subconscious.Outsider; !own {
		o.Title = cmp.Or(o.Attrs["from_name"], o.Attrs["from"]) + ": " + o.Title
		o.Attrs["addressed"] = cmp.Or(o.Attrs["addressed"], "to")
		_, domain, _ := strings.Cut(o.Attrs["from"], "@")
		o.Attrs["domain"] = cmp.Or(o.Attrs["domain"], domain)
		if o.Attrs["asks"] == "true" {
			o.Attrs["says"] = strings.TrimSpace(o.Attrs["says"] + " asks")
		}
		if o.Attrs["urgent"] == "true" || o.Attrs["changes"] == "true" {
			o.Attrs["words"] = cmp.Or(o.Attrs["words"], "50")
		}
	}
	id, _, _ := strings.Cut(o.ID, "#")
	o.Attrs["thread"] = cmp.Or(o.Attrs["thread"], id)
	o.Attrs["received"] = cmp.Or(o.Attrs["received"], o.At.Format(time.RFC3339))
}

// was puts an earlier change before the latest one.
func (s *scenario) was(words []string) {
	o, ok := s.known[words[1]]
	if !ok {
		s.t.Fatalf("no observation %q", words[1])
	}
	history := s.field.History[o.Ref()]
	earlier := subconscious.Occurrence{Seq: o.Seq - 50 + int64(len(history)), At: s.time(words[2]), Change: subconscious.Change(words[3])}
	if len(words) > 4 {
		earlier.Severity = subconscious.Severity(s.number(words[4]))
	}
	history = append(history, earlier)
	slices.SortStableFunc(history, func(a, b subconscious.Occurrence) int { return a.At.Compare(b.At) })
	s.field.History[o.Ref()] = history
}

func (s *scenario) entry(words []string) {
	var held []subconscious.Observation
	for _, id := range words[3 : len(words)-1] {
		o, ok := s.known[id]
		if !ok {
			s.t.Fatalf("no observation %q", id)
		}
		held = append(held, o)
	}
	e := subconscious.Entry{ID: subconscious.EntryID(fmt.Sprintf("x-entry-%d", len(s.entries))), Rule: words[1], Strength: 3,
		Importance: 5, Summary: words[len(words)-1], Incident: held[0].Key(), Sources: []subconscious.ThreadName{s.thread}, List: subconscious.ActiveThreads}
	switch words[2] {
	case "pair":
		e.Incident = subconscious.PairKey(held[0].Key(), held[1].Key())
	case "pattern":
		e.Incident = subconscious.PatternKey(held[0].Key())
	}
	for i, o := range held {
		e.Evidence = append(e.Evidence, subconscious.Held{Citation: subconscious.Citation{Ref: o.Ref(), Seq: o.Seq}, Standing: o.Stands(),
			Aside: words[2] == "one" && i > 0})
	}
	s.entries = append(s.entries, e)
}

func (s *scenario) snapshot() subconscious.Snapshot {
	return subconscious.Snapshot{Tick: 7, At: s.at, Zone: s.zone, Kind: subconscious.Scheduled,
		State: subconscious.State{Version: 1, Entries: s.entries, Closed: s.closed}, World: s.world,
		Fields: map[subconscious.ThreadName]subconscious.Field{s.thread: s.field}}
}

func (s *scenario) think() subconscious.Thought {
	s.t.Helper()
	answer, err := reflex.New(s.thread).Think(context.Background(), s.snapshot())
	thought := answer.Thought
	if err != nil {
		s.t.Fatal(err)
	}
	return thought
}

// taken is the least importance that the mechanics take in.
const taken = 3

func (s *scenario) verify(thought subconscious.Thought) {
	s.t.Helper()
	for _, f := range thought.Findings {
		if s.nothing && f.Importance >= taken {
			s.t.Errorf("there is nothing to find, and %s finds %q", f.Rule, f.Summary)
		}
	}
	if s.example != "" {
		s.verifyExample(thought)
	}
	if s.nothing && len(thought.Over) > 0 {
		s.t.Errorf("there is nothing to find, and %v is called over", thought.Over)
	}
}

// verifyExample holds a rule's documented example to what it writes.
func (s *scenario) verifyExample(thought subconscious.Thought) {
	s.t.Helper()
	for _, rule := range page() {
		if rule.name != s.example || !strings.HasPrefix(rule.name, string(s.thread)+".") {
			continue
		}
		if s.name != "example."+rule.name+".txtar" {
			s.t.Errorf("%s describes the case of %s", s.name, rule.name)
		}
		if !slices.ContainsFunc(thought.Findings, func(f subconscious.Finding) bool { return f.Rule == rule.name && f.Summary == rule.example }) {
			s.t.Errorf("%s does not write its example %q", rule.name, rule.example)
		}
		return
	}
	s.t.Errorf("the %s has no rule %q", s.thread, s.example)
}

// print writes a thought for people.
func (s *scenario) print(thought subconscious.Thought) []byte {
	var out bytes.Buffer
	for _, f := range thought.Findings {
		fmt.Fprintf(&out, "%s %s %d", f.Rule, f.Kind, f.Importance)
		if !f.Due.IsZero() {
			fmt.Fprintf(&out, " due %s", f.Due.In(s.zone).Format(time.RFC3339))
		}
		fmt.Fprintf(&out, "\n  %s\n  cites", f.Summary)
		for _, text := range f.Evidence {
			citation, _ := subconscious.ParseCitation(text)
			fmt.Fprintf(&out, " %s", s.names[citation.Ref])
			if citation.Seq != 0 {
				fmt.Fprintf(&out, "@%d", citation.Seq)
			}
		}
		out.WriteByte('\n')
		if f.Escalate {
			fmt.Fprintf(&out, "  asks to be told: %s\n", f.EscalateReason)
		}
	}
	for _, key := range thought.Over {
		fmt.Fprintf(&out, "over %s\n", key)
	}
	if out.Len() == 0 {
		out.WriteString("nothing\n")
	}
	return out.Bytes()
}
