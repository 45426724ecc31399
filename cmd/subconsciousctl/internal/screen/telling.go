package screen

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxSteps is how many steps are shown unless all are asked for.
const maxSteps = 20

func most(all bool) int {
	if all {
		return math.MaxInt
	}
	return maxSteps
}

// awaited reports whether the person will hear of an incident by itself.
func awaited(i api.InboxIncident) bool {
	return i.Waits || i.Deliberating || i.State == subconscious.TellingSnoozed || !i.Remind.IsZero()
}

// putOff reports whether a deliberation, and not the person, put off that the
// person is told.
func putOff(i api.InboxIncident) bool {
	return i.State == subconscious.TellingSnoozed && i.Outcome == subconscious.OutcomeSnoozed
}

// missed leaves all but a few candidates out.
func missed(_ View, t api.Trace) any {
	const most = 4
	t.Candidates = t.Candidates[:min(most, len(t.Candidates))]
	return t
}

// news is what a text does not say already.
func news(text, more any) string {
	if said := show(more); strings.Contains(string(show(text)), strings.TrimPrefix(string(said), string(kept))) {
		return ""
	}
	return clean(string(show(more)))
}

// standing reports whether anything that an entry rests on still stands.
func standing(e subconscious.Entry) bool {
	return slices.ContainsFunc(e.Evidence, func(held subconscious.Held) bool { return held.Standing })
}

// firstAsked is the step at which a model was asked when it first noticed.
func firstAsked(steps []api.Step) *api.Step {
	if i := slices.IndexFunc(steps, func(s api.Step) bool { return s.Asked != nil }); i >= 0 {
		return &steps[i]
	}
	return nil
}

// ruleWords says by what it was noticed: a rule, or a model.
func ruleWords(rule string) string {
	if strings.HasPrefix(rule, "model ") {
		return rule
	}
	return "rule " + rule
}

// run is one step, or several alike that followed each other.
type run struct {
	First, Last api.Step
	Ticks       int
}

// runs joins steps in which nothing but time passed.
func runs(steps []api.Step) []run {
	var joined []run
	for _, s := range steps {
		if n := len(joined); n > 0 && alike(joined[n-1].Last, s) {
			joined[n-1].Last = s
			joined[n-1].Ticks++
			continue
		}
		joined = append(joined, run{First: s, Last: s, Ticks: 1})
	}
	return joined
}

func alike(a, b api.Step) bool {
	return a.Change.What == b.Change.What && a.Change.From == a.Change.To && b.Change.From == b.Change.To &&
		a.Change.To == b.Change.To && a.Change.List == b.Change.List && a.Change.Why == b.Change.Why && a.Thread == b.Thread && a.Rule == b.Rule
}

// ofTelling is the life of an incident with the person as the inbox shows it.
func ofTelling(t subconscious.Telling) api.InboxIncident {
	i := api.InboxIncident{ID: t.ID, State: t.State, Waits: t.Waits, Held: t.Held, Until: t.Until, Times: t.Times, Feedback: t.Feedback,
		Remind: t.Remind, Deliberating: t.Deliberating()}
	if last, heard := t.Heard(); heard {
		i.Told = last.At
	}
	if n := len(t.Told); n > 0 && !i.Deliberating {
		i.Outcome = t.Told[n-1].Outcome
	}
	return i
}

// Shown says how much of an explanation is wanted.
type Shown struct {
	All     bool // leave out no step, no decision and no delivery
	Prompts bool // and show what models were shown and wrote, in full
}

// incident finds the rule of the last request, and marks what was given to a
// deliberation.
func incident(_ View, e api.IncidentExplanation) any {
	rule := ""
	if n := len(e.Decisions); n > 0 {
		rule = e.Decisions[n-1].Rule
	}
	if t := e.Record.Telling; t != nil && t.Asked.Rule != "" {
		rule = t.Asked.Rule
	}
	e.Decisions = givenTo(e.Deliberations, e.Decisions)
	return struct {
		api.IncidentExplanation
		Rule string // of the last request
	}{e, rule}
}

const verdictTell = "tell"

// givenTo are decisions, those marked that were given to one of the
// deliberations; a record of an older version does not say so by itself.
func givenTo(deliberations []api.Deliberation, decisions []api.Decision) []api.Decision {
	decisions = slices.Clone(decisions)
	for i, d := range decisions {
		decisions[i].Deliberate = d.Deliberate || d.Verdict == verdictTell && slices.ContainsFunc(deliberations, func(of api.Deliberation) bool {
			return of.Tick > 0 && of.Tick == d.Tick
		})
	}
	return decisions
}

// verdict is that of the gate; what is given to a deliberation is not told by
// that.
func verdict(d api.Decision) string {
	if d.Verdict == verdictTell && d.Deliberate {
		return "given"
	}
	return string(d.Verdict)
}

// heldUntil reports whether it is to be said until when something is held, as
// its words do not.
func (p *page) heldUntil(d api.Decision) bool {
	return d.Verdict == "hold" && !d.Until.IsZero() && !strings.Contains(d.Detail, d.Until.In(p.Zone).Format("15:04"))
}

func hasPrompts(all []api.Deliberation) bool {
	return slices.ContainsFunc(all, func(d api.Deliberation) bool { return d.Prompt.System+d.Prompt.User != "" || len(d.Rounds) > 0 })
}

// callProblem is why a tool that the policy let through failed.
func callProblem(c api.DeliberationCall) string {
	problem, failed := strings.CutPrefix(clean(c.Result), "error: ")
	if !failed || c.Judgement != nil && c.Judgement.Permission != "allowed" {
		return ""
	}
	return problem
}

// callMark is the sign of a call: that it failed, or what the policy said.
func callMark(c api.DeliberationCall) markup {
	switch {
	case strings.HasPrefix(clean(c.Result), "error: ") && (c.Judgement == nil || c.Judgement.Permission == "allowed"):
		return in(yellow, "✗")
	case c.Judgement != nil:
		return mark("permission", c.Judgement.Permission)
	}
	return "·"
}

// verbatim writes a text line by line under a title, not wrapped, so that it can
// be read as the model reads it.
func verbatim(deep int, title, text string) markup {
	indent := markup("\n" + strings.Repeat(" ", deep))
	all := indent + in(bold, title)
	for _, line := range lines(text) {
		all += indent + in(dim, "|") + " " + asIs + line
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return all + "\n"
}

// elapsed is how long something took, to a second.
func elapsed(from, to time.Time) string { return to.Sub(from).Round(time.Second).String() }
