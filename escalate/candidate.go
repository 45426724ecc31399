package escalate

import (
	"cmp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// candidate is one request as it is judged.
type candidate struct {
	gate *gate
	key  subconscious.IncidentKey
	// incident and telling are nil where the incident is not known.
	incident *subconscious.Incident
	telling  *subconscious.Telling
	asked    subconscious.Asked
	// waited: it was held before, or is to be told again; else it was asked
	// now.
	waited bool
	// reminds: the person asked to hear of it again, and it is time.
	reminds bool

	// own is what the request rests on, known what of it is known at all.
	own, all []*subconscious.Evidence
	severity subconscious.Severity
	due      time.Time
	// end is until when it helps to be told, latest until when it can wait; zero
	// where nothing says so.
	end, latest time.Time
	band        subconscious.Band
	critical    bool
	confidence  float64
	// again is why it is told again.
	again string
	// pressed: it would be past its use before there is another place.
	pressed bool
}

// candidates are the requests to be judged, one an incident, the most urgent first. A
// connection comes after what it connects, unless it is critical: what is told
// of its parts says it already. Those that another speaks for are ruled on here.
func (g *gate) candidates() []*candidate {
	asked := map[subconscious.IncidentKey][]subconscious.Asked{}
	unknown := []*candidate{}
	for _, a := range g.in.Asked {
		if _, known := g.incidents[a.Incident]; known {
			asked[a.Incident] = append(asked[a.Incident], bounded(a.Asked))
			continue
		}
		unknown = append(unknown, &candidate{gate: g, key: a.Incident, asked: bounded(a.Asked)})
	}
	slices.SortFunc(unknown, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.key, b.key), compareAsked(a.asked, b.asked))
	})
	all := unknown
	for _, key := range g.keys {
		if l := g.speaker(key, asked[key]); l != nil {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, urgency)
	return all
}

// speaker chooses who speaks for an incident: the most important of those that
// can still be told. The others are duplicates.
func (g *gate) speaker(key subconscious.IncidentKey, asked []subconscious.Asked) *candidate {
	incident := g.incidents[key]
	var all []*candidate
	for _, a := range asked {
		all = append(all, g.candidate(incident, a, false))
	}
	if t := incident.Telling; t != nil && (t.Waits || remindsAt(t, g.in.At)) {
		all = append(all, g.candidate(incident, t.Asked, true))
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b *candidate) int {
		// An idea about an observation does not keep that itself from being pushed.
		return cmp.Or(compareBool(b.isLive(), a.isLive()), compareBool(neverPushed(a.asked.Kind), neverPushed(b.asked.Kind)),
			cmp.Compare(b.asked.Importance, a.asked.Importance),
			compareBool(a.waited, b.waited), compareAsked(a.asked, b.asked))
	})
	telling := g.begin(incident, all[0].asked)
	for _, l := range all {
		l.telling = telling
	}
	for _, l := range all[1:] {
		if ruled, reason := l.lost(); reason != "" {
			g.out.Decisions = append(g.out.Decisions, l.decision(reason, ruled))
			continue
		}
		detail := "said better in the same tick by the " + by(all[0].asked) + ": "
		if l.waited {
			detail = "a newer request of the " + by(all[0].asked) + " speaks for it: "
		}
		d := l.decision(Duplicate, Ruling{Verdict: Drop, Detail: detail + subconscious.Shorten(sentence(all[0].asked, key), 140)})
		g.out.Decisions = append(g.out.Decisions, d)
	}
	return all[0]
}

// candidate gathers what a request is judged by.
func (g *gate) candidate(incident *subconscious.Incident, asked subconscious.Asked, waited bool) *candidate {
	l := &candidate{gate: g, key: incident.Key, incident: incident, telling: incident.Telling, asked: asked, waited: waited}
	l.reminds = incident.Telling != nil && remindsAt(incident.Telling, g.in.At)
	l.own, l.all = g.own(incident, asked), g.all(incident, asked)
	l.severity = severity(incident, l.own, l.all)
	l.due = due(asked, l.own)
	l.end, l.latest = l.ends()
	l.band = subconscious.TimeBand(l.due, g.in.At)
	l.critical = l.isCritical()
	l.confidence = confidence(asked.Importance, g.score(sortOf(asked)), l.critical)
	return l
}

// isLive reports whether it can still be told: one that is over or expired
// speaks for nobody.
func (l *candidate) isLive() bool {
	_, reason := l.lost()
	return reason == ""
}

// lost is the reason for which a request cannot be told whatever its incident; ""
// for none.
func (l *candidate) lost() (Ruling, Reason) {
	if ruled, nothing := noEvidence(l); nothing {
		return ruled, NoEvidence
	}
	if ruled, late := expired(l); late {
		return ruled, Expired
	}
	return Ruling{}, ""
}

// urgency orders requests: those that draw on what is left of attention first.
func urgency(a, b *candidate) int {
	return cmp.Or(
		compareBool(b.critical, a.critical),
		compareBool(a.isConnection(), b.isConnection()),
		compareBool(b.isUrgent(), a.isUrgent()),
		compareBool(a.stranger() != "", b.stranger() != ""),
		cmp.Compare(b.severity, a.severity),
		cmp.Compare(b.asked.Importance, a.asked.Importance),
		sooner(a.asked.Due, b.asked.Due),
		cmp.Compare(a.key, b.key),
	)
}

// isUrgent reports whether a request waits for nothing that is not: it is critical or
// of great importance, the person asked to be reminded now, or it would be past its
// use by the time that the caps allow. What a stranger writes never is.
func (l *candidate) isUrgent() bool {
	return l.critical || l.reminds || l.pressed || l.isGrave() || l.isPastUse(time.Hour)
}

// isGrave reports whether it is of great importance, and not by a stranger's word.
func (l *candidate) isGrave() bool { return l.asked.Importance >= warns && l.stranger() == "" }

// rings reports whether the person set this time to hear of it: by a reminder or a
// snooze of theirs, or as a time of day in their notes.
func (l *candidate) rings() bool {
	return l.reminds && !isKeptBack(l.telling) ||
		l.asked.Kind == subconscious.KindDeadline && l.band == subconscious.BandNow && len(l.own) > 0 &&
			l.own[0].Latest.Trust == subconscious.Owner && SetByPerson(&l.own[0].Latest)
}

// SetByPerson reports whether a due time is one that the person wrote down or said,
// where they are trusted with it, and not what a calendar, a letter, the machine or a
// program of theirs reports.
func SetByPerson(o *subconscious.Observation) bool {
	return !slices.Contains([]string{"calendar", "exec", "feeds", "health", "mail", "post"}, o.Sense)
}

// isOurs reports whether it rests on nobody's word but the person's and the machine's.
func (l *candidate) isOurs() bool {
	return !slices.ContainsFunc(l.all, func(e *subconscious.Evidence) bool { return !isOurs(&e.Latest) })
}

// isPastUse reports whether it helps no more to be told after that time. A time
// that a stranger names says nothing.
func (l *candidate) isPastUse(after time.Duration) bool {
	ahead := l.latest.Sub(l.gate.in.At)
	return ahead > 0 && ahead <= after && len(l.own) > 0 && isFamiliar(&l.own[0].Latest)
}

// stranger is the domain that whoever wrote it registered, where nothing says that
// the person knows them; "" for anything else.
func (l *candidate) stranger() string {
	if !l.isMail() || slices.ContainsFunc(l.own, func(e *subconscious.Evidence) bool { return isFamiliar(&e.Latest) }) {
		return ""
	}
	return cmp.Or(l.letter().Attrs["domain"], "nobody")
}

func (l *candidate) isConnection() bool { return l.key.IsPair() || l.key.IsPattern() }

// sooner puts what has no due time last.
func sooner(a, b time.Time) int {
	return cmp.Or(compareBool(a.IsZero(), b.IsZero()), a.Compare(b))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareAsked orders requests by all that tells them apart, the newest first.
func compareAsked(a, b subconscious.Asked) int {
	cited := func(x, y subconscious.Citation) int {
		return cmp.Or(cmp.Compare(x.Ref, y.Ref), cmp.Compare(x.Seq, y.Seq))
	}
	return cmp.Or(
		cmp.Compare(b.Tick, a.Tick), b.At.Compare(a.At), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Summary, b.Summary), cmp.Compare(a.Entry, b.Entry),
		cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Source, b.Source), cmp.Compare(b.Importance, a.Importance),
		a.Due.Compare(b.Due), slices.CompareFunc(a.Evidence, b.Evidence, cited),
	)
}

// by names who asks that something be told.
func by(asked subconscious.Asked) string {
	return cmp.Or(subconscious.Shorten(plain(string(asked.Thread)), 40), "same thread")
}
