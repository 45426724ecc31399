package escalate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// shuffled is the same input in another order.
func shuffled(t *rapid.T, in escalate.Input) escalate.Input {
	in.Asked = rapid.Permutation(in.Asked).Draw(t, "asked")
	in.Incidents = rapid.Permutation(in.Incidents).Draw(t, "incidents")
	in.Evidence = rapid.Permutation(in.Evidence).Draw(t, "evidence")
	in.Scores = rapid.Permutation(in.Scores).Draw(t, "scores")
	in.Commands = rapid.Permutation(in.Commands).Draw(t, "commands")
	in.Notices = rapid.Permutation(in.Notices).Draw(t, "notices")
	return in
}

// ends checks that nothing vanishes: every request asked has a decision with a
// reason, and what waited and is not told or dropped waits on.
func ends(t interface{ Errorf(string, ...any) }, in escalate.Input, out escalate.Decided) {
	asked := map[subconscious.IncidentKey]int{}
	for _, a := range in.Asked {
		asked[a.Incident]++
	}
	for _, incident := range in.Incidents {
		if incident.Telling != nil && incident.Telling.Waits {
			asked[incident.Key] += 0
		}
	}
	for key, wanted := range asked {
		var decided []escalate.Decision
		for _, d := range out.Decisions {
			if d.Incident == key {
				decided = append(decided, d)
			}
		}
		if len(decided) < max(wanted, 1) {
			t.Errorf("%s was asked %d times and has %d decisions", key, wanted, len(decided))
		}
		for _, d := range decided {
			if d.Reason == "" || d.Verdict == "" || d.Detail == "" {
				t.Errorf("a decision without a reason: %+v", d)
			}
		}
	}
	for _, incident := range out.Incidents {
		if t2 := incident.Telling; t2.Waits != slices.ContainsFunc(out.Decisions, func(d escalate.Decision) bool {
			return d.Incident == incident.Key && d.Verdict == escalate.Hold && d.Reason != escalate.KeptBack
		}) {
			t.Errorf("%s waits %t, which its decisions do not say", t2.ID, t2.Waits)
		}
	}
}

// TestPromises draws days of what happens, requests, answers and
// distractions, and holds every tick against what the gate promises.
func TestPromises(t *testing.T) { rapid.Check(t, promises) }

func promises(t *rapid.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}
	at := time.Date(2026, 3, 28, 0, 0, 0, 0, zone(t, rapid.SampledFrom(zones).Draw(t, "zone")))
	p := newPlay(t, at.Add(time.Duration(rapid.IntRange(0, 24).Draw(t, "start"))*time.Hour))
	p.rules.Digest.Weekly = rapid.SampledFrom([]string{"", "sun 18:00"}).Draw(t, "weekly")
	p.rules.NotificationsPerDay = rapid.IntRange(0, 14).Draw(t, "cap")
	p.rules.EscalationsPerHour = rapid.IntRange(0, 4).Draw(t, "hour")
	names, kinds := []string{"a", "b", "c", "d"}, []string{"disk", "unit", "event", "file"}
	for i, name := range names {
		p.observe(name, kinds[i])
	}
	p.rules.Deliberates = rapid.Bool().Draw(t, "deliberates")
	daily, ids := map[time.Time]int{}, map[subconscious.IncidentID]subconscious.IncidentKey{}
	for range rapid.IntRange(1, 40).Draw(t, "ticks") {
		p.at = p.at.Add(time.Duration(rapid.SampledFrom([]int{5, 5, 5, 60, 400}).Draw(t, "minutes")) * time.Minute)
		p.presence.State = rapid.SampledFrom([]subconscious.PresenceState{subconscious.PresenceIdle, subconscious.PresenceBusy, subconscious.PresenceEngaged}).Draw(t, "presence")
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			somethingHappens(t, p, rapid.SampledFrom(names).Draw(t, "name"))
		}
		in := p.input()
		in.Tick = p.tick + 1
		before := asJSON(in)
		other := asJSON(escalate.Decide(shuffled(t, in)))
		out := p.decide()
		if asJSON(out) != other {
			t.Fatalf("another order gave another outcome:\n%s\nand\n%s", asJSON(out), other)
		}
		if asJSON(in) != before {
			t.Fatalf("the input was changed")
		}
		var recorded escalate.Input
		if err := json.Unmarshal([]byte(before), &recorded); err != nil {
			t.Fatal(err)
		}
		recorded.At = recorded.At.In(in.At.Location())
		if replayed := asJSON(escalate.Decide(recorded)); replayed != other {
			t.Fatalf("the record gave another outcome: %s", cmp.Diff(replayed, other))
		}
		checkPushes(t, p, out)
		ends(t, p.last, out)
		checkDeliberations(t, p, out)
		for _, d := range out.Digests {
			if !d.Weekly {
				if daily[d.Due]++; daily[d.Due] > 1 {
					t.Errorf("two digests for %s", d.Due)
				}
			}
		}
		for _, incident := range out.Incidents {
			if key, known := ids[incident.Telling.ID]; known && key != incident.Key {
				t.Errorf("%s is both %s and %s", incident.Telling.ID, key, incident.Key)
			}
			ids[incident.Telling.ID] = incident.Key
			if len(incident.Telling.Told) > 8 {
				t.Errorf("%d times of telling are kept", len(incident.Telling.Told))
			}
		}
	}
}

func somethingHappens(t *rapid.T, p *play, name string) {
	changes := []subconscious.Change{subconscious.Appeared, subconscious.Changed, subconscious.Gone, subconscious.Momentary}
	key := p.key(name)
	switch rapid.IntRange(0, 11).Draw(t, "what") {
	case 0, 1, 2, 3:
		p.happen(name, rapid.SampledFrom(changes).Draw(t, "change"), subconscious.Severity(rapid.IntRange(0, 3).Draw(t, "severity")))
		fallthrough
	case 4, 5:
		if rapid.IntRange(0, 5).Draw(t, "form") == 0 {
			key = subconscious.PatternKey(key)
		}
		asked := subconscious.Asked{
			Thread: rapid.SampledFrom(subconscious.Threads()).Draw(t, "thread"), Kind: rapid.SampledFrom(subconscious.Kinds()).Draw(t, "kind"),
			Importance: rapid.IntRange(1, 10).Draw(t, "importance"), Summary: rapid.SampledFrom([]string{"one thing", "Invoice 4711 https://evil.example/pay", ""}).Draw(t, "words"),
		}
		if rapid.Bool().Draw(t, "dated") {
			asked.Due = p.at.Add(time.Duration(rapid.IntRange(-100, 3000).Draw(t, "due")) * time.Minute)
		}
		p.ask(key, asked, name)
	case 6:
		p.command(subconscious.Command{Kind: subconscious.CommandAck, Incident: key,
			Feedback: rapid.SampledFrom([]subconscious.Feedback{"", subconscious.Useful, subconscious.NotUseful, "nonsense"}).Draw(t, "word")})
	case 7:
		p.command(subconscious.Command{Kind: subconscious.CommandSnooze, Incident: key})
	case 8:
		if _, known := p.incidents[key]; known {
			p.command(subconscious.Command{Kind: subconscious.CommandRemind, Incident: key, Until: p.at.Add(2 * time.Hour)})
		}
	case 9:
		if _, known := p.incidents[key]; known {
			p.command(subconscious.Command{Kind: subconscious.CommandDismiss, Incident: key})
		}
	case 10, 11:
		for tick := max(1, p.tick-5); tick <= p.tick; tick++ {
			if under := p.deliberations[tick]; len(under) > 0 {
				key = rapid.SampledFrom(under).Draw(t, "under way")
				kind, until := rapid.SampledFrom(subconscious.OutcomeKinds()).Draw(t, "outcome"), time.Time{}
				if kind == subconscious.OutcomeSnoozed {
					until = p.at.Add(time.Duration(rapid.IntRange(-100, 20000).Draw(t, "until")) * time.Minute)
				}
				p.outcome(key, tick, kind, until)
				return
			}
		}
	}
}

// checkDeliberations checks what deliberations make of what is told: what is
// given to one is no reminder, one at a time is under way for what waits, and
// what was told is counted, and nothing else.
func checkDeliberations(t interface{ Errorf(string, ...any) }, p *play, out escalate.Decided) {
	for _, d := range out.Decisions {
		if d.Deliberate && (!p.rules.Deliberates || d.Verdict != escalate.Tell || d.Message == nil || d.Again == "reminder") {
			t.Errorf("it is given to a deliberation: %s", asJSON(d))
		}
		switch {
		case d.Message != nil && !d.Deliberate, d.Verdict == escalate.Tell && d.Reason == escalate.Digest:
			p.told[d.Incident]++
		}
	}
	for _, c := range p.last.Commands {
		if done := out.Done[c.ID]; c.Kind == subconscious.CommandOutcome && c.Outcome.Kind.Tells() && !strings.HasPrefix(done, "nothing") {
			p.told[c.Incident]++
		}
	}
	for _, incident := range out.Incidents {
		told := incident.Telling
		if told.Times != p.told[incident.Key] {
			t.Errorf("%s was told %d times, and %d are counted: %s", told.ID, p.told[incident.Key], told.Times, asJSON(told))
		}
		if _, heard := told.Heard(); !heard && told.Feedback == subconscious.Ignored {
			t.Errorf("%s is ignored, and nobody was told: %s", told.ID, asJSON(told))
		}
	}
}

// TestKeptBackSpeaksWhenWorse: however deliberations end, and whatever else
// happens, but for what the person says, what gets worse is told or waits.
func TestKeptBackSpeaksWhenWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlay(t, noon)
		p.rules.Deliberates = true
		p.observe("unit", "unit")
		key := p.key("unit")
		severity := subconscious.Plain
		p.happen("unit", subconscious.Appeared, severity)
		ask := func() {
			p.ask(key, subconscious.Asked{Thread: subconscious.Watcher, Kind: subconscious.KindAnomaly, Importance: 8, Summary: "it failed"}, "unit")
		}
		for range rapid.IntRange(1, 20).Draw(t, "ticks") {
			p.at = p.at.Add(time.Duration(rapid.SampledFrom([]int{5, 60, 700}).Draw(t, "minutes")) * time.Minute)
			if rapid.Bool().Draw(t, "asks") {
				ask()
			}
			for _, tick := range slices.Sorted(maps.Keys(p.deliberations)) {
				under := p.deliberations[tick]
				if len(under) > 0 && rapid.Bool().Draw(t, "ends") {
					kind, until := rapid.SampledFrom([]subconscious.OutcomeKind{subconscious.OutcomeDismissed, subconscious.OutcomeRemembered, subconscious.OutcomeSnoozed}).Draw(t, "outcome"), time.Time{}
					if kind == subconscious.OutcomeSnoozed {
						until = p.at.Add(time.Hour)
					}
					p.outcome(key, tick, kind, until)
				}
			}
			p.decide()
			if severity < subconscious.Critical && rapid.IntRange(0, 3).Draw(t, "worse") == 0 {
				severity++
				p.at = p.at.Add(5 * time.Minute)
				p.happen("unit", subconscious.Changed, severity)
				ask()
				p.decide()
				last := p.incidents[key].Telling.Told
				waits := p.incidents[key].Telling.Waits
				if told := len(last) > 0 && last[len(last)-1].Severity >= severity; !told && !waits {
					t.Fatalf("it got worse, and nobody is told: %s", asJSON(p.incidents[key].Telling))
				}
			}
		}
	})
}

// TestToldOnce: what stands and does not change is told once, however often, by
// whomever, in whatever words and order it is asked for.
func TestToldOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlay(t, noon)
		p.rules.Quiet, p.rules.EscalationsPerHour, p.rules.NotificationsPerDay = escalate.Hours{}, 1000, 1000
		for i := range 3 {
			name := fmt.Sprintf("disk%d", i)
			p.observe(name, "disk")
			p.happen(name, subconscious.Appeared, subconscious.Warning)
		}
		told := map[subconscious.IncidentKey]int{}
		for range rapid.IntRange(1, 30).Draw(t, "ticks") {
			p.at = p.at.Add(time.Duration(rapid.IntRange(5, 100).Draw(t, "minutes")) * time.Minute)
			for range rapid.IntRange(0, 4).Draw(t, "requests") {
				name := fmt.Sprintf("disk%d", rapid.IntRange(0, 2).Draw(t, "disk"))
				key, kind := p.key(name), rapid.SampledFrom(subconscious.Kinds()).Draw(t, "kind")
				if kind == subconscious.KindPattern && len(p.incidents[key].Recorded) > 0 && told[key] > 0 {
					key = subconscious.PatternKey(key)
				}
				p.ask(key, subconscious.Asked{
					Thread: rapid.SampledFrom(subconscious.Threads()).Draw(t, "thread"), Kind: kind,
					Importance: rapid.IntRange(6, 10).Draw(t, "importance"), Summary: rapid.StringMatching(`[a-z ]{0,40}`).Draw(t, "words"),
				}, name)
			}
			for _, d := range p.decide().Decisions {
				if d.Verdict == escalate.Tell {
					if told[d.Incident]++; told[d.Incident] > 1 || d.Incident.IsPattern() {
						t.Fatalf("%s was told %d times: %s", d.Incident, told[d.Incident], asJSON(d))
					}
				}
			}
		}
	})
}
