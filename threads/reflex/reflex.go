// Package reflex is thinking without a model: small named rules over what is
// new, one set a thread. It is the default, the fall-back where a model is down
// or not to be paid for, and the baseline that every model must beat.
//
// A rule sees observations as values and reads what stands through the indexes
// of subconscious.World, so that its cost does not depend on how much stands.
// It reads no clock, and nothing else but the zone rules of package time. It
// stores nothing. The daemon makes one Thread for each of the four threads;
// docs/reflex.md lists the rules.
package reflex

import (
	"context"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// maxFindings is how many findings a reflex thread may make at a tick.
const maxFindings = 50

// Thread thinks by its rules.
type Thread struct {
	name  subconscious.ThreadName
	rules []Rule
}

var _ threads.Thread = (*Thread)(nil)

// New returns the reflex thread of that name; an unknown name has no rules.
func New(name subconscious.ThreadName) *Thread { return &Thread{name: name, rules: Rules(name)} }

// Beside returns the rules that are tried beside the model of that thread, which
// cannot silence them by saying nothing. They have seen marks of their own.
func Beside(name subconscious.ThreadName) *Thread {
	rules := slices.DeleteFunc(Rules(name), func(r Rule) bool { return !r.beside })
	return &Thread{name: name.Rules(), rules: rules}
}

// Name implements threads.Thread.
func (t *Thread) Name() subconscious.ThreadName { return t.name }

// Mode implements threads.Thread.
func (t *Thread) Mode() string { return threads.Reflex }

// Think implements threads.Thread. It makes one finding an incident: of several
// rules that notice the same thing the most important speaks. The order of what
// is new means nothing.
func (t *Thread) Think(ctx context.Context, snapshot subconscious.Snapshot) (threads.Answer, error) {
	s := newScene(snapshot, t.name)
	var all []noticed
	for _, rule := range t.rules {
		if err := ctx.Err(); err != nil {
			return threads.Answer{}, err
		}
		for _, n := range rule.find(s) {
			n.Rule, n.Factual = rule.Name, n.Factual && rule.beside
			all = append(all, n)
		}
	}
	thought := subconscious.Thought{Thread: t.name}
	found := map[subconscious.IncidentKey]bool{}
	for _, n := range oneAnIncident(all) {
		found[n.key] = true
		if n.Escalate {
			n.Fact = s.fact(n)
		}
		thought.Findings = append(thought.Findings, n.Finding)
	}
	for _, key := range s.over(t.rules) {
		if !found[key] {
			thought.Over = append(thought.Over, key)
		}
	}
	return threads.Answer{Thought: thought}, nil
}
