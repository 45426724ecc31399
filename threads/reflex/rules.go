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
	// beside: it is tried beside a model, too, whatever that says; on facts, and on
	// letters, whose worth a model is to weigh and not to overlook.
	beside bool
	find   func(*scene) []noticed
	// over reports whether an entry that rests on this rule, all of whose
	// evidence still stands, is no longer so; nil means never.
	over func(*scene, subconscious.Entry) bool
}

// rules are in the order in which they are tried.
var rules = [...]Rule{
	{Name: "watcher.machine", find: each(of("health"), machine), beside: true},
	{Name: "watcher.source", find: each(of("exec", "post", "feeds"), machine), beside: true},
	{Name: "watcher.file", find: each(of("files"), changedFile)},
	{Name: "watcher.moved", find: each((*scene).events, movedEvent), over: one(movedOver), beside: true},
	{Name: "watcher.cancelled", find: each(of("calendar"), takenOut), beside: true},
	{Name: "watcher.note", find: each(of("person"), toldNote)},
	{Name: threads.LetterRule, find: each(of("mail"), ownMail), over: one(mailOver), beside: true},
	{Name: "librarian.pattern", find: each(of("health"), pattern)},
	{Name: "librarian.forgotten", find: forgotten, over: one(gotDate)},
	{Name: "librarian.quiet", find: quiet, over: one(gotDate)},
	{Name: "librarian.connection", find: noteConnections, over: connectionOver},
	{Name: "librarian.awaiting", find: each(of("mail"), unansweredMail)},
	{Name: "librarian.promised", find: each(of("mail"), promisedMail), over: one(gotDate)},
	{Name: "librarian.asked", find: each(of("conversation"), askedByAgent)},
	{Name: "librarian.contradiction", find: each(of("conversation"), contradiction)},
	{Name: "oracle.event", find: each((*scene).events, nearEvent), over: one(eventOver), beside: true},
	{Name: "oracle.clash", find: clashes, over: two((*scene).collide), beside: true},
	{Name: "oracle.gap", find: gaps, over: two((*scene).tooClose)},
	{Name: "oracle.zone", find: each((*scene).events, otherZone), over: one(zoneOver)},
	{Name: "oracle.clocks", find: each((*scene).events, clockChange)},
	{Name: "oracle.unusual", find: each((*scene).events, unusual), over: one(unusualOver), beside: true},
	{Name: "oracle.unanswered", find: each((*scene).events, unanswered), over: one(unansweredOver)},
	{Name: "oracle.preparation", find: preparations, over: preparationOver},
	{Name: "oracle.deadline", find: each((*scene).all, deadline), over: one(deadlineOver), beside: true},
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

// each has a rule judge observations one by one. It says nothing of one by a
// finding without a kind.
func each(list func(*scene) []subconscious.Observation, judge func(*scene, subconscious.Observation) noticed) func(*scene) []noticed {
	return func(s *scene) (out []noticed) {
		for _, o := range list(s) {
			if n := judge(s, o); n.Kind != "" {
				out = append(out, n)
			}
		}
		return out
	}
}

// of lists what is new of senses and did not go.
func of(senses ...string) func(*scene) []subconscious.Observation {
	return func(s *scene) []subconscious.Observation { return s.of(senses...) }
}

// one: an entry about one observation is over where that observation is.
func one(over func(*scene, subconscious.Observation) bool) func(*scene, subconscious.Entry) bool {
	return func(s *scene, e subconscious.Entry) bool {
		o, ok := s.one(e)
		return ok && over(s, o)
	}
}

// two: an entry about two events is over where they are no longer so.
func two(so func(s *scene, a, b subconscious.Observation) bool) func(*scene, subconscious.Entry) bool {
	return func(s *scene, e subconscious.Entry) bool {
		a, b, ok := s.two(e)
		return ok && !so(s, a, b)
	}
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
