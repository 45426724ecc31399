package escalate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestAnotherVoiceMeanwhile: what another one writes while a deliberation is under
// way waits for its end, and is told then where that kept the first back.
func TestAnotherVoiceMeanwhile(t *testing.T) {
	mail := func(id, from string) subconscious.Evidence {
		o := subconscious.Observation{ID: id, Sense: "mail", Kind: "mail", Change: subconscious.Appeared, Seq: 20, At: noon, Trust: subconscious.Outsider,
			Severity: subconscious.Notable, Attrs: map[string]string{"from": from}}
		return subconscious.Evidence{Ref: o.Ref(), Latest: o, Standing: true}
	}
	first, second, same := mail("1", "ann@example.com"), mail("2", "bob@example.org"), mail("2", "ann@example.com")
	for name, c := range map[string]struct {
		then      subconscious.Evidence
		outcome   subconscious.OutcomeKind
		meanwhile escalate.Verdict
		told      bool // of the second, in the end
	}{
		"dismissed":           {second, subconscious.OutcomeDismissed, escalate.Hold, true},
		"remembered":          {second, subconscious.OutcomeRemembered, escalate.Hold, true},
		"told":                {second, subconscious.OutcomeTold, escalate.Hold, false},
		"dismissed, the same": {same, subconscious.OutcomeDismissed, escalate.Drop, false},
	} {
		in := plainInput()
		in.Rules.Deliberates = true
		see := func(evidence ...subconscious.Evidence) {
			in.Evidence, in.Incidents[0].Recorded = evidence, map[subconscious.Ref][]int64{}
			for _, e := range evidence {
				in.Incidents[0].Recorded[e.Ref] = []int64{e.Latest.Seq}
			}
		}
		cite := func(e subconscious.Evidence) {
			in.Asked[0].Evidence = []subconscious.Citation{{Ref: e.Ref, Seq: e.Latest.Seq}}
		}
		step := func(after time.Duration) escalate.Decided {
			in.Tick, in.At = in.Tick+1, in.At.Add(after)
			out := escalate.Decide(in)
			if i := slices.IndexFunc(out.Incidents, func(x subconscious.Incident) bool { return x.Key == in.Incidents[0].Key }); i >= 0 {
				in.Incidents[0].Telling = out.Incidents[i].Telling
			}
			return out
		}
		see(first)
		cite(first)
		in.At = in.At.Add(-5 * time.Minute)
		given := step(5 * time.Minute)
		if len(given.Decisions) != 1 || !given.Decisions[0].Deliberate {
			t.Fatalf("%s: %s", name, asJSON(given.Decisions))
		}
		tick := in.Tick
		see(first, c.then)
		cite(c.then)
		in.Asked[0].Tick, in.Asked[0].At = in.Tick+1, in.At.Add(5*time.Minute)
		if out := step(5 * time.Minute); len(out.Decisions) != 1 || out.Decisions[0].Verdict != c.meanwhile {
			t.Errorf("%s: meanwhile %s", name, asJSON(out.Decisions))
		}
		in.Asked, in.Commands = nil, deliberated(c.outcome).Commands
		in.Commands[0].Outcome.Tick, in.Commands[0].At = tick, in.At
		step(5 * time.Minute)
		in.Commands = nil
		told := in.Incidents[0].Telling.Told[len(in.Incidents[0].Telling.Told)-1].Tick != tick
		if !told {
			out := step(time.Hour)
			told = slices.ContainsFunc(out.Decisions, func(d escalate.Decision) bool { return d.Verdict == escalate.Tell && d.Deliberate })
		}
		if told != c.told {
			t.Errorf("%s: in the end it was told: %v, want %v: %s", name, told, c.told, asJSON(in.Incidents[0].Telling))
		}
	}
}
