package aggregator_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestUnchangedTickSaysNothing: over what stands, a tick in which nothing
// happens reports nothing and changes nothing but the tick itself and what is
// kept of the threads.
func TestUnchangedTickSaysNothing(t *testing.T) {
	p := newPlay(t)
	u := newTurn(subconscious.Scheduled)
	for _, name := range []string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot"} {
		p.observe(name, "health", "unit:"+name)
		p.happen(&u, name, "appears", 2)
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: name, Evidence: p.cite(name)})
	}
	p.tick(u)
	before := p.state
	p.tick(newTurn(subconscious.Scheduled))
	if asJSON(t, p.state.Entries) != asJSON(t, before.Entries) || asJSON(t, p.state.Parked) != asJSON(t, before.Parked) || len(p.state.Parked) != 1 {
		t.Errorf("entries were %s and are %s", asJSON(t, before.Entries), asJSON(t, p.state.Entries))
	}
	if c := p.changes; len(c.Entries)+len(c.Accepted)+len(c.Rejected)+len(c.Requests)+len(c.Incidents)+len(c.Done) > 0 {
		t.Errorf("it reports %+v", c)
	}
	if p.state.TickCount != before.TickCount+1 || !p.state.LastTick.Equal(p.now) {
		t.Errorf("tick %d at %s", p.state.TickCount, p.state.LastTick)
	}
}

// TestZone: times are those of the mind's zone, whatever zone the clock was in,
// also where summer time ends meanwhile.
func TestZone(t *testing.T) {
	berlin := testutil.Zone(t, "Europe/Berlin")
	p := newPlay(t)
	p.zone, p.now = berlin, time.Date(2026, 10, 24, 6, 0, 0, 0, time.UTC)
	p.observe("save", "files", "work/alpha")
	u := newTurn(subconscious.Scheduled)
	p.happen(&u, "save", "happens", 0)
	u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindObservation, Importance: 5, Summary: "saved", Evidence: p.cite("save")})
	p.tick(u)
	u = newTurn(subconscious.Scheduled)
	u.commands = []subconscious.Command{{ID: 1, Kind: subconscious.CommandClose, Incident: p.key("save"), By: "person"}}
	p.tick(u)
	want := merged(t, p.input)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 2*3600), time.FixedZone("", -7*3600)} {
		in := p.input
		in.At = in.At.In(zone)
		if got := merged(t, in); got != want {
			t.Errorf("in %s it gave\n%s\nwant\n%s", zone, got, want)
		}
	}
	for _, text := range []string{`"last_tick":"2026-10-24T08:10:00+02:00"`, `"expires":"2026-10-31T07:10:00+01:00"`} {
		if !strings.Contains(want, text) {
			t.Errorf("there is no %s in %s", text, want)
		}
	}
}

// failing is a play in which a unit has failed, and the watcher has found it.
func failing(t *testing.T) *play {
	p := newPlay(t)
	p.observe("unit", "health", "unit:alpha.service")
	u := newTurn(subconscious.Scheduled)
	p.happen(&u, "unit", "appears", 2)
	u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "failed", Evidence: p.cite("unit")})
	p.tick(u)
	return p
}

// TestForgottenEvidence: what the ledger no longer knows does not stand, and was
// not seen to go: its entry fades.
func TestForgottenEvidence(t *testing.T) {
	p := failing(t)
	p.names = nil
	for _, want := range []string{"2", "1", "–"} {
		p.tick(newTurn(subconscious.Scheduled))
		if got := p.strength("unit"); got != want {
			t.Errorf("its strength is %s, want %s", got, want)
		}
	}
}

// TestFading: an entry that loses strength says so, until it is dropped.
func TestFading(t *testing.T) {
	p := newPlay(t)
	p.observe("save", "files", "work/alpha")
	u := newTurn(subconscious.Scheduled)
	p.happen(&u, "save", "happens", 0)
	u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindObservation, Importance: 5, Summary: "saved", Evidence: p.cite("save")})
	p.tick(u)
	for _, want := range []aggregator.EntryChange{{What: aggregator.Faded, From: 3, To: 2, Why: "nothing new"}, {What: aggregator.Faded, From: 2, To: 1, Why: "nothing new"},
		{What: aggregator.Dropped, From: 1, Why: "it has faded"}} {
		id := p.state.Entries[0].ID
		p.tick(newTurn(subconscious.Scheduled))
		want.Entry, want.List, want.Summary = id, subconscious.ActiveThreads, "saved"
		if len(p.changes.Entries) != 1 || p.changes.Entries[0] != want {
			t.Errorf("%+v, want %+v", p.changes.Entries, want)
		}
	}
}

// TestLastFindings: of each thread the entries of its last three ticks are kept,
// the newest first; ticks at which it did not think are none.
func TestLastFindings(t *testing.T) {
	p := newPlay(t)
	var ids []string
	for i, name := range []string{"alpha", "bravo", "charlie", "delta"} {
		p.observe(name, "files", name)
		u := newTurn(subconscious.Scheduled)
		p.happen(&u, name, "happens", 0)
		for range 2 { // the second is a repetition
			u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindObservation, Importance: 5, Summary: name, Evidence: p.cite(name)})
		}
		p.tick(u)
		e, _, _ := p.entry(name)
		ids = append(ids, string(e.ID))
		if i == 2 {
			p.tick(newTurn(subconscious.Scheduled))
			u = newTurn(subconscious.Scheduled)
			u.outcomes[subconscious.Watcher] = aggregator.Unchanged
			p.tick(u)
		}
	}
	var got []string
	for _, tick := range p.state.Threads[subconscious.Watcher].LastFindings {
		text := ""
		for _, id := range tick {
			text += string(id)
		}
		got = append(got, text)
	}
	if want := []string{ids[3], "", ids[2]}; !slices.Equal(got, want) {
		t.Errorf("the last findings are %q, want %q", got, want)
	}
	if findings := p.state.Threads[subconscious.Oracle].LastFindings; len(findings) != 3 || findings[0] == nil {
		t.Errorf("of a thread without findings %+v", findings)
	}
}

// TestIncidentSeverity: an incident is as severe as the worst that stands of it,
// or as the last that happened.
func TestIncidentSeverity(t *testing.T) {
	p := newPlay(t)
	p.observe("unit", "health", "unit:alpha.service")
	p.observe("log", "notes", "log").latest.Links = []string{"unit:alpha.service"}
	for _, step := range []struct {
		name, what     string
		severity, want subconscious.Severity
	}{{"unit", "appears", 3, 3}, {"log", "happens", 1, 3}, {"unit", "changes", 2, 2}, {"unit", "happens", 1, 1}, {"log", "happens", 2, 2}} {
		u := newTurn(subconscious.Scheduled)
		p.happen(&u, step.name, step.what, int(step.severity))
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "failed", Evidence: p.cite(step.name)})
		p.tick(u)
		if got := p.incidents[p.key("unit")].Severity; got != step.want {
			t.Errorf("after the %s %s at %d severity is %d, want %d", step.name, step.what, step.severity, got, step.want)
		}
	}
}

// TestCommands: what each command answers, and what it does on a mind's first
// tick.
func TestCommands(t *testing.T) {
	state := subconscious.State{Closed: []subconscious.ClosedIncident{{Incident: "files:old", Summary: "long ago"}}, Threads: map[subconscious.ThreadName]subconscious.ThreadState{"accountant": {}},
		Entries: []subconscious.Entry{{ID: "w-a-1", List: subconscious.Hunches, Summary: "a small leak", Strength: 3, Importance: 2, Incident: "files:a"}},
		Parked:  []subconscious.Entry{{ID: "w-b-2", List: subconscious.Hunches, Summary: "parked", Strength: 3, Importance: 2, Incident: "files:b", Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: "files:aaaaaaaaaa"}}}}}}
	evidence := []subconscious.Evidence{{Ref: "files:aaaaaaaaaa", Standing: true}}
	incidents := []subconscious.Incident{{Key: "files:a", Summary: "as it was"}, {Key: "files:b", Summary: "b"}, {Key: "files:old", Summary: "long gone"}}
	for _, c := range []struct {
		command subconscious.Command
		want    string
	}{
		{subconscious.Command{Kind: subconscious.CommandNote, Text: "remember"}, "noted: it is an observation of this tick"},
		{subconscious.Command{Kind: "dance"}, `refused: there is no command "dance"`},
		{subconscious.Command{Kind: subconscious.CommandClose, Entry: "w-a-1"}, "closed: a small leak"},
		{subconscious.Command{Kind: subconscious.CommandClose, Entry: "w-b-2"}, "closed: parked"},
		{subconscious.Command{Kind: subconscious.CommandDismiss, Incident: "files:a"}, "closed: a small leak"},
		{subconscious.Command{Kind: subconscious.CommandClose, Incident: "files:old"}, "closed: long gone"},
		{subconscious.Command{Kind: subconscious.CommandClose, Entry: "w-c-3"}, "nothing to close: w-c-3 has faded already"},
		{subconscious.Command{Kind: subconscious.CommandClose, Incident: "files:c"}, "nothing to close: files:c has faded already"},
		{subconscious.Command{Kind: subconscious.CommandConfirm, Entry: "w-a-1"}, "confirmed: a small leak"},
		{subconscious.Command{Kind: subconscious.CommandConfirm, Entry: "w-c-3"}, "nothing to confirm: w-c-3 has faded already"},
		{subconscious.Command{Kind: subconscious.CommandEdit, Entry: "w-a-1", Text: "a large leak", Edit: &subconscious.Edit{Importance: 9}}, "edited: a large leak"},
		{subconscious.Command{Kind: subconscious.CommandEdit, Entry: "w-c-3", Text: "a leak", Edit: &subconscious.Edit{}}, "nothing to edit: w-c-3 has faded already"},
		{subconscious.Command{Kind: subconscious.CommandEdit, Entry: "w-a-1"}, "refused: the edit says nothing"},
		{subconscious.Command{Kind: subconscious.CommandEdit, Text: "a line", Edit: &subconscious.Edit{Ref: "files:bbbbbbbbbb"}}, "refused: nothing of what was added can be kept"},
		{subconscious.Command{Kind: subconscious.CommandEdit, Incident: "files:a", Text: "a line", Edit: &subconscious.Edit{Ref: "files:aaaaaaaaaa"}}, "nothing to add: it is there as w-a-1: a small leak"},
		{subconscious.Command{Kind: subconscious.CommandEdit, Text: "a line", Edit: &subconscious.Edit{Ref: "files:aaaaaaaaaa", List: "hunches"}}, "added as x-line-100: a line"},
		{subconscious.Command{Kind: subconscious.CommandFocus, Thread: "watcher", Text: " the  logs "}, "watcher looks at: the logs"},
		{subconscious.Command{Kind: subconscious.CommandFocus, Thread: "accountant", Text: "the taxes"}, "accountant looks at: the taxes"},
		{subconscious.Command{Kind: subconscious.CommandFocus, Thread: "gardener", Text: "the ferns"}, `refused: there is no thread "gardener"`},
		{subconscious.Command{Kind: subconscious.CommandFocus, Thread: "watcher"}, "watcher follows its own hints again"},
	} {
		c.command.ID, c.command.By = 7, "person"
		in := aggregator.Input{State: state, Incidents: incidents, Evidence: evidence, Commands: []subconscious.Command{c.command}, Rules: aggregator.DefaultRules(),
			Kind: subconscious.Early, At: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC), Runs: []aggregator.Run{{Thread: "watcher", Outcome: aggregator.Rested}}}
		next, changes := aggregator.Merge(in)
		if changes.Done[7] != c.want {
			t.Errorf("%+v: %q, want %q", c.command, changes.Done[7], c.want)
		}
		closed := strings.HasPrefix(c.want, "closed: ")
		again := 1 // what was closed before, unless it is closed anew
		if closed && c.command.Incident != "files:old" {
			again = 2
		}
		if len(next.Closed) != again || closed && next.Closed[0].Summary != strings.TrimPrefix(c.want, "closed: ") {
			t.Errorf("%+v: closed are %+v", c.command, next.Closed)
		}
		if _, known := next.Threads["gardener"]; known || next.Version != 1 {
			t.Errorf("%+v", next)
		}
	}
}

// TestClosedByItsWords: what was closed is called as it was last.
func TestClosedByItsWords(t *testing.T) {
	p := newPlay(t)
	p.observe("disk", "health", "disk:/var")
	p.observe("note", "notes", "todo").latest.Links = []string{"disk:/var"}
	u := newTurn(subconscious.Scheduled)
	p.happen(&u, "disk", "appears", 2)
	p.happen(&u, "note", "appears", 0)
	u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "full", Evidence: p.cite("disk")})
	u.find(subconscious.Librarian, subconscious.Finding{Kind: subconscious.KindForgotten, Importance: 5, Summary: "make room", Evidence: p.cite("note")})
	p.tick(u)
	if said := p.state.Entries[0].Evidence[1].Said; said == nil || said.Summary != "make room" || said.Kind != subconscious.KindForgotten || said.Importance != 5 {
		t.Errorf("of the note was said %+v", said)
	}
	u = newTurn(subconscious.Scheduled)
	p.happen(&u, "disk", "goes", 0)
	p.tick(u)
	if e := p.state.Entries[0]; e.About != p.known["note"].latest.Ref() || e.Evidence[0].Ref != e.About || e.Evidence[0].Said != nil || e.Kind != subconscious.KindForgotten {
		t.Errorf("it speaks of %+v", e)
	}
	u = newTurn(subconscious.Scheduled)
	u.commands = []subconscious.Command{{ID: 1, Kind: subconscious.CommandClose, Incident: p.key("disk"), By: "person"}}
	p.tick(u)
	if len(p.state.Closed) != 1 || p.state.Closed[0].Summary != "make room" || !p.state.Closed[0].At.Equal(p.now) {
		t.Errorf("closed are %+v", p.state.Closed)
	}
	if len(p.changes.Entries) != 1 || p.changes.Entries[0].What != aggregator.Closed || p.changes.Entries[0].Why != "closed by person" {
		t.Errorf("%+v", p.changes.Entries)
	}
}
