package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Incident tells why an incident was told or kept back, on what it rests, and
// what was deliberated, and how it was delivered.
func Incident(view View, e api.IncidentExplanation, shown Shown) string {
	p := newPage(view)
	i := e.Incident
	p.wrapped("", bold, clean(i.Summary))
	p.wrapped("  ", dim, strings.Join([]string{clean(string(i.ID)), clean(string(i.Kind)), tellingWords(i) + " since " + p.clock(i.Since)}, " · "))
	standing := "over"
	if i.Standing {
		standing = "still stands"
	}
	p.wrapped("  "+bar(i.Importance)+"  ", plain, "importance "+importance(i.Importance)+", "+severityWords(i.Severity)+", "+standing)
	if !i.Due.IsZero() {
		p.line("  due ", p.when(i.Due))
	}
	p.seen(e.Observations)
	p.whoAsked(e)
	p.gate(givenTo(e.Deliberations, e.Decisions), shown.All)
	p.deliberations(e.Deliberations, shown)
	p.heading("How sure it is")
	p.wrapped("  ", plain, sentence(e.Confidence))
	p.deliveries(e.Deliveries, shown.All)
	p.heading("Where it stands")
	for _, words := range p.standWords(i, e.Record) {
		p.wrapped("  ", plain, words)
	}
	return p.String()
}

// whoAsked says who asked that the person be told, and why.
func (p *page) whoAsked(e api.IncidentExplanation) {
	p.heading("Who asked to tell you")
	words := "Nobody is on record."
	if e.Incident.Thread != "" {
		words = "The " + clean(string(e.Incident.Thread))
		if rule := askedBy(e); rule != "" {
			words += ", by the " + ruleWords(rule)
		}
	}
	p.wrapped("  ", plain, sentence(words))
	if reason := clean(e.Incident.Reason); reason != "" {
		p.wrapped("  Because: ", plain, reason)
	}
	var entries []string
	for _, id := range e.Entries {
		entries = append(entries, clean(string(id)))
	}
	if len(entries) > 0 {
		p.wrapped("  ", dim, "entries "+some(entries, 4))
	}
	p.wrapped("  ", dim, "incident "+clean(string(e.Record.Key)))
}

// askedBy is the rule of the last request.
func askedBy(e api.IncidentExplanation) string {
	if t := e.Record.Telling; t != nil && t.Asked.Rule != "" {
		return t.Asked.Rule
	}
	if n := len(e.Decisions); n > 0 {
		return e.Decisions[n-1].Rule
	}
	return ""
}

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

// gate writes what was decided, oldest first.
func (p *page) gate(decisions []api.Decision, all bool) {
	p.heading("What the gate decided")
	if len(decisions) == 0 {
		p.line("  Nothing is on record.")
		return
	}
	if !all && len(decisions) > maxSteps {
		p.wrapped("  ", dim, fmt.Sprintf("%d earlier ones are left out; --all shows them.", len(decisions)-maxSteps))
		decisions = decisions[len(decisions)-maxSteps:]
	}
	columns := verdictColumns(decisions)
	for _, d := range decisions {
		p.judged(d, columns)
	}
}

// judged writes one decision: when, what, why.
func (p *page) judged(d api.Decision, columns int) {
	mark, colour, verdict := verdictMark(d)
	head := pad(p.clock(d.At), 13)
	first, deep := " "+head+pad(verdict, columns), 2+1+1+13+columns
	words := decisionWords(d) + p.heldUntil(d)
	if p.Width < narrow {
		p.marked("  ", colour, mark, " "+head, 2+1+1+13, plain, verdict)
		p.wrapped("    ", plain, words)
		deep = 4
	} else {
		p.marked("  ", colour, mark, first, deep, plain, words)
	}
	var more []string
	if d.Tick > 0 {
		more = append(more, fmt.Sprintf("tick %d", d.Tick))
	}
	more = append(more, strings.ReplaceAll(clean(d.Reason), "_", " "), fmt.Sprintf("confidence %.2f", d.Confidence), "importance "+importance(d.Importance))
	if d.Critical {
		more = append(more, "critical: it passes quiet hours")
	}
	p.wrapped(strings.Repeat(" ", deep), dim, strings.Join(more, " · "))
	if d.Message == "" {
		return
	}
	if d.Deliberate {
		p.wrapped(strings.Repeat(" ", deep), dim, "Where no model answers, you are told:")
	}
	for line := range strings.Lines(d.Message) {
		p.wrapped(strings.Repeat(" ", deep)+"> ", plain, clean(line))
	}
}

const verdictTell = "tell"

// verdictColumns is how many columns the words of verdicts take, and the gap
// behind them.
func verdictColumns(decisions []api.Decision) int {
	columns := 0
	for _, d := range decisions {
		_, _, words := verdictMark(d)
		columns = max(columns, cells(words))
	}
	return min(max(columns+2, 9), 16)
}

// verdictMark gives a verdict its sign, colour and words. What is given to a
// deliberation is not told by that.
func verdictMark(d api.Decision) (mark string, colour style, words string) {
	switch d.Verdict {
	case verdictTell:
		if d.Deliberate {
			return "✓", plain, "let through"
		}
		return "✓", green, "told"
	case "hold":
		return "…", yellow, "held"
	case "drop":
		return "–", dim, "dropped"
	}
	return "·", plain, clean(d.Verdict)
}

// decisionWords says why the gate decided so.
func decisionWords(d api.Decision) string {
	words := gateWords(d.Reason)
	if detail := clean(d.Detail); detail != "" {
		words = detail
	}
	if again := againWords(d.Again); again != "" {
		words += " (told again: " + again + ")"
	}
	if d.Deliberate {
		words += "; given to a deliberation"
	}
	return words
}

// heldUntil says until when something is held, where its words do not.
func (p *page) heldUntil(d api.Decision) string {
	if d.Verdict != "hold" || d.Until.IsZero() || strings.Contains(d.Detail, p.clockOfDay(d.Until)) {
		return ""
	}
	return ", until " + p.clock(d.Until)
}

// againWords says why something is told again.
func againWords(again string) string {
	switch again {
	case "worse":
		return "it got worse"
	case "nearer":
		return "its time came nearer"
	case "status":
		return "its status changed"
	case "participant":
		return "somebody joined"
	case "returned":
		return "it came anew"
	case "reminder":
		return "you asked to be reminded"
	}
	return clean(again)
}

// deliveries writes what became of the messages, by channel.
func (p *page) deliveries(deliveries []api.Delivery, all bool) {
	p.heading("How it was delivered")
	if len(deliveries) == 0 {
		p.line("  Nothing was sent.")
		return
	}
	if !all && len(deliveries) > maxSteps {
		p.wrapped("  ", dim, fmt.Sprintf("%d earlier ones are left out; --all shows them.", len(deliveries)-maxSteps))
		deliveries = deliveries[len(deliveries)-maxSteps:]
	}
	for _, d := range deliveries {
		p.delivery("  ", d)
	}
}

// standWords says what the person said, what will happen, and what can be done.
func (p *page) standWords(i api.InboxIncident, record subconscious.Incident) []string {
	var words []string
	if told := p.toldWords(i); told != "" {
		words = append(words, "You were told "+told+".")
	} else {
		words = append(words, "You were not told.")
	}
	if held := p.waitsWords(i); held != "" {
		words = append(words, held)
	}
	if i.Deliberating {
		words = append(words, "It is being deliberated on.")
	}
	if i.Proposal != "" {
		words = append(words, "It waits for your word: subconsciousctl approve "+clean(i.Proposal)+", or reject.")
	}
	if record.Closed != nil {
		words = append(words, p.closedWords(*record.Closed))
	}
	id := clean(string(i.ID))
	switch {
	case i.State == subconscious.TellingDismissed || i.State == subconscious.TellingResolved || record.Closed != nil:
		return words
	case i.State == subconscious.TellingTold:
		return append(words, "Answer it: subconsciousctl ack "+id+" --useful, or dismiss, snooze, remind.")
	}
	return append(words, "To hear of it later, or no more: subconsciousctl snooze "+id+", or dismiss.")
}

// waitsWords is one sentence about what an incident waits for.
func (p *page) waitsWords(i api.InboxIncident) string {
	held := p.heldWords(i)
	switch {
	case held == "":
		return ""
	case !i.Remind.IsZero():
		return sentence(held)
	}
	return sentence("it waits " + held)
}
