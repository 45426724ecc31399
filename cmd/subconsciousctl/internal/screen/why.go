package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	maxSteps     = 20 // shown unless all are asked for
	maxTextLines = 4
)

// Why tells how an entry came to be what it is: what was seen, who noticed, what
// happened tick by tick, and what it waits for. With all, no step is left out.
func Why(view View, e api.Explanation, all bool) string {
	p := newPage(view)
	p.wrapped("", bold, clean(e.Entry.Summary))
	p.wrapped("  ", dim, strings.Join([]string{clean(string(e.Entry.ID)), clean(string(e.Entry.Kind)), placeWords(e)}, " · "))
	p.wrapped("  "+bar(e.Entry.Strength)+"  ", plain, fmt.Sprintf("strength %d of 10, importance %d of 10", e.Entry.Strength, e.Entry.Importance))
	if !e.Entry.Due.IsZero() {
		p.line("  due ", p.when(e.Entry.Due))
	}
	p.seen(e.Observations)
	p.noticed(e)
	p.happened(e.Steps, all)
	p.telling(e.Incident.Telling)
	p.heading("What it waits for")
	for _, words := range p.outlook(e) {
		p.wrapped("  ", plain, words)
	}
	return p.String()
}

// placeWords says where an entry is now.
func placeWords(e api.Explanation) string {
	title := strings.ToLower(listTitle(e.Entry.List))
	switch e.Place {
	case "listed":
		return "listed under " + title
	case "parked":
		return "parked, for want of room under " + title
	default:
		return clean(e.Place) + ", once under " + title
	}
}

func (p *page) seen(observations []api.CitedObservation) {
	p.heading("What was seen")
	if len(observations) == 0 {
		p.line("  Nothing is on record any more.")
	}
	for _, cited := range observations {
		o := cited.Observation
		if cited.Missing {
			p.wrapped("  ", dim, clean(cited.Citation)+": its text was deleted by age")
			continue
		}
		p.wrapped("  "+pad(p.clock(o.At), 13), plain, clean(o.Title))
		inner := strings.Repeat(" ", 15)
		p.wrapped(inner, dim, strings.Join([]string{p.relative(o.At), "by " + senseName(o), trustWords(o.Trust), standingWords(cited)}, " · "))
		if text := clean(o.Text); text != "" && text != clean(o.Title) {
			for _, row := range wrapAtMost(text, p.Width-cells(inner)-2, maxTextLines) {
				p.line(inner, p.in(dim, "> "), row)
			}
		}
	}
}

func senseName(o subconscious.Observation) string {
	return senseLabel(o.Sense, o.Instance)
}

func standingWords(cited api.CitedObservation) string {
	switch {
	case cited.Standing && !cited.Observation.AsOf.IsZero():
		return "stood when last seen"
	case cited.Standing:
		return "still stands"
	case cited.Observation.Change == subconscious.Momentary:
		return "happened once"
	default:
		return "over"
	}
}

// noticed says which threads, by which rule.
func (p *page) noticed(e api.Explanation) {
	p.heading("Who noticed")
	var names []string
	for _, name := range e.Entry.Sources {
		names = append(names, clean(string(name)))
	}
	words := "Nobody is on record."
	if len(names) > 0 {
		words = "The " + strings.Join(names, " and the ")
	}
	if e.Entry.Rule != "" && len(names) > 0 {
		words += ", by the " + ruleWords(e.Entry.Rule)
	}
	p.wrapped("  ", plain, sentence(words))
	p.asked(e.Steps)
	p.wrapped("  ", dim, "incident "+clean(string(e.Incident.Key)))
}

// asked says what was asked of a model when it first noticed.
func (p *page) asked(steps []api.Step) {
	i := slices.IndexFunc(steps, func(s api.Step) bool { return s.Asked != nil })
	if i < 0 {
		return
	}
	a := steps[i].Asked
	p.wrapped("  ", plain, fmt.Sprintf("At tick %d %s was shown %s, in %s of %s for $%s.", steps[i].Tick, clean(a.Model),
		amount(a.Shown, "new observation"), amount(a.Calls, "call"), amount(a.Tokens, "token"), money(a.Cost)))
}

// ruleWords says by what it was noticed: a rule, or a model.
func ruleWords(rule string) string {
	if strings.HasPrefix(rule, "model ") {
		return clean(rule)
	}
	return "rule " + clean(rule)
}

// run is one step, or several alike that followed each other.
type run struct {
	first, last api.Step
	ticks       int
}

// runs joins steps in which nothing but time passed.
func runs(steps []api.Step) []run {
	var joined []run
	for _, s := range steps {
		if n := len(joined); n > 0 && alike(joined[n-1].last, s) {
			joined[n-1].last = s
			joined[n-1].ticks++
			continue
		}
		joined = append(joined, run{first: s, last: s, ticks: 1})
	}
	return joined
}

func alike(a, b api.Step) bool {
	return a.Change.What == b.Change.What && a.Change.From == a.Change.To && b.Change.From == b.Change.To &&
		a.Change.To == b.Change.To && a.Change.List == b.Change.List && a.Change.Why == b.Change.Why && a.Thread == b.Thread && a.Rule == b.Rule
}

func (p *page) happened(steps []api.Step, all bool) {
	p.heading("What happened")
	joined := runs(steps)
	if len(joined) == 0 {
		p.line("  Nothing is on record any more.")
		return
	}
	if !all && len(joined) > maxSteps {
		p.wrapped("  ", dim, fmt.Sprintf("%d earlier steps are left out; --all shows them.", len(joined)-maxSteps))
		joined = joined[len(joined)-maxSteps:]
	}
	for _, r := range joined {
		p.step(r)
	}
}

func (p *page) step(r run) {
	change := r.first.Change
	tick, at := fmt.Sprint(r.first.Tick), p.clock(r.first.At)
	times := ""
	if r.ticks > 1 {
		tick = fmt.Sprintf("%d–%d", r.first.Tick, r.last.Tick)
		times = fmt.Sprintf("%d times, last %s", r.ticks, p.when(r.last.At))
	}
	by := ""
	if r.first.Thread != "" {
		by = "by the " + clean(r.first.Thread)
		if r.first.Rule != "" {
			by += " (" + clean(r.first.Rule) + ")"
		}
	}
	words := []string{clean(change.What)}
	for _, more := range []string{by, clean(change.Why), times} {
		if more != "" {
			words = append(words, more)
		}
	}
	first := "  " + pad("tick "+tick, 15)
	if p.Width < 60 {
		words = append([]string{at, "strength " + strength(change.From, change.To)}, words...)
	} else {
		first += pad(at, 13) + pad(strength(change.From, change.To), 6)
	}
	p.wrapped(first, plain, strings.Join(words, " · "))
}

// outlook says what will become of an entry, in the order in which it matters.
func (p *page) outlook(e api.Explanation) []string {
	if closed := e.Incident.Closed; closed != nil {
		return []string{p.closedWords(*closed)}
	}
	if e.Place == "dropped" || e.Entry.Strength == 0 {
		return []string{"Nothing: it is gone from the mind. If it happens again it is noticed afresh."}
	}
	var words []string
	if e.Entry.Due.After(p.At) {
		words = append(words, "Its time comes "+p.when(e.Entry.Due)+".")
	}
	standing := 0
	for _, held := range e.Entry.Evidence {
		if held.Standing {
			standing++
		}
	}
	switch {
	case e.Entry.Over:
		words = append(words, "All that it rests on is over. The next tick drops it, unless it returns.")
	case e.Place == "parked":
		words = append(words, "Room in its list. Until then it keeps its strength, and it ends when what was seen is over.")
	case standing > 0:
		words = append(words, "What was seen to end: as long as it stands the entry keeps its strength. It grows if things get worse.")
	default:
		words = append(words, fmt.Sprintf("That it happens again. If it does not, the entry is gone after %s.", number(e.Entry.Strength, "more tick")))
	}
	id := clean(string(e.Entry.ID))
	end := "You can end it with `subconsciousctl close " + id + "`"
	if e.Incident.Confirmed {
		return append(words, confirmedWords(e), end+".")
	}
	return append(words, end+", or say that it is so with `subconsciousctl confirm "+id+"`.")
}

// confirmedWords says what became of a confirmation: what is still followed is
// no insight yet.
func confirmedWords(e api.Explanation) string {
	if e.Incident.Promoted || e.Entry.List == subconscious.Insights {
		return "You said that it is so, which made it an insight."
	}
	return "You said that it is so. It can become an insight once it is no longer followed."
}

func (p *page) closedWords(c subconscious.Closure) string {
	words := "You closed it " + p.when(c.At) + ". "
	switch {
	case c.Forever:
		return words + "It does not come back."
	case !c.Standing && !c.Expires.IsZero():
		return words + "It can come back " + p.when(c.Expires) + ", if it happens again."
	case c.WentAway:
		return words + "It has ended since, and comes back if it appears anew."
	default:
		return words + "It comes back if it " + worseWords(c.Severity) + "appears anew after it was all over."
	}
}

// telling says how an entry fares with being told, where somebody asked that.
func (p *page) telling(t *subconscious.Telling) {
	if t == nil {
		return
	}
	p.heading("Telling you")
	i := api.InboxIncident{ID: t.ID, State: t.State, Waits: t.Waits, Held: t.Held, Until: t.Until, Times: t.Times, Feedback: t.Feedback, Remind: t.Remind}
	if last, heard := t.Heard(); heard {
		i.Told = last.At
	}
	if n := len(t.Told); n > 0 {
		i.Outcome = t.Told[n-1].Outcome
	}
	if i.Deliberating = t.Deliberating(); i.Deliberating {
		i.Outcome = ""
	}
	if told := p.toldWords(i); told != "" {
		p.wrapped("  ", plain, "You were told "+told+".")
	} else {
		p.wrapped("  ", plain, "You were not told.")
	}
	if held := p.waitsWords(i); held != "" {
		p.wrapped("  ", plain, held)
	}
	p.wrapped("  ", plain, "More: subconsciousctl why "+clean(string(t.ID)))
}
