package daemon

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// liveObservations bounds on how many observations these may rest: each is part
// of the tick's record, which has a bound.
const liveObservations = 1000

// lookUp adds what is on record of all that the gate is asked about. The merge was
// given the incidents before, and changed some.
func lookUp(ctx context.Context, kept *mind.Store, staged *senses.Staged, before, changed []subconscious.Incident, gate *escalate.Input) (err error) {
	if err := addIncidents(ctx, kept, gate, before, changed); err != nil {
		return fmt.Errorf("look up what was told: %w", err)
	}
	var refs []subconscious.Ref
	for _, incident := range gate.Incidents {
		refs = append(refs, slices.Collect(maps.Keys(incident.Recorded))...)
	}
	for _, a := range gate.Asked {
		for _, c := range a.Evidence {
			refs = append(refs, c.Ref)
		}
	}
	slices.Sort(refs)
	gate.Evidence = staged.Evidence(slices.Compact(refs), nil, nil)
	if gate.Scores, err = kept.Scores(ctx); err != nil {
		return fmt.Errorf("read what was learnt: %w", err)
	}
	if gate.Spent, err = view.Attention(ctx, kept, gate.At); err != nil {
		return fmt.Errorf("read how often the person was told: %w", err)
	}
	notices, err := kept.UntoldNotices(ctx)
	if err != nil {
		return fmt.Errorf("read the notices: %w", err)
	}
	for _, n := range notices {
		n.At = n.At.In(gate.At.Location())
		gate.Notices = append(gate.Notices, n)
	}
	return nil
}

// scored marks, in place, the requests in whose importance the person's habits are
// counted: those about letters, which what they cite says by its HabitAttr.
func scored(requests []subconscious.Request, evidence []subconscious.Evidence) []subconscious.Request {
	for i := range requests {
		r := &requests[i]
		r.Scored = r.Rule == threads.LetterRule && slices.ContainsFunc(evidence, func(e subconscious.Evidence) bool {
			return e.Ref == r.Evidence[0].Ref && e.Latest.Attrs[subconscious.HabitAttr] != ""
		})
	}
	return requests
}

// pending are the commands that wait. Those that came over a channel name their
// incident by its id alone; one that is not known any more has nothing to be
// done about.
func pending(ctx context.Context, kept *mind.Store) ([]subconscious.Command, error) {
	commands, err := kept.Pending(ctx)
	if err != nil {
		return nil, err
	}
	for i := range commands {
		if c := &commands[i]; c.IncidentID != "" && c.Incident == "" {
			incident, ok, err := kept.IncidentByID(ctx, c.IncidentID)
			if err != nil {
				return nil, err
			}
			if ok {
				c.Incident = incident.Key
			}
		}
	}
	return commands, nil
}

// gateCommands are those about incidents.
func gateCommands(commands []subconscious.Command) []subconscious.Command {
	var own []subconscious.Command
	for _, c := range commands {
		switch c.Kind {
		case subconscious.CommandAck, subconscious.CommandSnooze, subconscious.CommandRemind,
			subconscious.CommandDismiss, subconscious.CommandClose, subconscious.CommandConfirm, subconscious.CommandOutcome:
			own = append(own, c)
		}
	}
	return own
}

// mergeCommands are those that the mechanics obey.
func mergeCommands(commands []subconscious.Command) []subconscious.Command {
	return slices.DeleteFunc(slices.Clone(commands), func(c subconscious.Command) bool {
		return c.Kind == subconscious.CommandAck || c.Kind == subconscious.CommandSnooze || c.Kind == subconscious.CommandRemind ||
			c.Kind == subconscious.CommandOutcome
	})
}

// addIncidents gathers the incidents that the gate looks at, as the merge left
// them.
func addIncidents(ctx context.Context, kept *mind.Store, gate *escalate.Input, before, changed []subconscious.Incident) error {
	live, err := kept.LiveIncidents(ctx, view.MostLive)
	if err != nil {
		return err
	}
	named, err := kept.Incidents(ctx, escalate.Lookups(gate.Asked, gate.Commands), nil)
	if err != nil {
		return err
	}
	gather(gate, slices.Concat(live, named), before, changed)
	return nil
}

// gather puts together the incidents that the gate looks at, as the merge left them.
func gather(gate *escalate.Input, base, before, changed []subconscious.Incident) {
	all := map[subconscious.IncidentKey]subconscious.Incident{}
	for _, incident := range base {
		all[incident.Key] = incident
	}
	for _, incident := range before {
		if incident.Telling != nil { // a request may name one that has become part of it
			all[incident.Key] = incident
		}
	}
	for _, incident := range changed {
		asked := slices.ContainsFunc(gate.Asked, func(a subconscious.Request) bool { return a.Incident == incident.Key })
		if _, known := all[incident.Key]; known || asked || incident.Telling != nil {
			all[incident.Key] = incident
		}
	}
	gate.Incidents = gateIncidents(all, escalate.Lookups(gate.Asked, gate.Commands))
}

// gateIncidents are the incidents that the gate looks at, in order of their keys: those
// that are named, and of the others as many as there is room for in a record,
// those that wait first. What is left out is looked at again at the next tick.
func gateIncidents(all map[subconscious.IncidentKey]subconscious.Incident, named []subconscious.IncidentKey) []subconscious.Incident {
	isNamed := func(i subconscious.Incident) int {
		if slices.Contains(named, i.Key) || i.Telling == nil {
			return 0
		}
		return 1
	}
	waits := func(i subconscious.Incident) int {
		switch {
		case i.Telling == nil || i.Telling.Waits:
			return 0
		case !i.Telling.Remind.IsZero():
			return 1
		}
		return 2
	}
	order := slices.SortedFunc(maps.Values(all), func(a, b subconscious.Incident) int {
		return cmp.Or(isNamed(a)-isNamed(b), waits(a)-waits(b), strings.Compare(string(a.Key), string(b.Key)))
	})
	observations, kept := 0, order[:0]
	for _, incident := range order {
		observations += len(incident.Recorded)
		if isNamed(incident) == 0 || observations <= liveObservations {
			kept = append(kept, incident)
		}
	}
	slices.SortFunc(kept, func(a, b subconscious.Incident) int { return strings.Compare(string(a.Key), string(b.Key)) })
	return kept
}

// combine lays the incidents that the gate changed over those that the merge
// changed.
func combine(merged, gated []subconscious.Incident) []subconscious.Incident {
	all := map[subconscious.IncidentKey]subconscious.Incident{}
	for _, incident := range slices.Concat(merged, gated) {
		all[incident.Key] = incident
	}
	out := make([]subconscious.Incident, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[key])
	}
	return out
}
