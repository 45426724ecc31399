package aggregator_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestHostileInputs: whatever an input holds, the merge ends with a state that
// can be published and merged again.
func TestHostileInputs(t *testing.T) {
	far := time.Date(math.MaxInt32, 1, 1, 0, 0, 0, 0, time.UTC)
	o := subconscious.Observation{ID: "disk:/var", Sense: "health", Change: subconscious.Appeared, Due: far, Severity: math.MaxInt}
	evidence := subconscious.Evidence{Ref: o.Ref(), Latest: o, Standing: true, Gone: true,
		ShownTo: []subconscious.ThreadName{"watcher", ""}, NewTo: []subconscious.ThreadName{"watcher", ""}}
	finding := subconscious.Finding{Kind: "", Summary: "\x00\xff", Importance: math.MaxInt, Evidence: []string{string(o.Ref())}, Due: far}
	entry := subconscious.Entry{ID: "w-a-1", List: "made-up", Strength: math.MaxInt, Importance: math.MinInt, Incident: o.Key()}
	for name, in := range map[string]aggregator.Input{
		"nothing": {},
		"no rules": {Evidence: []subconscious.Evidence{evidence},
			Thoughts: []subconscious.Thought{{Thread: "watcher", Findings: []subconscious.Finding{finding}}}},
		"negative rules": {Rules: aggregator.Rules{ActiveThreads: -1, Parked: -1, Start: -7, CloseFor: math.MinInt64}, Evidence: []subconscious.Evidence{evidence},
			Thoughts: []subconscious.Thought{{Thread: "watcher", Findings: []subconscious.Finding{finding}}}},
		"huge numbers": {Rules: aggregator.Rules{ActiveThreads: math.MaxInt, Patterns: math.MaxInt, Start: math.MaxInt, Gain: math.MaxInt / 2, Parked: math.MaxInt},
			State: subconscious.State{TickCount: math.MaxInt64, Entries: []subconscious.Entry{entry}}, Evidence: []subconscious.Evidence{evidence},
			Thoughts: []subconscious.Thought{{Thread: "", Findings: []subconscious.Finding{finding}}}, At: far},
		"negative ticks": {State: subconscious.State{TickCount: math.MinInt64, Entries: []subconscious.Entry{entry, entry}, Parked: []subconscious.Entry{entry}},
			Runs: []aggregator.Run{{Thread: "a"}, {Thread: "b"}, {Thread: "a"}}, Kind: "made-up"},
		"broken incidents": {Rules: aggregator.DefaultRules(), Evidence: []subconscious.Evidence{evidence, evidence},
			Incidents: []subconscious.Incident{{Key: o.Key(), Recorded: map[subconscious.Ref][]int64{"": nil, o.Ref(): {}}, Closed: &subconscious.Closure{}}, {}, {Key: o.Key()}},
			Thoughts:  []subconscious.Thought{{Thread: "watcher", Findings: []subconscious.Finding{finding, finding}, Focus: &subconscious.FocusHint{}}}},
		"commands": {Rules: aggregator.DefaultRules(), Commands: []subconscious.Command{{Kind: "made-up"}, {Kind: subconscious.CommandClose},
			{Kind: subconscious.CommandConfirm, Entry: "w-a-1", Incident: "x"}, {Kind: subconscious.CommandFocus}, {Kind: subconscious.CommandNote}}},
	} {
		t.Run(name, func(t *testing.T) {
			for range 4 {
				state, changes := aggregator.Merge(in)
				for _, e := range slices.Concat(state.Entries, state.Parked) {
					if e.Strength < 0 || e.Strength > 10 || e.Importance < 1 || e.Importance > 10 || !slices.Contains(subconscious.Lists(), e.List) {
						t.Fatalf("%+v is out of its range", e)
					}
					if e.Due.Year() > 9999 {
						t.Fatalf("%s is due in %d", e.ID, e.Due.Year())
					}
				}
				if state.TickCount < 1 || len(changes.Done) > len(in.Commands) {
					t.Fatalf("tick %d, done %v", state.TickCount, changes.Done)
				}
				if in.At.Year() <= 9999 {
					if _, err := subconscious.Project(state, subconscious.MaxTokens); err != nil {
						t.Fatal(err)
					}
				}
				in.State = state
			}
		})
	}
}

// TestManyFindings: of ten thousand findings the most important of each thread
// are judged, whatever their order, in a bounded time.
func TestManyFindings(t *testing.T) {
	p := newPlay(t)
	u := newTurn(subconscious.Scheduled)
	for i := range 1000 {
		name := fmt.Sprintf("t%d", i)
		o := &p.observe(name, "notes", "todo/"+name).latest
		o.Links = []string{"unit:alpha.service", fmt.Sprintf("unit:%d.service", i), "invoice:7", fmt.Sprintf("order:%d", i)}
		p.happen(&u, name, "appears", 1)
	}
	var all []string
	for i := range 1000 {
		all = append(all, p.cite(fmt.Sprintf("t%d", i))...)
	}
	twice := slices.Concat(all, all)
	for i := range 10000 {
		importance := i % 5
		if i%250 == 249 {
			importance = 9
		}
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: importance, Summary: fmt.Sprint(importance, strings.Repeat(" word", 1000)),
			Evidence: twice[i%1000:][:70]})
	}
	in := aggregator.Input{Thoughts: []subconscious.Thought{*u.thoughts["watcher"]}, Evidence: p.evidence([]aggregator.Run{{Thread: "watcher", Outcome: aggregator.Thought}}),
		Rules: p.rules, Kind: subconscious.Scheduled, At: p.now}
	keys, links := aggregator.Lookups(in.State, in.Thoughts, nil, in.Evidence)
	state, changes := aggregator.Merge(in)
	if len(keys) > 20000 || len(links) > 20000 {
		t.Errorf("%d incidents and %d links are to be looked up", len(keys), len(links))
	}
	if n := len(changes.Accepted) + len(changes.Rejected); n != 10000 {
		t.Errorf("%d of 10000 findings were judged", n)
	}
	crowded := 0
	for _, r := range changes.Rejected {
		if r.Reason == aggregator.CrowdedOut {
			crowded++
			if strings.HasPrefix(r.Summary, "9") {
				t.Errorf("a finding of importance 9 was too many")
			}
		}
	}
	if crowded < 10000-50 {
		t.Errorf("%d findings were too many, want 9950", crowded)
	}
	slices.Reverse(in.Thoughts[0].Findings)
	if again, _ := aggregator.Merge(in); asJSON(t, again) != asJSON(t, state) {
		t.Error("another order gave another state")
	}
}

// TestIncidentForgetsNothing: however much happens of an incident, its bounds
// hold, and what it had to forget does not count as new again.
func TestIncidentForgetsNothing(t *testing.T) {
	p := newPlay(t)
	p.observe("unit", "health", "unit:alpha.service")
	cite := func(names ...string) turn {
		u := newTurn(subconscious.Scheduled)
		for _, name := range names {
			u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: name, Evidence: p.cite(name)})
		}
		return u
	}
	u := newTurn(subconscious.Scheduled)
	p.happen(&u, "unit", "appears", 2)
	u.thoughts = cite("unit").thoughts
	p.tick(u)
	for i := range 100 {
		name := fmt.Sprintf("note%d", i)
		p.observe(name, "notes", "todo/"+name).latest.Links = []string{"unit:alpha.service"}
		u := newTurn(subconscious.Scheduled)
		p.happen(&u, name, "appears", 1)
		if i%7 == 0 {
			p.happen(&u, "unit", "changes", 2)
		}
		u.thoughts = cite(name, "unit").thoughts
		p.tick(u)
	}
	incident := p.incidents[p.key("unit")]
	if len(incident.Recorded) != 64 || incident.Forgotten == 0 || len(incident.Recorded[p.known["unit"].latest.Ref()]) != 8 {
		t.Fatalf("%d observations are recorded, up to %d forgotten, of the unit %v", len(incident.Recorded), incident.Forgotten,
			incident.Recorded[p.known["unit"].latest.Ref()])
	}
	if incident.Unheard != p.state.TickCount {
		t.Fatalf("in tick %d nobody had heard of what was forgotten; noted is %d", p.state.TickCount, incident.Unheard)
	}
	if incident.Changes != 1+100+15 || len(incident.Links) > 32 || len(incident.Days) != 1 {
		t.Fatalf("%d changes on %v, %d links", incident.Changes, incident.Days, len(incident.Links))
	}
	// All are shown once more, as to a thread that was never shown them.
	for i := range 100 {
		for _, th := range p.known {
			th.pending[subconscious.Watcher] = true
		}
		p.tick(cite(fmt.Sprintf("note%d", i)))
		if len(p.changes.Accepted) > 0 {
			t.Fatalf("note %d counted as new again", i)
		}
	}
}

// TestIncidentDays: the last eight local days are kept.
func TestIncidentDays(t *testing.T) {
	p := newPlay(t)
	p.observe("unit", "health", "unit:alpha.service")
	for range 12 {
		u := newTurn(subconscious.Scheduled)
		u.after = 24 * time.Hour
		p.happen(&u, "unit", "happens", 2)
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "failed", Evidence: p.cite("unit")})
		p.tick(u)
	}
	incident := p.incidents[p.key("unit")]
	if want := []string{"2026-11-07", "2026-11-08", "2026-11-09", "2026-11-10", "2026-11-11", "2026-11-12", "2026-11-13", "2026-11-14"}; !slices.Equal(incident.Days, want) {
		t.Errorf("days %v, want %v", incident.Days, want)
	}
	if incident.Changes != 12 || !incident.Opened.Equal(p.now.Add(-11*24*time.Hour)) || !incident.LastSeen.Equal(p.now) {
		t.Errorf("%+v", incident)
	}
}

// TestClosedKept: the last ten closings are remembered, each observation once.
func TestClosedKept(t *testing.T) {
	p := newPlay(t)
	for i := range 13 {
		name := fmt.Sprintf("file%d", i%12)
		if i == 12 {
			name = "file5"
		} else {
			p.observe(name, "files", "work/"+name)
		}
		u := newTurn(subconscious.Scheduled)
		p.happen(&u, name, "happens", i)
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: name, Evidence: p.cite(name)})
		p.tick(u)
		u = newTurn(subconscious.Scheduled)
		u.commands = []subconscious.Command{{ID: 1, Kind: subconscious.CommandClose, Incident: p.key(name), By: "person"}}
		p.tick(u)
	}
	var closed []string
	for _, c := range p.state.Closed {
		closed = append(closed, c.Summary)
	}
	want := "file5 file11 file10 file9 file8 file7 file6 file4 file3 file2"
	if got := strings.Join(closed, " "); got != want {
		t.Errorf("closed %s, want %s", got, want)
	}
}

// TestWentAway: an incident that was closed is marked when it has ended, for
// whoever explains it.
func TestWentAway(t *testing.T) {
	p := failing(t)
	u := newTurn(subconscious.Scheduled)
	u.commands = []subconscious.Command{{ID: 1, Kind: subconscious.CommandClose, Incident: p.key("unit"), By: "person"}}
	p.tick(u)
	for _, step := range []struct {
		what string
		want bool
	}{{"changes", false}, {"goes", true}} {
		u = newTurn(subconscious.Scheduled)
		p.happen(&u, "unit", step.what, 1)
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "it " + step.what, Evidence: p.cite("unit")})
		p.tick(u)
		if closed := p.incidents[p.key("unit")].Closed; closed == nil || closed.WentAway != step.want {
			t.Errorf("when it %s the closing is %+v", step.what, closed)
		}
	}
}

// TestLiftedIsForgotten: what came back is no longer among what was closed.
func TestLiftedIsForgotten(t *testing.T) {
	p := newPlay(t)
	for i, severity := range []int{1, 2} {
		if i == 0 {
			p.observe("unit", "health", "unit:alpha.service")
		}
		u := newTurn(subconscious.Scheduled)
		p.happen(&u, "unit", []string{"appears", "changes"}[i], severity)
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "failed", Evidence: p.cite("unit")})
		p.tick(u)
		if len(p.state.Closed) != 0 || len(p.state.Entries) != 1 || p.incidents[p.key("unit")].Closed != nil {
			t.Fatalf("closed are %+v", p.state.Closed)
		}
		u = newTurn(subconscious.Scheduled)
		u.commands = []subconscious.Command{{ID: 1, Kind: subconscious.CommandClose, Incident: p.key("unit"), By: "person"}}
		p.tick(u)
		if len(p.state.Closed) != 1 || p.incidents[p.key("unit")].Closed == nil {
			t.Fatalf("closed are %+v", p.state.Closed)
		}
	}
}

// TestWhatCounts: of what a finding cites, its incident counts what is its own,
// new and has not gone; what was counted later than it is not.
func TestWhatCounts(t *testing.T) {
	p := newPlay(t)
	p.observe("unit", "health", "unit:alpha.service")
	p.observe("note", "notes", "todo/1").latest.Links = []string{"unit:alpha.service"}
	p.observe("file", "files", "work/golf")
	tick := func(events map[string]string, cites ...string) subconscious.Incident {
		u := newTurn(subconscious.Scheduled)
		u.after = 24 * time.Hour
		for _, name := range p.names {
			if what := events[name]; what != "" {
				p.happen(&u, name, what, 2)
			}
		}
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "failed", Evidence: p.cite(cites...)})
		p.tick(u)
		return p.incidents[p.key("unit")]
	}
	tick(map[string]string{"unit": "appears", "note": "appears"}, "unit", "note")
	tick(map[string]string{"unit": "changes"}) // which nobody cites
	tick(map[string]string{"unit": "changes"}, "unit")
	got := tick(map[string]string{"unit": "changes", "note": "goes", "file": "happens"}, "unit", "unit@-2", "unit@-3", "note", "file")
	if got.Changes != 4 || !slices.Equal(got.Days, []string{"2026-11-03", "2026-11-05", "2026-11-06"}) {
		t.Errorf("%d changes on %v", got.Changes, got.Days)
	}
	if len(got.Recorded) != 2 || len(got.Recorded[p.known["note"].latest.Ref()]) != 2 {
		t.Errorf("recorded are %v", got.Recorded)
	}
}

// TestEvidenceOrder: an entry holds its own evidence before what was cited beside
// it, first of what it speaks, then what stands, then the newest; at most four.
func TestEvidenceOrder(t *testing.T) {
	p := newPlay(t)
	u := newTurn(subconscious.Scheduled)
	for i, what := range []string{"happens", "appears", "happens", "appears", "happens", "appears"} {
		name := fmt.Sprintf("m%d", i)
		p.observe(name, "mail", "mid:"+name).latest.Attrs = map[string]string{"thread": "one"}
		if i == 5 {
			p.known[name].latest.Attrs = nil
		}
		p.happen(&u, name, what, 1)
	}
	u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "asks", Evidence: p.cite("m0", "m5", "m1", "m2", "m3")})
	p.tick(u)
	order := func() (got []string) {
		for _, h := range p.state.Entries[0].Evidence {
			for _, name := range p.names {
				if p.known[name].latest.Ref() == h.Ref {
					got = append(got, fmt.Sprintf("%s@%d", name, h.Seq))
				}
			}
		}
		return got
	}
	if want := []string{"m0@1", "m3@4", "m1@2", "m2@3"}; !slices.Equal(order(), want) {
		t.Errorf("held are %v, want %v", order(), want)
	}
	u = newTurn(subconscious.Scheduled)
	p.happen(&u, "m4", "happens", 1)
	u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 5, Summary: "asks again", Evidence: p.cite("m4")})
	p.tick(u)
	if want := []string{"m4@7", "m3@4", "m1@2", "m2@3"}; !slices.Equal(order(), want) {
		t.Errorf("held are %v, want %v", order(), want)
	}
}

// TestCitationsRead: of one finding so many citations are looked up, whatever
// else is among them.
func TestCitationsRead(t *testing.T) {
	p := newPlay(t)
	u := newTurn(subconscious.Scheduled)
	var names []string
	for i := range 70 {
		name := fmt.Sprintf("t%d", i)
		p.observe(name, "files", name)
		p.happen(&u, name, "happens", 0)
		names = append(names, name)
	}
	evidence := p.evidence([]aggregator.Run{{Thread: "watcher", Outcome: aggregator.Thought}})
	look := func(cites []string) int {
		u.thoughts = map[subconscious.ThreadName]*subconscious.Thought{}
		u.find(subconscious.Watcher, subconscious.Finding{Evidence: cites})
		keys, _ := aggregator.Lookups(subconscious.State{}, []subconscious.Thought{*u.thoughts["watcher"]}, nil, evidence)
		return len(keys)
	}
	// An observation, its pattern, and its pairs with the others.
	of := func(n int) int { return 2*n + n*(n-1)/2 }
	cites := p.cite(names...)
	if got := look(cites); got != of(16) {
		t.Errorf("of 70 citations %d incidents are looked up, want %d", got, of(16))
	}
	spam := slices.Repeat([]string{"no citation"}, 62)
	if got := look(append(spam, cites...)); got != of(2) {
		t.Errorf("behind 62 of no use %d incidents are looked up, want %d", got, of(2))
	}
	if got := look(append(slices.Repeat(cites[:1], 30), cites[1])); got != of(2) {
		t.Errorf("of one citation 30 times %d incidents are looked up, want %d", got, of(2))
	}
}

// TestUnknownChange: a change that the observation never had was not shown.
func TestUnknownChange(t *testing.T) {
	p := newPlay(t)
	p.observe("unit", "health", "unit:alpha.service")
	u := newTurn(subconscious.Scheduled)
	p.happen(&u, "unit", "appears", 2)
	u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "failed", Evidence: []string{p.cite("unit")[0] + "@999"}})
	p.tick(u)
	if len(p.state.Entries) != 0 || len(p.changes.Rejected) != 1 || p.changes.Rejected[0].Reason != aggregator.NotShown {
		t.Errorf("%+v", p.changes)
	}
}

// TestEntryIDs: ids are readable, and no two are the same.
func TestEntryIDs(t *testing.T) {
	p := newPlay(t)
	seen := map[subconscious.EntryID]bool{}
	for tick := range 40 {
		u := newTurn(subconscious.Scheduled)
		for i, summary := range []string{"Rechnung über 12 € offen", "請求書が未払いです", "x-", "Überweisungsträgerformular fehlt", "zzz-zebra"} {
			name := fmt.Sprintf("t%d-%d", tick, i)
			p.observe(name, "files", name)
			p.happen(&u, name, "happens", 0)
			u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: summary, Evidence: p.cite(name)})
		}
		p.tick(u)
		for _, e := range p.state.Entries {
			if e.Created.Equal(p.now) {
				if seen[e.ID] {
					t.Fatalf("%s is used twice", e.ID)
				}
				seen[e.ID] = true
			}
		}
	}
	for _, want := range []string{"w-rechnung-", "w-entry-", "w-berweisungst-", "w-zzzzebra-"} {
		found := false
		for id := range seen {
			found = found || strings.HasPrefix(string(id), want)
		}
		if !found {
			t.Errorf("no id begins with %s", want)
		}
	}
}

// TestUnknownThread: a thread that was added by configuration finds what a
// watcher finds, under its own name.
func TestUnknownThread(t *testing.T) {
	o := subconscious.Observation{ID: "a", Sense: "files", Change: subconscious.Momentary, Seq: 1}
	in := aggregator.Input{Rules: aggregator.DefaultRules(), Kind: subconscious.Scheduled, At: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC),
		Runs:     []aggregator.Run{{Thread: "accountant", Outcome: aggregator.Thought}},
		Evidence: []subconscious.Evidence{{Ref: o.Ref(), Latest: o, ShownTo: []subconscious.ThreadName{"accountant"}, NewTo: []subconscious.ThreadName{"accountant"}}},
		Thoughts: []subconscious.Thought{{Thread: "accountant", Findings: []subconscious.Finding{{Kind: subconscious.KindIdea, Importance: 5, Evidence: []string{string(o.Ref())}}}}}}
	state, _ := aggregator.Merge(in)
	if len(state.Entries) != 1 || state.Entries[0].Kind != subconscious.KindObservation || state.Entries[0].Summary != string(o.Ref()) ||
		state.Entries[0].Evidence[0].Seq != 1 || state.Threads["accountant"].Health != "ok" {
		t.Errorf("%+v", state)
	}
}

// TestForgottenUnheard: what had to be forgotten is noted where the person had
// not heard of it as it was last, and not else.
func TestForgottenUnheard(t *testing.T) {
	for name, c := range map[string]struct {
		outcome subconscious.OutcomeKind
		short   int64 // of the last change of each observation
		unheard bool
	}{
		"told by rules":           {"", 0, false},
		"told":                    {subconscious.OutcomeTold, 0, false},
		"told before it changed":  {subconscious.OutcomeTold, 1, true},
		"kept back":               {subconscious.OutcomeDismissed, 0, true},
		"given to a deliberation": {subconscious.OutcomePending, 0, true},
	} {
		p := newPlay(t)
		p.observe("unit", "health", "unit:alpha.service")
		u := newTurn(subconscious.Scheduled)
		p.happen(&u, "unit", "appears", 2)
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "unit", Evidence: p.cite("unit")})
		p.tick(u)
		for i := range 70 {
			if i == 63 { // as many as are kept
				incident := p.incidents[p.key("unit")]
				told := subconscious.Told{Tick: p.state.TickCount, Outcome: c.outcome, Changes: map[subconscious.Ref]int64{}}
				for ref, seqs := range incident.Recorded {
					told.Changes[ref] = slices.Max(seqs) - c.short
				}
				incident.Telling = &subconscious.Telling{Told: []subconscious.Told{told}}
				p.incidents[p.key("unit")] = incident
			}
			name := fmt.Sprintf("note%d", i)
			p.observe(name, "notes", "todo/"+name).latest.Links = []string{"unit:alpha.service"}
			u := newTurn(subconscious.Scheduled)
			p.happen(&u, name, "appears", 1)
			u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: name, Evidence: p.cite(name)})
			p.tick(u)
		}
		incident := p.incidents[p.key("unit")]
		if incident.Forgotten == 0 || (incident.Unheard > 0) != c.unheard {
			t.Errorf("%s: forgotten up to %d, unheard in tick %d", name, incident.Forgotten, incident.Unheard)
		}
	}
}
