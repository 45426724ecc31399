package daemon

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// tickRequest says which tick is wanted.
type tickRequest struct {
	kind   subconscious.TickKind
	dryRun bool
	thread subconscious.ThreadName // "" asks every thread
}

// tick is one tick, a straight line from what the senses see to what is
// published. Everything before the commit can be thrown away; nothing after it
// can be lost. Ticks never overlap: the caller holds the turn.
func (d *Daemon) tick(ctx context.Context, at time.Time, request tickRequest) (api.TickReport, error) {
	began := time.Now()
	zone, err := d.zone()
	if err != nil {
		return api.TickReport{}, err
	}
	at = at.In(zone).Round(0)
	state := d.board.Now().State
	if !request.dryRun {
		if err := d.published.takeEdit(ctx, at, state); err != nil {
			d.options.Logger.Error("what was changed in the document is not taken over yet", "error", err)
		}
	}
	commands, err := pending(ctx, d.mind)
	if err != nil {
		return api.TickReport{}, fmt.Errorf("read what is asked for: %w", err)
	}

	if request.kind == subconscious.Manual {
		d.collector.Retry() // the person may have mended what a sense waits for
	}
	looking, cancel := context.WithDeadline(ctx, began.Add(d.options.Config.TickTimeout*lookingEnds/fifths))
	collected := append(d.collector.Collect(looking, at, d.ledger.Cursor), d.told(at, commands)...)
	cancel()
	staged := d.ledger.Stage(at, collected)
	snapshot, attention := d.snapshot(staged, state, at, request)
	if snapshot.Habits, err = d.mind.Habits(ctx); err != nil {
		return api.TickReport{}, err
	}
	if d.options.OnSnapshot != nil {
		d.options.OnSnapshot(snapshot)
	}
	thinking, cancel := context.WithDeadline(ctx, began.Add(d.options.Config.TickTimeout*thinkingEnds/fifths))
	results := d.runner.RunAll(thinking, snapshot, attention)
	cancel()
	if err := ctx.Err(); err != nil {
		return api.TickReport{}, fmt.Errorf("the tick was cut off before it was done: %w", err)
	}

	input, err := d.mergeInput(ctx, staged, snapshot, results, commands, request)
	if err != nil {
		return api.TickReport{}, err
	}
	next, changes := aggregator.Merge(input)
	gate := escalate.Input{
		At: at, Tick: next.TickCount, First: next.TickCount == 1, Rules: d.options.Config.Gate(), Asked: scored(changes.Requests, input.Evidence),
		Commands: gateCommands(commands), Presence: d.presence(staged, at), Kind: request.kind, Own: d.options.Config.Hosts(),
	}
	gate.Rules.Deliberates = d.options.Config.Deliberation.Enabled && d.deliberator().Problem == ""
	if err := lookUp(ctx, d.mind, staged, input.Incidents, changes.Incidents, &gate); err != nil {
		return api.TickReport{}, err
	}
	gate.First = gate.First || state.LastTick.Before(gate.Spent.Restored)
	outcome := escalate.Decide(gate)
	next = escalate.Remember(next, outcome)
	document, err := subconscious.Project(next, d.options.Config.Mechanics.MaxTokens)
	if err != nil {
		return api.TickReport{}, err
	}
	report := d.report(staged, collected, results, snapshot, next, changes, request)
	report.Decisions, report.Told = newDecisions(next.TickCount, at, outcome), toldMessages(outcome)
	report.ElapsedMS = milliseconds(time.Since(began))
	if request.dryRun {
		return report, d.calls.write(ctx)
	}

	markSeen(staged, snapshot, results)
	habits, err := d.learn(ctx, staged, snapshot, collected, gate.Incidents, outcome.Incidents)
	if err != nil {
		return report, err
	}
	notices := senseNotices(at, staged).and(modelNotices(at, results, d.usual))
	done := decided{input: input, next: next, changes: changes, gate: gate, outcome: outcome, commands: commands, document: document, habits: habits}
	if err := d.commit(ctx, staged, done, report, notices); err != nil {
		return report, err
	}
	d.adopt(staged, done, &report)
	d.outbox.Wake()
	d.deliberations.Wake()
	d.heart.Wake()
	d.sweeper.sweep(ctx, at)
	if err := d.published.publish(ctx, at, next.TickCount, document); err != nil {
		report.Error = err.Error()
	} else {
		report.Published = true
	}
	report.ElapsedMS = milliseconds(time.Since(began))
	d.tell(report)
	return report, nil
}

// Looking may take two fifths of a tick's time and thinking as much again at
// least, so that a sense or a thread that hangs makes the tick poorer and never
// absent.
const (
	fifths       = 5
	lookingEnds  = 2
	thinkingEnds = 4
)

// decided is what a tick came to: what the mechanics and the gate were given,
// and what they gave.
type decided struct {
	input    aggregator.Input
	next     subconscious.State
	changes  aggregator.Changes
	gate     escalate.Input
	outcome  escalate.Decided
	commands []subconscious.Command
	document []byte
	habits   []subconscious.Habit
}

// commit writes everything that the tick decided in one transaction.
func (d *Daemon) commit(ctx context.Context, staged *senses.Staged, done decided, report api.TickReport, notices notices) error {
	kept, err := done.kept(report)
	if err != nil {
		return err
	}
	kept.Raise, kept.Resolve = notices.raise, notices.resolve
	if err := failpoint.Hit("tick.commit.before"); err != nil {
		return fmt.Errorf("commit tick %d: %w", done.next.TickCount, err)
	}
	made := d.calls.take()
	kept.Calls = made
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if err := staged.Persist(ctx, tx); err != nil {
			return err
		}
		if err := d.budget.Flush(ctx, tx); err != nil {
			return err
		}
		if err := failpoint.Hit("tick.commit.inside"); err != nil {
			return err
		}
		if err := hand(ctx, tx, d.outbox, d.deliberations, report, done, openers(d.options.Config.Senses)); err != nil {
			return err
		}
		if err := consolidate(ctx, tx, d.memory, done, staged.View(), d.options.Logger); err != nil {
			return err
		}
		return d.mind.Commit(ctx, tx, kept)
	})
	if err == nil {
		err = failpoint.Hit("tick.commit.after")
	}
	if err != nil && !isCommitted(ctx, d.mind, kept.Record) {
		d.calls.keep(made)
		return fmt.Errorf("commit tick %d: %w", done.next.TickCount, err)
	}
	return nil
}

// kept is what a tick leaves behind, but for notices and calls.
func (x decided) kept(report api.TickReport) (mind.Commit, error) {
	out := mind.Commit{
		State: x.next, Incidents: combine(x.changes.Incidents, x.outcome.Incidents), Consumed: map[int64]string{}, Published: x.document,
		Pushes: pushes(report.Tick, report.At, x.outcome), Scores: x.outcome.Scores, Habits: x.habits, ToldNotices: toldNotices(x.outcome),
		Counts: view.Counts(report), Digests: mind.Digests{Daily: x.outcome.Spent.Daily, Weekly: x.outcome.Spent.Weekly},
	}
	for _, c := range x.commands {
		out.Consumed[c.ID] = cmp.Or(x.outcome.Done[c.ID], x.changes.Done[c.ID])
	}
	var err error
	if out.Record, err = view.Record(x.input, x.gate, report); err != nil {
		return out, err
	}
	if out.Log, err = entryLog(report, x.next, x.input.State, x.changes); err != nil {
		return out, err
	}
	out.Decisions, err = decisionRows(report.Decisions)
	return out, err
}

// isCommitted looks whether a tick was committed although it was not said so:
// the disk may have failed after it was done.
func isCommitted(ctx context.Context, kept *mind.Store, record mind.Record) bool {
	there, ok, err := kept.Record(context.WithoutCancel(ctx), record.Tick)
	return err == nil && ok && bytes.Equal(there.Inputs, record.Inputs) && bytes.Equal(there.Report, record.Report)
}

// adopt makes what was committed the mind's own.
func (d *Daemon) adopt(staged *senses.Staged, done decided, report *api.TickReport) {
	next, document := done.next, done.document
	d.ledger.Adopt(staged)
	statuses := make([]api.ThreadStatus, 0, len(report.Threads))
	for _, t := range report.Threads {
		status := d.threadStatus(subconscious.ThreadName(t.Name), next.Threads[subconscious.ThreadName(t.Name)])
		status.State, status.Reason = view.State(t), t.Reason
		pending, overflow := staged.Pending(subconscious.ThreadName(t.Name))
		status.Pending, status.Overflow = len(pending), overflow
		if before := d.board.Now().Thread(t.Name); t.Mode == view.Skipped || t.Mode == view.Failed {
			status.Last, status.Mode, status.Model, status.Usual = before.Last, before.Mode, before.Model, before.Usual
		} else {
			status.Last, status.Mode, status.Model, status.Usual = report.At, t.Mode, t.Model, t.Usual
		}
		statuses = append(statuses, status)
	}
	reminds := nextReminder(report.At, d.ledger.View(), combine(done.gate.Incidents, done.outcome.Incidents))
	d.board.Set(func(n *view.Now) {
		n.State, n.Document, n.Threads, n.Reminds = next, document, statuses, reminds
		n.Senses, n.Failure, n.Presence = staged.Health(), "", done.gate.Presence
		n.CountRejections(*report)
	})
}

// nextReminder is the first whole minute after at, within a day, at which the person
// set a time to hear of something: in what they wrote down or said, by a reminder, or
// by a snooze.
func nextReminder(at time.Time, world subconscious.World, incidents []subconscious.Incident) (next time.Time) {
	sooner := func(t time.Time) {
		if t.After(at) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	world.Due(at.Add(1), at.Add(24*time.Hour), func(o subconscious.Observation) bool {
		if threads.Fact(o) && escalate.SetByPerson(&o) {
			sooner(o.Due)
		}
		return next.IsZero()
	})
	for _, i := range incidents {
		if t := i.Telling; t != nil {
			sooner(t.Remind)
			if t.Held == string(escalate.Snoozed) {
				sooner(t.Until)
			}
		}
	}
	if whole := next.Truncate(time.Minute); whole.Before(next) {
		next = whole.Add(time.Minute)
	}
	return next
}

// markSeen moves the marks of the threads, and of the rules beside them, that were healthy. A thread that used
// up its findings keeps what it did not cite as new.
func markSeen(staged *senses.Staged, snapshot subconscious.Snapshot, results []threads.Result) {
	for _, r := range threads.EveryRun(results) {
		if !r.Attention.Ask || r.Err != nil {
			continue
		}
		limit := modelFindings
		if r.Mode == modeReflex {
			limit = reflexFindings
		}
		field := snapshot.Fields[r.Thread]
		var refs []subconscious.Ref
		for _, o := range slices.Concat(field.New, field.Wider) {
			if slices.Contains(r.Unshown, o.Ref()) {
				continue // it found no room in the prompt
			}
			if len(r.Thought.Findings) < limit || cites(r.Thought, o.Ref()) {
				refs = append(refs, o.Ref())
			}
		}
		staged.Seen(r.Thread, refs)
	}
}

// How many findings a model may make at a tick, and reflex thinking.
const (
	modelFindings  = 3
	reflexFindings = 50
)

func cites(thought subconscious.Thought, ref subconscious.Ref) bool {
	return slices.ContainsFunc(thought.Findings, func(f subconscious.Finding) bool { return f.Cites(ref) })
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}
