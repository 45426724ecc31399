package reflex

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Rule is one way of noticing something. docs/reflex.md says of each what it
// notices, what it writes and how much that counts; tests hold the rules to it.
type Rule struct {
	// Name is unique, and begins with its thread's: "watcher.machine". It is
	// recorded with each finding.
	Name string
	// fact says of what is new whether the rule judges it at every tick, whoever
	// else thinks; nil means nothing.
	fact func(subconscious.Observation) bool
	find func(*scene) []noticed
	// over reports whether an entry that rests on this rule, all of whose
	// evidence still stands, is no longer so; nil means never.
	over func(*scene, subconscious.Entry) bool
}

// rules are in the order in which they are tried.
var rules = [...]Rule{
	{Name: "watcher.machine", find: machine, fact: isCritical},
	{Name: "watcher.secret", find: secretFiles},
	{Name: "watcher.config", find: configFiles},
	{Name: "watcher.burst", find: bursts},
	{Name: "watcher.file", find: plainFiles},
	{Name: "watcher.moved", find: movedEvents, over: movedOver},
	{Name: "watcher.note", find: toldNotes},
	{Name: "watcher.mail", find: letters, over: lettersOver},
	{Name: "librarian.pattern", find: patterns},
	{Name: "librarian.forgotten", find: forgotten, over: forgottenOver},
	{Name: "librarian.quiet", find: quiet, over: forgottenOver},
	{Name: "librarian.connection", find: noteConnections, over: connectionOver},
	{Name: "librarian.awaiting", find: unansweredMail},
	{Name: "librarian.promised", find: promisedMail, over: promisedOver},
	{Name: "librarian.asked", find: askedByAgents},
	{Name: "oracle.event", find: events, over: eventOver},
	{Name: "oracle.clash", find: clashes, over: clashOver, fact: isEvent},
	{Name: "oracle.gap", find: gaps, over: gapOver},
	{Name: "oracle.zone", find: zones, over: zoneOver},
	{Name: "oracle.clocks", find: clockChanges},
	{Name: "oracle.unusual", find: unusual, over: unusualOver},
	{Name: "oracle.unanswered", find: unanswered, over: unansweredOver},
	{Name: "oracle.preparation", find: preparations, over: preparationOver},
	{Name: "oracle.deadline", find: deadlines, over: deadlineOver, fact: isOwn},
	{Name: "oracle.appointment", find: mailedAppointments, over: mailedOver},
	{Name: "dreamer.connection", find: wildConnections, over: connectionOver},
}

// Rules returns the rules of a thread, in the order in which they are tried.
func Rules(thread subconscious.ThreadName) (own []Rule) {
	for _, rule := range rules {
		if strings.HasPrefix(rule.Name, string(thread)+".") {
			own = append(own, rule)
		}
	}
	return own
}

// isCritical: a part of the machine is in its critical band.
func isCritical(o subconscious.Observation) bool {
	return o.Stands() && o.Severity >= subconscious.Critical
}

func isEvent(o subconscious.Observation) bool { return o.Sense == "calendar" }

// isOwn: the person wrote it down, told the mind, or promised it.
func isOwn(o subconscious.Observation) bool {
	return o.Trust == subconscious.Owner || threads.OwnMail(o) || saidPromise(o) && o.Trust != subconscious.Outsider
}

// over names the incidents of entries that rest on one of the rules alone and
// that are no longer so. Entries whose evidence is gone end by themselves.
func (s *scene) over(rules []Rule) (keys []subconscious.IncidentKey) {
	for _, e := range s.entries {
		if !slices.Equal(e.Sources, []subconscious.ThreadName{s.thread}) || e.Over {
			continue
		}
		for _, rule := range rules {
			if rule.Name == e.Rule && rule.over != nil && rule.over(s, e) {
				keys = append(keys, e.Incident)
			}
		}
	}
	return keys
}
