package daemon

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// learn takes in what the person did with letters in this tick, and what they said of
// those that they were told of, which no score of its sort counts. It returns the
// habits that changed.
func (d *Daemon) learn(ctx context.Context, staged *senses.Staged, snapshot subconscious.Snapshot, collected []senses.Collected,
	before, after []subconscious.Incident) (changed []subconscious.Habit, err error) {
	habits := score.Habits(maps.Clone(snapshot.Habits))
	learn := reflex.Learner(snapshot, habits)
	for _, c := range collected {
		for _, act := range c.Batch.Acts {
			ref := subconscious.Observation{Sense: c.Sense, ID: act.ID}.Ref()
			teaches, err := d.teaches(ctx, staged, ref, act)
			if err != nil {
				return nil, fmt.Errorf("look up whether the person was told of a letter: %w", err)
			}
			if teaches {
				learn(staged.Evidence([]subconscious.Ref{ref}, nil, nil)[0].Latest, act.Deed)
			}
		}
	}
	for _, incident := range after {
		t := incident.Telling
		said := t != nil && t.Feedback != "" && t.Counted == (subconscious.Sort{}) && len(t.Asked.Evidence) > 0 && !slices.ContainsFunc(before, func(b subconscious.Incident) bool {
			return b.Key == incident.Key && b.Telling != nil && b.Telling.Feedback == t.Feedback
		})
		if !said {
			continue
		}
		for _, e := range staged.Evidence([]subconscious.Ref{t.Asked.Evidence[0].Ref}, nil, nil) {
			learn(e.Latest, subconscious.Deed(t.Feedback))
		}
	}
	for name, habit := range habits {
		if habit != snapshot.Habits[name] {
			changed = append(changed, habit)
		}
	}
	return changed, nil
}

// teaches reports whether an act says anything. One with a letter that the person was
// told of does not, unless it is an answer; nor does an answer that did not go to the
// sender or a list, for somebody may have given their letter the identity of another.
func (d *Daemon) teaches(ctx context.Context, staged *senses.Staged, ref subconscious.Ref, act subconscious.Act) (bool, error) {
	evidence := staged.Evidence([]subconscious.Ref{ref}, nil, nil)
	if len(evidence) == 0 || ref.Sense() != mail.Name {
		return false, nil
	}
	o := evidence[0].Latest
	if act.Deed == subconscious.Answered {
		return len(act.To) == 0 || o.Attrs["list"] != "" || slices.Contains(act.To, o.Attrs["from"]), nil
	}
	incidents, err := d.mind.Incidents(ctx, []subconscious.IncidentKey{o.Key()}, nil)
	return !slices.ContainsFunc(incidents, func(i subconscious.Incident) bool { return i.Telling != nil && len(i.Telling.Told) > 0 }), err
}
