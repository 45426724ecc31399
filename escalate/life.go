package escalate

import (
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// answerWithin is how long an answer is waited for; what only happened, and
	// never stood, is over after that.
	answerWithin = 24 * time.Hour
	// toldKept is how many times of telling are remembered.
	toldKept = 8
)

// live moves incidents on in their life with the person, apart from requests: what
// was closed is dismissed, what is over is resolved, what nobody answered is
// counted as ignored, what was snoozed long enough is to be told again.
func (g *gate) live() {
	for _, key := range g.keys {
		incident := g.incidents[key]
		t := incident.Telling
		if t == nil {
			continue
		}
		if isAhead(t.HeldSince, g.in.At) { // what was snoozed for two hours is so from now on
			if !t.Until.IsZero() {
				t.Until = g.in.At.Add(t.Until.Sub(t.HeldSince))
			}
			t.HeldSince = g.in.At
		}
		if incident.Closed != nil && t.State != subconscious.TellingDismissed {
			g.enter(t, subconscious.TellingDismissed)
			t.Remind = time.Time{}
		}
		if g.unanswered(t) {
			g.learn(t, subconscious.Ignored)
		}
		if t.State == subconscious.TellingSnoozed && t.Held == string(Snoozed) && t.Waits && !g.in.At.Before(t.Until) {
			t.Held, t.HeldSince, t.Remind = "", g.in.At, t.Until
		}
		if g.isResolved(incident) {
			g.clear(incident)
			g.enter(t, subconscious.TellingResolved)
		}
	}
}

// isAhead reports whether what is on record as past lies more than a day ahead:
// the clock was wrong when it was written, and nothing waits for it.
func isAhead(recorded, at time.Time) bool { return recorded.Sub(at) > 24*time.Hour }

// enter lets an incident be in a state from now on.
func (g *gate) enter(t *subconscious.Telling, state subconscious.TellingState) {
	if t.State != state {
		t.State, t.Since = state, g.in.At
	}
}

// unanswered reports whether a push had no answer for a day. A digest wants
// none, and what nobody was told can have none.
func (g *gate) unanswered(t *subconscious.Telling) bool {
	if last, told := lastTold(t); told && !last.Heard() {
		return false
	}
	last, pushed := lastPush(t)
	return !g.in.Rules.Trial && t.State == subconscious.TellingTold && t.Feedback == "" && pushed && g.isOver(last.At)
}

// isResolved reports whether what was told is over: all of it that could stand
// is gone, or it only happened, and a day has passed.
func (g *gate) isResolved(incident *subconscious.Incident) bool {
	t := incident.Telling
	if t.Waits || remindsAt(t, g.in.At) {
		return false // the request is judged, and says so
	}
	last, told := lastTold(t)
	evidence := g.own(incident, t.Asked)
	switch t.State {
	case subconscious.TellingTold, subconscious.TellingAcknowledged, subconscious.TellingSnoozed, subconscious.TellingReopened:
	case subconscious.TellingDismissed:
		// Not by the person: it is over like what was told, and nobody looked
		// at it meanwhile.
		if !isKeptBack(t) || incident.Closed != nil {
			return false
		}
		if wentAway(evidence, last.At) {
			return true
		}
	default:
		return false
	}
	if over(incident, evidence) {
		return true
	}
	since := t.Since
	if told {
		since = last.At
	}
	return !stands(evidence) && g.isOver(since)
}

// clear takes back what was pushed within the day and is over: an alarm of the
// machine or of a source that the person vouches for, and what its own writer took back or corrected.
func (g *gate) clear(incident *subconscious.Incident) {
	t := incident.Telling
	last, told := lastTold(t)
	evidence := g.own(incident, t.Asked)
	if !told || last.Digest || !last.Heard() || last.Why == whyRead || g.isOver(last.At) || len(evidence) == 0 || !incident.Over && !wentAway(evidence, last.At) {
		return
	}
	o, when := &evidence[0].Latest, " Told "+when(last.At, g.in.At)+"."
	lead, text := "", ""
	said := func(attr string) string {
		return "“" + subconscious.Shorten(plain(o.Attrs[attr]), quoted) + "”" + when
	}
	switch {
	case o.Attrs["taken_back"] != "":
		lead, text = "No longer needed: ", said("taken_back")
	case o.Attrs["corrected"] != "":
		lead, text = "Changed: ", said("corrected")
	case incident.Over && t.Asked.Kind == subconscious.KindRisk:
		lead, text = "No longer: ", "It is so no more, as one of them changed."+when
	case (isMachine(classOf(o)) || o.Declared() && o.Due.IsZero() && isOurs(o)) && last.Severity >= subconscious.Warning:
		lead, text = "All clear, no longer: ", "It is over, as of "+subconscious.Moment(g.in.At, g.in.At)+"."+when
	default:
		return
	}
	title := func(of string) string { return subconscious.Shorten(lead+of, maxTitle) }
	point := near(sentence(t.Asked, incident.Key), g.in.At)
	if o.Sense == "mail" && runes(lead+point) > maxTitle { // who it was, and about what
		point = plain(o.Title)
	}
	g.out.Clears = append(g.out.Clears, Clear{told: last.At, ID: t.ID, Message: Message{
		Title: title(point), Text: text, Outline: title(g.candidate(incident, t.Asked, true).outline())}})
}

// isOver reports whether the time for an answer is over that began then.
func (g *gate) isOver(began time.Time) bool {
	return !g.in.At.Before(began.Add(answerWithin)) || isAhead(began, g.in.At)
}

// remindsAt reports whether the person is to be reminded now.
func remindsAt(t *subconscious.Telling, at time.Time) bool {
	return !t.Remind.IsZero() && !at.Before(t.Remind)
}

// isSnoozed reports whether the person wants to hear of it later than at.
func isSnoozed(t *subconscious.Telling, at time.Time) bool {
	return t != nil && t.State == subconscious.TellingSnoozed && t.Held == string(Snoozed) && at.Before(t.Until)
}

// deliver writes down that an incident is told by itself, or given to a
// deliberation, which counts as told until that says otherwise.
func (g *gate) deliver(l *candidate, deliberate bool) {
	told, outcome := g.told(l, l.again), "told"
	if deliberate {
		told.Outcome, outcome = subconscious.OutcomePending, string(subconscious.OutcomePending)
	}
	g.tell(l, told, outcome)
}

// deliverInDigest writes down that an incident is told in a digest.
func (g *gate) deliverInDigest(l *candidate) {
	told := g.told(l, l.again)
	told.Digest = true
	g.tell(l, told, "told in the digest")
}

// tell writes down that an incident is told, and what it is like.
func (g *gate) tell(l *candidate, told subconscious.Told, outcome string) {
	t := l.telling
	t.Told = append(t.Told, told)
	t.Told = t.Told[max(0, len(t.Told)-toldKept):]
	if told.Heard() {
		t.Times++
	}
	t.State, t.Since = subconscious.TellingTold, g.in.At
	t.Waits, t.Held, t.HeldSince, t.Until = false, "", time.Time{}, time.Time{}
	if l.reminds {
		t.Remind = time.Time{}
	}
	g.out.History = append(g.out.History, subconscious.EscalationRecord{
		At: g.in.At, Incident: l.key, Summary: l.asked.Summary, Reason: l.asked.Reason, Outcome: outcome,
	})
}

// told is what an incident is like now.
func (g *gate) told(l *candidate, why string) subconscious.Told {
	due := l.due
	if due.IsZero() { // of the machine, when it will be full
		due = l.asked.Due
	}
	return subconscious.Told{
		Tick: g.in.Tick, At: g.in.At, Why: why, Sort: sortOf(l.asked), Severity: toldAs(l), Band: l.band,
		Due: due, Status: status(l.own), Participants: participants(l.all), Changes: g.changes(l.incident, l.asked),
	}
}

// drop writes down that a request is judged no more.
func (g *gate) drop(l *candidate, reason Reason) {
	t := l.telling
	if l.snoozeBroken() {
		t.Remind = t.Until
	}
	t.Waits, t.Held, t.HeldSince, t.Until = false, string(reason), time.Time{}, time.Time{}
	if l.reminds {
		t.Remind = time.Time{}
	}
	switch reason {
	case NoEvidence:
		if len(l.own) > 0 && t.State != subconscious.TellingDismissed {
			g.enter(t, subconscious.TellingResolved)
		}
	case Expired, Dismissed:
	default:
		g.reopen(l)
	}
}

// reopen notes that what was over or dismissed is asked for again.
func (g *gate) reopen(l *candidate) {
	if l.isReopened() {
		g.enter(l.telling, subconscious.TellingReopened)
	}
}

// unsnoozed is the state of what is snoozed no more, and not told yet.
func (l *candidate) unsnoozed() subconscious.TellingState {
	if isKeptBack(l.telling) {
		return subconscious.TellingOpen
	}
	return subconscious.TellingTold
}

// snoozeBroken reports whether a request goes on though its incident is snoozed,
// because it became worse.
func (l *candidate) snoozeBroken() bool { return isSnoozed(l.telling, l.gate.in.At) }

// learn takes the person's last word on an incident into the score of its sort,
// in place of an earlier one.
func (g *gate) learn(t *subconscious.Telling, word subconscious.Feedback) {
	if t.Feedback == word {
		return
	}
	of := sortOf(t.Asked)
	if last, told := lastTold(t); told && last.Sort != (subconscious.Sort{}) {
		of = last.Sort
	}
	if t.Feedback != "" {
		counted := t.Counted
		if counted == (subconscious.Sort{}) {
			counted = of
		}
		g.count(counted, t.Feedback, "")
	}
	t.Feedback, t.Counted = word, subconscious.Sort{}
	if word != "" {
		t.Counted = of
		g.count(of, "", word)
	}
}

// count takes a word into the score of a sort. What no thread asked for, but the
// person alone asked to be reminded of, is of no sort that is calibrated.
func (g *gate) count(sort subconscious.Sort, before, after subconscious.Feedback) {
	if sort.Thread == "" {
		return
	}
	score := Learn(g.score(sort), before, after)
	score.Updated = g.in.At
	g.scores[sort] = score
}

// bounded is a request as it is kept.
func bounded(asked subconscious.Asked) subconscious.Asked {
	asked.Summary = subconscious.Shorten(subconscious.Printable(asked.Summary), summaryKept)
	asked.Reason = subconscious.Shorten(subconscious.Printable(asked.Reason), reasonKept)
	asked.Evidence = slices.Clone(asked.Evidence[:min(len(asked.Evidence), citationsKept)])
	return asked
}

const (
	summaryKept   = 200
	reasonKept    = 300
	citationsKept = 16
)

// warns is the importance from which on something notable is told like a
// warning: a disk that will be full within hours.
const warns = 8

// toldAs is how severe it was told to be. What was told like a
// warning is not told again as it becomes one.
func toldAs(l *candidate) subconscious.Severity {
	if l.severity == subconscious.Notable && l.asked.Importance >= warns {
		return subconscious.Warning
	}
	return l.severity
}
