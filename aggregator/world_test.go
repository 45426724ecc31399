package aggregator_test

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// play is a small world with a ledger of its own, and the mind that sees it.
type play struct {
	t         reporter
	state     subconscious.State
	incidents map[subconscious.IncidentKey]subconscious.Incident
	rules     aggregator.Rules
	zone      *time.Location
	now       time.Time
	seq       int64
	known     map[string]*known
	names     []string
	expects   []string
	strengths map[string][]string
	log       bytes.Buffer
	changes   aggregator.Changes
	input     aggregator.Input
}

type known struct {
	latest  subconscious.Observation
	past    []subconscious.Occurrence
	pending map[subconscious.ThreadName]bool
	stands  bool
	left    bool // its sense was taken out of the configuration
}

// reporter is what a play needs of a test, a property check or a benchmark.
type reporter interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Error(args ...any)
	Errorf(format string, args ...any)
}

func newPlay(t reporter) *play {
	return &play{
		t: t, state: subconscious.State{Version: 1}, rules: aggregator.DefaultRules(), zone: time.UTC,
		incidents: map[subconscious.IncidentKey]subconscious.Incident{},
		now:       time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC), // a Monday
		known:     map[string]*known{}, strengths: map[string][]string{},
	}
}

// turn is what happens in one tick.
type turn struct {
	kind     subconscious.TickKind
	after    time.Duration
	thoughts map[subconscious.ThreadName]*subconscious.Thought
	outcomes map[subconscious.ThreadName]aggregator.Outcome
	levels   map[subconscious.ThreadName]int
	commands []subconscious.Command
}

func newTurn(kind subconscious.TickKind) turn {
	return turn{kind: kind, after: 5 * time.Minute,
		thoughts: map[subconscious.ThreadName]*subconscious.Thought{},
		outcomes: map[subconscious.ThreadName]aggregator.Outcome{},
		levels:   map[subconscious.ThreadName]int{},
	}
}

// thought is the thread's, made if need be.
func (u *turn) thought(thread subconscious.ThreadName) *subconscious.Thought {
	if u.thoughts[thread] == nil {
		u.thoughts[thread] = &subconscious.Thought{Thread: thread}
	}
	return u.thoughts[thread]
}

func (u *turn) find(thread subconscious.ThreadName, f subconscious.Finding) {
	thought := u.thought(thread)
	thought.Findings = append(thought.Findings, f)
}

// observe declares an observation of the world.
func (p *play) observe(name, sense, id string) *known {
	th := &known{pending: map[subconscious.ThreadName]bool{}}
	th.latest = subconscious.Observation{Sense: sense, ID: id, Kind: "item", Title: id, Trust: subconscious.Machine}
	p.known[name] = th
	p.names = append(p.names, name)
	return th
}

// happen makes something happen to an observation just before the tick: it
// appears, changes, goes, happens (and is momentary), crosses into another time
// band, which is new for the oracle alone, or leaves with its sense.
func (p *play) happen(u *turn, name, what string, severity int) {
	th := p.known[name]
	o := &th.latest
	o.Severity, o.BandOnly = subconscious.Severity(severity), false
	to := subconscious.Threads()
	switch what {
	case "appears":
		o.Change, th.stands = subconscious.Appeared, true
	case "changes":
		o.Change = subconscious.Changed
	case "crosses":
		o.Change, o.BandOnly, to = subconscious.Changed, true, []subconscious.ThreadName{subconscious.Oracle}
	case "goes":
		o.Change, th.stands = subconscious.Gone, false
	case "happens":
		o.Change, th.stands = subconscious.Momentary, false
	case "leaves":
		th.stands, th.left, th.pending = false, true, map[subconscious.ThreadName]bool{}
		return
	default:
		p.t.Fatalf("nothing is called %q", what)
	}
	p.seq++
	th.left = false
	o.Seq, o.At = p.seq, p.now.Add(u.after)
	th.past = append(th.past, subconscious.Occurrence{Seq: o.Seq, At: o.At, Change: o.Change, Severity: o.Severity})
	th.past = th.past[max(0, len(th.past)-8):]
	for _, thread := range to {
		th.pending[thread], th.pending[thread.Rules()] = true, true
	}
}

// key is the incident key of "disk", "pattern/disk" or "one+other".
func (p *play) key(name string) subconscious.IncidentKey {
	if pattern, ok := strings.CutPrefix(name, "pattern/"); ok {
		return subconscious.PatternKey(p.key(pattern))
	}
	if a, b, ok := strings.Cut(name, "+"); ok {
		return subconscious.PairKey(p.key(a), p.key(b))
	}
	th, ok := p.known[name]
	if !ok {
		p.t.Fatalf("there is no observation %q", name)
	}
	return th.latest.Key()
}

// cite turns names into citations: "disk", "disk@-1" (the change before), or
// any other text as it is.
func (p *play) cite(names ...string) []string {
	var out []string
	for _, name := range names {
		name, back, earlier := strings.Cut(name, "@")
		th, ok := p.known[name]
		if !ok {
			out = append(out, name)
			continue
		}
		citation := subconscious.Citation{Ref: th.latest.Ref()}
		if earlier {
			n, err := strconv.Atoi(back)
			if err != nil || len(th.past)-1+n < 0 {
				p.t.Fatalf("%s has no change %s", name, back)
			}
			citation.Seq = th.past[len(th.past)-1+n].Seq
		}
		out = append(out, citation.String())
	}
	return out
}

// tick merges a turn, and checks that Lookups named every incident that made a
// difference.
func (p *play) tick(u turn) {
	p.now = p.now.Add(u.after)
	in := aggregator.Input{State: p.state, Commands: u.commands, Rules: p.rules, Kind: u.kind, At: p.now.In(p.zone), Zone: p.zone}
	for _, name := range subconscious.Threads() {
		outcome := u.outcomes[name]
		if outcome == "" {
			outcome = aggregator.Thought
		}
		in.Runs = append(in.Runs, aggregator.Run{Thread: name, Outcome: outcome, Level: u.levels[name]})
		if thought := u.thoughts[name]; thought != nil && outcome == aggregator.Thought {
			in.Thoughts = append(in.Thoughts, *thought)
		}
	}
	looked := slices.Clone(in.Runs)
	for _, name := range slices.Sorted(maps.Keys(u.thoughts)) {
		if name != name.Thread() { // rules have seen marks of their own
			in.Thoughts = append(in.Thoughts, *u.thoughts[name])
			looked = append(looked, aggregator.Run{Thread: name, Outcome: aggregator.Thought})
		}
	}
	all := p.evidence(looked)
	in.Incidents, in.Evidence = slices.Collect(maps.Values(p.incidents)), all
	whole, _ := aggregator.Merge(in)
	p.narrow(&in, all)
	p.input = in
	p.state, p.changes = aggregator.Merge(in)
	if got, want := asJSON(p.t, p.state), asJSON(p.t, whole); got != want {
		p.t.Fatalf("with all incidents the merge gave\n%s\nwith those that were looked up\n%s", want, got)
	}
	for _, incident := range p.changes.Incidents {
		p.incidents[incident.Key] = incident
	}
	for name := range p.strengths {
		p.strengths[name] = append(p.strengths[name], p.strength(name))
	}
}

// narrow leaves in the input what a daemon looks up: evidence that is cited or
// held, the incidents that these lead to, and what those have recorded.
func (p *play) narrow(in *aggregator.Input, all []subconscious.Evidence) {
	wanted := map[subconscious.Ref]bool{}
	for _, t := range in.Thoughts {
		for _, f := range t.Findings {
			for _, text := range f.Evidence {
				if c, ok := subconscious.ParseCitation(text); ok {
					wanted[c.Ref] = true
				}
			}
		}
	}
	for _, c := range in.Commands {
		if c.Edit != nil {
			wanted[c.Edit.Ref] = true
		}
	}
	for _, e := range slices.Concat(in.State.Entries, in.State.Parked) {
		for _, h := range e.Evidence {
			wanted[h.Ref] = true
		}
	}
	known := slices.DeleteFunc(slices.Clone(all), func(e subconscious.Evidence) bool { return !wanted[e.Ref] })
	keys, links := aggregator.Lookups(in.State, in.Thoughts, in.Commands, known)
	in.Incidents = nil
	for _, key := range slices.Sorted(maps.Keys(p.incidents)) {
		incident := p.incidents[key]
		if slices.Contains(keys, key) || slices.ContainsFunc(incident.Links, func(link string) bool { return slices.Contains(links, link) }) {
			in.Incidents = append(in.Incidents, incident)
			for ref := range incident.Recorded {
				wanted[ref] = true
			}
		}
	}
	in.Evidence = slices.DeleteFunc(slices.Clone(all), func(e subconscious.Evidence) bool { return !wanted[e.Ref] })
}

// evidence shows every thread all that stands and what is pending for it, and
// takes the pending marks of the healthy ones away.
func (p *play) evidence(runs []aggregator.Run) []subconscious.Evidence {
	var all []subconscious.Evidence
	for _, name := range p.names {
		th := p.known[name]
		if th.latest.Seq == 0 {
			continue
		}
		e := subconscious.Evidence{Ref: th.latest.Ref(), Latest: th.latest, Standing: th.stands,
			Gone: th.latest.Change == subconscious.Gone && !th.left, Occurrences: slices.Clone(th.past)}
		for _, run := range runs {
			if run.Outcome != aggregator.Thought {
				continue
			}
			if th.pending[run.Thread] {
				e.NewTo = append(e.NewTo, run.Thread)
				delete(th.pending, run.Thread)
			}
			if th.stands || slices.Contains(e.NewTo, run.Thread) {
				e.ShownTo = append(e.ShownTo, run.Thread)
			}
		}
		all = append(all, e)
	}
	return all
}

// entry is that of an observation's incident, listed or parked.
func (p *play) entry(name string) (entry subconscious.Entry, parked, ok bool) {
	key := p.key(name)
	for i, entries := range [][]subconscious.Entry{p.state.Entries, p.state.Parked} {
		for _, e := range entries {
			if e.Incident == key {
				return e, i == 1, true
			}
		}
	}
	return entry, false, false
}

// strength is that of an observation's entry as it is written in scenarios.
func (p *play) strength(name string) string {
	switch e, parked, ok := p.entry(name); {
	case !ok:
		return "–"
	case parked:
		return "(" + strconv.Itoa(e.Strength) + ")"
	case e.Over:
		return strconv.Itoa(e.Strength) + "(over)"
	default:
		return strconv.Itoa(e.Strength)
	}
}

func asJSON(t reporter, v any) string { return string(testutil.JSON(t, v)) }
