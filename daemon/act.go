package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

// openActions opens what can be done for the person, and what waits for their
// word.
func (d *Daemon) openActions(context.Context) (err error) {
	d.actions, err = actions.New(actions.Options{
		DB: d.db, Actions: d.options.Config.Actions, Builtins: []actions.Builtin{d.postBuiltin()}, Now: d.now, Redact: redact.Text,
		Logger: d.options.Logger, Environ: d.options.Env, Begun: d.tellRun, Told: d.outbox.Wake,
	})
	return err
}

// mostRuns is how many runs that begin within a minute are told one by one. Of
// more one message tells, at the end of the minute.
const mostRuns = 5

// tellRun tells at once, over every channel and whatever the hour and the limits,
// that an action runs and whose word that was. By night it wakes nobody.
func (d *Daemon) tellRun(ctx context.Context, tx *store.Tx, r actions.Run, recent int) error {
	priority := notify.Today
	if _, quiet := d.quiet(r.Started); quiet {
		priority = notify.ForTheRecord
	}
	post := notify.Post{Key: "run/" + r.ID, At: r.Started, Kind: notify.KindRun, Priority: priority, Title: harmless(runTitle(r)),
		Text: r.ID + " runs " + harmless(wordsOf(r.Action, r.Argv, r.Arguments))}
	undoable := func(o escalate.Offer) bool { return o.Name == r.Action && o.Undo }
	if r.By != "" && r.UndoOf == "" && slices.ContainsFunc(d.actions.Offers(), undoable) {
		post.Text += ". If that was not you, look at subconsciousctl undo --list"
	}
	if recent > mostRuns {
		minute := r.Started.Truncate(time.Minute)
		post.Key, post.After = fmt.Sprintf("runs/%d", minute.Unix()), minute.Add(time.Minute)
		post.Title = fmt.Sprintf("%d actions ran within a minute, the last: %s", recent, post.Title)
	}
	return d.outbox.Post(ctx, tx, post)
}

// runTitle says that an action runs, and why.
func runTitle(r actions.Run) string {
	switch {
	case r.UndoOf != "":
		return r.Action + " is taken back by " + r.By
	case r.Proposal != "":
		return r.Action + " runs, approved by " + r.By
	}
	return r.Action + " runs without being asked about, as configured"
}

// act lets actions run, and says what was interrupted the last time.
func (d *Daemon) act(ctx context.Context) error {
	if err := d.actions.Start(ctx); err != nil {
		return err
	}
	d.laterWithin(endActions, "end the actions that run", d.actions.Stop)
	return d.noticeInterrupted(ctx)
}

const noticeInterrupted = "action_interrupted"

// noticeInterrupted tells once of actions of which nobody knows how far they
// came. A deliberation that waited for one goes on, and tells of it itself.
func (d *Daemon) noticeInterrupted(ctx context.Context) error {
	runs, err := d.actions.Interrupted(ctx)
	if err != nil {
		return err
	}
	open, err := d.deliberations.Open(ctx)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(r actions.Run) bool {
		waited := func(c deliberate.Record) bool { return c.ID == r.Deliberation }
		return r.Proposal == "" && r.UndoOf == "" && slices.ContainsFunc(open, waited)
	})
	for _, r := range runs {
		if _, err := d.mind.RaiseNotice(ctx, mind.Notice{
			NoticeKey: mind.NoticeKey{Code: noticeInterrupted, Key: r.ID}, At: d.now(),
			Text: fmt.Sprintf("the action %s was interrupted, and nobody knows how far it came", r.Action),
			Next: "look at what it does; it is not repeated; see `subconsciousctl why " + r.ID + "`",
		}); err != nil {
			return err
		}
	}
	return d.db.Write(ctx, func(tx *store.Tx) error {
		for _, r := range runs {
			if err := d.actions.Noticed(ctx, tx, r.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// postAction is the built-in action that posts a message which the person
// approved.
const postAction = string(escalate.EffectPost)

func (d *Daemon) postBuiltin() actions.Builtin {
	return actions.Builtin{
		Name: postAction, Description: "Posts a message to a conversation.",
		Params: []actions.Param{
			{Name: "conversation", Type: actions.Text, MaxLength: chat.MaxName},
			{Name: "text", Type: actions.Text, MaxLength: maxPosted, Multiline: true},
		},
		Do: func(ctx context.Context, tx *store.Tx, key string, arguments json.RawMessage, r actions.Request) (string, error) {
			var a struct{ Conversation, Text string }
			if err := json.Unmarshal(arguments, &a); err != nil {
				return "", err
			}
			posted, err := d.chat.Post(ctx, tx, chat.Message{
				Key: key, Conversation: a.Conversation, At: d.now(), Author: chat.Mind, Name: byDeliberation, Text: a.Text,
				Deliberation: r.Deliberation,
			})
			return fmt.Sprintf("message %d in %s", posted.ID, posted.Conversation), err
		},
	}
}

// maxPosted is how long a message may be that waits for approval, in
// characters: it is shown whole.
const maxPosted = 4000

// Offers implements deliberate.Actions.
func (e effects) Offers() []escalate.Offer { return e.actions.Offers() }

// Propose implements deliberate.Actions.
func (e effects) Propose(ctx context.Context, tx *store.Tx, request escalate.ActRequest) (deliberate.Proposed, error) {
	p, err := e.actions.Propose(ctx, tx, request)
	if err != nil {
		return deliberate.Proposed{}, refusedRequest(err)
	}
	return deliberate.Proposed{ID: p.ID, Words: wordsOf(p.Action, p.Argv, p.Arguments), Expires: p.Expires}, nil
}

// Run implements deliberate.Actions.
func (e effects) Run(ctx context.Context, request escalate.ActRequest) (deliberate.Ran, error) {
	r, err := e.actions.Execute(ctx, request)
	if err != nil {
		return deliberate.Ran{}, refusedRequest(err)
	}
	return deliberate.Ran{
		ID: r.ID, Words: wordsOf(r.Action, r.Argv, r.Arguments), OK: r.State == actions.RunSucceeded,
		Unknown: r.State == actions.RunUnknown || r.State == actions.RunStarted, Output: r.Output, UndoUntil: r.UndoUntil,
	}, nil
}

// wordsOf say in one line what an action does, each argument by itself.
func wordsOf(action string, argv []string, arguments json.RawMessage) string {
	if len(argv) == 0 {
		return action + " " + string(arguments)
	}
	words := action + ":"
	for _, argument := range argv {
		if argument == "" || strings.ContainsFunc(argument, notPlain) {
			argument = strconv.Quote(argument)
		}
		words += " " + argument
	}
	return words
}

// notPlain reports whether an argument that holds r is quoted, so that it is seen
// where it ends.
func notPlain(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:,@%+={}", r)
}

// refusedRequest tells the model what is wrong with its request. What the database
// says is not for it.
func refusedRequest(err error) error {
	if refusal, ok := errors.AsType[*actions.Error](err); ok {
		return fmt.Errorf("%w: %w", deliberate.ErrRequest, refusal)
	}
	return err
}
