package daemon

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// openDeliberation opens the worker that deliberates on what is to be told.
func (d *Daemon) openDeliberation(context.Context) (err error) {
	policy := d.options.Policy
	if policy == nil {
		policy = escalate.Shipped() // which tests validate
	}
	reads := sources{
		mind: d.mind, ledger: d.ledger, memory: d.memory, budget: d.budget, prompts: d.prompts,
		config: d.options.Config.Deliberation, state: func() subconscious.State { return d.board.Now().State },
	}
	own := effects{outbox: d.outbox, mind: d.mind, memory: d.memory, chat: d.chat, actions: d.actions, now: d.now}
	options := deliberate.Options{
		Config: d.options.Config.Deliberation, DB: d.db, Asker: d.deliberator, Purse: d.purse, Gather: reads.gather,
		Desk: func(e deliberate.Escalation, at time.Time) deliberate.Desk {
			state := d.board.Now().State
			return reading{d.registry.Desk(subconscious.Snapshot{
				Tick: state.TickCount, At: at, Zone: at.Location(), State: state, World: d.ledger.View(),
			}), e.ID}
		},
		Policy: policy, Teller: own, Mind: own, Memories: own, Conversations: own, Actions: own,
		Answered: func(ctx context.Context, tx *store.Tx, e deliberate.Escalation) (bool, error) {
			return d.mind.Answered(ctx, tx, e.Incident, e.Person, e.Entry)
		},
		Quiet: d.quiet, Now: d.now, Logger: d.options.Logger, Redact: redact.Text,
		Ended: func(string) { // its outcome and message are committed
			d.outbox.Wake()
			d.hurry()
		},
	}
	d.deliberations, err = deliberate.New(options)
	return err
}

// quiet returns until when only what is critical is told.
func (d *Daemon) quiet(at time.Time) (until time.Time, ok bool) {
	return escalate.QuietUntil(d.options.Config.Gate(), at)
}

// escalationOf is a decision as it is deliberated on.
func escalationOf(decision escalate.Decision, tick int64, at time.Time) deliberate.Escalation {
	asked := subconscious.Request{Incident: decision.Incident, Asked: decision.Asked}
	asked.Tick, asked.At = tick, at
	return deliberate.Escalation{
		Person: decision.ID, Request: asked, Critical: decision.Critical, Again: decision.Again, Decision: decision.Detail, Template: *decision.Message,
	}
}

// entrust gives what is to be deliberated on to the worker, in the tick's
// transaction. Nothing in their words can be followed, but in those of plain
// incidents.
func entrust(ctx context.Context, tx *store.Tx, worker *deliberate.Worker, report api.TickReport, done decided, plain map[subconscious.IncidentID]bool, openers []opener) error {
	for _, decision := range done.outcome.Decisions {
		if !decision.Deliberate {
			continue
		}
		e := escalationOf(decision, report.Tick, report.At)
		e.Link = linkOf(done, decision.ID, openers)
		if e.Template.Expires.After(report.At.Add(usefulFor)) {
			e.Template.Expires = report.At.Add(usefulFor)
		}
		if t := &e.Template; !plain[decision.ID] {
			t.Title, t.Text, t.Outline = harmless(t.Title), harmless(t.Text), harmless(t.Outline)
		}
		if err := worker.Add(ctx, tx, e); err != nil {
			return fmt.Errorf("give %s to the deliberation: %w", decision.ID, err)
		}
	}
	return nil
}

// effects carries out what a deliberation came to: it tells the person, puts the
// outcome into the inputs of the next tick, keeps memories, posts in conversations
// and, where actions are configured, runs what the policy lets through.
type effects struct {
	outbox  *notify.Outbox
	mind    *mind.Store
	memory  *memory.Store
	chat    *chat.Log
	actions *actions.Engine
	now     func() time.Time
}

var (
	_ deliberate.Teller        = effects{}
	_ deliberate.Mind          = effects{}
	_ deliberate.Memories      = effects{}
	_ deliberate.Conversations = effects{}
	_ deliberate.Actions       = effects{}
)

// Tell implements deliberate.Teller.
func (e effects) Tell(ctx context.Context, tx *store.Tx, t deliberate.Telling) error {
	p := notify.Post{
		Key: t.Key, At: e.now(), Kind: notify.KindIncident, Incident: t.Escalation.Person, Title: t.Title, Text: t.Text, Urgent: t.Urgent,
		Priority: t.Escalation.Template.Priority, Outline: t.Escalation.Template.Outline,
		Expires: t.Expires, Link: t.Escalation.Link, Answers: answersOf(t.Escalation.Template),
	}
	if t.Kind == deliberate.TellProposed && t.Proposal != "" {
		p.Kind, p.Proposal, p.Answers = notify.KindProposal, t.Proposal, []notify.Answer{notify.AnswerLater, notify.AnswerReject}
	}
	if err := e.outbox.Post(ctx, tx, p); err != nil {
		return fmt.Errorf("give a message to the channels: %w", err)
	}
	if t.Run != "" {
		return e.actions.Noticed(ctx, tx, t.Run)
	}
	return nil
}

// Conclude implements deliberate.Mind.
func (e effects) Conclude(ctx context.Context, tx *store.Tx, command subconscious.Command, refund bool) error {
	if _, err := e.mind.EnqueueIn(ctx, tx, command); err != nil {
		return err
	}
	if !refund || command.Outcome == nil {
		return nil
	}
	_, err := e.mind.RefundPush(ctx, tx, command.Outcome.Tick, command.IncidentID)
	return err
}

// Remember implements deliberate.Memories.
func (e effects) Remember(ctx context.Context, tx *store.Tx, memo deliberate.Memo) (string, error) {
	var cited []memory.Citation
	for _, c := range memo.Evidence {
		cited = append(cited, memory.Citation{Ref: c.Ref, Seq: c.Seq})
	}
	kept, err := e.memory.Remember(ctx, tx, memory.Record{
		Key: memo.Key, Kind: memory.Kind(memo.Kind), Text: memo.Text, Tags: memo.Tags, Trust: least(memo.Trusts, memo.Quarantined),
		Source: memory.Deliberation, Deliberation: memo.Escalation.ID, Incident: memo.Escalation.Person, Citations: cited,
	})
	if err == nil && kept.Outcome == memory.Refused { // else it would seem to be remembered, and the person hear nothing
		err = fmt.Errorf("%w: it is not worth keeping: %s", memory.ErrInvalid, kept.Reason)
	}
	return kept.ID, modelsFault(err, memory.ErrInvalid, memory.ErrFull)
}

// byDeliberation is who writes what a deliberation asked for.
const byDeliberation = "deliberation"

// least is the least trusted of those whose words were shown: the machine's at
// best, since a model wrote it. What is kept apart is nobody's word that is
// trusted.
func least(shown []subconscious.Trust, apart bool) subconscious.Trust {
	trust := subconscious.Machine
	for _, t := range shown {
		if t.Rank() > trust.Rank() {
			trust = t
		}
	}
	if apart && trust.Rank() < subconscious.Agent.Rank() {
		return subconscious.Outsider
	}
	return trust
}

// Post implements deliberate.Conversations.
func (e effects) Post(ctx context.Context, tx *store.Tx, post deliberate.Post) (string, error) {
	posted, err := e.chat.Post(ctx, tx, chat.Message{
		Key: post.Key, Conversation: post.Conversation, At: e.now(), Author: chat.Mind, Name: byDeliberation, Trust: subconscious.Machine,
		Text: post.Text, Deliberation: post.Escalation.ID,
	})
	return strconv.FormatInt(posted.ID, 10), modelsFault(err, chat.ErrInvalid, chat.ErrFull)
}

// modelsFault says of errors that are a model's fault that they are, so that it is
// told of them.
func modelsFault(err error, faults ...error) error {
	for _, fault := range faults {
		if errors.Is(err, fault) {
			return fmt.Errorf("%w: %w", deliberate.ErrRequest, err)
		}
	}
	return err
}
