package aggregator

import (
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// close marks an incident as closed by the person, and returns what to call it.
func (m *merge) close(key subconscious.IncidentKey, it *item, c subconscious.Command) string {
	incident := m.incident(key)
	then := m.in.At
	if !c.At.IsZero() && c.At.Before(then) {
		then = c.At.In(m.in.Zone).Round(0)
	}
	closure := &subconscious.Closure{At: then, Forever: c.Forever, Severity: m.severityAt(incident, then), Standing: m.everStood(incident)}
	if !closure.Standing && !c.Forever {
		closure.Expires = then.Add(m.in.Rules.CloseFor)
	}
	incident.Closed = closure
	summary := incident.Summary
	if it != nil {
		summary = it.Summary
	}
	m.forgetClosed(key)
	m.state.Closed = slices.Insert(m.state.Closed, 0, subconscious.ClosedIncident{At: m.in.At, Incident: key, Summary: summary})
	m.state.Closed = m.state.Closed[:min(len(m.state.Closed), closedKept)]
	return summary
}

func (m *merge) forgetClosed(key subconscious.IncidentKey) {
	m.state.Closed = slices.DeleteFunc(m.state.Closed, func(x subconscious.ClosedIncident) bool { return x.Incident == key })
}

// severityAt is how severe an incident was at an earlier time, as far as it is
// known. What got worse after the person spoke, and before the tick that hears
// it, counts as worse than what they saw.
func (m *merge) severityAt(incident *subconscious.Incident, at time.Time) subconscious.Severity {
	return m.highest(incident, func(e *subconscious.Evidence) subconscious.Severity {
		then := e.Latest.Severity
		if !e.Latest.At.After(at) {
			return then
		}
		for _, o := range e.Occurrences {
			if !o.At.After(at) {
				then = o.Severity
			}
		}
		return then
	})
}

// severity is the highest of an incident's standing evidence, or its last.
func (m *merge) severity(incident *subconscious.Incident) subconscious.Severity {
	return m.highest(incident, func(e *subconscious.Evidence) subconscious.Severity { return e.Latest.Severity })
}

func (m *merge) highest(incident *subconscious.Incident, of func(*subconscious.Evidence) subconscious.Severity) subconscious.Severity {
	highest, standing := subconscious.Plain, false
	for ref := range incident.Recorded {
		if evidence, ok := m.evidence[ref]; ok && evidence.Standing {
			highest, standing = max(highest, of(evidence)), true
		}
	}
	if !standing {
		return incident.Severity
	}
	return highest
}

// everStood reports whether any of what an incident rests on stands or stood.
func (m *merge) everStood(incident *subconscious.Incident) bool {
	for ref := range incident.Recorded {
		if evidence, ok := m.evidence[ref]; ok && (evidence.Standing || evidence.Gone) {
			return true
		}
	}
	return false
}

// stillClosed reports whether the person's closing of a group's incident holds,
// and lifts it where what is claimed shows that it does not.
func (m *merge) stillClosed(g *group) bool {
	incident := m.incidents[g.key]
	if incident == nil || incident.Closed == nil {
		return false
	}
	for _, c := range g.claims {
		for i := range c.cited {
			if x := &c.cited[i]; x.isNews() && m.lifts(incident, x) && !m.unrelated(g, c) {
				m.incident(g.key).Closed = nil
				m.forgetClosed(g.key)
				return false
			}
		}
	}
	return true
}

// lifts reports whether something new ends the closing of its incident: where
// it has run out, where severity rises above what it was, or where the
// observation was all gone and appears anew. A due time that comes near
// lifts nothing.
func (m *merge) lifts(incident *subconscious.Incident, x *cited) bool {
	closed := incident.Closed
	switch {
	case closed.Forever || x.evidence.Latest.BandOnly:
		return false
	case !closed.Expires.IsZero():
		return x.change.Severity > closed.Severity || !m.in.At.Before(closed.Expires)
	}
	return x.change.Severity > closed.Severity || x.evidence.Standing && endedSince(x.evidence, closed) && m.allEnded(incident)
}

// allEnded reports whether everything that was counted on an incident and could
// stand has gone since it was closed, if only for a while.
func (m *merge) allEnded(incident *subconscious.Incident) bool {
	if incident.Closed.WentAway {
		return true
	}
	for ref := range incident.Recorded {
		if evidence, ok := m.evidence[ref]; ok && (evidence.Standing || evidence.Gone) && !endedSince(evidence, incident.Closed) {
			return false
		}
	}
	return true
}

// endedSince reports whether an observation has gone since the closing, or was
// gone then already. To appear since, it must have gone in between.
func endedSince(evidence *subconscious.Evidence, closed *subconscious.Closure) bool {
	return evidence.Gone || slices.ContainsFunc(evidence.Occurrences, func(o subconscious.Occurrence) bool {
		return (o.Change == subconscious.Gone || o.Change == subconscious.Appeared) && o.At.After(closed.At)
	})
}

// closedIncident reports whether the person closed the incident of a cited
// observation, and the citation does not lift that.
func (m *merge) closedIncident(x *cited) bool {
	return slices.ContainsFunc(m.closed, func(incident *subconscious.Incident) bool {
		switch {
		case incident.Closed == nil: // lifted in this tick
			return false
		case incident.Key != x.key() && incident.Recorded[x.Ref] == nil:
			return false
		}
		return !x.fresh || x.change.Change == subconscious.Gone || !m.lifts(incident, x)
	})
}

// follow notes on closed incidents that they have ended since.
func (m *merge) follow() {
	for _, incident := range m.in.Incidents {
		closed := incident.Closed
		if closed == nil || closed.WentAway || !closed.Standing || len(incident.Recorded) == 0 {
			continue
		}
		current := m.incidents[incident.Key].Closed
		if current == closed && m.allEnded(&incident) {
			next := *closed
			next.WentAway = true
			m.incident(incident.Key).Closed = &next
		}
	}
}
