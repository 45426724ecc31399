package escalate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// deliberated is an input with an observation that was given to a deliberation
// two ticks ago, and how that ended.
func deliberated(kind subconscious.OutcomeKind) escalate.Input {
	in := plainInput()
	in.Rules.Deliberates = true
	out := escalate.Decide(in)
	in.Incidents, in.Asked, in.Tick, in.At = out.Incidents, nil, 9, noon.Add(10*time.Minute)
	outcome := &subconscious.Outcome{Deliberation: "7/i-env-1", Kind: kind, Reason: "It can wait.", Tick: 7, Model: "example/large", Cost: 3}
	if kind == subconscious.OutcomeSnoozed {
		outcome.Until = noon.Add(3 * time.Hour)
	}
	in.Commands = []subconscious.Command{{ID: 1, At: noon.Add(7 * time.Minute), Kind: subconscious.CommandOutcome, Incident: fileKey,
		By: subconscious.ByDeliberation, Outcome: outcome}}
	return in
}

// TestDeliberate: a push of one incident is given to a deliberation, and what is
// told in another way is not.
func TestDeliberate(t *testing.T) {
	in := plainInput()
	given := func() escalate.Decision {
		out := escalate.Decide(in)
		return out.Decisions[slices.IndexFunc(out.Decisions, func(d escalate.Decision) bool { return d.Verdict == escalate.Tell })]
	}
	if d := given(); d.Deliberate || d.Message == nil {
		t.Errorf("without deliberations: %+v", d)
	}
	in.Rules.Deliberates = true
	out := escalate.Decide(in)
	d := given()
	if !d.Deliberate || d.Message == nil || out.Spent.Today != 1 || out.History[0].Outcome != "deliberating" || out.Incidents[0].Telling.Times != 0 || !out.Incidents[0].Telling.Deliberating() {
		t.Errorf("it is told like this: %s", asJSON(out))
	}
	told := telling(&in)
	told.Told = []subconscious.Told{{Tick: 1, At: noon.Add(-9 * time.Hour), Severity: subconscious.Notable}}
	told.Times, told.Remind = 1, noon
	if d := given(); d.Deliberate || d.Again != "reminder" {
		t.Errorf("a reminder: %+v", d)
	}
	told.Told[0].Severity = subconscious.Plain // it is worse besides
	if d := given(); d.Deliberate || d.Again != "worse" {
		t.Errorf("a reminder of what is worse: %+v", d)
	}
}

// TestOutcomes: what each does to the incident's life, and what none does.
func TestOutcomes(t *testing.T) {
	for kind, want := range map[subconscious.OutcomeKind]struct {
		state  subconscious.TellingState
		times  int
		heard  bool
		reason escalate.Reason
	}{
		subconscious.OutcomeTold:       {subconscious.TellingTold, 1, true, ""},
		subconscious.OutcomeActed:      {subconscious.TellingTold, 1, true, ""},
		subconscious.OutcomeProposed:   {subconscious.TellingTold, 1, true, ""},
		subconscious.OutcomeRemembered: {subconscious.TellingAcknowledged, 0, false, escalate.KeptBack},
		subconscious.OutcomeSnoozed:    {subconscious.TellingSnoozed, 0, false, escalate.KeptBack},
		subconscious.OutcomeDismissed:  {subconscious.TellingDismissed, 0, false, escalate.KeptBack},
	} {
		in := deliberated(kind)
		in.Commands[0].Outcome.Cited = []subconscious.Citation{{Ref: "files:abcdefghij", Seq: 5}}
		in.Commands[0].Outcome.Reason = "Pay at https://www.evil.example/x\nnow"
		out := escalate.Decide(in)
		told := out.Incidents[0].Telling
		last, heard := told.Heard()
		if told.State != want.state || told.Times != want.times || heard != want.heard || told.Deliberating() || out.Incidents[0].Closed != nil {
			t.Errorf("%s: %s", kind, asJSON(told))
		}
		if heard && !last.At.Equal(in.Commands[0].At) {
			t.Errorf("%s: told at %s", kind, last.At)
		}
		if len(out.Scores) > 0 || len(out.History) > 0 || out.Spent.Today != 0 || told.Feedback != "" {
			t.Errorf("%s teaches %v, is told as %v, and takes %+v", kind, out.Scores, out.History, out.Spent)
		}
		record := out.Concluded[0]
		if !record.At.Equal(noon) || record.Incident != fileKey || record.Outcome != string(kind) || record.Deliberation != "7/i-env-1" || record.Cost != 3 ||
			!slices.Equal(record.Cited, []string{"files:abcdefghij@5"}) || strings.ContainsAny(record.Reason, "\n") || strings.Contains(record.Reason, "://") || strings.Contains(record.Reason, "evil.example") {
			t.Errorf("%s: %+v", kind, record)
		}
		i := slices.IndexFunc(out.Decisions, func(d escalate.Decision) bool { return d.Reason == escalate.KeptBack })
		if (i >= 0) != (want.reason != "") || i >= 0 && !out.Decisions[i].New {
			t.Errorf("%s: %s", kind, asJSON(out.Decisions))
		}
		again := in
		again.Incidents, again.Tick = out.Incidents, 10
		if repeated := escalate.Decide(again); len(repeated.Concluded) > 0 || !strings.HasPrefix(repeated.Done[1], "nothing to conclude") || repeated.Done[1] == out.Done[1] {
			t.Errorf("%s twice: %s", kind, asJSON(repeated))
		}
	}
}

// TestOutcomesThatChangeNothing: of an unknown incident, of another tick, from
// whoever is no deliberation, or none at all.
func TestOutcomesThatChangeNothing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*subconscious.Command)
		says   string
	}{
		"an unknown incident": {func(c *subconscious.Command) { c.Incident = "mail:z" }, "nothing to conclude: mail:z is not known any more"},
		"no incident":         {func(c *subconscious.Command) { c.Incident = "" }, "nothing to conclude"},
		"an old tick":         {func(c *subconscious.Command) { c.Outcome.Tick = 6 }, "nothing to conclude: no deliberation of tick 6"},
		"by a person":         {func(c *subconscious.Command) { c.By = "person" }, "refused: only a deliberation"},
		"by an agent":         {func(c *subconscious.Command) { c.By = "agent" }, "refused: only a deliberation"},
		"none":                {func(c *subconscious.Command) { c.Outcome = nil }, "refused: only a deliberation"},
		"a kind that is none": {func(c *subconscious.Command) { c.Outcome.Kind = "deliberating" }, "refused: it is no outcome"},
	} {
		in := deliberated(subconscious.OutcomeDismissed)
		c.change(&in.Commands[0])
		out := escalate.Decide(in)
		if len(out.Incidents)+len(out.Concluded)+len(out.Decisions) > 0 || !strings.HasPrefix(out.Done[1], c.says) {
			t.Errorf("%s: %s", name, asJSON(out))
		}
	}
}

// TestPersonReadsWhatWasKeptBack: who answers has read it, and it is theirs from
// then on.
func TestPersonReadsWhatWasKeptBack(t *testing.T) {
	for name, c := range map[string]struct {
		command subconscious.Command
		state   subconscious.TellingState
		heard   bool
		scores  int
	}{
		"ack":              {subconscious.Command{Kind: subconscious.CommandAck, By: "person"}, subconscious.TellingAcknowledged, true, 0},
		"not useful":       {subconscious.Command{Kind: subconscious.CommandAck, Feedback: subconscious.NotUseful, By: "person"}, subconscious.TellingAcknowledged, true, 1},
		"snooze":           {subconscious.Command{Kind: subconscious.CommandSnooze, By: "person"}, subconscious.TellingSnoozed, true, 0},
		"dismiss":          {subconscious.Command{Kind: subconscious.CommandDismiss, By: "person"}, subconscious.TellingDismissed, true, 1},
		"ack of a tool":    {subconscious.Command{Kind: subconscious.CommandAck, By: "tool"}, subconscious.TellingDismissed, false, 0},
		"remind":           {subconscious.Command{Kind: subconscious.CommandRemind, Until: noon.Add(time.Hour), By: "person"}, subconscious.TellingDismissed, false, 0},
		"missed":           {subconscious.Command{Kind: subconscious.CommandAck, Feedback: subconscious.Missed, By: "person"}, subconscious.TellingDismissed, false, 1},
		"nothing whatever": {subconscious.Command{Kind: subconscious.CommandNote, By: "person"}, subconscious.TellingDismissed, false, 0},
	} {
		in := deliberated(subconscious.OutcomeDismissed)
		c.command.ID, c.command.At, c.command.Incident = 2, in.At, fileKey
		in.Commands = append(in.Commands, c.command)
		if c.command.Kind == subconscious.CommandDismiss {
			in.Incidents[0].Closed = &subconscious.Closure{At: in.At, Severity: subconscious.Notable, Standing: true}
		}
		out := escalate.Decide(in)
		told := out.Incidents[0].Telling
		if _, heard := told.Heard(); told.State != c.state || heard != c.heard || len(out.Scores) != c.scores || told.Times != 0 {
			t.Errorf("%s: %s and %d scores", name, asJSON(told), len(out.Scores))
		}
	}
}

// TestAnotherVoiceSpeaks: what one stranger's words had kept back is told when
// another one writes, the person or the machine too, and not when the same does.
func TestAnotherVoiceSpeaks(t *testing.T) {
	mail := func(id, from string, trust subconscious.Trust) subconscious.Evidence {
		o := subconscious.Observation{ID: id, Sense: "mail", Kind: "mail", Change: subconscious.Appeared, Seq: 20, At: noon, Trust: trust,
			Severity: subconscious.Notable, Attrs: map[string]string{"from": from}}
		return subconscious.Evidence{Ref: o.Ref(), Latest: o, Standing: true}
	}
	first := mail("1", "ann@example.com", subconscious.Outsider)
	forged := mail("2", "ann@example.com", subconscious.Outsider)
	forged.Latest.Attrs["forged"] = "true"
	for name, c := range map[string]struct {
		second  subconscious.Evidence
		verdict escalate.Verdict
	}{
		"another":      {mail("2", "bob@example.org", subconscious.Outsider), escalate.Tell},
		"nobody known": {mail("2", "", subconscious.Outsider), escalate.Tell},
		"forged":       {forged, escalate.Tell},
		"an agent":     {mail("2", "bot@example.org", subconscious.Agent), escalate.Tell},
		"the same":     {mail("2", "Ann@example.com", subconscious.Outsider), escalate.Drop},
		"the person":   {mail("2", "", subconscious.Owner), escalate.Tell},
		"the machine":  {mail("2", "", subconscious.Machine), escalate.Tell},
		"the old one":  {first, escalate.Drop},
	} {
		in := plainInput()
		in.Rules.Deliberates = true
		cite := func(evidence ...subconscious.Evidence) {
			in.Evidence, in.Asked[0].Evidence, in.Incidents[0].Recorded = evidence, nil, map[subconscious.Ref][]int64{}
			for _, e := range evidence {
				in.Asked[0].Evidence = append(in.Asked[0].Evidence, subconscious.Citation{Ref: e.Ref, Seq: e.Latest.Seq})
				in.Incidents[0].Recorded[e.Ref] = []int64{e.Latest.Seq}
			}
		}
		cite(first)
		in.Incidents[0].Telling = escalate.Decide(in).Incidents[0].Telling
		in.Tick, in.At, in.Commands = 9, noon.Add(10*time.Minute), deliberated(subconscious.OutcomeDismissed).Commands
		if c.second.Ref == first.Ref {
			cite(first)
		} else {
			cite(first, c.second)
		}
		out := escalate.Decide(in)
		i := slices.IndexFunc(out.Decisions, func(d escalate.Decision) bool { return d.Reason != escalate.KeptBack })
		if i < 0 || out.Decisions[i].Verdict != c.verdict {
			t.Errorf("%s: %s", name, asJSON(out.Decisions))
		}
	}
}
