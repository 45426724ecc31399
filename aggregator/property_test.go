package aggregator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/subconscious/documenttest"
)

var allKinds = []subconscious.TickKind{subconscious.Scheduled, subconscious.Manual, subconscious.CatchUp, subconscious.Early}

// drawTurn makes something happen to some observations and lets threads say
// something about them, sensible or not.
func (p *play) drawTurn(t *rapid.T) turn {
	u := newTurn(rapid.SampledFrom(allKinds).Draw(t, "kind"))
	u.after = time.Duration(rapid.IntRange(1, 3000).Draw(t, "minutes")) * time.Minute
	for range rapid.IntRange(0, 4).Draw(t, "events") {
		p.drawEvent(t, &u, rapid.SampledFrom(p.names).Draw(t, "observation"))
	}
	for _, name := range subconscious.Threads() {
		switch rapid.IntRange(0, 9).Draw(t, "outcome") {
		case 0:
			u.outcomes[name] = aggregator.Failed
			continue
		case 1:
			u.outcomes[name] = aggregator.Unchanged
			continue
		}
		for range rapid.IntRange(0, 3).Draw(t, "findings") {
			cites := rapid.SliceOfN(rapid.SampledFrom(append(slices.Clone(p.names), "journal:1", "w-disk-100", "files:aaaaaaaaaa")), 0, 3).Draw(t, "cites")
			u.find(name, p.drawFinding(t, cites...))
		}
		if len(p.state.Entries) > 0 && rapid.IntRange(0, 9).Draw(t, "over") == 0 {
			u.thought(name).Over = []subconscious.IncidentKey{rapid.SampledFrom(p.state.Entries).Draw(t, "ended").Incident}
		}
	}
	for _, e := range p.state.Entries {
		if rapid.IntRange(0, 30).Draw(t, "command") == 0 {
			kind := rapid.SampledFrom([]subconscious.CommandKind{subconscious.CommandClose, subconscious.CommandConfirm, subconscious.CommandEdit}).Draw(t, "command kind")
			c := subconscious.Command{ID: int64(len(u.commands) + 1), Kind: kind, Entry: e.ID, By: "person"}
			if kind == subconscious.CommandEdit {
				c.Text, c.Edit = "edited by hand", &subconscious.Edit{Importance: rapid.IntRange(0, 12).Draw(t, "edited importance"), Due: &p.now}
			}
			u.commands = append(u.commands, c)
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "written") == 0 {
		o := p.known[rapid.SampledFrom(p.names).Draw(t, "line")].latest
		u.commands = append(u.commands, subconscious.Command{ID: int64(len(u.commands) + 1), Kind: subconscious.CommandEdit, Incident: o.Key(), Text: "written by hand", By: subconscious.ByHand,
			Edit: &subconscious.Edit{Ref: o.Ref(), List: rapid.SampledFrom(append(subconscious.Lists(), "made-up")).Draw(t, "list")}})
	}
	return u
}

func (p *play) drawEvent(t *rapid.T, u *turn, name string) {
	what := "happens"
	if th := p.known[name]; th.latest.Sense != "files" {
		what = "appears"
		if th.stands {
			what = rapid.SampledFrom([]string{"changes", "changes", "goes", "crosses", "leaves"}).Draw(t, "what")
		}
	}
	p.happen(u, name, what, rapid.IntRange(0, 3).Draw(t, "severity"))
}

func (p *play) drawFinding(t *rapid.T, cites ...string) subconscious.Finding {
	return subconscious.Finding{
		Kind:       rapid.SampledFrom(append(subconscious.Kinds(), "made-up")).Draw(t, "finding"),
		Importance: rapid.IntRange(-1, 12).Draw(t, "importance"),
		Summary:    rapid.SampledFrom([]string{"the disk is full", "a file was saved", "Lörem ipsum " + string(make([]byte, 200)), "", "same words"}).Draw(t, "summary"),
		Evidence:   p.cite(cites...),
		Escalate:   rapid.Bool().Draw(t, "escalate"),
	}
}

func drawWorld(t *rapid.T) *play {
	p := newPlay(t)
	for i := range rapid.IntRange(1, 14).Draw(t, "observations") {
		name := fmt.Sprintf("t%d", i)
		sense := rapid.SampledFrom([]string{"files", "health", "notes"}).Draw(t, "sense")
		o := &p.observe(name, sense, fmt.Sprintf("unit:t%d", i)).latest
		for range rapid.IntRange(0, 2).Draw(t, "links") {
			o.Links = append(o.Links, rapid.SampledFrom([]string{"unit:t0", "unit:t1", "unit:t2", "invoice:7", "url:https://example.com"}).Draw(t, "link"))
		}
	}
	return p
}

// TestInvariants holds what must hold after any tick over any world.
func TestInvariants(t *testing.T) { rapid.Check(t, invariants) }

func invariants(t *rapid.T) {
	p := drawWorld(t)
	ids := map[subconscious.EntryID]subconscious.IncidentKey{}
	for range rapid.IntRange(1, 25).Draw(t, "ticks") {
		p.tick(p.drawTurn(t))
		checkState(t, p, ids)
		checkIncidents(t, p)
	}
}

func checkState(t *rapid.T, p *play, ids map[subconscious.EntryID]subconscious.IncidentKey) {
	incidents := map[subconscious.IncidentKey]bool{}
	count := map[subconscious.List]int{}
	for _, e := range slices.Concat(p.state.Entries, p.state.Parked) {
		if incidents[e.Incident] {
			t.Fatalf("two entries of incident %s", e.Incident)
		}
		incidents[e.Incident] = true
		if before, ok := ids[e.ID]; ok && before != e.Incident {
			t.Fatalf("id %s was of %s and is of %s", e.ID, before, e.Incident)
		}
		ids[e.ID] = e.Incident
		if e.Strength < 1 || e.Strength > 10 || e.Importance < 1 || e.Importance > 10 {
			t.Fatalf("entry %+v is out of its range", e)
		}
		if len(e.Evidence) == 0 || len(e.Evidence) > 4 {
			t.Fatalf("entry %s has %d evidence", e.ID, len(e.Evidence))
		}
		refs := map[subconscious.Ref]bool{}
		for _, h := range e.Evidence {
			if refs[h.Ref] {
				t.Fatalf("entry %s holds %s twice", e.ID, h.Ref)
			}
			refs[h.Ref] = true
		}
		if own := slices.ContainsFunc(e.Evidence, func(h subconscious.Held) bool { return !h.Aside }); !own {
			t.Fatalf("entry %s has no evidence of its own", e.ID)
		}
		if !slices.ContainsFunc(e.Evidence, func(h subconscious.Held) bool { return h.Ref == e.About && h.Said == nil }) {
			t.Fatalf("entry %s speaks of %s, which it does not hold", e.ID, e.About)
		}
	}
	for _, e := range p.state.Entries {
		count[e.List]++
	}
	for _, list := range subconscious.Lists() {
		if limit := map[subconscious.List]int{"active_threads": 5, "patterns": 5, "hunches": 5, "insights": 3}[list]; count[list] > limit {
			t.Fatalf("%s holds %d", list, count[list])
		}
	}
	for _, e := range p.state.Parked {
		if !e.Stands() {
			t.Fatalf("%s is parked and does not stand", e.ID)
		}
	}
	out, err := subconscious.Project(p.state, p.rules.MaxTokens)
	if err != nil {
		t.Fatal(err)
	}
	if subconscious.EstimateTokens(len(out)) > p.rules.MaxTokens {
		t.Fatalf("the document has %d bytes", len(out))
	}
	if _, err := documenttest.Decode(out); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
}

func checkIncidents(t *rapid.T, p *play) {
	for key, incident := range p.incidents {
		if len(incident.Recorded) > 64 || len(incident.Links) > 32 || len(incident.Days) > 8 {
			t.Fatalf("incident %s is out of its bounds: %+v", key, incident)
		}
		for ref, seqs := range incident.Recorded {
			if len(seqs) == 0 || len(seqs) > 8 || !slices.IsSorted(seqs) {
				t.Fatalf("incident %s recorded %v of %s", key, seqs, ref)
			}
		}
	}
}

// TestArrivalOrder: the same thoughts in any order give the same bytes, and so
// do the same input twice and one that was stored in between; the input is left
// as it was, also beyond the ends of its slices.
func TestArrivalOrder(t *testing.T) {
	berlin := testutil.Zone(t, "Europe/Berlin")
	rapid.Check(t, func(t *rapid.T) {
		p := drawWorld(t)
		p.zone = rapid.SampledFrom([]*time.Location{time.UTC, berlin}).Draw(t, "zone")
		for range rapid.IntRange(1, 8).Draw(t, "ticks") {
			p.tick(p.drawTurn(t))
		}
		in := withSpareCapacity(p.input)
		before := asJSON(t, stored(in))
		want := merged(t, in)
		if again := merged(t, in); again != want {
			t.Fatalf("the same input gave\n%s\nand then\n%s", want, again)
		}
		if after := asJSON(t, stored(in)); after != before {
			t.Fatalf("the merge changed its input from\n%s\nto\n%s", before, after)
		}
		for _, incident := range in.Incidents {
			if spare := incident.Days[:len(incident.Days)+1]; spare[len(incident.Days)] != "" {
				t.Fatalf("the merge wrote behind the days of %s: %v", incident.Key, spare)
			}
			if spare := incident.Links[:len(incident.Links)+1]; spare[len(incident.Links)] != "" {
				t.Fatalf("the merge wrote behind the links of %s: %v", incident.Key, spare)
			}
		}
		if spare := in.State.Entries[:cap(in.State.Entries)][len(in.State.Entries):]; asJSON(t, spare) != asJSON(t, make([]subconscious.Entry, len(spare))) {
			t.Fatalf("the merge wrote behind its input: %+v", spare)
		}
		if got := merged(t, replayed(t, in)); got != want {
			t.Fatalf("the stored input gave\n%s\nwant\n%s", got, want)
		}
		if got := merged(t, shuffled(t, in)); got != want {
			t.Fatalf("another order gave\n%s\nwant\n%s", got, want)
		}
	})
}

// withSpareCapacity copies the slices that a merge could append to.
func withSpareCapacity(in aggregator.Input) aggregator.Input {
	in.State.Entries = append(make([]subconscious.Entry, 0, len(in.State.Entries)+8), in.State.Entries...)
	in.State.Parked = append(make([]subconscious.Entry, 0, len(in.State.Parked)+8), in.State.Parked...)
	in.State.Closed = append(make([]subconscious.ClosedIncident, 0, len(in.State.Closed)+8), in.State.Closed...)
	for i, e := range in.State.Entries {
		in.State.Entries[i].Evidence = append(make([]subconscious.Held, 0, len(e.Evidence)+8), e.Evidence...)
		in.State.Entries[i].Sources = append(make([]subconscious.ThreadName, 0, len(e.Sources)+8), e.Sources...)
	}
	in.Incidents = slices.Clone(in.Incidents)
	for i := range in.Incidents {
		days, links := in.Incidents[i].Days, in.Incidents[i].Links
		in.Incidents[i].Days = append(make([]string, 0, len(days)+8), days...)
		in.Incidents[i].Links = append(make([]string, 0, len(links)+8), links...)
	}
	in.Runs = append(make([]aggregator.Run, 0, len(in.Runs)+8), in.Runs...)
	return in
}

func shuffled(t *rapid.T, in aggregator.Input) aggregator.Input {
	in.Thoughts = slices.Clone(rapid.Permutation(in.Thoughts).Draw(t, "thoughts"))
	for i := range in.Thoughts {
		in.Thoughts[i].Findings = rapid.Permutation(in.Thoughts[i].Findings).Draw(t, "findings")
	}
	in.Incidents = rapid.Permutation(in.Incidents).Draw(t, "incidents")
	in.Evidence = rapid.Permutation(in.Evidence).Draw(t, "evidence")
	in.Runs = rapid.Permutation(in.Runs).Draw(t, "runs")
	return in
}

// stored is an input without what is not stored with it.
func stored(in aggregator.Input) aggregator.Input {
	in.Zone = nil
	return in
}

// replayed is an input as it is read back from a record of its tick.
func replayed(t reporter, in aggregator.Input) aggregator.Input {
	var out aggregator.Input
	if err := json.Unmarshal([]byte(asJSON(t, stored(in))), &out); err != nil {
		t.Fatal(err)
	}
	out.Zone = in.Zone
	return out
}

func merged(t reporter, in aggregator.Input) string {
	state, changes := aggregator.Merge(in)
	return asJSON(t, state) + asJSON(t, changes)
}

// TestThreeDocuments: an entry that nothing supports is in exactly three
// documents of decaying ticks, whatever ticks come between.
func TestThreeDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlay(t)
		p.observe("save", "files", "work/report.md")
		u := newTurn(rapid.SampledFrom(allKinds).Draw(t, "kind"))
		p.happen(&u, "save", "happens", 0)
		thread := rapid.SampledFrom(subconscious.Threads()).Draw(t, "thread")
		u.find(thread, subconscious.Finding{Kind: rapid.SampledFrom(subconscious.Kinds()).Draw(t, "of"), Importance: 5, Summary: "saved", Evidence: p.cite("save")})
		documents := 0
		for ticks := 0; ticks < 20 || len(p.state.Entries) > 0; ticks++ {
			p.tick(u)
			if len(p.state.Entries) > 0 && u.kind.Decays() {
				documents++
			}
			u = newTurn(rapid.SampledFrom(allKinds).Draw(t, "next kind"))
			u.find(thread, p.drawFinding(t, "save"))
			for _, other := range subconscious.Threads() {
				if other != thread {
					u.thought(other).Over = []subconscious.IncidentKey{p.key("save"), p.key("pattern/save")}
				}
			}
			if rapid.Bool().Draw(t, "quiet") {
				u.thoughts = nil
			}
		}
		if documents != 3 {
			t.Fatalf("it was in %d documents", documents)
		}
	})
}

// TestRumination: over a world in which nothing happens but that files are
// saved which have nothing to do with anything, no thread can make an entry of
// what stands grow, fade, end or change its words, nor make a new one that rests
// on it; whatever it cites beside what, in whatever order, and as whatever kind.
func TestRumination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, standing := drawStandingWorld(t)
		before := map[string]subconscious.Entry{}
		for _, name := range standing {
			e, _, ok := p.entry(name)
			if !ok {
				t.Fatalf("%s has no entry", name)
			}
			before[name] = e
		}
		for tick := range rapid.IntRange(1, 15).Draw(t, "ticks") {
			u := newTurn(rapid.SampledFrom(allKinds).Draw(t, "kind"))
			files := p.saveFiles(t, &u, tick)
			for _, thread := range subconscious.Threads() {
				for range rapid.IntRange(0, 5).Draw(t, "findings") {
					u.find(thread, p.drawFinding(t, p.drawOld(t, standing, files)...))
				}
				if !slices.Contains(before[standing[0]].Sources, thread) {
					u.thought(thread).Over = []subconscious.IncidentKey{p.key(standing[0])}
				}
			}
			p.tick(u)
			for _, name := range standing {
				checkUnmoved(t, p, name, before[name])
			}
			checkRestsOnFiles(t, p, before)
		}
	})
}

// drawStandingWorld is a world in which several observations happened to
// several observations that now stand; each has an entry.
func drawStandingWorld(t *rapid.T) (p *play, standing []string) {
	p = newPlay(t)
	for i := range rapid.IntRange(1, 9).Draw(t, "observations") {
		name := fmt.Sprintf("fact%d", i)
		p.observe(name, "health", fmt.Sprintf("metric%04d", i))
		standing = append(standing, name)
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "history") {
		u := newTurn(subconscious.Scheduled)
		for _, name := range standing {
			switch {
			case i == 0:
				p.happen(&u, name, "appears", 1)
				u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: rapid.IntRange(3, 10).Draw(t, "importance"),
					Summary: name + " is so", Evidence: p.cite(name)})
			case rapid.Bool().Draw(t, "changes"):
				p.happen(&u, name, "changes", rapid.IntRange(0, 3).Draw(t, "severity"))
			}
		}
		p.tick(u)
	}
	return p, standing
}

func (p *play) saveFiles(t *rapid.T, u *turn, tick int) (names []string) {
	for i := range rapid.IntRange(0, 4).Draw(t, "files") {
		name := fmt.Sprintf("file%d", i)
		if p.known[name] == nil || rapid.Bool().Draw(t, "another") {
			name = fmt.Sprintf("file%d-%d", i, tick)
			p.observe(name, "files", fmt.Sprintf("saved%02d%02d", i, tick))
		}
		p.happen(u, name, "happens", rapid.IntRange(0, 3).Draw(t, "severity"))
		names = append(names, name)
	}
	return names
}

// drawOld are citations of what stands, of its earlier changes and of files, of
// which not all are files.
func (p *play) drawOld(t *rapid.T, standing, files []string) []string {
	cites := rapid.SliceOfN(rapid.SampledFrom(slices.Concat(standing, standing, files)), 1, 5).Draw(t, "cites")
	for i, name := range cites {
		if n := len(p.known[name].past); rapid.Bool().Draw(t, "earlier") {
			cites[i] = fmt.Sprintf("%s@%d", name, -rapid.IntRange(0, n-1).Draw(t, "back"))
		}
	}
	cites = append(cites, rapid.SampledFrom(standing).Draw(t, "fact"))
	return rapid.Permutation(cites).Draw(t, "order")
}

func checkUnmoved(t *rapid.T, p *play, name string, before subconscious.Entry) {
	now, _, ok := p.entry(name)
	if !ok {
		t.Fatalf("%s has lost its entry", name)
	}
	now.Fresh = before.Fresh
	if got, want := asJSON(t, now), asJSON(t, before); got != want {
		t.Fatalf("%s was\n%s\nand is\n%s", name, want, got)
	}
}

// checkRestsOnFiles: what is there beside the entries of before has no evidence
// of its own but files.
func checkRestsOnFiles(t *rapid.T, p *play, before map[string]subconscious.Entry) {
	known := map[subconscious.EntryID]bool{}
	for _, e := range before {
		known[e.ID] = true
	}
	for _, e := range slices.Concat(p.state.Entries, p.state.Parked) {
		for _, h := range e.Evidence {
			if !known[e.ID] && !h.Aside && h.Ref.Sense() != "files" {
				t.Fatalf("%s rests on %s: %+v", e.ID, h.Ref, e)
			}
		}
	}
}

// TestUnchangingWorld: where nothing happens at all, nothing is accepted,
// whatever threads say, and whatever they leave unsaid.
func TestUnchangingWorld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, standing := drawStandingWorld(t)
		for range rapid.IntRange(1, 15).Draw(t, "ticks") {
			u := newTurn(rapid.SampledFrom(allKinds).Draw(t, "kind"))
			for _, thread := range subconscious.Threads() {
				for range rapid.IntRange(0, 5).Draw(t, "findings") {
					u.find(thread, p.drawFinding(t, p.drawOld(t, standing, nil)...))
				}
			}
			p.tick(u)
			if len(p.changes.Accepted) > 0 || len(p.changes.Requests) > 0 {
				t.Fatalf("accepted %+v over an unchanging world", p.changes.Accepted)
			}
		}
	})
}

// TestParkedReturns: what is displaced while it stands comes back with its id
// and strength as soon as there is room.
func TestParkedReturns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlay(t)
		ids := map[string]subconscious.Entry{}
		for i := range rapid.IntRange(6, 14).Draw(t, "observations") {
			name := fmt.Sprintf("fact%d", i)
			p.observe(name, "health", fmt.Sprintf("metric%04d", i))
			u := newTurn(subconscious.Scheduled)
			p.happen(&u, name, "appears", 2)
			u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: rapid.IntRange(3, 10).Draw(t, "importance"),
				Summary: name, Evidence: p.cite(name)})
			p.tick(u)
			ids[name], _, _ = p.entry(name)
		}
		for len(p.state.Parked) > 0 {
			listed := p.state.Entries[rapid.IntRange(0, len(p.state.Entries)-1).Draw(t, "goes")].Evidence[0].Ref
			u := newTurn(subconscious.Scheduled)
			for name, th := range p.known {
				if th.latest.Ref() == listed {
					p.happen(&u, name, "goes", 0)
					delete(ids, name)
				}
			}
			p.tick(u)
			p.tick(newTurn(subconscious.Scheduled))
			for name, before := range ids {
				if e, _, ok := p.entry(name); !ok || e.ID != before.ID || e.Strength != 3 {
					t.Fatalf("%s is %s (%v), it was %+v", name, p.strength(name), ok, before)
				}
			}
			if len(p.state.Entries) != 5 {
				t.Fatalf("%d are listed while %d are parked", len(p.state.Entries), len(p.state.Parked))
			}
		}
	})
}

// TestClosedStaysClosed: what the person closed does not come back, neither
// itself nor as a pattern, while it does not get worse and is never all gone.
func TestClosedStaysClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, standing := drawStandingWorld(t)
		closed := standing[0]
		severity := int(p.known[closed].latest.Severity)
		u := newTurn(subconscious.Scheduled)
		u.commands = []subconscious.Command{{ID: 1, Kind: subconscious.CommandClose, Incident: p.key(closed), At: p.now, By: "person"}}
		p.tick(u)
		for range rapid.IntRange(1, 20).Draw(t, "ticks") {
			u := newTurn(rapid.SampledFrom(allKinds).Draw(t, "kind"))
			u.after = time.Duration(rapid.IntRange(1, 1000).Draw(t, "hours")) * time.Hour
			if rapid.Bool().Draw(t, "changes") {
				p.happen(&u, closed, rapid.SampledFrom([]string{"changes", "crosses"}).Draw(t, "what"), rapid.IntRange(0, severity).Draw(t, "severity"))
			}
			for _, thread := range subconscious.Threads() {
				for range rapid.IntRange(0, 3).Draw(t, "findings") {
					u.find(thread, p.drawFinding(t, p.drawOld(t, []string{closed}, standing)...))
				}
			}
			p.tick(u)
			for _, e := range slices.Concat(p.state.Entries, p.state.Parked) {
				own := slices.ContainsFunc(e.Evidence, func(h subconscious.Held) bool { return !h.Aside && h.Ref != p.known[closed].latest.Ref() })
				if !own {
					t.Fatalf("%s came back as %+v", closed, e)
				}
			}
		}
	})
}
