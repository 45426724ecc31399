package daemon

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// modeReflex is the mode of a thread without a model.
const modeReflex = "reflex"

// told turns the notes that the person typed, and the lines that were added to the
// document by hand, into observations.
func (d *Daemon) told(at time.Time, commands []subconscious.Command) []senses.Collected {
	var notes []senses.Note
	for _, c := range commands {
		note := senses.Note{ID: "note/" + strconv.FormatInt(c.ID, 10), At: at, Text: c.Text}
		switch {
		case c.Kind == subconscious.CommandEdit && c.Edit.Ref != "":
			note.ID, note.Trust = lineID(c.Text), subconscious.Agent
		case c.Kind != subconscious.CommandNote:
			continue
		case !api.ByPerson(c.By):
			note.Trust = subconscious.Agent
		}
		if matches := dates.Find(c.Text, c.At.In(at.Location())); len(matches) > 0 && matches[0].Due.After(at) {
			note.Due, note.DateText = matches[0].Due, matches[0].Text
		}
		notes = append(notes, note)
	}
	if len(notes) == 0 {
		return nil
	}
	return []senses.Collected{senses.Notes(at, notes, senses.Cleaner{Redact: redact.Text})}
}

// snapshot makes the snapshot, and says which threads are asked.
func (d *Daemon) snapshot(staged *senses.Staged, state subconscious.State, at time.Time, request tickRequest) (subconscious.Snapshot, map[subconscious.ThreadName]threads.Attention) {
	snapshot := subconscious.Snapshot{
		Tick: state.TickCount + 1, At: at, Zone: at.Location(), Kind: request.kind, State: state, World: staged.View(),
		Fields: map[subconscious.ThreadName]subconscious.Field{},
	}
	attention := map[subconscious.ThreadName]threads.Attention{}
	for _, name := range d.runner.Names() {
		fresh, overflow := staged.Pending(name)
		kept := state.Threads[name]
		a := d.options.Config.Threads.Attend(threads.Question{
			Thread: name, Kind: request.kind, At: at, Tick: snapshot.Tick, Unseen: len(fresh), State: kept,
			Severe: threads.Severe(fresh), Beside: slices.Contains(d.runner.Beside(), name.Rules()), Looked: d.board.Now().Thread(string(name)).Last,
		})
		if request.thread != "" && request.thread != name {
			a = threads.Attention{Rested: true, Reason: "only " + string(request.thread) + " was asked"}
		}
		if request.thread == name {
			a.Ask = true
		}
		shown := func(ref subconscious.Ref) bool { return staged.Shown(name, ref) }
		var focused []subconscious.Observation
		if d.runner.Modes()[name] == modeReflex {
			focused = threads.Focused(name, kept.FocusHint, snapshot.World, shown)
			a.Ask = a.Ask || !a.Rested && len(focused) > 0 && at.Before(kept.FocusUntil)
		}
		field := subconscious.Field{
			New: fresh, Overflow: overflow, Level: a.Level, Ahead: threads.AheadOf(a.Level), Pressure: kept.NoveltyPressure,
			Hint: kept.FocusHint, Journal: kept.Journal, Closed: closedSummaries(state),
		}
		if a.Ask {
			field.Wider = threads.Widen(name, a.Level, at, snapshot.World, undated(staged.View()), shown)
			there := among(fresh, field.Wider)
			field.Wider = append(field.Wider, slices.DeleteFunc(focused, func(o subconscious.Observation) bool { return there(o.Ref()) })...)
			field.Standing = threads.Standing(name, at, field.Ahead, state, snapshot.World, among(fresh, field.Wider))
		}
		snapshot.Fields[name], attention[name] = withHistory(field, staged), a
	}
	for _, name := range d.runner.Beside() {
		if request.thread == "" || request.thread == name.Thread() {
			fresh, overflow := staged.Pending(name)
			snapshot.Fields[name] = withHistory(subconscious.Field{New: fresh, Overflow: overflow, Ahead: threads.Ahead}, staged)
		}
	}
	return snapshot, attention
}

// withHistory is the field with the earlier changes of what is new in it.
func withHistory(field subconscious.Field, staged *senses.Staged) subconscious.Field {
	field.History = make(map[subconscious.Ref][]subconscious.Occurrence, len(field.New))
	for _, o := range field.New {
		field.History[o.Ref()] = staged.History(o.Ref())
	}
	return field
}

// among reports whether an observation is among others.
func among(lists ...[]subconscious.Observation) func(subconscious.Ref) bool {
	known := map[subconscious.Ref]bool{}
	for _, list := range lists {
		for _, o := range list {
			known[o.Ref()] = true
		}
	}
	return func(ref subconscious.Ref) bool { return known[ref] }
}

// undated goes through what notes and conversations hold open without a date.
func undated(view *senses.View) func(func(subconscious.Observation) bool) {
	return func(yield func(subconscious.Observation) bool) {
		view.All(func(o subconscious.Observation) bool {
			promised := o.Sense == "notes" && !threads.Aside(o) || o.Sense == "conversation" && o.Kind == "promise"
			return !promised || !o.Due.IsZero() || yield(o)
		})
	}
}

func closedSummaries(state subconscious.State) []string {
	var out []string
	for _, c := range state.Closed {
		out = append(out, c.Summary)
	}
	return out
}

// mergeInput gathers all that the mechanics depend on.
func (d *Daemon) mergeInput(ctx context.Context, staged *senses.Staged, snapshot subconscious.Snapshot, results []threads.Result,
	commands []subconscious.Command, request tickRequest) (aggregator.Input, error) {
	in := aggregator.Input{
		State: snapshot.State, Commands: mergeCommands(commands), Rules: d.options.Config.Mechanics, Kind: request.kind,
		At: snapshot.At, Zone: snapshot.Zone,
	}
	for _, r := range results {
		in.Runs = append(in.Runs, run(r))
	}
	every := threads.EveryRun(results)
	for _, r := range every {
		if r.Attention.Ask && r.Err == nil {
			in.Thoughts = append(in.Thoughts, r.Thought)
		}
	}
	evidence := gatherer{staged: staged, snapshot: snapshot, results: every, known: map[subconscious.Ref]bool{}}
	in.Evidence = evidence.of(citedRefs(in))
	keys, links := aggregator.Lookups(in.State, in.Thoughts, in.Commands, in.Evidence)
	incidents, err := d.mind.Incidents(ctx, keys, links)
	if err != nil {
		return aggregator.Input{}, fmt.Errorf("look up incidents: %w", err)
	}
	in.Incidents = incidents
	var recorded []subconscious.Ref
	for _, incident := range incidents {
		recorded = append(recorded, slices.Sorted(maps.Keys(incident.Recorded))...)
	}
	in.Evidence = append(in.Evidence, evidence.of(recorded)...)
	return in, nil
}

func run(r threads.Result) aggregator.Run {
	out := aggregator.Run{Thread: r.Thread, Outcome: aggregator.Thought, Level: r.Attention.Level}
	switch {
	case r.Attention.Ask && r.Err != nil:
		out.Outcome, out.Error = aggregator.Failed, r.Err.Error()
	case r.Attention.Ask:
	case r.Attention.Rested:
		out.Outcome = aggregator.Rested
	default:
		out.Outcome = aggregator.Unchanged
	}
	return out
}

// citedRefs are the observations that thoughts cite, commands name and entries hold, sorted.
func citedRefs(in aggregator.Input) []subconscious.Ref {
	var refs []subconscious.Ref
	for _, t := range in.Thoughts {
		for _, f := range t.Findings {
			for _, text := range f.Evidence {
				if c, ok := subconscious.ParseCitation(text); ok {
					refs = append(refs, c.Ref)
				}
			}
		}
	}
	for _, c := range in.Commands {
		if c.Edit != nil && c.Edit.Ref != "" {
			refs = append(refs, c.Edit.Ref)
		}
	}
	for _, entries := range [][]subconscious.Entry{in.State.Entries, in.State.Parked} {
		for _, e := range entries {
			for _, h := range e.Evidence {
				refs = append(refs, h.Ref)
			}
		}
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// gatherer looks evidence up, each observation once.
type gatherer struct {
	staged   *senses.Staged
	snapshot subconscious.Snapshot
	results  []threads.Result
	known    map[subconscious.Ref]bool
}

func (g *gatherer) of(refs []subconscious.Ref) []subconscious.Evidence {
	var wanted []subconscious.Ref
	shown, fresh := map[subconscious.Ref][]subconscious.ThreadName{}, map[subconscious.Ref][]subconscious.ThreadName{}
	for _, ref := range refs {
		if !g.known[ref] {
			g.known[ref] = true
			wanted = append(wanted, ref)
		}
	}
	for _, r := range g.results {
		thought := r.Attention.Ask && r.Err == nil
		field := g.snapshot.Fields[r.Thread]
		isNew := map[subconscious.Ref]bool{}
		for _, o := range slices.Concat(field.New, field.Wider) {
			isNew[o.Ref()] = thought && !slices.Contains(r.Unshown, o.Ref())
		}
		for _, ref := range wanted {
			// Reflex thinking reads all that stands through its indexes; a
			// model was shown what its prompt held and its tools returned.
			_, stands := g.snapshot.World.Get(ref)
			if isNew[ref] || thought && (stands && r.Mode == modeReflex || slices.Contains(r.Shown, ref)) {
				shown[ref] = append(shown[ref], r.Thread)
			}
			if isNew[ref] {
				fresh[ref] = append(fresh[ref], r.Thread)
			}
		}
	}
	return g.staged.Evidence(wanted, shown, fresh)
}
