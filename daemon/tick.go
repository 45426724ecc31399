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
	state := d.currentState()
	commands, err := d.pending(ctx)
	if err != nil {
		return api.TickReport{}, fmt.Errorf("read what is asked for: %w", err)
	}

	if request.kind == subconscious.Manual {
		d.collector.Retry() // the person may have mended what a sense waits for
	}
	collected := append(d.collect(ctx, at), d.told(at, commands)...)
	staged := d.ledger.Stage(at, collected)
	snapshot, attention := d.snapshot(staged, state, at, request)
	results := d.ask(ctx, snapshot, attention)
	if err := ctx.Err(); err != nil {
		return api.TickReport{}, fmt.Errorf("the tick was cut off before it was done: %w", err)
	}

	input, err := d.mergeInput(ctx, staged, snapshot, results, commands, request)
	if err != nil {
		return api.TickReport{}, err
	}
	next, changes := aggregator.Merge(input)
	gate, err := d.gateInput(ctx, staged, input, next, changes, commands, request)
	if err != nil {
		return api.TickReport{}, err
	}
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

	d.markSeen(staged, snapshot, results)
	raise, resolve := d.senseNotices(at, staged)
	raise, resolve = d.modelNotices(at, results, raise, resolve)
	done := decided{input: input, next: next, changes: changes, gate: gate, outcome: outcome, commands: commands, document: document}
	if err := d.commit(ctx, staged, done, report, raise, resolve); err != nil {
		return report, err
	}
	d.adopt(staged, done, &report)
	d.outbox.Wake()
	d.deliberations.Wake()
	d.sweep(ctx, at)
	d.publish(ctx, at, next.TickCount, document, &report)
	report.ElapsedMS = milliseconds(time.Since(began))
	d.tell(report)
	return report, nil
}

// Looking may take two fifths of a tick's time and thinking as much again at
// least, so that a sense or a thread that hangs makes the tick poorer and never
// absent.
const (
	fifths  = 5
	looking = 2
	asking  = 4
)

// collect looks through the senses.
func (d *Daemon) collect(ctx context.Context, at time.Time) []senses.Collected {
	ctx, cancel := context.WithTimeout(ctx, d.options.Config.TickTimeout*looking/fifths)
	defer cancel()
	return d.collector.Collect(ctx, at, d.ledger.Cursor)
}

// ask asks the threads.
func (d *Daemon) ask(ctx context.Context, snapshot subconscious.Snapshot, attention map[subconscious.ThreadName]threads.Attention) []threads.Result {
	if ends, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, ends.Add(-d.options.Config.TickTimeout*(fifths-asking)/fifths))
		defer cancel()
	}
	return d.runner.RunAll(ctx, snapshot, attention)
}

// decided is what a tick came to: what the mechanics and the gate were given,
// and what they gave.
type decided struct {
	input    aggregator.Input
	next     subconscious.State
	changes  aggregator.Changes
	gate     escalate.Input
	outcome  escalate.Outcome
	commands []subconscious.Command
	document []byte
}

// commit writes everything that the tick decided in one transaction.
func (d *Daemon) commit(ctx context.Context, staged *senses.Staged, done decided, report api.TickReport,
	raise []mind.Notice, resolve []mind.NoticeKey) error {
	kept, err := done.kept(report)
	if err != nil {
		return err
	}
	kept.Raise, kept.Resolve = raise, resolve
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
		if err := d.hand(ctx, tx, report.Tick, report.At, done); err != nil {
			return err
		}
		if err := d.consolidate(ctx, tx, done, staged.View()); err != nil {
			return err
		}
		return d.mind.Commit(ctx, tx, kept)
	})
	if err == nil {
		err = failpoint.Hit("tick.commit.after")
	}
	if err != nil && !d.isCommitted(ctx, kept.Record) {
		d.calls.keep(made)
		return fmt.Errorf("commit tick %d: %w", done.next.TickCount, err)
	}
	return nil
}

// kept is what a tick leaves behind, but for notices and calls.
func (x decided) kept(report api.TickReport) (mind.Commit, error) {
	out := mind.Commit{
		State: x.next, Incidents: combine(x.changes.Incidents, x.outcome.Incidents), Consumed: map[int64]string{}, Published: x.document,
		Pushes: pushes(report.Tick, report.At, x.outcome), Scores: x.outcome.Scores, ToldNotices: toldNotices(x.outcome),
		Digests: mind.Digests{Daily: x.outcome.Spent.Daily, Weekly: x.outcome.Spent.Weekly},
	}
	for _, c := range x.commands {
		out.Consumed[c.ID] = cmp.Or(x.outcome.Done[c.ID], x.changes.Done[c.ID])
	}
	var err error
	if out.Record, err = tickRecord(x.input, x.gate, report); err != nil {
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
func (d *Daemon) isCommitted(ctx context.Context, record mind.Record) bool {
	there, ok, err := d.mind.Record(context.WithoutCancel(ctx), record.Tick)
	return err == nil && ok && bytes.Equal(there.Inputs, record.Inputs) && bytes.Equal(there.Report, record.Report)
}

// adopt makes what was committed the mind's own.
func (d *Daemon) adopt(staged *senses.Staged, done decided, report *api.TickReport) {
	next, document := done.next, done.document
	d.ledger.Adopt(staged)
	statuses := make([]api.ThreadStatus, 0, len(report.Threads))
	for _, t := range report.Threads {
		status := d.threadStatus(subconscious.ThreadName(t.Name), next.Threads[subconscious.ThreadName(t.Name)])
		status.State, status.Reason = threadState(t), t.Reason
		pending, overflow := staged.Pending(subconscious.ThreadName(t.Name))
		status.Pending, status.Overflow = len(pending), overflow
		if before := d.lastStatus(t.Name); t.Mode == threadSkipped || t.Mode == threadFailed {
			status.Last, status.Mode, status.Model, status.Usual = before.Last, before.Mode, before.Model, before.Usual
		} else {
			status.Last, status.Mode, status.Model, status.Usual = report.At, t.Mode, t.Model, t.Usual
		}
		statuses = append(statuses, status)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.view.state, d.view.document, d.view.threads = next, document, statuses
	d.view.senses, d.view.failure, d.view.presence = staged.Health(), "", done.gate.Presence
	d.view.countRejections(*report)
}

// publish writes the document. A failure does not undo the tick: the next one
// publishes again, and until then the status says why.
func (d *Daemon) publish(ctx context.Context, at time.Time, tick int64, document []byte, report *api.TickReport) {
	result, err := d.publisher.Publish(ctx, at, tick, document)
	report.Published = err == nil
	key := mind.NoticeKey{Code: noticeUnpublished}
	if err != nil {
		report.Error = err.Error()
		d.options.Logger.Error("the document was not published", "tick", tick, "error", err)
		_, raiseErr := d.mind.RaiseNotice(ctx, mind.Notice{NoticeKey: key, At: at, Text: "subconscious.json was not written: " + err.Error(),
			Next: "make room or mend the folder; the next tick writes it again"})
		err = raiseErr
	} else {
		_, err = d.mind.ResolveNotice(ctx, key)
	}
	if err != nil {
		d.options.Logger.Error("a notice could not be kept", "error", err)
	}
	if err := d.noticeRejected(ctx, result); err != nil {
		d.options.Logger.Error("a notice could not be kept", "error", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.view.report = *report
}

// markSeen moves the marks of the threads that were healthy. A thread that used
// up its findings keeps what it did not cite as new.
func (d *Daemon) markSeen(staged *senses.Staged, snapshot subconscious.Snapshot, results []threads.Result) {
	for _, r := range results {
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
	return slices.ContainsFunc(thought.Findings, func(f subconscious.Finding) bool {
		return slices.ContainsFunc(f.Evidence, func(text string) bool {
			c, ok := subconscious.ParseCitation(text)
			return ok && c.Ref == ref
		})
	})
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}
