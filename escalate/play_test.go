package escalate_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reporter is what a play needs of a test.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// play stands for the daemon around the gate: it keeps observations, incidents,
// scores and what was spent, as the merge and the store would.
type play struct {
	t         reporter
	at        time.Time
	tick      int64
	seq       int64
	rules     escalate.Rules
	known     map[string]*subconscious.Evidence
	incidents map[subconscious.IncidentKey]subconscious.Incident
	scores    map[subconscious.Sort]subconscious.Score
	presence  subconscious.Presence
	daily     time.Time
	weekly    time.Time
	pushes    []time.Time // but for digests
	digests   []time.Time
	urgent    []time.Time // those of pushes that were
	strangers map[time.Time][]string
	noticed   []time.Time
	notices   []escalate.Notice

	asked    []subconscious.Request
	commands []subconscious.Command
	commandN int64
	last     escalate.Input
	// state has the history; deliberations are under way, by tick.
	state         subconscious.State
	deliberations map[int64][]subconscious.IncidentKey
	told          map[subconscious.IncidentKey]int // how often, as a test counts it
}

func newPlay(t reporter, at time.Time) *play {
	return &play{
		t: t, at: at, rules: escalate.DefaultRules(), known: map[string]*subconscious.Evidence{},
		incidents: map[subconscious.IncidentKey]subconscious.Incident{}, scores: map[subconscious.Sort]subconscious.Score{},
		strangers: map[time.Time][]string{}, deliberations: map[int64][]subconscious.IncidentKey{}, told: map[subconscious.IncidentKey]int{},
	}
}

// senseOf is where observations of a kind come from.
func senseOf(kind string) string {
	switch kind {
	case "event":
		return "calendar"
	case "promise", "note":
		return "notes"
	case "file":
		return "files"
	case "mail":
		return "mail"
	}
	return "health"
}

func (p *play) observe(name, kind string) *subconscious.Evidence {
	o := subconscious.Observation{ID: kind + ":" + name, Sense: senseOf(kind), Kind: kind, Title: name, Trust: subconscious.Owner, Attrs: map[string]string{}}
	e := &subconscious.Evidence{Ref: o.Ref(), Latest: o}
	p.known[name] = e
	return e
}

func (p *play) happen(name string, change subconscious.Change, severity subconscious.Severity) {
	e, known := p.known[name]
	if !known {
		p.t.Fatalf("there is no observation %q", name)
	}
	p.seq++
	o := e.Latest
	o.Attrs = maps.Clone(o.Attrs)
	o.Seq, o.At, o.Change = p.seq, p.at, change
	if change != subconscious.Gone {
		o.Severity = severity
	}
	next := *e
	next.Latest = o
	next.Standing, next.Gone = o.Stands(), change == subconscious.Gone
	next.Occurrences = append(slices.Clone(e.Occurrences), subconscious.Occurrence{Seq: o.Seq, At: o.At, Change: change, Severity: o.Severity})
	p.known[name] = &next
}

func (p *play) key(name string) subconscious.IncidentKey {
	e, known := p.known[name]
	if !known {
		p.t.Fatalf("there is no observation %q", name)
	}
	return e.Latest.Key()
}

// ask asks that the person be told, as the merge hands it on: what is cited is
// counted on the incident, and a closing that it shows to be past is lifted.
func (p *play) ask(key subconscious.IncidentKey, asked subconscious.Asked, cites ...string) {
	asked.Tick, asked.At = p.tick+1, p.at
	incident := p.incidents[key]
	incident.Key = key
	incident.Recorded = maps.Clone(incident.Recorded)
	if incident.Recorded == nil {
		incident.Recorded = map[subconscious.Ref][]int64{}
	}
	for _, name := range cites {
		e, known := p.known[name]
		if !known {
			asked.Evidence = append(asked.Evidence, subconscious.Citation{Ref: subconscious.NewRef("health", name), Seq: 1})
			continue
		}
		asked.Evidence = append(asked.Evidence, subconscious.Citation{Ref: e.Ref, Seq: e.Latest.Seq})
		asked.Source = asked.Evidence[0].Ref.Sense()
		if seqs := incident.Recorded[e.Ref]; !slices.Contains(seqs, e.Latest.Seq) {
			incident.Recorded[e.Ref] = append(slices.Clone(seqs), e.Latest.Seq)
			incident.Changes++
		}
		if c := incident.Closed; c != nil && (!c.Forever || e.Latest.Severity >= subconscious.Critical) && e.Standing && (e.Latest.Severity > c.Severity || wentAway(e, c.At)) {
			incident.Closed = nil
		}
	}
	incident.Summary = asked.Summary
	p.incidents[key] = incident
	p.asked = append(p.asked, subconscious.Request{Incident: key, Asked: asked})
}

// wentAway reports whether an observation has gone since, and come back.
func wentAway(e *subconscious.Evidence, since time.Time) bool {
	return slices.ContainsFunc(e.Occurrences, func(o subconscious.Occurrence) bool {
		return o.Change == subconscious.Gone && o.At.After(since)
	})
}

func (p *play) command(c subconscious.Command) {
	p.commandN++
	c.ID, c.At = p.commandN, p.at
	if c.By == "" {
		c.By = "person"
	}
	if c.Kind == subconscious.CommandDismiss || c.Kind == subconscious.CommandClose {
		incident := p.incidents[c.Incident]
		highest := subconscious.Plain
		for ref := range incident.Recorded {
			for _, e := range p.known {
				if e.Ref == ref && e.Standing {
					highest = max(highest, e.Latest.Severity)
				}
			}
		}
		incident.Key = c.Incident
		incident.Closed = &subconscious.Closure{At: p.at, Severity: highest, Standing: true, Forever: c.Forever}
		p.incidents[c.Incident] = incident
	}
	p.commands = append(p.commands, c)
}

// outcome ends the deliberation of a tick on an incident, as its worker would:
// what is kept back gives its push back.
func (p *play) outcome(key subconscious.IncidentKey, tick int64, kind subconscious.OutcomeKind, until time.Time) {
	p.command(subconscious.Command{Kind: subconscious.CommandOutcome, Incident: key, By: subconscious.ByDeliberation, Outcome: &subconscious.Outcome{
		Deliberation: "d-1", Kind: kind, Reason: "It can wait.", Until: until, Tick: tick, Model: "example/large", Cost: 12_000_000,
		Cited: []subconscious.Citation{{Ref: "health:abcdefghij", Seq: 1}},
	}})
	under := p.deliberations[tick]
	i := slices.Index(under, key)
	if i < 0 {
		return
	}
	p.deliberations[tick] = slices.Delete(under, i, i+1)
	if t := p.incidents[key].Telling; kind.KeepsBack() && t != nil {
		for _, told := range t.Told {
			if j := slices.IndexFunc(p.pushes, told.At.Equal); told.Tick == tick && j >= 0 {
				p.pushes = slices.Delete(p.pushes, j, j+1)
				if k := slices.IndexFunc(p.urgent, told.At.Equal); k >= 0 {
					p.urgent = slices.Delete(p.urgent, k, k+1)
				}
			}
		}
	}
}

func (p *play) input() escalate.Input {
	in := escalate.Input{
		At: p.at, Tick: p.tick, Rules: p.rules, Asked: p.asked, Commands: p.commands, Presence: p.presence, Notices: p.notices,
		Kind: subconscious.Scheduled, Spent: escalate.Spent{Daily: p.daily, Weekly: p.weekly},
	}
	wanted := escalate.Lookups(p.asked, p.commands)
	for _, key := range slices.Sorted(maps.Keys(p.incidents)) {
		if _, meant := slices.BinarySearch(wanted, key); meant || lives(p.incidents[key].Telling) {
			in.Incidents = append(in.Incidents, p.incidents[key])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.known)) {
		if p.known[name].Latest.Seq > 0 {
			in.Evidence = append(in.Evidence, *p.known[name])
		}
	}
	for _, score := range p.scores {
		in.Scores = append(in.Scores, score)
	}
	for _, push := range p.pushes {
		if push.Format(time.DateOnly) == p.at.Format(time.DateOnly) {
			in.Spent.Today++
		}
		if p.at.Sub(push) < time.Hour {
			in.Spent.Opens = cmp.Or(in.Spent.Opens, push.Add(time.Hour))
			in.Spent.LastHour++
		}
	}
	for _, push := range p.digests {
		if push.Format(time.DateOnly) == p.at.Format(time.DateOnly) {
			in.Spent.Today++
		}
	}
	for _, push := range p.urgent {
		if push.Format(time.DateOnly) == p.at.Format(time.DateOnly) {
			in.Spent.UrgentToday++
		}
		if p.at.Sub(push) < time.Hour {
			in.Spent.UrgentLastHour++
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(p.strangers), time.Time.Compare) {
		if at.Format(time.DateOnly) == p.at.Format(time.DateOnly) {
			in.Spent.Strangers = append(in.Spent.Strangers, p.strangers[at]...)
		}
	}
	for _, push := range p.noticed {
		if push.Format(time.DateOnly) == p.at.Format(time.DateOnly) {
			in.Spent.Notices++
		}
	}
	return in
}

// lives reports whether an incident is looked up though nobody asks for it.
func lives(t *subconscious.Telling) bool {
	return t != nil && (t.Waits || !t.Remind.IsZero() || t.State == subconscious.TellingTold || t.State == subconscious.TellingAcknowledged)
}

// forget drops what does not wait, and the observations that it is of.
func (p *play) forget() {
	for name, e := range p.known {
		if incident := p.incidents[e.Latest.Key()]; incident.Telling == nil || !incident.Telling.Waits {
			delete(p.incidents, incident.Key)
			delete(p.known, name)
		}
	}
	p.pushes, p.urgent = p.pushes[max(0, len(p.pushes)-200):], p.urgent[max(0, len(p.urgent)-200):]
}

// decide runs one tick, and keeps what came of it.
func (p *play) decide() escalate.Decided {
	p.tick++
	p.last = p.input()
	out := escalate.Decide(p.last)
	for _, incident := range out.Incidents {
		p.incidents[incident.Key] = incident
	}
	for _, score := range out.Scores {
		p.scores[subconscious.Sort{Thread: score.Thread, Source: score.Source, Kind: score.Kind}] = score
	}
	for _, d := range out.Decisions {
		if d.Message != nil {
			p.pushes = append(p.pushes, p.at)
			if d.Urgent {
				p.urgent = append(p.urgent, p.at)
			}
			if d.Stranger != "" {
				p.strangers[p.at] = append(p.strangers[p.at], d.Stranger)
			}
		}
		if d.Deliberate {
			p.deliberations[p.tick] = append(p.deliberations[p.tick], d.Incident)
		}
	}
	p.state = escalate.Remember(p.state, out)
	for range out.Digests {
		p.digests = append(p.digests, p.at)
	}
	if out.Notices != nil {
		p.noticed = append(p.noticed, p.at)
		p.notices = slices.DeleteFunc(p.notices, func(n escalate.Notice) bool { return slices.Contains(out.Notices.Notices, n) })
	}
	p.daily, p.weekly = out.Spent.Daily, out.Spent.Weekly
	p.asked, p.commands = nil, nil
	return out
}

// asJSON is a value as bytes; times that JSON cannot hold make it an error,
// which is as good a value to compare.
func asJSON(v any) string {
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func zone(t reporter, name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return z
}
