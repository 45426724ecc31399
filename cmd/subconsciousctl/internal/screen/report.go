package screen

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// Report is the receipt for a silence, in words.
func Report(view View, r api.Report) string {
	p := newPage(view)
	p.reportHead(r)
	p.noticedInAll(r)
	p.toldInAll(r)
	p.whoThought(r.Threads)
	p.modelSums(r.Models)
	p.cost(r)
	p.blindPeriods(r)
	return p.String()
}

func (p *page) reportHead(r api.Report) {
	p.wrapped("", bold, "Since "+p.clock(r.Since)+" ("+length(r.Until.Sub(r.Since))+")")
	if r.Ticks == 0 && r.FailedTicks == 0 {
		p.wrapped("  ", plain, "No tick is on record.")
		return
	}
	words := amount(r.Ticks, "tick") + ", " + thousands(r.Unchanged) + " of them changed nothing"
	if r.Ticks > 0 && r.Unchanged == r.Ticks {
		words = amount(r.Ticks, "tick") + ", and none changed anything"
	}
	p.wrapped("  ", plain, words+".")
	if r.FailedTicks > 0 {
		p.marked("  ", red, "✗", " ", 4, plain, amount(r.FailedTicks, "tick")+" did not commit.")
	}
}

// noticedInAll says what became of findings.
func (p *page) noticedInAll(r api.Report) {
	p.heading("Noticed")
	total, words := rejections(r.Rejected)
	switch {
	case r.Findings == 0 && total == 0:
		p.wrapped("  ", plain, "Nothing was worth a finding.")
	case total == 0:
		p.wrapped("  ", plain, amount(r.Accepted, "finding")+", all of them taken.")
	default:
		p.wrapped("  ", plain, fmt.Sprintf("%s: %s taken, %s not taken (%s).", amount(r.Findings, "finding"), thousands(r.Accepted), thousands(total), words))
	}
	if words := changeWords(r.Changes); words != "" {
		p.wrapped("  ", plain, "Entries: "+words+".")
	}
}

// changeWords says what happened to entries, the commonest first.
func changeWords(changes map[string]int) string {
	names := make([]string, 0, len(changes))
	for name, n := range changes {
		if n > 0 {
			names = append(names, name)
		}
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := names[i], names[j]
		if changes[a] != changes[b] {
			return changes[a] > changes[b]
		}
		return a < b
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = thousands(changes[name]) + " " + clean(name)
	}
	return strings.Join(parts, ", ")
}

// toldInAll says what was told, what the person said to it, and what the gate
// decided besides.
func (p *page) toldInAll(r api.Report) {
	p.heading("Told")
	p.wrapped("  ", plain, toldSum(r))
	if words := answerSum(r); words != "" {
		p.wrapped("  ", plain, words)
	}
	if r.Missed > 0 {
		p.wrapped("  ", yellow, "You missed "+amount(r.Missed, "incident")+" that should have been told.")
	}
	if words := decisionSum(r.Decisions); words != "" {
		p.wrapped("  ", plain, "The gate decided: "+words+".")
	}
	if r.Undelivered > 0 {
		p.marked("  ", red, "✗", " ", 4, plain, amount(r.Undelivered, "message")+" that no channel took: subconsciousctl notify list")
	}
}

func toldSum(r api.Report) string {
	if r.Told == 0 {
		return "Nothing was told to you."
	}
	words := amount(r.Told, "incident") + " told to you"
	if r.Again > 0 {
		words += ", " + thousands(r.Again) + " of them more than once"
	}
	if r.Digested > 0 {
		words += ", " + thousands(r.Digested) + " in " + amount(r.Digests, "digest")
	}
	return words + "."
}

// answerSum says what the person said to it.
func answerSum(r api.Report) string {
	var parts []string
	for _, c := range []struct {
		n     int
		words string
	}{{r.Useful, "useful"}, {r.NotUseful, "not useful"}, {r.Dismissed, "dismissed"}, {r.Ignored, "without an answer for a day"}} {
		if c.n > 0 {
			parts = append(parts, thousands(c.n)+" "+c.words)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Your answers: " + strings.Join(parts, ", ") + "."
}

// decisionSum counts decisions by reason, the commonest first.
func decisionSum(decisions map[string]int) string {
	named := make(map[string]int, len(decisions))
	for reason, n := range decisions {
		named[decisionNoun(reason)] += n
	}
	return changeWords(named)
}

// decisionNoun says in a few words what a reason of the gate led to.
func decisionNoun(reason string) string {
	switch reason {
	case "no_evidence":
		return "dropped without evidence"
	case "expired":
		return "dropped as past"
	case "dismissed":
		return "dropped as dismissed"
	case "snoozed":
		return "held as snoozed"
	case "duplicate":
		return "told already"
	case "low_confidence":
		return "not sure enough"
	case "kept_back":
		return "kept back by a deliberation"
	case "cooldown":
		return "held for having been told just now"
	case "quiet_hours":
		return "held for quiet hours"
	case "presence":
		return "held while you were busy"
	case "budget_attention":
		return "held for enough being told"
	case "digest":
		return "for the digest"
	case "escalate":
		return "let through"
	}
	return strings.ReplaceAll(clean(reason), "_", " ")
}

// whoThought says by which means each thread thought.
func (p *page) whoThought(threads []api.ThreadSum) {
	if len(threads) == 0 {
		return
	}
	p.heading("Who thought")
	columns := nameWidth(p, threads, func(t api.ThreadSum) string { return clean(t.Name) })
	for _, t := range threads {
		mark, colour := "✓", green
		switch {
		case t.Failed > 0:
			mark, colour = "✗", red
		case t.FellBack > 0:
			mark, colour = "!", yellow
		case t.Asked == 0:
			mark, colour = "–", dim
		}
		p.marked("  ", colour, mark, " "+pad(clean(t.Name), columns)+"  ", 4+columns+2, plain, sumWords(t))
	}
}

func sumWords(t api.ThreadSum) string {
	var parts []string
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, thousands(n)))
		}
	}
	if t.Asked == 0 {
		parts = append(parts, "never asked")
	}
	add(t.Model, "%s by a model")
	add(t.Reflex, "%s by rules")
	add(t.FellBack, "%s of these for want of its model")
	add(t.Failed, "%s failed")
	add(t.Skipped, "%s skipped, with nothing new")
	if t.Asked > 0 {
		parts = append(parts, amount(t.Findings, "finding")+" taken")
	}
	return strings.Join(parts, " · ")
}

// modelSums says what each model did.
func (p *page) modelSums(models []api.ModelSum) {
	if len(models) == 0 {
		return
	}
	p.heading("Models")
	column := 8
	for _, m := range models {
		column = max(column, min(cells(clean(m.Role)), 16))
	}
	for _, m := range models {
		mark, colour := "✓", green
		words := []string{identity(m.Provider, m.Model), amount(m.Calls, "call")}
		if m.Failed > 0 {
			mark, colour = "!", yellow
			words = append(words, thousands(m.Failed)+" failed")
		}
		price := "$" + money(m.Cost)
		if m.Failed > 0 && m.Cost > 0 {
			price = "at most " + price // what a failed call took is not known
		}
		if m.Local {
			price = "local, free"
		}
		words = append(words, tokenWords(m.Tokens, m.Cached), price)
		p.marked("  ", colour, mark, " "+pad(clean(m.Role), column)+"  ", 4+column+2, plain, strings.Join(words, " · "))
	}
}

// cost says what it cost, and what is left.
func (p *page) cost(r api.Report) {
	p.heading("Cost")
	b := r.Budget
	p.labelled("in all", "$"+money(r.Money))
	p.wrapped("  "+pad("today", label), plain, fmt.Sprintf("%s, %s%s, %s%s", of(b, "money_per_day", b.MoneyToday),
		amount(b.CallsToday, "call"), limitOf(b, "calls_per_day"), amount(b.TokensToday, "token"), limitOf(b, "tokens_per_day")))
	p.labelled("this month", of(b, "money_per_month", b.MoneyMonth))
	if b.Exploration.Allowed != 0 || b.Exploration.Used > 0 {
		words := amount(b.Exploration.Used, "call")
		if b.Exploration.Allowed >= 0 {
			words = thousands(b.Exploration.Used) + " of " + amount(b.Exploration.Allowed, "call")
		}
		p.labelled("exploring", words+" today")
	}
	if b.Unsettled > 0 {
		p.wrapped("  "+pad("not known", label), yellow, amount(b.Unsettled, "call")+" whose cost is not known: the worst case counts")
	}
	for _, words := range p.exhausted(b) {
		p.wrapped("  "+pad("", label), yellow, words)
	}
}

// limitOf writes " of 2,000" where there is such a limit.
func limitOf(b api.BudgetStatus, name string) string {
	if l, ok := limit(b, name); ok && l.Limit >= 0 {
		return " of " + thousands(int(l.Limit))
	}
	return ""
}

// blindPeriods lists when a sense saw nothing.
func (p *page) blindPeriods(r api.Report) {
	p.heading("Blind")
	if len(r.Blind) == 0 {
		p.line("  No sense was blind.")
		return
	}
	for _, b := range r.Blind {
		words := senseLabel(b.Sense, b.ID) + " from " + p.clock(b.From)
		switch {
		case b.To.IsZero():
			words += ", and still (" + length(r.Until.Sub(b.From)) + ")"
		default:
			words += " until " + p.clock(b.To) + " (" + length(max(0, b.To.Sub(b.From))) + ")"
		}
		if b.Error != "" {
			words += ": " + clean(b.Error)
		}
		p.marked("  ", red, "✗", " ", 4, plain, words)
	}
}

// Since reads how far back a report goes: a length of time ("24h", "7d"), or a
// day ("2026-03-01") in the zone of the view.
func Since(view View, text string) (time.Time, bool) {
	zone := view.Zone
	if zone == nil {
		zone = time.UTC
	}
	if length, err := time.ParseDuration(text); err == nil && length > 0 {
		return view.At.Add(-length), true
	}
	var days int
	if n, err := fmt.Sscanf(text, "%dd", &days); err == nil && n == 1 && text == fmt.Sprintf("%dd", days) && days > 0 && days <= 3660 {
		return view.At.In(zone).AddDate(0, 0, -days), true
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil && at.Before(view.At) {
			return at, true
		}
	}
	return time.Time{}, false
}
