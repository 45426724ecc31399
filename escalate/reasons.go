package escalate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// heldAtMost is how long a request waits to be told, a little longer than from one
// weekly digest to the next: what nobody could tell by then is no news any more.
const heldAtMost = 8 * 24 * time.Hour

// patternChanges is how many counted changes a pattern needs to be pushed.
const patternChanges = 3

type applied struct {
	reason  Reason
	applies func(*candidate) (Ruling, bool)
}

// reasons are the functions that look for each reason, in the order in which they do.
func reasons() []applied {
	return []applied{
		{NoEvidence, noEvidence}, {Expired, expired}, {Dismissed, dismissed}, {Snoozed, snoozed}, {Duplicate, duplicate},
		{LowConfidence, lowConfidence}, {Backlog, backlog}, {Cooldown, cooldown}, {Digest, digest}, {Strangers, strangers},
		{QuietHours, quietHours}, {Presence, presence}, {BudgetAttention, budgetAttention}, {Escalate, escalate},
	}
}

// noEvidence: nothing that it cites is known, or all of it is over.
func noEvidence(l *candidate) (Ruling, bool) {
	switch {
	case l.incident == nil:
		return Ruling{Verdict: Drop, Detail: "the incident that it is about is not known"}, true
	case len(l.own) == 0 && l.waited:
		return Ruling{Verdict: Drop, Detail: "nothing is known any more of what it rests on"}, true
	case len(l.own) == 0:
		return Ruling{Verdict: Drop, Detail: "nothing that it cites is known"}, true
	case over(l.incident, l.own):
		return Ruling{Verdict: Drop, Detail: "it is over"}, true
	}
	return Ruling{}, false
}

// expired: it was due ahead when it was asked for, and that time has passed. A
// request about what is overdue is not late, and neither is a reminder of it; but
// nobody needs to hear of an event that has begun.
func expired(l *candidate) (Ruling, bool) {
	at := l.gate.in.At
	switch {
	case !l.due.IsZero() && !at.Before(l.due) && (isEvent(l.asked, l.own) || l.asked.At.Before(l.due) && !l.reminds):
		return Ruling{Verdict: Drop, Detail: "it was due " + when(l.due, at) + ", and that has passed"}, true
	case l.due.IsZero() && !l.end.IsZero() && !at.Before(l.end) && !l.reminds:
		return Ruling{Verdict: Drop, Detail: "it was of use until " + subconscious.Moment(l.end, at)}, true
	case l.waited && !l.reminds && readMeanwhile(l):
		return Ruling{Verdict: Drop, Detail: "you have read it meanwhile"}, true
	case l.waited && !l.reminds && l.telling != nil && !l.telling.HeldSince.IsZero() && at.Sub(l.telling.HeldSince) >= heldAtMost && !isSnoozed(l.telling, at):
		return Ruling{Verdict: Drop, Detail: "it has waited too long, since " + subconscious.Moment(l.telling.HeldSince, at)}, true
	}
	return Ruling{}, false
}

// readMeanwhile: all that a request wanted to say is that a mail came, and the
// person has opened it. What is due by a day has to be done all the same.
func readMeanwhile(l *candidate) bool {
	return l.asked.Kind == subconscious.KindObservation && l.asked.Source == "mail" && len(l.own) > 0 &&
		!slices.ContainsFunc(l.own, func(e *subconscious.Evidence) bool { return e.Latest.Attrs["seen"] != "true" })
}

// dismissed: the person wants to hear no more of it.
func dismissed(l *candidate) (Ruling, bool) {
	closed := l.incident.Closed
	switch {
	case closed == nil && l.waited && l.telling.State == subconscious.TellingDismissed && !isKeptBack(l.telling):
		return Ruling{Verdict: Drop, Detail: "dismissed " + when(l.telling.Since, l.gate.in.At)}, true
	case closed == nil:
		return Ruling{}, false
	case closed.Forever:
		return Ruling{Verdict: Drop, Detail: "dismissed for good " + when(closed.At, l.gate.in.At)}, true
	}
	return Ruling{Verdict: Drop, Detail: "dismissed " + when(closed.At, l.gate.in.At) + ", and it has not become worse since"}, true
}

// snoozed: the person wants to hear of it later; unless it became worse than
// what they were told.
func snoozed(l *candidate) (Ruling, bool) {
	at := l.gate.in.At
	if !isSnoozed(l.telling, at) {
		return Ruling{}, false
	}
	if last, told := lastTold(l.telling); told && l.severity > last.Severity {
		return Ruling{}, false
	}
	return Ruling{Verdict: Hold, Detail: "snoozed until " + subconscious.Moment(l.telling.Until, at), Until: l.telling.Until}, true
}

// duplicate: it was told, and nothing has changed that matters; or all that it
// connects was told already, or is being deliberated on, for which it waits.
func duplicate(l *candidate) (Ruling, bool) {
	if _, by, pending := l.covered(); pending && !l.reminds && !l.critical {
		return Ruling{Verdict: Hold, Detail: "what it connects is being thought over, as " + by}, true
	}
	again, news, detail := l.matters()
	if !news {
		return Ruling{Verdict: Drop, Detail: detail}, true
	}
	l.again = again
	return Ruling{}, false
}

// lowConfidence: it is not worth a place in a digest. What the person asked to
// be reminded of is.
func lowConfidence(l *candidate) (Ruling, bool) {
	from := l.gate.in.Rules.DigestFrom
	if l.reminds || l.critical || l.confidence >= from-rounding {
		return Ruling{}, false
	}
	return Ruling{Verdict: Drop, Detail: fmt.Sprintf("%.2f sure that it is worth telling, and a digest needs %.2f", l.confidence, from)}, true
}

// cooldown: it was pushed a moment ago. A letter that corrects it does not wait.
func cooldown(l *candidate) (Ruling, bool) {
	at := l.gate.in.At
	last, pushed := lastPush(l.telling)
	until := last.At.Add(l.gate.in.Rules.Cooldown)
	if !pushed || !at.Before(until) || isAhead(last.At, at) || l.reminds || l.rings() || l.critical && l.again == againWorse || l.again == againLetter && (l.isGrave() || l.own[0].Latest.Attrs["corrects"] != "") {
		return Ruling{}, false
	}
	return Ruling{Verdict: Hold, Detail: "told " + when(last.At, at) + "; again from " + subconscious.Moment(until, at) + " on at the earliest", Until: until}, true
}

// quietHours: only what is critical is told.
func quietHours(l *candidate) (Ruling, bool) {
	at := l.gate.in.At
	until := l.gate.quietUntil
	if until.IsZero() || l.critical {
		return Ruling{}, false
	}
	detail := "quiet hours until " + subconscious.Moment(until, at)
	if at.Before(l.end) && l.end.Before(until) {
		detail += "; " + l.use() + ", and they let only what is critical through"
	}
	return Ruling{Verdict: Hold, Detail: detail, Until: until}, true
}

// presence: now is no natural pause, and it can wait a little. What the person
// asked to be reminded of at a time comes at that time.
func presence(l *candidate) (Ruling, bool) {
	at, now, rules := l.gate.in.At, l.gate.in.Presence, l.gate.in.Rules
	var most time.Duration
	var what string
	switch now.State {
	case subconscious.PresenceEngaged:
		most, what = rules.HoldEngaged, "you are at work"
	case subconscious.PresenceBusy:
		most, what = rules.HoldBusy, "you are busy"
	default:
		return Ruling{}, false
	}
	since := at
	if l.telling.Waits && !l.telling.HeldSince.IsZero() {
		since = l.telling.HeldSince
	}
	until := since.Add(most)
	if now.Until.After(at) && now.Until.Before(until) {
		until = now.Until
	}
	latest := cmp.Or(l.latest, l.asked.Due)
	urgent := l.critical || l.isGrave() || l.isPastUse(time.Hour) || l.severity >= subconscious.Warning || !latest.IsZero() && !latest.After(until.Add(toAct))
	asked := l.reminds && l.telling.State != subconscious.TellingSnoozed
	if urgent || asked || !at.Before(until) {
		return Ruling{}, false
	}
	if now.Why != "" {
		what = subconscious.Shorten(plain(now.Why), 80)
	}
	return Ruling{Verdict: Hold, Detail: what + "; it waits until " + subconscious.Moment(until, at) + " at most", Until: until}, true
}

// budgetAttention: enough was told today, or within the hour.
func budgetAttention(l *candidate) (Ruling, bool) {
	g := l.gate
	if l.hasRing() {
		return Ruling{}, false
	}
	draw := draw{critical: l.critical, urgent: l.isUrgent()}
	why, until := g.spent(draw)
	if why != "" && l.isPastUse(max(time.Hour, until.Sub(g.in.At))) {
		l.pressed, draw.urgent = true, true
		why, until = g.spent(draw)
	}
	return Ruling{Verdict: Hold, Detail: why, Until: until}, why != ""
}

// hasRing reports whether it is told at a time that the person set, of which a day has
// as many as it has other pushes. They take no place of those, or a few minutes set
// in a kitchen would keep back what others need of the person.
func (l *candidate) hasRing() bool {
	rules := l.gate.in.Rules
	return rules.EscalationsPerHour > 0 && l.gate.out.Spent.Rings < rules.NotificationsPerDay && l.rings()
}

// draw is what a push draws on what is left of attention as. anyHour: the cap of the
// hour does not hold it.
type draw struct{ critical, urgent, anyHour bool }

// spent says why nothing more can be pushed now; "" where something can. The last
// of the day's pushes is kept for what is critical, which knows no hour; a third
// of the day and of the hour for what is urgent, at least one but where
// there is only one; and one of the day for a digest that is late, or it would be so
// all day. For a digest, which tells of many, there is no such third, and no hour.
func (g *gate) spent(of draw) (why string, until time.Time) {
	spent, day, hourly, owed := g.out.Spent, g.in.Rules.NotificationsPerDay, g.in.Rules.EscalationsPerHour, g.owed
	year, month, date := g.in.At.Date()
	tomorrow, _ := clock(0).instants(year, month, date+1, g.in.At.Location())
	reserve := min(1, day/4) // where there are few, what is critical takes one as others do
	keptToday, keptNow := 0, 0
	if !of.urgent && day-reserve > 1 {
		keptToday = max(0, max(1, day/3)-spent.UrgentToday)
	}
	if !of.urgent && hourly > 1 {
		keptNow = max(0, max(1, hourly/3)-spent.UrgentLastHour)
	}
	if of.urgent && spent.UrgentLastHour == 0 && hourly > 1 {
		owed = 0 // it goes before a digest, and the next leaves that its place
	}
	switch {
	case isSameDay(spent.Restored, g.in.At) && !of.critical:
		return "restored from a backup today, and nobody knows how often you were told", tomorrow
	case spent.Today >= day:
		return fmt.Sprintf("%s today, which is all that the day allows", times(spent.Today)), tomorrow
	case of.critical:
		return "", time.Time{}
	case spent.Today >= day-reserve:
		return fmt.Sprintf("%s today; the last of %d is kept for what is critical", times(spent.Today), day), tomorrow
	case of.anyHour:
		return "", time.Time{}
	case spent.LastHour >= hourly:
		return fmt.Sprintf("%s within the hour, which is all that an hour allows", times(spent.LastHour)), spent.Opens
	case spent.Today+keptToday >= day-reserve:
		return fmt.Sprintf("%s today; what is left is kept for what is urgent or critical", times(spent.Today)), tomorrow
	case spent.LastHour+keptNow >= hourly:
		return fmt.Sprintf("%s within the hour; what is left of it is kept for what is urgent", times(spent.LastHour)), spent.Opens
	case spent.Today+keptToday+owed >= day-reserve:
		return "what is left is kept for the digest", time.Time{}
	}
	return "", time.Time{}
}

func isSameDay(t, at time.Time) bool {
	return t.In(at.Location()).Format(time.DateOnly) == at.Format(time.DateOnly)
}

func times(n int) string {
	switch n {
	case 0:
		return "nothing told"
	case 1:
		return "told once"
	}
	return fmt.Sprintf("told %d times", n)
}

// digest: it is worth telling, but not worth a push.
func digest(l *candidate) (Ruling, bool) {
	at, rules := l.gate.in.At, l.gate.in.Rules
	if l.reminds || l.critical {
		return Ruling{}, false
	}
	var why string
	switch {
	case neverPushed(l.asked.Kind):
		why = "a thought of that kind (" + string(l.asked.Kind) + ") is not pushed"
	case l.key.IsPattern() && l.incident.Changes < patternChanges:
		why = fmt.Sprintf("a pattern needs %d changes to be pushed, and this rests on %d", patternChanges, l.incident.Changes)
	case l.confidence < rules.PushFrom-rounding:
		why = fmt.Sprintf("%.2f sure that it is worth telling, and a push needs %.2f", l.confidence, rules.PushFrom)
	default:
		return Ruling{}, false
	}
	due, from := l.gate.digestDue(), l.lastChance()
	switch late := at.Before(l.latest) && (due.IsZero() || !l.latest.After(due)); {
	case !late || !l.isNearlyAPush():
		return l.withDigest(why), true
	case at.Before(from):
		return Ruling{Verdict: Hold, Detail: why + "; no digest comes before it is due, so that it is told " + when(from, at), Until: from}, true
	}
	return Ruling{}, false
}

// withDigest lets a request wait for the next digest, or go where that comes too
// late.
func (l *candidate) withDigest(why string) Ruling {
	at, due := l.gate.in.At, l.gate.digestDue()
	switch {
	case at.Before(l.end) && (due.IsZero() || !l.end.After(due)):
		return Ruling{Verdict: Drop, Detail: why + "; " + l.use() + ", and no digest comes before that: it is in the inbox"}
	case due.IsZero():
		return Ruling{Verdict: Drop, Detail: why + ", and no digest is configured: it is in the inbox"}
	}
	return Ruling{Verdict: Hold, Detail: why + "; the digest comes " + when(due, at), Until: due}
}

// digestDue is when the next digest comes: now, where one is late.
func (g *gate) digestDue() time.Time {
	if g.owed > 0 {
		return g.in.At
	}
	return g.nextDigest
}

// isNearlyAPush reports whether something is nearer to being worth a push than to
// being worth nothing, so that it is pushed where no digest comes in time.
func (l *candidate) isNearlyAPush() bool {
	rules := l.gate.in.Rules
	return !neverPushed(l.asked.Kind) && l.confidence >= (rules.PushFrom+rules.DigestFrom)/2
}

// beforehand is how long before it is due something is told that no digest comes
// for in time.
const beforehand = 2 * time.Hour

// lastChance is when that is: before the quiet hours in which it is due, and not
// in any.
func (l *candidate) lastChance() time.Time {
	if l.letter() != nil && l.due.IsZero() {
		return l.gate.in.At // it is news
	}
	quiet, end := l.gate.in.Rules.Quiet, l.due.In(l.gate.in.At.Location())
	if begins, _, ok := quiet.span(end.Add(-time.Nanosecond)); ok {
		end = begins
	}
	from := end.Add(-beforehand)
	if over, ok := quiet.Until(from); ok && over.Before(end) {
		from = over
	}
	return from
}

// escalate is what is left: it is told now.
func escalate(l *candidate) (Ruling, bool) {
	detail := fmt.Sprintf("%.2f sure that it is worth telling", l.confidence)
	switch {
	case l.again != "" && l.critical:
		detail = l.anew() + ", and critical"
	case l.again != "":
		detail = l.anew()
	case l.critical:
		detail = "critical"
	case l.reminds:
		detail = "you set this time"
	case l.confidence < l.gate.in.Rules.PushFrom-rounding:
		detail += ", and no digest comes in time"
		if l.due.IsZero() {
			detail += ": " + l.use()
		}
	}
	return Ruling{Verdict: Tell, Detail: detail}, true
}

// use says in words what end is.
func (l *candidate) use() string {
	if l.due.IsZero() {
		return "telling it helps until " + subconscious.Moment(l.end, l.gate.in.At)
	}
	return "it is due " + when(l.end, l.gate.in.At)
}

// backlog: it was there when the mind began to look, and is told with all of that,
// unless it is worth a push and urgent or soon; or it came since the backup that the
// mind was restored from.
func backlog(l *candidate) (Ruling, bool) {
	ahead := l.latest.Sub(l.gate.in.At)
	pressing := l.isUrgent() || ahead > 0 && ahead <= beforehand && l.stranger() == ""
	restored := !l.gate.in.Spent.Restored.IsZero()
	if !l.gate.begins && l.telling.Held != string(Backlog) || l.critical || !restored && (l.reminds || pressing && !neverPushed(l.asked.Kind) && l.confidence >= l.gate.in.Rules.PushFrom-rounding) {
		return Ruling{}, false
	}
	if restored {
		return Ruling{Verdict: Hold, Detail: "the mind was restored, and what has come since is told in one message", Until: l.gate.quietUntil}, true
	}
	return Ruling{Verdict: Hold, Detail: "it was there before anything was looked at, and is told with all of that in one message", Until: l.gate.quietUntil}, true
}

// strangersMost is how many letters of strangers a day may push, half of them
// before noon, and one of a domain.
const strangersMost = 4

// strangers: enough of those whom the person does not know were told today.
func strangers(l *candidate) (Ruling, bool) {
	domain, g := l.stranger(), l.gate
	told := g.out.Spent.Strangers
	var why string
	switch {
	case domain == "" || l.reminds:
		return Ruling{}, false
	case l.letter().Attrs["forged"] == "true":
		why = "it does not come from its sender"
	case g.in.Rules.Strangers == StrangersDigest:
		why = "you do not write to its sender"
	case slices.Contains(told, domain):
		why = "you do not write to its sender, and were told once today what " + plain(domain) + " writes"
	case len(told) >= strangersMost:
		why = fmt.Sprintf("you do not write to its sender, and were told %d such letters today", len(told))
	case len(told) >= strangersMost/2 && g.in.At.Hour() < 12:
		why = fmt.Sprintf("you do not write to its sender, and were told %d such letters; the others of today are kept until noon", len(told))
	default:
		return Ruling{}, false
	}
	return l.withDigest(why), true
}

// toAct is what the person needs of time at least, once they were told.
const toAct = time.Hour

// anew says why something is told again, or after all.
func (l *candidate) anew() string {
	than := "when it was told"
	if last, _ := lastTold(l.telling); last.Outcome.KeepsBack() {
		if than = "when it was kept back"; l.again == againReminder && l.telling.State == subconscious.TellingSnoozed {
			return "put off until now"
		}
	}
	return map[string]string{
		againWorse: "worse than " + than, againNearer: "nearer than " + than, againStatus: "its status is another one",
		againParticipant: "somebody joined", againReturned: "it was over, and is back", againReminder: "to be reminded of it now", againLetter: "another letter of it came",
	}[l.again]
}

// lastTold is the last time that an incident was told or given to a
// deliberation: what it was like then is what it is compared with.
func lastTold(t *subconscious.Telling) (subconscious.Told, bool) {
	if t == nil || len(t.Told) == 0 {
		return subconscious.Told{}, false
	}
	return t.Told[len(t.Told)-1], true
}

// lastPush is the last time that it was told by itself, not in a digest, not
// read in the inbox, and not kept back.
func lastPush(t *subconscious.Telling) (subconscious.Told, bool) {
	for _, told := range slices.Backward(t.Told) {
		if !told.Digest && told.Why != whyRead && !told.Outcome.KeepsBack() {
			return told, true
		}
	}
	return subconscious.Told{}, false
}
