package escalate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// participantsKept is how many names are remembered of those who take part.
const participantsKept = 32

// own is the evidence that a request rests on: of what it cites what belongs to the
// incident. What it cites beside that explains, and holds nothing.
func (g *gate) own(incident *subconscious.Incident, asked subconscious.Asked) []*subconscious.Evidence {
	var evidence []*subconscious.Evidence
	for i, c := range asked.Evidence {
		e, known := g.evidence[c.Ref]
		if known && (i == 0 || len(incident.Recorded) == 0 || incident.Recorded[c.Ref] != nil) && !slices.Contains(evidence, e) {
			evidence = append(evidence, e)
		}
	}
	return evidence
}

// all is the evidence that an incident rests on, with what was counted, in order.
func (g *gate) all(incident *subconscious.Incident, asked subconscious.Asked) []*subconscious.Evidence {
	evidence := g.own(incident, asked)
	for _, ref := range slices.Sorted(maps.Keys(incident.Recorded)) {
		if e, known := g.evidence[ref]; known && !slices.Contains(evidence, e) {
			evidence = append(evidence, e)
		}
	}
	return evidence
}

// over reports whether what a request rests on has ended: all that could stand is
// gone, or of what is connected a part, or two things are no longer so to each other.
func over(incident *subconscious.Incident, evidence []*subconscious.Evidence) bool {
	gone, standing := false, false
	for _, e := range evidence {
		gone = gone || e.Gone && !e.Standing
		standing = standing || e.Standing
	}
	return gone && (!standing || incident.Key.IsPair()) || incident.Over && incident.Key.IsPair()
}

// stands reports whether any of it stands.
func stands(evidence []*subconscious.Evidence) bool {
	return slices.ContainsFunc(evidence, func(e *subconscious.Evidence) bool { return e.Standing })
}

// severity is the highest of what stands and of what the request cites that only
// happened; where there is neither, the highest of what has gone, or what the
// incident remembers.
func severity(incident *subconscious.Incident, evidence, all []*subconscious.Evidence) subconscious.Severity {
	if len(all) == 0 {
		return incident.Severity
	}
	now, before, present := subconscious.Plain, subconscious.Plain, false
	for _, e := range all {
		before = max(before, e.Latest.Severity)
		if e.Standing || !e.Gone && slices.Contains(evidence, e) {
			now, present = max(now, e.Latest.Severity), true
		}
	}
	if !present {
		return before
	}
	return now
}

// classOf is the class by which an observation can be critical; "" for none.
func classOf(o *subconscious.Observation) string {
	switch class := classes[o.Kind]; {
	case class != "":
		return class
	case o.Sense == "health" || o.Declared() && o.Due.IsZero() && isOurs(o) && o.Severity >= subconscious.Critical:
		return classMachine
	case !o.Due.IsZero():
		return classDeadline
	}
	return ""
}

// classes are those of kinds of observations.
var classes = map[string]string{
	"disk": classDisk, "inodes": classDisk, "unit": classUnit, "restarts": classUnit, "event": classEvent, "memory": classMachine, "swap": classMachine,
	"load": classMachine, "temperature": classMachine, "battery": classMachine, "clock": classMachine,
}

// isMachine reports whether the class is of something that has no due time of
// its own: when a disk will be full is an estimate, and the disk is not over
// with it.
func isMachine(class string) bool {
	return class == classDisk || class == classUnit || class == classMachine
}

// due is when what a request is about happens or must be done.
func due(asked subconscious.Asked, evidence []*subconscious.Evidence) time.Time {
	if len(evidence) == 0 {
		return asked.Due
	}
	if isMachine(classOf(&evidence[0].Latest)) {
		return time.Time{}
	}
	if asked.Due.IsZero() {
		return evidence[0].Latest.Due
	}
	return asked.Due
}

// ends is until when it helps to be told: until it is due or begins; of a letter
// without a date, until the first time that it names, or the end of the day.
// latest is how long it can wait: who has to get ready for a day needs to hear of
// it the evening before. Zero: nothing says so.
func (l *candidate) ends() (end, latest time.Time) {
	o := l.letter()
	if !l.due.IsZero() || !l.isMail() {
		return l.due, l.due
	}
	came := o.At.In(l.gate.in.At.Location())
	if named, err := time.Parse(time.RFC3339, o.Attrs["names_at"]); err == nil {
		return named.Add(justNow), named
	}
	if hours, err := strconv.Atoi(o.Attrs["hours"]); err == nil { // whole ones
		end = came.Add(time.Duration(hours+1) * time.Hour)
		return end, end
	}
	days, err := strconv.Atoi(o.Attrs["days"])
	if err != nil {
		return time.Time{}, time.Time{}
	}
	year, month, date := came.Date()
	end, _ = clock(0).instants(year, month, date+days+1, came.Location())
	latest, _ = clock(0).instants(year, month, date+max(days, 1), came.Location())
	if begins, _, quiet := l.gate.in.Rules.Quiet.span(latest.Add(-time.Nanosecond)); quiet {
		latest = begins
	}
	return end, latest
}

// DueBefore is when what an incident is about is due, begins, or is of no more use to
// tell, by what stands at the time at; zero where that is after until, or past, or
// nothing says so.
func DueBefore(until time.Time, incident *subconscious.Incident, world subconscious.World, at time.Time) time.Time {
	g := &gate{in: Input{At: at}, evidence: map[subconscious.Ref]*subconscious.Evidence{}}
	for _, c := range incident.Telling.Asked.Evidence {
		if o, stands := world.Get(c.Ref); stands {
			g.evidence[c.Ref] = &subconscious.Evidence{Ref: c.Ref, Latest: o, Standing: true}
		}
	}
	return g.dueBefore(until, incident)
}

func (g *gate) dueBefore(until time.Time, incident *subconscious.Incident) time.Time {
	if l := g.candidate(incident, incident.Telling.Asked, true); l.end.After(g.in.At) && !until.Before(l.end) {
		return l.end
	}
	return time.Time{}
}

// isMail reports whether a request rests on nothing but letters.
func (l *candidate) isMail() bool {
	return l.letter() != nil && !slices.ContainsFunc(l.own, func(e *subconscious.Evidence) bool { return e.Latest.Sense != "mail" || isOurs(&e.Latest) })
}

// isFamiliar reports whether it is the person's word, or the machine's; or that of
// somebody to whom, or to others of whose house, they write, as far as nothing speaks
// against it. That somebody answers them says nothing: a thread in public is open to
// all.
func isFamiliar(o *subconscious.Observation) bool {
	a := o.Attrs
	return isOurs(o) || isOwnLetter(o) || a["forged"] != "true" && (a["known"] != "" || a["acquainted"] == "own" || a["acquainted"] == "written")
}

// isOwnLetter reports whether it is what the person promised or asked in a letter of
// theirs.
func isOwnLetter(o *subconscious.Observation) bool {
	return o.Sense == "mail" && (o.Kind == "promise" || o.Kind == "awaiting")
}

// isEvent reports whether a request is about something that is of no use to hear
// of once it has begun.
func isEvent(asked subconscious.Asked, evidence []*subconscious.Evidence) bool {
	return asked.Kind == subconscious.KindEvent || asked.Kind == subconscious.KindPreparation ||
		len(evidence) > 0 && classOf(&evidence[0].Latest) == classEvent
}

// isCritical reports whether a request passes quiet hours.
func (l *candidate) isCritical() bool {
	if neverPushed(l.asked.Kind) {
		return false
	}
	listed := func(class string) bool { return slices.Contains(l.gate.in.Rules.Critical, class) }
	unmet := l.asked.Kind == subconscious.KindPreparation || l.asked.Kind == subconscious.KindRisk
	for _, e := range l.own {
		class := classOf(&e.Latest)
		switch {
		case isMachine(class) && listed(class) && !isBusy(&e.Latest) && e.Standing && e.Latest.Severity >= subconscious.Critical:
			return true
		case class == classEvent && listed(class) && unmet && accepted(&e.Latest) && e.Standing &&
			subconscious.TimeBand(e.Latest.Due, l.gate.in.At) == subconscious.Band15m:
			return true
		}
	}
	isDeadline := l.asked.Kind == subconscious.KindDeadline || len(l.own) > 0 && classOf(&l.own[0].Latest) == classDeadline
	near := l.band == subconscious.Band2h || l.band == subconscious.Band15m || l.band == subconscious.BandNow
	return isDeadline && near && listed(classDeadline)
}

// isBusy reports whether all that is wrong with a machine is that it has much to
// do: a backup at night is no reason to wake anybody, nothing breaks by it.
func isBusy(o *subconscious.Observation) bool { return o.Kind == "load" }

// accepted reports whether the owner takes part: the event is their own, or
// they accepted the invitation.
func accepted(o *subconscious.Observation) bool {
	answer := strings.ToLower(o.Attrs["partstat"])
	return answer == "" || answer == "accepted"
}

// status is the attribute of what a request is about.
func status(evidence []*subconscious.Evidence) string {
	if len(evidence) == 0 {
		return ""
	}
	return subconscious.Shorten(plain(evidence[0].Latest.Attrs["status"]), 64)
}

// participants are those who take part in what an incident rests on, as far as
// senses tell: by name, or, where an event says only how many, by number.
func participants(evidence []*subconscious.Evidence) []string {
	found := map[string]bool{}
	for _, e := range evidence {
		attrs := e.Latest.Attrs
		for _, name := range strings.FieldsFunc(attrs["participants"], func(r rune) bool { return r == ',' || r == ';' }) {
			if name = subconscious.Shorten(plain(name), 64); name != "" && len(found) < participantsKept {
				found[name] = true
			}
		}
		count, err := strconv.Atoi(attrs["attendees"])
		for i := 1; err == nil && i <= min(count, participantsKept) && len(found) < participantsKept; i++ {
			found[string(e.Ref)+"#"+strconv.Itoa(i)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// changes is the last counted change of each observation that a request rests on.
func (g *gate) changes(incident *subconscious.Incident, asked subconscious.Asked) map[subconscious.Ref]int64 {
	last := make(map[subconscious.Ref]int64, len(incident.Recorded)+1)
	for ref, seqs := range incident.Recorded {
		if len(seqs) > 0 {
			last[ref] = slices.Max(seqs)
		}
	}
	for _, c := range asked.Evidence {
		if seq, known := g.seq(c); known {
			last[c.Ref] = max(last[c.Ref], seq)
		}
	}
	return last
}

// seq is the change that a citation means; known is false where nothing is
// known of it.
func (g *gate) seq(c subconscious.Citation) (seq int64, known bool) {
	e, known := g.evidence[c.Ref]
	if !known {
		return 0, false
	}
	return cmp.Or(c.Seq, e.Latest.Seq), true
}
