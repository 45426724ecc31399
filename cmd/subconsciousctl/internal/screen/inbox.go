package screen

import (
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Inbox is what waits to be told, what was told and not answered, and what is
// over, where that was asked for.
func Inbox(view View, in api.Inbox, query api.InboxQuery) string {
	p := newPage(view)
	var waiting, told, over []api.InboxIncident
	for _, i := range in.Incidents {
		switch {
		case awaited(i):
			waiting = append(waiting, i)
		case i.State == subconscious.TellingTold:
			told = append(told, i)
		default:
			over = append(over, i)
		}
	}
	if len(in.Incidents) == 0 {
		p.wrapped("", plain, p.emptyInbox(in, query))
		p.noChannel(in)
		return p.String()
	}
	groups := 0
	for _, g := range []struct {
		title     string
		incidents []api.InboxIncident
	}{{"Waiting", waiting}, {"Told, and not answered", told}, {"Answered, or over", over}} {
		if len(g.incidents) == 0 {
			continue
		}
		if groups > 0 {
			p.line()
		}
		groups++
		p.line(p.in(bold, g.title))
		for _, i := range g.incidents {
			p.incident(i)
		}
	}
	p.line()
	if words := p.momentWords(in); words != "" {
		p.wrapped("", plain, words)
	}
	p.noChannel(in)
	if len(waiting)+len(told) > 0 {
		p.wrapped("", plain, "Answer one: subconsciousctl ack, dismiss, snooze or remind, with its id. Why: subconsciousctl why ID")
	}
	if in.Before != "" {
		all := ""
		if query.All {
			all = "--all "
		}
		p.wrapped("", dim, "There are more: subconsciousctl inbox "+all+"--before "+clean(in.Before))
	}
	return p.String()
}

// awaited reports whether the person will hear of an incident by itself.
func awaited(i api.InboxIncident) bool {
	return i.Waits || i.Deliberating || i.State == subconscious.TellingSnoozed || !i.Remind.IsZero()
}

// emptyInbox is one sentence about an inbox with nothing in it.
func (p *page) emptyInbox(in api.Inbox, query api.InboxQuery) string {
	words := "Nothing waits for you, and nothing that was told is without an answer"
	switch {
	case query.Before != "":
		words = "There is nothing before that"
	case query.All:
		words = "Nothing was told to you yet, and nothing waits"
	}
	var when []string
	if in.QuietUntil.After(p.At) {
		when = append(when, "quiet hours last until "+p.clock(in.QuietUntil))
	}
	if !in.NextDigest.IsZero() {
		when = append(when, "the next digest is due "+p.when(in.NextDigest))
	}
	if len(when) == 0 {
		return words + "."
	}
	return words + "; " + strings.Join(when, ", and ") + "."
}

// momentWords says what kind of moment this is for telling.
func (p *page) momentWords(in api.Inbox) string {
	var parts []string
	if words := p.presenceWords(in.Presence); words != "" {
		parts = append(parts, "You are "+words+".")
	}
	if in.QuietUntil.After(p.At) {
		parts = append(parts, "Quiet hours last until "+p.clock(in.QuietUntil)+".")
	}
	if !in.NextDigest.IsZero() {
		parts = append(parts, "The next digest is due "+p.when(in.NextDigest)+".")
	}
	return strings.Join(parts, " ")
}

// presenceWords continues "you are"; "" where nothing is known.
func (p *page) presenceWords(presence subconscious.Presence) string {
	words := ""
	switch presence.State {
	case subconscious.PresenceLooking:
		words = "looking"
	case subconscious.PresenceIdle:
		words = "at the machine, with your hands off it"
	case subconscious.PresenceAway:
		words = "away"
	case subconscious.PresenceEngaged:
		words = "typing"
	case subconscious.PresenceBusy:
		words = "busy"
	default:
		return ""
	}
	why := clean(presence.Why)
	if why == "" && presence.Until.After(p.At) {
		why = "until " + p.clock(presence.Until)
	}
	if why != "" {
		words += " (" + why + ")"
	}
	return words
}

const incidentIndent = "    "

// incident writes one incident of the inbox: what, how it is, why, and how its
// last message fared.
func (p *page) incident(i api.InboxIncident) {
	mark, colour := severityMark(i.Severity)
	words := clean(i.Summary)
	p.marked("  ", colour, mark, " ", cells(incidentIndent), bold, words)
	p.line(incidentIndent, p.in(dim, pieces(p.Width-cells(incidentIndent), clean(string(i.ID)), tellingWords(i), clean(string(i.Kind)),
		"importance "+importance(i.Importance), "since "+p.clock(i.Since))))
	if reason := clean(i.Reason); reason != "" && reason != words {
		p.wrapped(incidentIndent+"why   ", plain, reason)
	}
	if !i.Due.IsZero() {
		p.wrapped(incidentIndent+"due   ", plain, p.when(i.Due))
	}
	if words := p.heldWords(i); words != "" {
		p.wrapped(incidentIndent+"waits ", plain, words)
	}
	if words := p.toldWords(i); words != "" {
		p.wrapped(incidentIndent+"told  ", plain, words)
	}
	p.deliberated(i)
	for _, d := range i.Delivery {
		if delivered(d) {
			continue
		}
		p.delivery(incidentIndent, d)
	}
}

// deliberated says what was made of an incident, and what waits for the person's
// word.
func (p *page) deliberated(i api.InboxIncident) {
	switch {
	case i.Deliberating:
		p.wrapped(incidentIndent+"now   ", plain, "it is being deliberated on")
	case i.Outcome != "" && (!isPutOff(i) || !i.Remind.IsZero()): // else it says what it waits for
		_, _, words := outcomeMark(i.Outcome)
		if reason := clean(i.OutcomeReason); reason != "" {
			words += ": " + reason
		}
		p.wrapped(incidentIndent+"made  ", plain, words)
	}
	if i.Proposal != "" {
		p.wrapped(incidentIndent+"→     ", plain, "subconsciousctl approve "+clean(i.Proposal)+", or reject")
	}
}

// severityMark is the sign of how grave something is; nothing is said by it that
// its words do not say.
func severityMark(severity subconscious.Severity) (mark string, colour style) {
	switch severity {
	case subconscious.Critical:
		return "▲", red
	case subconscious.Warning:
		return "!", yellow
	}
	return "·", plain
}

// severityWords is how grave it is.
func severityWords(severity subconscious.Severity) string {
	switch severity {
	case subconscious.Critical:
		return "critical"
	case subconscious.Warning:
		return "a warning"
	case subconscious.Notable:
		return "notable"
	}
	return "plain"
}

// tellingWords is where an incident is in its life with the person.
func tellingWords(i api.InboxIncident) string {
	switch {
	case i.Deliberating:
		return "not told yet"
	case isPutOff(i):
		return "put off"
	case i.State == subconscious.TellingDismissed && i.Outcome == subconscious.OutcomeDismissed:
		return "kept back"
	case i.State == subconscious.TellingAcknowledged && i.Outcome == subconscious.OutcomeRemembered:
		return "remembered"
	}
	switch i.State {
	case subconscious.TellingOpen:
		if !i.Waits {
			return "not told"
		}
		return "not told yet"
	case subconscious.TellingTold:
		return "told"
	case subconscious.TellingAcknowledged:
		return "answered"
	case subconscious.TellingReopened:
		return "open again"
	case subconscious.TellingResolved:
		return "over"
	}
	return clean(string(i.State))
}

// heldWords says what an incident waits for, and until when.
func (p *page) heldWords(i api.InboxIncident) string {
	if !i.Remind.IsZero() {
		return "you are reminded " + p.when(i.Remind)
	}
	if !awaited(i) || i.Deliberating && !i.Waits {
		return ""
	}
	reason := i.Held
	if reason == "" && i.State == subconscious.TellingSnoozed {
		reason = "snoozed"
	}
	words := p.untilWords(i.Until) + ": " + whyHeld(i, reason)
	if why := clean(i.OutcomeReason); why != "" && isPutOff(i) {
		words += ": " + why
	}
	if i.Until.After(p.At) && i.Due.After(p.At) && i.Due.Before(i.Until) {
		words += "; it is due before that"
	}
	return words
}

// isPutOff reports whether a deliberation, and not the person, put off that the
// person is told.
func isPutOff(i api.InboxIncident) bool {
	return i.State == subconscious.TellingSnoozed && i.Outcome == subconscious.OutcomeSnoozed
}

// whyHeld says in a few words why an incident is held for that reason.
func whyHeld(i api.InboxIncident, reason string) string {
	if reason == "snoozed" && isPutOff(i) {
		return "a deliberation put it off"
	}
	return gateWords(reason)
}

// untilWords says how long something is held at least.
func (p *page) untilWords(until time.Time) string {
	switch {
	case until.IsZero(), !until.After(p.At):
		return "until the next look"
	default:
		return "until " + p.clock(until) + " (" + p.relative(until) + ")"
	}
}

// toldWords says when an incident was told, and what the person said to it.
func (p *page) toldWords(i api.InboxIncident) string {
	if i.Told.IsZero() {
		return ""
	}
	words := p.when(i.Told)
	if i.Times > 1 {
		words += ", the " + ordinal(i.Times) + " time"
	}
	if said := feedbackWords(i.Feedback); said != "" {
		words += "; " + said
	}
	return words
}

// feedbackWords is the person's last word.
func feedbackWords(f subconscious.Feedback) string {
	switch f {
	case subconscious.Useful:
		return "you found it useful"
	case subconscious.NotUseful:
		return "you found it not useful"
	case subconscious.Dismissed:
		return "you dismissed it"
	case subconscious.Ignored:
		return "a day passed without an answer"
	case subconscious.Missed:
		return "you said that it should have been told"
	}
	return clean(string(f))
}

// feedbackWord is an answer in a word.
func feedbackWord(f subconscious.Feedback) string {
	return strings.ReplaceAll(clean(string(f)), "_", " ")
}

// gateWords says a reason of the gate in plain words.
func gateWords(reason string) string {
	switch reason {
	case "no_evidence":
		return "nothing on record bears it out"
	case "expired":
		return "its time has passed"
	case "dismissed":
		return "you dismissed it"
	case "snoozed":
		return "you want to hear of it later"
	case "duplicate":
		return "it was told before, and nothing changed that matters"
	case "low_confidence":
		return "not sure enough that you want to hear of it"
	case "cooldown":
		return "it was told only just now"
	case "quiet_hours":
		return "quiet hours"
	case "presence":
		return "you are busy, and it can wait for a pause"
	case "budget_attention":
		return "you were told enough for now"
	case "digest":
		return "it goes into the next digest"
	case "escalate":
		return "worth telling now"
	case "kept_back":
		return "a deliberation kept it back"
	case "":
		return "not yet judged"
	}
	return strings.ReplaceAll(clean(reason), "_", " ")
}

// noChannel says that nothing can reach the person but this.
func (p *page) noChannel(in api.Inbox) {
	if in.Channels == 0 {
		p.wrapped("", plain, "No channel is configured: what is told is here, and nowhere else. Set one up: subconsciousctl init")
	}
}
