package screen

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// deliberating says on the one screen what is deliberated on.
func (p *page) deliberating(all []api.DeliberatingStatus) {
	const most = 3
	first := "  " + pad("deliberating", label)
	for _, in := range all[:min(most, len(all))] {
		words := clean(in.Summary) + " (" + clean(string(in.Incident)) + ": "
		switch in.State {
		case api.DeliberationRunning:
			words += "since " + p.relative(in.Since)
			if in.Round > 0 {
				words += fmt.Sprintf(", round %d", in.Round)
			}
		case api.DeliberationWaiting:
			words += "waits"
		default:
			words += clean(in.State)
		}
		p.wrapped(first, plain, words+")")
		first = "  " + pad("", label)
	}
	if len(all) > most {
		p.line(first, p.in(dim, fmt.Sprintf("and %d more", len(all)-most)))
	}
}

// outcomeMark gives an outcome its sign, colour and words.
func outcomeMark(outcome subconscious.OutcomeKind) (mark string, colour style, words string) {
	switch outcome {
	case subconscious.OutcomeTold:
		return "✓", green, "you were told"
	case subconscious.OutcomeActed:
		return "✓", green, "it was acted on, and you were told"
	case subconscious.OutcomeProposed:
		return "?", yellow, "an action was proposed to you"
	case subconscious.OutcomeRemembered:
		return "–", plain, "remembered, and not told"
	case subconscious.OutcomeSnoozed:
		return "…", yellow, "put off"
	case subconscious.OutcomeDismissed:
		return "–", dim, "not told"
	case "":
		return "…", dim, "not ended yet"
	}
	return "·", plain, clean(string(outcome))
}

// Shown says how much of an explanation is wanted.
type Shown struct {
	All     bool // leave out no decision and no delivery
	Prompts bool // and show what models were shown and wrote, in full
}

// deliberations writes how each deliberation went, oldest first.
func (p *page) deliberations(all []api.Deliberation, shown Shown) {
	if len(all) == 0 {
		return
	}
	p.heading("What was deliberated")
	if !shown.All && len(all) > maxSteps {
		p.wrapped("  ", dim, fmt.Sprintf("%d earlier ones are left out; --all shows them.", len(all)-maxSteps))
		all = all[len(all)-maxSteps:]
	}
	for _, d := range all {
		p.deliberation(d, shown.Prompts)
	}
	if !shown.Prompts && hasPrompts(all) {
		p.wrapped("  ", dim, "What the model was shown and wrote, in full: --prompts")
	}
}

func hasPrompts(all []api.Deliberation) bool {
	for _, d := range all {
		if d.Prompt.System+d.Prompt.User != "" || len(d.Rounds) > 0 {
			return true
		}
	}
	return false
}

// deliberation writes one: its outcome and reason, who thought at what cost, and
// round by round what was asked for and what the policy said.
func (p *page) deliberation(d api.Deliberation, prompts bool) {
	mark, colour, words := outcomeMark(d.Outcome)
	if !d.Until.IsZero() {
		words += " until " + p.clock(d.Until)
	}
	if reason := clean(d.Reason); reason != "" {
		words += ": " + reason
	}
	p.marked("  ", colour, mark, " ", 4, bold, p.clock(d.At)+": "+words)
	switch problem := clean(d.Problem); {
	case d.Template && d.Outcome.Tells():
		p.wrapped("    ", plain, sentence("told by rule, because "+cmp.Or(problem, "no model was asked")))
	case problem != "" && problem != clean(d.Reason):
		p.wrapped("    ", yellow, sentence(problem))
	}
	p.wrapped("    ", dim, strings.Join(filled(clean(d.ID), fmt.Sprintf("tick %d", d.Tick), clean(d.Model), roundsWords(d), tookWords(d), resumedWords(d.Resumed)), " · "))
	p.wrapped("    ", shownStyle(d.Taint), "shown words of: "+shownWords(d.Taint))
	if led := strings.Join(filled(proposalWords(d), clean(d.Run)), ", "); led != "" {
		p.wrapped("    led to: ", plain, led)
	}
	if prompts {
		p.verbatim("    system prompt "+clean(d.Prompt.Hash), d.Prompt.System)
		p.verbatim("    message", d.Prompt.User)
	}
	for _, round := range d.Rounds {
		p.round(round, prompts)
	}
}

func roundsWords(d api.Deliberation) string {
	if len(d.Rounds) == 0 {
		return ""
	}
	return amount(len(d.Rounds), "round") + " for $" + price(d.Cost)
}

// price is an amount of US dollars with as many digits as say something.
func price(dollars float64) string {
	if dollars > 0 && dollars < 0.1 {
		return fmt.Sprintf("%.4f", dollars)
	}
	return money(dollars)
}

func tookWords(d api.Deliberation) string {
	if d.Ended.IsZero() {
		return clean(d.State)
	}
	return "took " + d.Ended.Sub(d.At).Round(time.Second).String()
}

func resumedWords(times int) string {
	if times == 0 {
		return ""
	}
	return "taken up again " + number(times, "time") + " after the daemon had ended"
}

// proposalWords name the proposal that a deliberation led to, and what became of
// it.
func proposalWords(d api.Deliberation) string {
	words := map[api.ProposalState]string{
		api.ProposalPending: "waits for your word", api.ProposalApproved: "approved", api.ProposalRejected: "rejected", api.ProposalExpired: "expired",
	}[d.ProposalState]
	if d.Proposal == "" || words == "" {
		return clean(d.Proposal)
	}
	if d.By != "" {
		words += " by " + clean(d.By)
	}
	return clean(d.Proposal) + " (" + words + ")"
}

// round writes one question and answer.
func (p *page) round(r api.DeliberationRound, prompts bool) {
	kept := ""
	if r.Cached > 0 {
		kept = " (" + thousands(r.Cached) + " kept)"
	}
	p.wrapped("    ", dim, strings.Join(filled(fmt.Sprintf("round %d", r.N), amount(r.TokensIn, "token")+kept+" in, "+thousands(r.TokensOut)+" out",
		"$"+price(r.Cost), fmt.Sprintf("%.1f s", r.LatencyMS/1000)), " · "))
	if prompts {
		p.verbatim("      asked", r.Asked)
		p.verbatim("      answered", r.Answer)
	}
	if problem := clean(r.Problem); problem != "" {
		p.wrapped("      ", yellow, sentence(problem))
	}
	for _, call := range r.Calls {
		p.call(call, prompts)
	}
}

const maxCallLines = 2

// call writes one tool that was asked for, with what the policy said.
func (p *page) call(c api.DeliberationCall, prompts bool) {
	mark, colour := "·", plain
	problem, failed := strings.CutPrefix(clean(c.Result), "error: ")
	switch j := c.Judgement; {
	case failed && (j == nil || j.Permission == "allowed"):
		mark, colour = "✗", yellow
	case j != nil:
		mark, colour = permissionMark(j.Permission)
	}
	const indent = "      "
	words := clean(c.Tool)
	if !prompts {
		words += " " + clean(c.Arguments)
	}
	first := indent + p.in(colour, mark) + " "
	for _, row := range wrapAtMost(words, p.Width-len(indent)-2, maxCallLines) {
		p.line(first, row)
		first = indent + "  "
	}
	if j := c.Judgement; j != nil {
		p.wrapped(indent+"  ", dim, permissionWords(j.Permission)+" by "+clean(j.Clause)+": "+clean(j.Why))
	}
	if failed && (c.Judgement == nil || c.Judgement.Permission == "allowed") && !prompts {
		for _, row := range wrapAtMost(problem, p.Width-len(indent)-2, maxCallLines) {
			p.line(indent+"  ", p.in(dim, row))
		}
	}
	if len(c.Shown) > 0 {
		p.wrapped(indent+"  ", dim, "showed words of: "+shownWords(c.Shown))
	}
	if prompts {
		p.verbatim(indent+"  arguments", c.Arguments)
		p.verbatim(indent+"  result", c.Result)
	}
}

// permissionMark gives what the policy said its sign and colour.
func permissionMark(permission string) (mark string, colour style) {
	switch permission {
	case "allowed":
		return "✓", green
	case "quarantined":
		return "…", yellow
	case "proposed":
		return "?", yellow
	}
	return "✗", red
}

func permissionWords(permission string) string {
	switch permission {
	case "quarantined":
		return "kept apart"
	case "proposed":
		return "left to you"
	}
	return clean(permission)
}

// verbatim writes a text line by line under a title, not wrapped, so that it can
// be read as the model reads it.
func (p *page) verbatim(title, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.line(p.in(bold, title))
	indent := strings.Repeat(" ", len(title)-len(strings.TrimLeft(title, " ")))
	for _, line := range strings.Split(strings.TrimRight(Lines(text), "\n"), "\n") {
		p.line(indent, p.in(dim, "| "), line)
	}
}
