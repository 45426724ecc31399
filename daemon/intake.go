package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/approve"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// intake takes what is asked for over the API and changes something. What is
// asked of the mind itself waits in the inputs for the next tick.
type intake struct {
	*view.Reader
	in     view.Sources
	logger *slog.Logger
	door   *source.Door
	factor *approve.Factor
	// approving are the approvals under way, which may wait for the person.
	approving atomic.Int32
	// soon asks for an early tick; alone waits until no tick runs, and keeps
	// others from beginning until release is called.
	soon  func()
	alone func(context.Context) (release func(), err error)
}

// byPerson marks what the person asked for.
const byPerson = "person"

func (q *intake) use() { q.in.Board.Use(q.in.Now()) }

// Command implements api.Mind: it waits in the inputs for the next tick.
// Secrets are taken out of what was typed before it is stored.
func (q *intake) Command(ctx context.Context, command subconscious.Command) (api.CommandResult, error) {
	var result api.CommandResult
	answers := false // the person answers what they were told
	switch command.Kind {
	case subconscious.CommandFocus:
		if !slices.Contains(q.in.Threads, command.Thread) {
			return api.CommandResult{}, view.UnknownThread(command.Thread)
		}
	case subconscious.CommandClose, subconscious.CommandConfirm:
		if command.Entry == "" {
			break
		}
		if _, ok := q.in.Board.Now().State.Entry(command.Entry); !ok {
			return api.CommandResult{}, view.UnknownEntry(command.Entry)
		}
	case subconscious.CommandDismiss, subconscious.CommandAck, subconscious.CommandSnooze, subconscious.CommandRemind:
		answers = true
		incident, err := q.named(ctx, &command)
		if err != nil {
			return api.CommandResult{}, err
		}
		if command.Kind == subconscious.CommandRemind && incident.Closed != nil {
			return api.CommandResult{Command: command, Done: "nothing to remind of: you closed it, and hear of it if it gets worse or comes anew"}, nil
		}
		words := map[subconscious.CommandKind]string{subconscious.CommandAck: "acknowledge", subconscious.CommandSnooze: "snooze"}[command.Kind]
		if incident.Telling == nil && words != "" {
			return api.CommandResult{Command: command, Done: "nothing to " + words + ": nobody asked to tell you of it yet"}, nil
		}
		_, heard := incident.Telling.Heard()
		result.Untold = command.Kind == subconscious.CommandAck && !heard
		if command.Kind == subconscious.CommandSnooze {
			result.Due = escalate.DueBefore(command.Until, &incident, q.in.Ledger.View(), q.in.Now())
		}
	}
	if api.ByPerson(command.By) {
		q.use()
	}
	command.Text = redact.Text(command.Text)
	kept, err := q.in.Mind.Enqueue(ctx, command)
	if err != nil {
		return api.CommandResult{}, view.Answer(err)
	}
	if answers {
		q.soon()
	}
	result.Command, result.Pending = kept, true
	return result, nil
}

// named fills in the key of the incident that a command names by its id, or by
// an entry of it, and returns the incident where it is known.
func (q *intake) named(ctx context.Context, command *subconscious.Command) (incident subconscious.Incident, err error) {
	switch {
	case command.IncidentID != "":
		incident, ok, err := q.in.Mind.IncidentByID(ctx, command.IncidentID)
		if err != nil {
			return incident, view.Answer(err)
		}
		if !ok {
			return incident, view.UnknownIncident(command.IncidentID)
		}
		command.Incident = incident.Key
		return incident, nil
	case command.Entry != "":
		entry, ok, err := q.in.Mind.LastEntry(ctx, command.Entry)
		if err != nil {
			return incident, view.Answer(err)
		}
		if !ok {
			return incident, view.UnknownEntry(command.Entry)
		}
		command.Incident = entry.Incident
		all, err := q.in.Mind.Incidents(ctx, []subconscious.IncidentKey{entry.Incident}, nil)
		if err != nil {
			return incident, view.Answer(err)
		}
		if len(all) > 0 {
			incident = all[0]
		}
	}
	return incident, nil
}

// Pause implements api.Mind. It holds across restarts.
func (q *intake) Pause(ctx context.Context, request api.PauseRequest) (api.PauseState, error) {
	var pause *mind.Pause
	state := api.PauseState{Paused: !request.Resume}
	if state.Paused {
		if request.For > 0 {
			state.Until = q.in.Now().Add(request.For)
		}
		pause = &mind.Pause{Until: state.Until}
	}
	if err := q.in.Mind.SetPause(ctx, pause); err != nil {
		return api.PauseState{}, view.Answer(err)
	}
	q.in.Board.Set(func(n *view.Now) { n.Paused = pause })
	return state, nil
}

// Missed implements api.Mind. What is taught is put on record, and the gate
// learns from it at the next tick.
func (q *intake) Missed(ctx context.Context, request api.MissedRequest) (api.Trace, error) {
	trace, err := q.Trace(ctx, request.Text)
	if err != nil {
		return api.Trace{}, view.Answer(err)
	}
	if trace.Counted = trace.Missed && request.Teach && request.As == ""; !trace.Counted {
		return trace, nil
	}
	kept := trace
	kept.Candidates = slices.Clone(trace.Candidates)
	for i := range kept.Candidates {
		kept.Candidates[i].Observation.Text = "" // the ledger has it, for as long as it may be kept
	}
	body, err := json.Marshal(kept)
	if err != nil {
		return trace, fmt.Errorf("keep what was missed: %w", err)
	}
	if err := q.in.Mind.AddMissed(ctx, mind.Missed{At: trace.At, Text: trace.Text, Incident: trace.Incident, JSON: body}); err != nil {
		return trace, view.Answer(err)
	}
	if trace.Incident == "" {
		return trace, nil
	}
	_, err = q.Command(ctx, subconscious.Command{At: trace.At, Kind: subconscious.CommandAck, IncidentID: trace.Incident,
		Feedback: subconscious.Missed, By: byPerson})
	return trace, err
}

// ResetCalibration implements api.Mind. A tick that runs would write back
// what it learnt before.
func (q *intake) ResetCalibration(ctx context.Context, request api.CalibrationRequest) (api.Calibration, error) {
	release, err := q.alone(ctx)
	if err != nil {
		return api.Calibration{}, err
	}
	defer release()
	if request.Letters == "" {
		_, err = q.in.Mind.ResetScores(ctx, request.Thread, request.Source, request.Kind)
	}
	if err == nil && (request.Letters != "" || request == api.CalibrationRequest{}) {
		err = q.in.Mind.ResetHabits(ctx, request.Letters)
	}
	if err != nil {
		return api.Calibration{}, view.Answer(err)
	}
	return q.Calibration(ctx)
}

// Decide implements api.Mind. It is reached over the socket alone.
func (q *intake) Decide(ctx context.Context, decision api.ProposalDecision) (api.ProposalResult, error) {
	q.use()
	by, err := q.in.Actions.Caller(decision.By.UID, decision.By.PID)
	if err != nil {
		return api.ProposalResult{}, view.Answer(err)
	}
	if !decision.Approve {
		p, err := q.in.Actions.Reject(ctx, decision.ID)
		if err != nil {
			return api.ProposalResult{}, view.Answer(err)
		}
		q.remember(ctx, p.Incident, "rejected")
		return api.ProposalResult{Proposal: q.ShownProposal(p)}, nil
	}
	q.approving.Add(1)
	defer q.approving.Add(-1)
	if err := q.in.Actions.Approvable(ctx, decision.ID, decision.Hash); err != nil { // before anybody is asked for anything
		return api.ProposalResult{}, view.Answer(err)
	}
	if err := q.factored(ctx, q.factor.Check(ctx, decision.By.UID, decision.By.PID, decision.Passphrase)); err != nil {
		return api.ProposalResult{}, err
	}
	run, err := q.in.Actions.Approve(ctx, decision.ID, decision.Hash, by)
	if err != nil {
		return api.ProposalResult{}, view.Answer(err)
	}
	q.logger.Info("a proposal was approved", "proposal", decision.ID, "run", run.ID, "by", by, "action", run.Action, "state", string(run.State))
	q.remember(ctx, run.Incident, "approved")
	p, err := q.in.Actions.Proposal(ctx, decision.ID)
	if err != nil {
		return api.ProposalResult{}, view.Answer(err)
	}
	ran := q.ShownRun(run)
	return api.ProposalResult{Proposal: q.ShownProposal(p), Run: &ran}, nil
}

// factored is what came of a second factor: a notice begins with too many wrong
// passphrases, and ends with the right one.
func (q *intake) factored(ctx context.Context, err error) error {
	key, unkept := mind.NoticeKey{Code: subconscious.NoticePassphrase}, error(nil)
	if err == nil {
		_, unkept = q.in.Mind.ResolveNotice(ctx, key)
	} else if actions.CodeOf(err) == actions.CodeLimit {
		_, unkept = q.in.Mind.RaiseNotice(ctx, mind.Notice{NoticeKey: key, At: q.in.Now(),
			Text: "somebody gave wrong passphrases to approve an action", Next: "if it was not you, look at what runs as you; none is taken for a while"})
	}
	return view.Answer(errors.Join(err, unkept))
}

// SetPassphrase implements api.Mind.
func (q *intake) SetPassphrase(ctx context.Context, request api.PassphraseRequest) (api.PassphraseSet, error) {
	q.use()
	return api.PassphraseSet{Asked: q.factor.Ask == approve.AskPassphrase}, q.factored(ctx, q.factor.Set(request.Present, request.Passphrase))
}

// Undo implements api.Mind.
func (q *intake) Undo(ctx context.Context, request api.UndoRequest) (api.ActionRun, error) {
	run := request.Run
	q.use()
	by, err := q.in.Actions.Caller(request.By.UID, request.By.PID)
	if err != nil {
		return api.ActionRun{}, view.Answer(err)
	}
	r, err := q.in.Actions.Undo(ctx, run, by)
	if actions.CodeOf(err) == actions.CodeNotFound {
		return api.ActionRun{}, api.Errorf(api.CodeNotFound, "see `subconsciousctl undo --list` for those that can be taken back", "there is no run %.80q", run)
	} else if err != nil {
		return api.ActionRun{}, view.Answer(err)
	}
	q.logger.Info("an action was taken back", "run", run, "with", r.ID, "by", by, "state", string(r.State))
	if r.State == actions.RunSucceeded {
		q.remember(ctx, r.Incident, "taken back")
	}
	return q.ShownRun(r), nil
}

// saidTo is the command by which the history learns what the person said to a
// proposal, or to what came of it.
func saidTo(incident subconscious.IncidentID, said string, at time.Time) subconscious.Command {
	return subconscious.Command{At: at, Kind: subconscious.CommandAck, IncidentID: incident, Text: said, By: byPerson}
}

// remember lets the next tick write it there. What was decided stands without.
func (q *intake) remember(ctx context.Context, incident subconscious.IncidentID, said string) {
	if _, err := q.in.Mind.Enqueue(context.WithoutCancel(ctx), saidTo(incident, said, q.in.Now())); err != nil {
		unlearnt(q.logger, incident, said, err)
	}
}

func unlearnt(logger *slog.Logger, incident subconscious.IncidentID, said string, err error) {
	logger.Warn("the history does not learn what was said to a proposal", "incident", string(incident), "said", said, "error", err)
}

// Post implements api.Mind. Whoever names an agent speaks with its
// trust, and who names none is the person.
func (q *intake) Post(ctx context.Context, request api.PostRequest) (api.Message, error) {
	message := chat.Message{Conversation: request.Conversation, At: q.in.Now(), Author: chat.Person, Text: request.Text, Key: request.Key}
	if request.As != "" {
		message.Author, message.Name = chat.Agent, request.As
	} else {
		q.use()
	}
	posted, err := q.in.Chat.Add(ctx, message)
	if err != nil {
		return api.Message{}, view.Answer(err)
	}
	if message.Author == chat.Person {
		q.soon() // what the person says is looked at soon
	}
	return view.ShownMessage(posted), nil
}

// Observe implements api.Mind. What came is looked at soon.
func (q *intake) Observe(ctx context.Context, handed api.Handed) error {
	keep := func() error { return q.door.Take(ctx, handed.Source, handed.Token, handed.Report) }
	if handed.Vouched {
		keep = func() error { return q.door.Keep(ctx, handed.Source, handed.Report) }
	}
	err := keep()
	switch {
	case errors.Is(err, source.ErrUnknown):
		return unknownSource(handed.Source)
	case errors.Is(err, source.ErrToken):
		return api.Errorf(api.CodeRefused, "make a new one with `subconsciousctl sources token SOURCE`", "%w", err)
	case errors.Is(err, source.ErrLimit):
		return api.Errorf(api.CodeLimit, "try again in an hour, or raise its per_hour", "%w", err)
	case err == nil:
		q.soon()
		return nil
	case store.CodeOf(err) != "" || ctx.Err() != nil:
		return view.Answer(err)
	}
	return api.Errorf(api.CodeBadRequest, "correct it; docs/sources.md has the fields", "%w", err)
}

// SetSourceToken implements api.Mind.
func (q *intake) SetSourceToken(ctx context.Context, request api.SourceTokenRequest) (api.SourceToken, error) {
	q.use()
	token, err := q.door.SetToken(ctx, request.Source, request.Revoke)
	if errors.Is(err, source.ErrUnknown) {
		return api.SourceToken{}, unknownSource(request.Source)
	}
	return api.SourceToken{Source: request.Source, Token: token}, view.Answer(err)
}

func unknownSource(id string) error {
	return api.Errorf(api.CodeNotFound, "see senses.post in the configuration for those there are", "there is no source %.80q", id)
}

// testWithin is how long a test of the channels waits.
const testWithin = 40 * time.Second

// TestChannels implements api.Mind.
func (q *intake) TestChannels(ctx context.Context, channel string) ([]api.Delivery, error) {
	ctx, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	if channel != "" && q.channel(channel) < 0 {
		return nil, unknownChannel(channel)
	}
	deliveries, err := q.in.Outbox.Test(ctx, channel)
	return deliveries, view.Answer(err)
}

// channel is the place of a channel among all, -1 for none of that name.
func (q *intake) channel(id string) int {
	return slices.IndexFunc(q.in.Outbox.Channels, func(c notify.Channel) bool { return c.ID == id })
}

func unknownChannel(channel string) error {
	return api.Errorf(api.CodeNotFound, "see `subconsciousctl notify list` for those there are", "there is no channel %.80q", channel)
}

// RenewChannel implements api.Mind.
func (q *intake) RenewChannel(ctx context.Context, channel string) (api.ChannelStatus, error) {
	q.use()
	at := q.channel(channel)
	if at < 0 {
		return api.ChannelStatus{}, unknownChannel(channel)
	}
	client, ok := q.in.Outbox.Channels[at].Notifier.(*ntfy.Client)
	if !ok {
		return api.ChannelStatus{}, api.Errorf(api.CodeRefused, "nothing is to be done", "%s has no reply topic", channel)
	}
	topic := ntfy.NewReplyTopic()
	if err := q.in.Mind.SetMeta(ctx, replyKey+channel, topic); err != nil { // unused where Renew refuses
		return api.ChannelStatus{}, view.Answer(err)
	}
	if err := client.Renew(topic); err != nil {
		return api.ChannelStatus{}, api.Errorf(api.CodeRefused, "see `subconsciousctl notify list`", "the reply topic of %s cannot be renewed: %w", channel, err)
	}
	if err := q.in.Outbox.Renewed(ctx, channel); err != nil {
		return api.ChannelStatus{}, view.Answer(err)
	}
	q.logger.Info("the reply topic was renewed", "channel", channel)
	all, err := q.Channels(ctx)
	if err != nil {
		return api.ChannelStatus{}, err
	}
	return all[at], nil
}
