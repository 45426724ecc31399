package aggregator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// closedKept is how many closed incidents are remembered by their summary.
const closedKept = 10

// command carries out what the person and deliberations ask for, in order.
func (m *merge) command() {
	for _, c := range m.in.Commands {
		m.changes.Done[c.ID] = m.obey(c)
	}
	m.follow()
}

func (m *merge) obey(c subconscious.Command) string {
	switch c.Kind {
	case subconscious.CommandClose, subconscious.CommandDismiss:
		return m.closeIncident(c)
	case subconscious.CommandConfirm:
		return m.confirm(c)
	case subconscious.CommandFocus:
		return m.focus(c)
	case subconscious.CommandEdit:
		return m.edit(c)
	case subconscious.CommandNote:
		return "noted: it is an observation of this tick"
	}
	return fmt.Sprintf("refused: there is no command %q", c.Kind)
}

// target finds the entry that a command means.
func (m *merge) target(c subconscious.Command) *item {
	for _, it := range m.entries {
		if !it.gone && (c.Entry != "" && it.ID == c.Entry || c.Entry == "" && c.Incident != "" && it.Incident == c.Incident) {
			return it
		}
	}
	return nil
}

func (m *merge) closeIncident(c subconscious.Command) string {
	it := m.target(c)
	key := c.Incident
	if it != nil {
		key = it.Incident
	}
	if _, known := m.incidents[key]; it == nil && !known {
		return fmt.Sprintf("nothing to close: %s has faded already", meant(c))
	}
	summary := m.close(key, it, c)
	if it != nil {
		it.gone = true
		m.change(it, Closed, "closed by "+c.By)
	}
	return "closed: " + summary
}

func (m *merge) confirm(c subconscious.Command) string {
	it := m.target(c)
	if it == nil {
		return fmt.Sprintf("nothing to confirm: %s has faded already", meant(c))
	}
	m.incident(it.Incident).Confirmed = true
	it.Importance = max(it.Importance, m.in.Rules.InsightImportance)
	m.change(it, Confirmed, "confirmed by "+c.By)
	if it.List == subconscious.ActiveThreads && it.Stands() {
		return "confirmed: " + it.Summary + "; it stays where it is while it stands"
	}
	return "confirmed: " + it.Summary
}

func (m *merge) focus(c subconscious.Command) string {
	t, known := m.state.Threads[c.Thread]
	if !known && !slices.ContainsFunc(m.in.Runs, func(run Run) bool { return run.Thread == c.Thread }) {
		return fmt.Sprintf("refused: there is no thread %q", c.Thread)
	}
	hint := subconscious.Summary(c.Text)
	if hint == "" {
		t.FocusHint, t.FocusSource, t.FocusUntil = "", "", time.Time{}
		m.state.Threads[c.Thread] = t
		return fmt.Sprintf("%s follows its own hints again", c.Thread)
	}
	t.FocusHint, t.FocusSource, t.FocusUntil = hint, cmp.Or(c.By, byPerson), m.in.At.Add(m.in.Rules.FocusFor)
	m.state.Threads[c.Thread] = t
	return fmt.Sprintf("%s looks at: %s", c.Thread, hint)
}

// edit takes over what was written by hand: of an entry the words, importance and
// due time, or a new entry, which rests on nothing but that it was written. What a
// rule found is in nobody's words but those of the edit any more.
func (m *merge) edit(c subconscious.Command) string {
	it, summary := m.target(c), subconscious.Summary(c.Text)
	switch {
	case c.Edit == nil:
		return "refused: the edit says nothing"
	case it == nil && c.Entry != "":
		return fmt.Sprintf("nothing to edit: %s has faded already", meant(c))
	case it == nil:
		return m.write(c, summary)
	case c.Edit.Ref != "":
		return fmt.Sprintf("nothing to add: it is there as %s: %s", it.ID, it.Summary)
	}
	why := "by hand"
	if summary != "" && summary != it.Summary {
		why += "; it said: " + it.Summary
		it.Summary, it.Rule = summary, ""
	}
	if c.Edit.Importance > 0 {
		it.Importance = importance(c.Edit.Importance)
		why += fmt.Sprintf("; importance %d", it.Importance)
	}
	if due := c.Edit.Due; due != nil {
		it.Due = due.In(m.in.Zone).Round(0)
		why += "; another due time"
	}
	m.change(it, Edited, why)
	return "edited: " + it.Summary
}

// writtenImportance is that of a line which says none.
const writtenImportance = 5

// write makes an entry of a line that was added by hand. It competes for a place
// like every newcomer.
func (m *merge) write(c subconscious.Command, summary string) string {
	evidence := m.evidence[c.Edit.Ref]
	if summary == "" || evidence == nil {
		return "refused: nothing of what was added can be kept"
	}
	latest := &evidence.Latest
	x := cited{Citation: subconscious.Citation{Ref: evidence.Ref, Seq: latest.Seq}, evidence: evidence,
		change: subconscious.Occurrence{Seq: latest.Seq, At: latest.At, Change: latest.Change, Severity: latest.Severity}}
	it := m.newcomer("", summary, x.key())
	it.List, it.Kind, it.Summary, it.About, it.why = c.Edit.List, subconscious.KindNote, summary, x.Ref, "written by hand"
	if listOrder(it.List) < 0 {
		it.List = subconscious.Hunches
	}
	it.Importance = importance(cmp.Or(c.Edit.Importance, writtenImportance))
	it.LastSeen, it.news = m.in.At, true
	it.Evidence = []subconscious.Held{{Citation: x.Citation, Standing: evidence.Standing, Gone: evidence.Gone, Severity: latest.Severity}}
	if c.Edit.Due != nil {
		it.Due = c.Edit.Due.In(m.in.Zone).Round(0)
	}
	incident := m.incident(it.Incident)
	incident.Closed, incident.Over = nil, false // who writes it again wants it
	m.forgetClosed(it.Incident)
	m.recordAll(it, &x)
	m.entries = append(m.entries, it)
	return fmt.Sprintf("added as %s: %s", it.ID, summary)
}

// meant is what a command names.
func meant(c subconscious.Command) string {
	if c.Entry != "" {
		return string(c.Entry)
	}
	return string(c.Incident)
}

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
// observation was all gone and appears anew; of what was closed for ever only
// where it is critical then. A due time that comes near lifts nothing.
func (m *merge) lifts(incident *subconscious.Incident, x *cited) bool {
	closed := incident.Closed
	switch {
	case closed.Forever && x.change.Severity < subconscious.Critical || x.evidence.Latest.BandOnly:
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

// speak lets the group's leading claim give the entry its summary, kind and
// importance. What belongs to the incident only by a link speaks for it where it
// is more important, so that a remark about a full disk does not hide that it is
// full; so does a model of what a rule found. What the other claims say is kept
// with their evidence.
func (it *item) speak(g *group, taken []*claim) {
	top := leading(taken)
	outweighed := top.byModel() && !subconscious.ByModel(it.Rule) && top.Importance < it.Importance
	if it.Summary == "" || top.about() == g.key && !outweighed || top.Importance > it.Importance {
		if h := it.held(it.About); h != nil && it.About != top.cited[0].Ref {
			words := it.words()
			h.Said = &words
		}
		it.say(top.words(), top.cited[0].Ref)
	}
	said := map[subconscious.Ref]bool{it.About: true}
	for _, c := range taken {
		if ref := c.cited[0].Ref; !said[ref] {
			said[ref] = true
			words := c.words()
			it.held(ref).Said = &words
		}
	}
}

// leading is the claim that speaks for the group: the most important, a
// dreamer's only if no other thread speaks.
func leading(taken []*claim) *claim {
	for _, c := range taken {
		if c.thread != subconscious.Dreamer {
			return c
		}
	}
	return taken[0]
}

// restate lets an entry whose summary speaks of something that has gone speak
// of what stands: of what was said of that the most important.
func (m *merge) restate(it *item) {
	if about := it.held(it.About); about == nil || !about.Gone || it.Incident.IsPair() {
		return
	}
	var next *subconscious.Held
	for i := range it.Evidence {
		h := &it.Evidence[i]
		if h.Standing && !h.Aside && h.Said != nil && (next == nil ||
			cmp.Or(cmp.Compare(h.Said.Importance, next.Said.Importance), cmp.Compare(h.Seq, next.Seq)) > 0) {
			next = h
		}
	}
	if next == nil {
		return
	}
	it.Due = next.Said.Due
	it.say(*next.Said, next.Ref)
	it.trimEvidence()
	it.Due = m.due(it, nil)
	m.change(it, Restated, "what it spoke of is gone, and this stands")
}

// say makes the entry speak of an observation.
func (it *item) say(words subconscious.Said, ref subconscious.Ref) {
	it.Kind, it.Summary, it.Importance, it.Rule = words.Kind, words.Summary, words.Importance, words.Rule
	it.About = ref
	if h := it.held(ref); h != nil {
		h.Said = nil
	}
}

func (it *item) words() subconscious.Said {
	return subconscious.Said{Kind: it.Kind, Summary: it.Summary, Importance: it.Importance, Due: it.Due, Rule: it.Rule}
}

func (c *claim) words() subconscious.Said {
	return subconscious.Said{Kind: c.Kind, Summary: c.Summary, Importance: c.Importance, Due: c.Due, Rule: c.Rule}
}

// held is what the entry holds of an observation; nil for nothing.
func (it *item) held(ref subconscious.Ref) *subconscious.Held {
	if i := slices.IndexFunc(it.Evidence, func(h subconscious.Held) bool { return h.Ref == ref }); i >= 0 {
		return &it.Evidence[i]
	}
	return nil
}
