package escalate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Why something is told again.
const (
	againWorse       = "worse"
	againNearer      = "nearer"
	againStatus      = "status"
	againParticipant = "participant"
	againReturned    = "returned"
	againReminder    = "reminder"
	againLetter      = "letter"

	// whyRead marks what the person read in the inbox before it was told.
	whyRead = "read"
)

// matters reports whether a request says something that the person was not told,
// and of what sort it is; else why not, in plain words. What was never told is
// news, but for a connection all of whose changes were told with its parts.
func (l *candidate) matters() (again string, news bool, detail string) {
	if told, by, _ := l.covered(); told && !l.reminds {
		return "", false, "all that it connects was told already, as " + by
	}
	last, told := lastTold(l.telling)
	switch {
	case !told && l.isOwnDoing():
		return "", false, "you moved it yourself, at this machine"
	case !told && l.waited && !l.reminds && len(l.own) == 1:
		if pair, with := l.gate.toldWith(l.own[0].Ref, l.own[0].Latest.Seq, true); pair != nil && with.Heard() && pair.Closed == nil {
			return "", false, fmt.Sprintf("what it says was told with %s %s", pair.Telling.ID, when(with.At, l.gate.in.At))
		}
		return "", true, ""
	case !told:
		return "", true, ""
	}
	if again = l.change(last); again != "" {
		return again, true, ""
	}
	how := "told"
	switch {
	case last.Outcome.KeepsBack():
		how = "thought over and kept back"
	case last.Outcome == subconscious.OutcomePending:
		how = "given to a deliberation"
	case last.Why == whyRead:
		how = "read in the inbox"
	case last.Digest:
		how = "told in a digest"
	}
	detail = how + " " + when(last.At, l.gate.in.At) + ", and nothing changed that matters"
	if l.severity < last.Severity {
		detail = how + " " + when(last.At, l.gate.in.At) + ", and it has got better since"
	}
	return "", false, detail
}

// isOwnDoing reports whether an event that nobody else called is moved or taken out
// while the person is at work here: who did it knows. What it clashes with is told all
// the same, and so is what is soon and was to be later, or is off: those who share a
// calendar move its events as well, and who puts off what is theirs does not miss it. What
// another one puts off is not told then, either.
func (l *candidate) isOwnDoing() bool {
	if len(l.own) == 0 || l.waited || l.key.IsPair() || l.gate.in.Presence.State != subconscious.PresenceEngaged {
		return false
	}
	o := &l.own[0].Latest
	from, err := time.Parse(time.RFC3339, o.Attrs["moved_from"])
	moved := o.Kind == "event" && o.Change == subconscious.Changed && !o.BandOnly && err == nil
	late := o.Due.After(l.gate.in.At.Add(soon)) || moved && o.Due.After(from)
	return (moved || o.Kind == "taken-out") && late && o.Attrs["organizer"] == ""
}

// change is what is different in a way that matters from when it was told last;
// "" for nothing. What changed for the better is nothing.
func (l *candidate) change(last subconscious.Told) string {
	now := status(l.own)
	mail := len(l.own) > 0 && l.own[0].Latest.Sense == "mail"
	_, old := last.Changes[firstRef(l.own)]
	switch {
	case mail && !old && !isOwnLetter(&l.own[0].Latest) && (l.severity > last.Severity || l.isReopened() || last.Heard() && l.own[0].Latest.At.After(last.At)):
		return againLetter
	case l.severity > last.Severity && !mail && !l.isForetold(last):
		return againWorse
	case l.isReopened() && !mail && !l.isOld(last):
		return againReturned
	case l.isNearer(last):
		return againNearer
	case now != last.Status && now != "" && last.Status != "" && !slices.Contains(improved, strings.ToLower(now)):
		return againStatus
	case slices.ContainsFunc(participants(l.all), func(name string) bool { return joined(name, last.Participants) }):
		return againParticipant
	case (last.Outcome.KeepsBack() || last.Outcome == subconscious.OutcomePending) && l.hasAnotherVoice(last):
		return againParticipant
	case l.reminds:
		return againReminder
	}
	return ""
}

// hasAnotherVoice reports whether a request rests on what another stranger or agent
// says than those who were heard when it was kept back, or given to a deliberation
// that may keep it back: nobody's word keeps back another's news, though both
// write of one incident. Beside a stranger or an agent the person and the machine
// are such others, too.
func (l *candidate) hasAnotherVoice(last subconscious.Told) bool {
	heard, others := map[string]bool{}, false
	for ref := range last.Changes {
		if e, known := l.gate.evidence[ref]; known {
			heard[voice(&e.Latest)] = true
			others = others || !isOurs(&e.Latest)
		}
	}
	return slices.ContainsFunc(l.own, func(e *subconscious.Evidence) bool {
		_, had := last.Changes[e.Ref]
		return !had && (others || !isOurs(&e.Latest)) && !heard[voice(&e.Latest)]
	})
}

// isOurs reports whether it is the person's word, or the machine's.
func isOurs(o *subconscious.Observation) bool {
	return o.Trust == subconscious.Owner || o.Trust == subconscious.Machine
}

// voice is who speaks in an observation, or that itself where it names nobody,
// or is known to be forged. Whoever invites names the organizer without a proof,
// so that this one is nobody who writes.
func voice(o *subconscious.Observation) string {
	from, organizer := o.Attrs["from"], o.Attrs["organizer"]
	switch {
	case o.Attrs["forged"] == "true":
	case from != "":
		return "from " + strings.ToLower(from)
	case organizer != "":
		return "organizer " + strings.ToLower(organizer)
	}
	return "in " + string(o.Ref())
}

// improved are statuses that are for the better.
var improved = []string{"done", "completed", "complete", "resolved", "closed", "fixed", "ok", "paid", "recovered"}

// joined reports whether somebody was not among those who took part. An
// observation of which nobody knew who takes part says nothing by naming them.
func joined(name string, before []string) bool {
	if len(before) == 0 || slices.Contains(before, name) {
		return false
	}
	ref, _, numbered := strings.Cut(name, "#")
	return !numbered || slices.ContainsFunc(before, func(other string) bool { return strings.HasPrefix(other, ref+"#") })
}

// freshFor is how long after it was told that something comes within a day, or
// three, is no news: who was told so at noon need not hear it again at one.
const freshFor = 6 * time.Hour

// isFresh reports whether it was told a short while ago, and is not about to be
// due.
func (l *candidate) isFresh(last subconscious.Told) bool {
	return l.band.Rank() < subconscious.Band2h.Rank() && l.gate.in.At.Sub(last.At) < freshFor && !isAhead(last.At, l.gate.in.At)
}

// isReopened reports whether it is asked for again after it was over or dismissed.
func (l *candidate) isReopened() bool {
	switch l.telling.State {
	case subconscious.TellingReopened:
		return true
	case subconscious.TellingResolved, subconscious.TellingDismissed:
		kept := l.telling.State == subconscious.TellingDismissed && isKeptBack(l.telling)
		return !l.waited && !kept
	}
	return false
}

// isOld reports whether all that a request cites was told before.
func (l *candidate) isOld(last subconscious.Told) bool {
	return !slices.ContainsFunc(l.asked.Evidence, func(c subconscious.Citation) bool {
		seq, known := l.gate.seq(c)
		told, covered := last.Changes[c.Ref]
		return known && (!covered || seq > told)
	})
}

// firstRef is what a request is about.
func firstRef(own []*subconscious.Evidence) subconscious.Ref {
	if len(own) == 0 {
		return ""
	}
	return own[0].Ref
}

// forecastMoves is by how much sooner something is full than was told, before that
// is news; forecastHolds how long such a word says what comes.
const (
	forecastMoves = 30 * time.Minute
	forecastHolds = time.Hour
)

// isForetold reports whether something of the machine gets worse as the person was
// told a moment ago that it would: it will be full at the time that was named.
func (l *candidate) isForetold(last subconscious.Told) bool {
	return last.Heard() && !last.Digest && l.gate.in.At.Sub(last.At) <= forecastHolds && len(l.own) > 0 && isMachine(classOf(&l.own[0].Latest)) &&
		!last.Due.IsZero() && (l.asked.Due.IsZero() || !l.asked.Due.Before(last.Due.Add(-forecastMoves)))
}

// touches is how often something that comes near is pushed: a lead, and at the
// time itself.
const touches = 2

// isNearer reports whether it has come so much nearer that the person is to be
// reminded. What is to be prepared for an event is told once; that something is
// overdue only where no push was spent on it; and what is for a day, at no time of it,
// not twice on that day.
func (l *candidate) isNearer(last subconscious.Told) bool {
	at := l.gate.in.At
	if _, day := l.when(); day && !last.At.In(at.Location()).Before(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())) {
		return false
	}
	prepares := l.asked.Kind == subconscious.KindPreparation
	left := touches
	if prepares && !l.critical || l.band == subconscious.BandPast {
		left = 1
	}
	for _, told := range l.telling.Told {
		if told.Heard() && told.Why != whyRead && told.Due.Equal(l.due) && (prepares || !told.Digest) {
			left--
		}
	}
	return left > 0 && l.band.Rank() > l.toldRank(last) && !l.isFresh(last)
}

// toldRank is how near it was when it was told. What was moved to a later time
// comes near anew.
func (l *candidate) toldRank(last subconscious.Told) int {
	rank := last.Band.Rank()
	if !l.due.IsZero() && l.due.After(last.Due) {
		rank = min(rank, subconscious.TimeBand(l.due, last.At).Rank())
	}
	return rank
}

// covered reports whether every change that a connection cites was told with the
// incidents of its parts, and names one. A risk that lies in two observations
// together is news once, though each was told. pending: it would be, but for a
// deliberation on a part that is under way.
func (l *candidate) covered() (told bool, by string, pending bool) {
	if !l.isConnection() || len(l.asked.Evidence) == 0 {
		return false, "", false
	}
	if l.key.IsPair() && l.asked.Kind == subconscious.KindRisk && l.telling.Times == 0 {
		return false, "", false
	}
	for _, c := range l.asked.Evidence {
		seq, known := l.gate.seq(c)
		if !known {
			continue
		}
		part, with := l.gate.toldWith(c.Ref, seq, false)
		if part == nil {
			return false, "", false
		}
		if by == "" || !pending && l.gate.isPending(with) {
			by = fmt.Sprintf("%s %s", part.Telling.ID, when(with.At, l.gate.in.At))
		}
		pending = pending || l.gate.isPending(with)
	}
	return by != "" && !pending, by, pending
}

// toldWith finds the incident with which a change was told, a connection or none, and
// that telling; one that is being deliberated on only where there is no other.
// What was kept back says nothing of what it is a part of.
func (g *gate) toldWith(ref subconscious.Ref, seq int64, connection bool) (part *subconscious.Incident, with subconscious.Told) {
	for _, key := range g.keys {
		incident := g.incidents[key]
		if key.IsPair() != connection || key.IsPattern() || incident.Telling == nil {
			continue
		}
		for _, told := range incident.Telling.Told {
			last, recorded := told.Changes[ref]
			switch {
			case !recorded || last < seq || told.Outcome.KeepsBack():
			case !g.isPending(told):
				return incident, told
			case part == nil:
				part, with = incident, told
			}
		}
	}
	return part, with
}
