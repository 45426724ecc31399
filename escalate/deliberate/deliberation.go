package deliberate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxResumed is how often an escalation goes on after an interruption.
const maxResumed = 2

// fallback is why the words of the gate tell the person: in a few words, for the
// message, and in more, for the record. The zero value is none.
type fallback struct{ short, long string }

// next deliberates on the next escalation, and reports whether there was one.
func (w *Worker) next(ctx context.Context) (bool, error) {
	r, ok, err := w.claim(ctx)
	if err != nil || !ok {
		return false, err
	}
	d := &deliberation{Worker: w, row: r, asker: w.Asker()}
	for _, s := range r.Steps {
		d.apply(s)
	}
	d.resumed = r.Resumed > 0 || len(r.Steps) > 0
	if w.Desk != nil {
		d.desk = w.Desk(r.Escalation, w.Now())
	}
	why, err := d.proceed(ctx)
	switch {
	case err != nil:
		return true, fmt.Errorf("escalation %s: %w", r.ID, err)
	case d.over || d.aside || ctx.Err() != nil:
		return true, nil
	}
	if err := d.tellByRule(ctx, why); err != nil {
		return true, fmt.Errorf("escalation %s: %w", r.ID, err)
	}
	return true, nil
}

// maxStuck is how often an escalation comes before others though it was interrupted:
// one that cannot be ended keeps back no other.
const maxStuck = 3 * maxResumed

// soon is how long before it is of no use a message comes before others.
const soon = 30 * time.Minute

// turns is the order of escalations: one that was interrupted, then those that are
// critical, then those that are of no use soon, then the oldest. Its arguments
// are maxStuck, and the end of soon.
const turns = "resumed > ?, state = 'running' DESC, critical DESC, expires BETWEEN 1 AND ? DESC, at, id"

// claim takes the escalation whose turn it is.
func (w *Worker) claim(ctx context.Context) (r row, ok bool, err error) {
	id, ok, err := store.One(ctx, w.DB, store.Value[string], "SELECT id FROM escalations WHERE state <> 'ended' ORDER BY "+turns+" LIMIT 1", maxStuck, w.Now().Add(soon).UnixNano())
	if err != nil || !ok {
		return r, false, err
	}
	err = w.write(ctx, "claim", func(ctx context.Context, tx *store.Tx) error {
		if r, err = w.find(ctx, tx, id); err != nil {
			return err
		}
		if r.State == Running {
			r.Resumed++
			return tx.Exec(ctx, "UPDATE escalations SET resumed = ? WHERE id = ?", r.Resumed, r.ID)
		}
		r.State = Running
		if r.Started.IsZero() { // else it was set aside, and its deadline goes on
			r.Started = w.Now()
			r.Deadline = w.deadline(r.Escalation, r.Started)
		}
		return tx.Exec(ctx, "UPDATE escalations SET state = 'running', started = ?, deadline = ? WHERE id = ?",
			r.Started.UnixNano(), r.Deadline.UnixNano(), r.ID)
	})
	if errors.Is(err, errUnreadable) {
		err = errors.Join(err, w.giveUp(ctx, id))
	}
	return r, err == nil, err
}

// giveUp lets go of what cannot be read of an escalation, so that it keeps back
// no other for good: of what was said and done in it, and rules tell the person
// at the next turn; or of the escalation, where that cannot be read.
func (w *Worker) giveUp(ctx context.Context, id string) error {
	return w.write(ctx, "give-up", func(ctx context.Context, tx *store.Tx) error {
		_, err := w.row(ctx, tx, id)
		switch {
		case errors.Is(err, errUnreadable):
			w.Logger.Error("nothing of an escalation can be read: it is let go, and the person is not told of it", "escalation", id, "next", "look into the inbox: subconsciousctl inbox --all")
			return tx.Exec(ctx, "UPDATE escalations SET state = 'ended', ended = ? WHERE id = ?", w.Now().UnixNano(), id)
		case err != nil:
			return err
		}
		w.Logger.Error("what was said in an escalation cannot be read: it is let go, and rules tell the person", "escalation", id)
		if err := tx.Exec(ctx, "DELETE FROM deliberation_steps WHERE id = ?", id); err != nil {
			return err
		}
		return tx.Exec(ctx, "UPDATE escalations SET state = 'running', system = '', resumed = max(resumed, ?) WHERE id = ?", maxResumed, id)
	})
}

// deadline is until when an escalation may take that begins at a time: no longer than
// half of how long its message is of use, so that rules can tell it still.
func (w *Worker) deadline(e Escalation, begins time.Time) time.Time {
	most := w.Config.Deadline
	if e.Critical {
		most = w.Config.CriticalDeadline
	}
	if expires := e.Template.Expires; expires.After(begins) {
		most = min(most, expires.Sub(begins)/2)
	}
	return begins.Add(most)
}

// write runs a transaction that Stop does not break off, between the points
// deliberate.NAME and deliberate.NAME.done.
func (w *Worker) write(ctx context.Context, name string, do func(context.Context, *store.Tx) error) error {
	if err := failpoint.Hit("deliberate." + name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	if err := w.DB.Write(ctx, func(tx *store.Tx) error { return do(ctx, tx) }); err != nil {
		return err
	}
	return failpoint.Hit("deliberate." + name + ".done")
}

// deliberation is an escalation that is under way.
type deliberation struct {
	*Worker
	row
	progress
	asker   Asker
	desk    Desk // nil for none
	resumed bool // something of it happened in an earlier turn
	over    bool
	aside   bool // another one goes before it
}

// proceed carries the escalation on until it is over, or until there is a reason to
// tell by rule. When ctx ends it returns, and nothing of that is written down.
func (d *deliberation) proceed(ctx context.Context) (fallback, error) {
	if d.underway != nil {
		if err := d.carryOut(ctx); err != nil || d.over || ctx.Err() != nil {
			return fallback{}, err
		}
	}
	known, err := d.wasAnswered(ctx)
	if err != nil {
		return fallback{}, err
	}
	if why := d.hindrance(known); why != (fallback{}) {
		return why, nil
	}
	// A clock that was put back gives no more time than there was.
	asking, done := d.untilCritical(ctx, min(d.Deadline.Sub(d.Now()), d.Deadline.Sub(d.Started)))
	defer done()
	why, err := d.deliberate(ctx, asking)
	if err == nil && !d.over && errors.Is(context.Cause(asking), errCritical) {
		return fallback{}, d.setAside(ctx)
	}
	return why, err
}

// deliberate asks the model, until asking ends.
func (d *deliberation) deliberate(ctx, asking context.Context) (fallback, error) {
	if !d.opened {
		if why, err := d.open(ctx, asking); err != nil || why != (fallback{}) {
			return why, err
		}
	}
	done, why := d.pay(asking)
	defer done()
	if why != (fallback{}) {
		return why, nil
	}
	for ctx.Err() == nil {
		if known, err := d.wasAnswered(ctx); err != nil || known {
			return fallback{answered, answered}, err
		}
		why, err := d.round(ctx, asking)
		if err != nil || d.over || why != (fallback{}) {
			return why, err
		}
	}
	return fallback{}, nil
}

// hindrance is why no model is asked (any more); the zero value is none.
func (d *deliberation) hindrance(known bool) fallback {
	_, quiet := d.quiet()
	switch {
	case d.isLate(d.Now()):
		return fallback{tooLate, tooLate} // it is dismissed
	case known:
		return fallback{answered, answered} // likewise
	case quiet:
		return fallback{nowQuiet, nowQuiet} // it is put off
	case !d.Config.Enabled:
		return fallback{"", switchedOff}
	case d.resumed && (d.Resumed > maxResumed || d.cut):
		return fallback{"it was interrupted", "it was interrupted, and could not go on"}
	case !d.Now().Before(d.Deadline):
		return d.noTime()
	case d.asker.Generator == nil:
		return fallback{"there is no model for it", "no model is assigned to the role"}
	case d.asker.Problem != "":
		return fallback{"its model cannot be asked", d.asker.Problem}
	}
	return fallback{}
}

const switchedOff = "deliberation is switched off"

func (d *deliberation) noTime() fallback {
	return fallback{"there was no time left", fmt.Sprintf("its deadline was over, %s after it began", d.Deadline.Sub(d.Started).Round(time.Second))}
}

// open writes down what the model is shown first.
func (d *deliberation) open(ctx, asking context.Context) (fallback, error) {
	sources, err := d.gather(asking)
	if ctx.Err() != nil {
		return fallback{}, nil
	}
	if err != nil {
		return fallback{"it could not be put together", d.spokenError("what the model is shown could not be put together: ", err)}, nil
	}
	if len(sources.Words) == 0 {
		sources.Words = []escalate.Word{{Trust: subconscious.Outsider, Source: "evidence"}}
	}
	d.System = d.Redact(sources.Prompt.System)
	step := Step{Kind: StepOpened, Text: d.Redact(sources.Prompt.User), Words: sources.Words, Own: sources.Own}
	return fallback{}, d.put(ctx, &step, func(ctx context.Context, tx *store.Tx) error { return d.putSystem(ctx, tx) })
}

func (d *deliberation) gather(ctx context.Context) (s Sources, err error) {
	defer contained(&err)
	return d.Gather(ctx, d.Escalation, d.Now())
}

// contained turns a panic of what the worker was handed into an error.
func contained(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("a fault in this program: %.200s", fmt.Sprint(fault))
	}
}

// pay opens the purse. What it returns closes it.
func (d *deliberation) pay(ctx context.Context) (done func(), why fallback) {
	if d.Purse == nil {
		return func() {}, fallback{}
	}
	most := max(budget.Dollars(d.Config.MaxCost)-budget.Money(d.Cost), 0)
	charge := budget.Charge{At: d.Now(), Tick: d.Tick, Role: d.role(), Provider: d.asker.Identity.Provider, Model: d.asker.Identity.Model,
		Worst: budget.Amount{Money: most}}
	if err := d.Purse.Open(ctx, charge); err != nil {
		return func() {}, fallback{"it could not be paid for", d.spokenError("", err)}
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
		defer cancel()
		if _, err := d.Purse.Close(ctx); err != nil {
			d.Logger.Error("what an escalation cost is not settled: its worst case counts", "escalation", d.ID, "error", err)
		}
	}, fallback{}
}

func (d *deliberation) role() string {
	if role := d.asker.Request.Purpose.Role; role != "" {
		return role
	}
	return models.RoleDeliberation
}

// round runs the tools that the last answer asks for, and asks again.
func (d *deliberation) round(ctx, asking context.Context) (fallback, error) {
	for len(d.pending) > 0 {
		switch {
		case asking.Err() != nil:
			return d.noTime(), nil
		case d.isLate(d.Now()):
			return fallback{tooLate, tooLate}, nil
		}
		if err := d.use(ctx, asking, d.pending[0]); err != nil || d.over || ctx.Err() != nil {
			return fallback{}, err
		}
	}
	switch {
	case d.silent:
		return d.leave(ctx)
	case d.rounds >= d.Config.Rounds:
		return fallback{"the model came to no end", fmt.Sprintf("the model came to no end in %d answers", d.rounds)}, nil
	case asking.Err() != nil:
		return d.noTime(), nil
	}
	return d.ask(ctx, asking)
}

// leave ends an escalation whose model has nothing more to say: without a word
// where it remembered something and the policy allows that.
func (d *deliberation) leave(ctx context.Context) (fallback, error) {
	if !d.remembered {
		return fallback{"the model did not say what to do", "the model ended without any effect"}, nil
	}
	j := d.judge(escalate.EffectKeep, "")
	if j.Permission != escalate.Allowed {
		return fallback{"", "the model would have kept quiet, and clause " + j.Clause + " refuses that: " + j.Why}, nil
	}
	last := d.messages[len(d.messages)-1].Text
	reason := d.spoken(last, d.taint, maxReason)
	if reason == "" {
		reason = "it was remembered, and is of no haste"
	}
	return fallback{}, d.end(ctx, nil, nil, conclusion{kind: subconscious.OutcomeRemembered, reason: reason})
}

// ask asks the model, and writes down what it answers.
func (d *deliberation) ask(ctx, asking context.Context) (fallback, error) {
	request := d.asker.Request
	request.Purpose.Role, request.Purpose.Tick, request.Purpose.At = d.role(), d.Tick, d.Now()
	request.System, request.Messages, request.Tools = d.System, d.messages, d.tools()
	request.Schema, request.OnText, request.MaxTokens = nil, nil, max(request.MaxTokens, 1)
	before := d.Now()
	answer, err := d.generate(asking, request)
	if isShort(err) && d.shown > maxShortened {
		// What a call costs at worst grows with all that was read.
		request.Messages = shortened(d.messages)
		answer, err = d.generate(asking, request)
	}
	if err == nil {
		err = unusable(answer)
	}
	if answer.Judge != nil {
		failure, _ := errors.AsType[*models.Error](err)
		answer.Judge(failure)
	}
	if err != nil {
		return d.failed(ctx, asking, answer, err)
	}
	said := Answered{Stop: answer.Stop, Model: answer.By.String(), Input: answer.Usage.Input, Output: answer.Usage.Output,
		Cost: int64(answer.Cost), Latency: d.Now().Sub(before), Attempts: answer.Attempts, Opaque: answer.Opaque}
	said.Cost += costOf(answer.Passed)
	for _, c := range answer.Calls {
		said.Calls = append(said.Calls, ToolCall{ID: clip(c.ID, kept), Name: clip(d.Redact(c.Name), maxName), Arguments: d.Redact(string(c.Arguments))})
	}
	step := Step{Kind: StepAnswered, Round: d.rounds + 1, Text: d.Redact(answer.Text), Answer: &said}
	return fallback{}, d.put(ctx, &step, nil)
}

func (d *deliberation) generate(ctx context.Context, request models.Request) (answer models.Answer, err error) {
	defer contained(&err)
	return d.asker.Generator.Generate(ctx, request)
}

// maxShortened is how many bytes of each reading a model is shown again where
// there is not enough in the purse for all of them.
const maxShortened = 1 << 10

// isShort reports whether the purse has not enough for a call.
func isShort(err error) bool {
	refusal, ok := errors.AsType[*budget.Refusal](err)
	return ok && refusal.Limit == budget.PurseMoney
}

// shortened are messages with the beginnings of what tools told.
func shortened(messages []models.Message) []models.Message {
	short := slices.Clone(messages)
	for i := range short {
		if short[i].Role == models.ToolRole {
			short[i].Text = clip(short[i].Text, maxShortened)
		}
	}
	return short
}

// maxAsked is how many tools an answer may ask for at once, those that are not
// run included.
const maxAsked = 32

// costOf is what the failures of other models cost, in billionths.
func costOf(passed []*models.Error) (cost int64) {
	for _, failure := range passed {
		cost += int64(failure.Cost)
	}
	return cost
}

// unusable says what is wrong with an answer as a whole, or nil.
func unusable(answer models.Answer) error {
	failure := &models.Error{Kind: models.KindAnswer, By: answer.By}
	switch {
	case answer.Stop == models.StopRefused:
		failure.Kind, failure.Text = models.KindRefused, "it declines to answer"
	case len(answer.Calls) > maxAsked:
		failure.Text = fmt.Sprintf("its answer asks for %d tools at once", len(answer.Calls))
	case len(answer.Calls) == 0 && answer.Stop == models.StopLength:
		failure.Text = "its answer was cut"
	default:
		return nil
	}
	return failure
}

// failed writes down that the model did not answer.
func (d *deliberation) failed(ctx, asking context.Context, answer models.Answer, err error) (fallback, error) {
	if ctx.Err() != nil {
		return fallback{}, nil
	}
	why := fallback{"the model did not answer", d.spokenError("the model did not answer: ", err)}
	if errors.Is(context.Cause(asking), errCritical) {
		why.long = errCritical.Error()
	}
	step := Step{Kind: StepFailed, Round: d.rounds + 1, Text: why.long, Answer: &Answered{Model: d.asker.Identity.String(), Cost: int64(answer.Cost) + costOf(answer.Passed)}}
	if failure, ok := errors.AsType[*models.Error](err); ok {
		step.Answer.Cost += int64(failure.Cost) + costOf(failure.Passed)
		switch failure.Kind {
		case models.KindBudget:
			why.short = "there is no money left for the model"
		case models.KindRefused:
			why.short = "the model declined"
		case models.KindTimeout:
			why.short = "the model took too long"
		}
	}
	if asking.Err() != nil {
		why.short = d.noTime().short
	}
	return why, d.put(ctx, &step, nil)
}

// spokenError is an error for the record.
func (d *deliberation) spokenError(before string, err error) string {
	return before + d.spoken(strings.ReplaceAll(err.Error(), "\n", "; "), d.taint, 2*maxReason)
}

// judge asks the policy, by all that the model was shown so far.
func (d *deliberation) judge(effect escalate.Effect, approval escalate.Approval) escalate.Judgement {
	return d.Policy.Judge(escalate.Request{Effect: effect, Taint: d.taint, Own: d.own, Critical: d.Critical, Approval: approval})
}
