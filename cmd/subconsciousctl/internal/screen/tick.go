package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// Tick is what one tick did.
func Tick(view View, r api.TickReport) string {
	p := newPage(view)
	title := fmt.Sprintf("Tick %d", r.Tick)
	if r.DryRun {
		title = "A tick that commits nothing"
	}
	p.line(p.in(bold, title), "  ", p.in(dim, pieces(p.Width-cells(title)-2, clean(string(r.Kind)), p.when(r.At), "took "+took(r.ElapsedMS))))
	if r.Error != "" {
		p.wrapped("  ✗ ", red, sentence(r.Error))
	}
	if !r.DryRun && !r.Published && r.Error == "" {
		p.wrapped("  ✗ ", red, "Its document was not published.")
	}
	p.tickSenses(r.Senses)
	p.tickThreads(r.Threads)
	p.tickChanges(r.Changes)
	p.decisions(r.Decisions)
	p.messages(r.Told)
	return p.String()
}

// took says how long a tick ran.
func took(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

func (p *page) tickSenses(senses []api.SenseReport) {
	p.heading("Senses")
	if len(senses) == 0 {
		p.line("  None are configured.")
		return
	}
	name := func(s api.SenseReport) string { return senseLabel(s.Kind, s.ID) }
	columns := nameWidth(p, senses, name)
	for _, s := range senses {
		words := number(s.Changes, "change")
		if s.Error != "" {
			words += " · " + clean(s.Error)
		}
		p.health(name(s), columns, s.State, words)
	}
}

func (p *page) tickThreads(threads []api.ThreadReport) {
	p.heading("Threads")
	if len(threads) == 0 {
		p.line("  None were asked.")
		return
	}
	name := func(t api.ThreadReport) string { return clean(t.Name) }
	columns := nameWidth(p, threads, name)
	reasons := map[string]string{}
	for _, t := range threads {
		t.Reason = once(reasons, clean(t.Name), t.Reason)
		state := t.Mode
		if state != failed && state != "skipped" {
			state = "ok"
		}
		p.health(name(t), columns, standIn(state, t.Mode, t.Model, t.Usual), threadReport(t))
		p.failure(t, columns)
	}
}

// failure writes the last thing that went wrong before a model answered. Where
// it did not answer the reason has said so.
func (p *page) failure(t api.ThreadReport, columns int) {
	const most = 2
	if len(t.Failures) == 0 || t.Usual != "" || t.Mode == failed {
		return
	}
	words := clean(t.Failures[len(t.Failures)-1])
	if n := len(t.Failures); n > 1 {
		words = fmt.Sprintf("%d failures before it, last: %s", n, words)
	} else {
		words = "before it: " + words
	}
	first := p.deep(columns)
	for _, row := range wrapAtMost(words, p.Width-cells(first), most) {
		p.line(first, p.in(yellow, row))
	}
}

// tokenWords says how many tokens, and how many of them the provider had kept.
func tokenWords(tokens, cached int) string {
	words := amount(tokens, "token")
	if cached > 0 {
		words += " (" + thousands(cached) + " kept)"
	}
	return words
}

func threadReport(t api.ThreadReport) string {
	var parts []string
	if t.Reason != "" {
		parts = append(parts, clean(t.Reason))
	}
	if t.Mode != failed && t.Mode != "skipped" && (t.Reason == "" || t.Shown > 0 || t.Findings > 0) {
		parts = append(parts, "shown "+number(t.Shown, "new observation"), number(t.Findings, "finding")+" taken")
	}
	if total, words := rejections(t.Rejected); total > 0 {
		parts = append(parts, fmt.Sprintf("%d not taken (%s)", total, words))
	}
	if !named(t.Reason, t.Model, t.Usual) && (t.Model != "" || t.Usual != "" && t.Mode != "skipped") {
		parts = append(parts, thinker(t.Mode, t.Model, t.Usual))
	}
	if t.Calls > 0 {
		parts = append(parts, amount(t.Calls, "model call"), tokenWords(t.Tokens, t.Cached), "$"+money(t.Cost))
	}
	return strings.Join(parts, " · ")
}

// tickChanges writes what happened to entries.
func (p *page) tickChanges(changes []api.EntryChange) {
	p.heading("What changed")
	if len(changes) == 0 {
		p.line("  Nothing. Most ticks change nothing.")
		return
	}
	for _, c := range changes {
		first := "  " + pad(clean(c.What), 11) + pad(strength(c.From, c.To), 7)
		p.wrapped(first, plain, clean(c.Summary))
		p.wrapped(strings.Repeat(" ", cells(first)), dim, pieces(p.Width, clean(string(c.Entry)), clean(c.Why)))
	}
}

// strength says how a strength moved: "3", "3→4", "1→0".
func strength(from, to int) string {
	if from == to {
		return fmt.Sprint(to)
	}
	return fmt.Sprintf("%d→%d", from, to)
}

// decisions writes what was decided of the requests to tell the person.
func (p *page) decisions(decisions []api.Decision) {
	if len(decisions) == 0 {
		return
	}
	p.heading("Requests to tell you")
	columns := verdictColumns(decisions)
	for _, d := range decisions {
		mark, colour, verdict := verdictMark(d)
		p.marked("  ", colour, mark, " "+pad(verdict, columns), 4+columns, plain, clean(d.Summary))
		indent := strings.Repeat(" ", 4+columns)
		p.wrapped(indent, plain, decisionWords(d)+p.heldUntil(d))
		p.line(indent, p.in(dim, pieces(p.Width-cells(indent), clean(string(d.ID)), clean(string(d.Thread)), fmt.Sprintf("confidence %.2f", d.Confidence))))
	}
}

// messages writes what was given to the channels.
func (p *page) messages(told []api.ToldMessage) {
	if len(told) == 0 {
		return
	}
	p.heading("Told")
	for _, m := range told {
		words := clean(m.Title)
		if m.Urgent {
			words += " (urgent)"
		}
		p.wrapped("  "+pad(clean(m.Kind), 11), plain, words)
		if text := clean(m.Text); text != "" {
			p.wrapped(strings.Repeat(" ", 13), dim, text)
		}
	}
}

// Ticks is a list of ticks, newest first.
func Ticks(view View, ticks api.TickPage) string {
	p := newPage(view)
	if len(ticks.Ticks) == 0 {
		p.wrapped("", plain, "No ticks are on record. Run one: subconsciousctl tick")
		return p.String()
	}
	for i, r := range ticks.Ticks {
		if p.Width < 76 {
			p.wrapped(pad(fmt.Sprint(r.Tick), 8)+pad(p.clock(r.At), 13), plain, p.outcome(r)+" · "+clean(string(r.Kind)))
			continue
		}
		if i == 0 {
			p.line(p.in(bold, pad("tick", 8)+pad("when", 28)+pad("kind", 11)+pad("took", 11)+"what came of it"))
		}
		p.wrapped(pad(fmt.Sprint(r.Tick), 8)+pad(p.when(r.At), 28)+pad(clean(string(r.Kind)), 11)+pad(took(r.ElapsedMS), 11),
			plain, p.outcome(r))
	}
	if ticks.Before > 0 {
		p.line()
		p.wrapped("", dim, fmt.Sprintf("older ones: subconsciousctl ticks --before %d", ticks.Before))
	}
	return p.String()
}

// outcome says in a few words what came of a tick.
func (p *page) outcome(r api.TickReport) string {
	var parts []string
	if r.Error != "" {
		parts = append(parts, "failed: "+clean(r.Error))
	}
	for _, s := range r.Senses {
		if s.State == blind {
			parts = append(parts, senseLabel(s.Kind, s.ID)+" blind")
		}
	}
	findings := 0
	for _, t := range r.Threads {
		findings += t.Findings
		if t.Mode == failed {
			parts = append(parts, clean(t.Name)+" failed")
		}
	}
	if findings > 0 {
		parts = append(parts, number(findings, "finding"))
	}
	if n := len(r.Told); n > 0 {
		parts = append(parts, number(n, "message"))
	}
	if words := thoughtWords(r.Threads); words != "" {
		parts = append(parts, words)
	}
	if len(r.Changes) > 0 {
		parts = append(parts, number(len(r.Changes), "change"))
	}
	if len(parts) == 0 {
		return "quiet"
	}
	return strings.Join(parts, ", ")
}

// thoughtWords says what models did in a tick: how many calls for how much, and
// where somebody else stood in.
func thoughtWords(threads []api.ThreadReport) string {
	var calls, stoodIn int
	var cost float64
	for _, t := range threads {
		calls += t.Calls
		cost += t.Cost
		if t.Usual != "" && t.Usual != t.Model && t.Mode != "skipped" {
			stoodIn++
		}
	}
	var parts []string
	if calls > 0 {
		parts = append(parts, amount(calls, "call")+" for $"+money(cost))
	}
	if stoodIn > 0 {
		parts = append(parts, amount(stoodIn, "stand-in"))
	}
	return strings.Join(parts, ", ")
}
