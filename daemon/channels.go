package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/shoutrrr"
	"github.com/subconsciousd/subconsciousd/notify/stdout"
	"github.com/subconsciousd/subconsciousd/presence/session"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/live"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// openChannels opens the outbox over the channels that the configuration names.
func (d *Daemon) openChannels(ctx context.Context) (err error) {
	shoutrrr.Bound(http.DefaultClient) // which some of its services use
	d.session = session.New(session.Options{Now: d.options.Now, Logger: d.options.Logger})
	channels := d.options.Channels
	for _, c := range d.options.Config.Notify {
		if d.options.Channels != nil {
			break
		}
		channel, err := openChannel(ctx, c, d.zoned, d.mind)
		if err != nil {
			return err
		}
		if client, ok := channel.Notifier.(interface{ Close() }); ok {
			d.later("let go of "+c.ID, func(context.Context) error { client.Close(); return nil })
		}
		channels = append(channels, channel)
	}
	if d.options.Config.Escalation.Trial {
		note := trialNote{dir: filepath.Join(d.options.Config.StateDir, "trial"), now: d.zoned.now}
		channels = []notify.Channel{{ID: "trial", Kind: "stdout", Content: notify.ContentFull,
			Notifier: stdout.New(stdout.Config{}, stdout.Options{Writer: note, Now: d.zoned.now})}}
	}
	answers := answers{mind: d.mind, logger: d.options.Logger, zone: d.zoneOrUTC(), reject: func(ctx context.Context, tx *store.Tx, id string) (actions.Proposal, error) {
		return d.actions.RejectIn(ctx, tx, id)
	}}
	d.outbox, err = notify.NewOutbox(ctx, notify.Options{
		DB: d.db, Channels: channels, Now: d.options.Now, Logger: d.options.Logger, Answered: answers.take, Taken: d.hurry,
		Redact: redact.Text,
	})
	return err
}

// trialNote is the note of each day into which goes what would have been told, in the
// state folder: in the person's own notes the daemon would read its own words.
type trialNote struct {
	dir string
	now func() time.Time
}

func (n trialNote) Write(line []byte) (written int, err error) {
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return 0, err
	}
	file, err := os.OpenFile(filepath.Join(n.dir, n.now().Format(time.DateOnly)+".md"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	written, err = file.Write(append([]byte("- "), line...))
	return max(0, written-len("- ")), errors.Join(err, file.Close())
}

// openChannel makes the driver of one channel, with the buttons that it has.
func openChannel(ctx context.Context, c setup.Channel, at zoned, kept *mind.Store) (notify.Channel, error) {
	options := live.ChannelOptions{Env: at.options.Env, Now: at.options.Now, Dated: at.now, Out: at.options.Out}
	if c.Ntfy != nil {
		var err error
		if options.ReplyTopic, err = replyTopic(ctx, kept, c.ID); err != nil {
			return notify.Channel{}, fmt.Errorf("open the channel %s: %w", c.ID, err)
		}
	}
	out, err := live.Channel(c, options)
	if err != nil {
		return out, err
	}
	_, out.Buttons = out.Notifier.(notify.Listener)
	if client, ok := out.Notifier.(*ntfy.Client); ok {
		out.Buttons, out.Replaces = client.Buttons(), true
	}
	return out, nil
}

// replyKey begins the key under which the reply topic of a channel is kept.
const replyKey = "reply_topic/"

// replyTopic is the random topic on which a channel's answers come back: the
// mind makes it once and keeps it.
func replyTopic(ctx context.Context, kept *mind.Store, id string) (string, error) {
	topic, ok, err := kept.Meta(ctx, replyKey+id)
	if err != nil || ok {
		return topic, err
	}
	topic = ntfy.NewReplyTopic()
	return topic, kept.SetMeta(ctx, replyKey+id, topic)
}

// tomorrowAt is the hour at which what was put off to tomorrow comes again.
const tomorrowAt = 8

// answers takes what buttons say: it waits in the inputs like any request. The
// tick that takes it looks up what it is about.
type answers struct {
	mind   *mind.Store
	logger *slog.Logger
	// zone says when tomorrow is.
	zone *time.Location
	// reject takes the person's no to a proposal. A yes is taken at home alone.
	reject func(ctx context.Context, tx *store.Tx, id string) (actions.Proposal, error)
}

func (a answers) take(ctx context.Context, tx *store.Tx, reply notify.Reply) error {
	command := subconscious.Command{At: reply.At, IncidentID: reply.Incident, By: byPerson}
	switch reply.Answer {
	case notify.AnswerReject:
		return a.rejected(ctx, tx, reply)
	case notify.AnswerUseful:
		command.Kind, command.Feedback = subconscious.CommandAck, subconscious.Useful
	case notify.AnswerNotUseful:
		command.Kind, command.Feedback = subconscious.CommandAck, subconscious.NotUseful
	case notify.AnswerMute:
		command.Kind, command.Forever = subconscious.CommandDismiss, true
	case notify.AnswerTomorrow:
		year, month, day := reply.At.In(a.zone).Date()
		command.Kind, command.Until = subconscious.CommandSnooze, time.Date(year, month, day+1, tomorrowAt, 0, 0, 0, a.zone)
	case notify.AnswerNotNow:
		command.Kind = subconscious.CommandSnooze
	case notify.AnswerLater:
		if reply.Incident == "" {
			return nil // it waits as it did, and there is nothing else to be put off
		}
		command.Kind = subconscious.CommandSnooze
	case notify.AnswerDismiss:
		command.Kind = subconscious.CommandDismiss
	default:
		return fmt.Errorf("%q is no answer", reply.Answer)
	}
	_, err := a.mind.EnqueueIn(ctx, tx, command)
	return err
}

func (a answers) rejected(ctx context.Context, tx *store.Tx, reply notify.Reply) error {
	p, err := a.reject(ctx, tx, reply.Proposal)
	if _, over := errors.AsType[*actions.Error](err); over {
		return fmt.Errorf("%w: %w", notify.ErrToken, err) // it was decided on, or its time is over
	} else if err != nil {
		return err
	}
	if _, err = a.mind.EnqueueIn(ctx, tx, saidTo(p.Incident, "rejected", reply.At)); store.CodeOf(err) == store.CodeInput {
		unlearnt(a.logger, p.Incident, "rejected", err) // too much waits, and the no stands
		return nil
	}
	return err
}

// requests are readable when what was asked for waits for an early tick.
type requests chan struct{}

// hurry asks for an early tick, which takes what was asked for.
func (r requests) hurry() {
	select {
	case r <- struct{}{}:
	default:
	}
}
