package notifytest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/notify"
)

// check is one thing that a driver must do; its error says how it does not.
type check struct {
	name  string
	fault Fault
	run   func(ctx context.Context, d Driver, s Service) error
}

func checks() []check {
	calm := example(2)
	calm.Urgent, calm.Link, calm.Buttons = false, "", nil
	proposal := notify.Message{Sequence: "2", Kind: notify.KindProposal, Incident: "i-backup-1a0", Proposal: "p-4f2a",
		Title: "Shall restart-unit run?", Text: "Decide at home: subconsciousctl approve p-4f2a", Buttons: []notify.Button{
			{Label: "Later", Answer: notify.AnswerLater, Token: strings.Repeat("Ab-_", 21) + "Lxyz"},
			{Label: "Reject", Answer: notify.AnswerReject, Token: strings.Repeat("Ab-_", 21) + "Rxyz"}}}
	list := []check{
		{"sends what it is given", Healthy, sends(example(1), calm)},
		{"sends a title alone", Healthy, sends(notify.Message{Sequence: "1", Kind: notify.KindDigest, Title: "Three things can wait"})},
		{"asks to decide", Healthy, sends(proposal)}, // with its buttons alone: none that approves
		{"sends hostile words", Healthy, sends(hostile()...)},
		{"sends at the same time", Healthy, sendsTogether},
		{"sends the same sequence again", Healthy, sendsAgain},
		{"a cancelled context sends nothing", Healthy, sendsNothing},
		{"shows no secret", Healthy, printsNoSecret},
		{"takes answers", Healthy, takesAnswers},
		{"tells what arrived", Healthy, verifies(tellsArrived)},
		{"tells whether what was cut arrived", Cuts, verifies(tellsCut)},
		{"recovers", Down, recovers},
		{"is cancelled at once", Hangs, isCancelled},
		{"keeps its deadline", Hangs, keepsDeadline},
		{"reads no endless answer", Endless, readsLittle},
		{"bears a garbled answer", Garbles, bearsGarbage},
	}
	for _, fault := range Faults() {
		list = append(list, check{"cannot tell what arrived: " + string(fault), fault, verifies(func(ctx context.Context, d Driver, s Service) error {
			return blind(ctx, d, s, fault)
		})})
		trouble, ok := troubles[fault]
		if !ok {
			continue
		}
		list = append(list, check{"tells " + string(fault), fault, func(ctx context.Context, d Driver, s Service) error {
			return tells(ctx, d, s, trouble, fault == Limits)
		}})
	}
	return list
}

// troubles are what a driver must say of faults.
var troubles = map[Fault]notify.Trouble{Refuses: notify.Refused, Down: notify.Unavailable, Broken: notify.Unavailable,
	Limits: notify.Unavailable, Cuts: notify.Unknown}

// patience bounds what is waited for; nothing comes near it that works.
const patience = 20 * time.Second

// example is a message with all that one can have.
func example(n int) notify.Message {
	m := notify.Message{Sequence: fmt.Sprintf("5f0c%028d", n), Kind: notify.KindIncident, Incident: "i-backup-1a0",
		Title: fmt.Sprintf("The backup of photos failed %d times", n), Text: "Nothing was saved since Monday; the disk is full.",
		Urgent: true, Link: "http://127.0.0.1:7766/incidents/i-backup-1a0"}
	for _, label := range []string{"Useful", "Not now", "Dismiss"} {
		m.Buttons = append(m.Buttons, notify.Button{Label: label, Answer: notify.AnswerUseful, Token: strings.Repeat("Ab-_", 21) + label[:1] + "xyz"})
	}
	return m
}

func send(ctx context.Context, d Driver, s Service, m notify.Message) error {
	ctx, cancel := context.WithTimeout(ctx, d.wait())
	defer cancel()
	_, err := s.Notifier.Send(ctx, m)
	return err
}

// shows reports whether r has the words of m, whatever became of spaces and
// control characters.
func shows(r Received, m notify.Message) bool {
	seen := squeeze(r.Title + " " + r.Text)
	return strings.Contains(seen, squeeze(m.Title)) && strings.Contains(seen, squeeze(m.Text))
}

func squeeze(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), "")
}

// received wants n messages to have arrived and returns them.
func received(s Service, n int) ([]Received, error) {
	if list := s.Received(); len(list) != n {
		return nil, fmt.Errorf("%d messages arrived, and %d should have: %+v", len(list), n, list)
	}
	return s.Received(), nil
}

// sends sends messages one after the other, and wants each to arrive once and as it is.
func sends(messages ...notify.Message) func(context.Context, Driver, Service) error {
	return func(ctx context.Context, d Driver, s Service) error {
		for n, m := range messages {
			if err := send(ctx, d, s, m); err != nil {
				return fmt.Errorf("%q: %w", m.Title, err)
			}
			list, err := received(s, n+1)
			if err != nil {
				return fmt.Errorf("%q: %w", m.Title, err)
			}
			if !arrived(d, list[n], m) {
				return fmt.Errorf("%+v arrived as %+v", m, list[n])
			}
		}
		return nil
	}
}

// arrived reports whether a message is shown as it is: with its buttons, and none
// beside them; none at all where the service shows none. What the service does not
// show of it is not there.
func arrived(d Driver, r Received, m notify.Message) bool {
	var labels []string
	if d.Buttons {
		for _, b := range m.Buttons {
			labels = append(labels, b.Label)
		}
	}
	return shows(r, m) && slices.Equal(r.Buttons, labels) && (r.Urgent == m.Urgent || !d.Urgent && !r.Urgent) &&
		(r.Link == m.Link || !d.Link && r.Link == "") && (r.Sequence != "" || !d.Sequence)
}

// hostile are messages whose words mean something to headers, markup, templates,
// shells and terminals.
func hostile() (messages []notify.Message) {
	for n, words := range []string{
		"Grüße, こんにちは, привет, مرحبا, 👩‍👩‍👧‍👦 and ﷺ",
		strings.Repeat("𝔘", 120),
		"Invoice\r\nX-Priority: 1\r\n\r\n<html>",
		"\x1b[2J\x1b]0;owned\x07 and \x00 and \x7f",
		`"><script>alert(1)</script>&amp;&lt;`,
		"{{.Secret}} ${HOME} $(id) `id` %s %n %00",
		"*bold* _italic_ [link](http://192.0.2.1) @everyone #all",
		"=?UTF-8?B?aGVsbG8=?= ; Actions=view, Open, http://192.0.2.1",
		"-flag --title=x ../../etc/passwd \\ ' \" ; , |",
		`{"title": "other", "priority": 5}`,
	} {
		messages = append(messages, notify.Message{Sequence: fmt.Sprint("t", n), Kind: notify.KindIncident, Incident: "i-1", Title: words},
			notify.Message{Sequence: fmt.Sprint("x", n), Kind: notify.KindIncident, Incident: "i-1", Title: "Look", Text: words})
	}
	return messages
}

func sendsTogether(ctx context.Context, d Driver, s Service) error {
	const count = 8
	errs := make([]error, count)
	var group sync.WaitGroup
	for n := range count {
		group.Go(func() { errs[n] = send(ctx, d, s, example(n)) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	list, err := received(s, count)
	if err != nil {
		return err
	}
	for n := range count {
		found := 0
		for _, r := range list {
			if shows(r, example(n)) {
				found++
			}
		}
		if found != 1 {
			return fmt.Errorf("message %d arrived %d times", n, found)
		}
	}
	return nil
}

func sendsAgain(ctx context.Context, d Driver, s Service) error {
	m := example(1)
	if err := send(ctx, d, s, m); err != nil {
		return err
	}
	m.Title, m.Repeated = m.Title+" (possibly repeated)", true
	if err := send(ctx, d, s, m); err != nil {
		return err
	}
	list := s.Received()
	if len(list) == 0 || !shows(list[len(list)-1], m) {
		return fmt.Errorf("the second sending arrived as %+v", list)
	}
	if d.Sequence && list[0].Sequence != list[len(list)-1].Sequence {
		return fmt.Errorf("the sequence changed: %+v", list)
	}
	return nil
}

func sendsNothing(ctx context.Context, d Driver, s Service) error {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	_, err := s.Notifier.Send(ctx, example(1))
	if err == nil {
		return errors.New("it says that it sent a message under a context that was cancelled before")
	}
	if _, err := received(s, 0); err != nil {
		return err
	}
	return plainFailure(d, err)
}

// leaks returns the secret that a text shows, also in other writings.
func leaks(d Driver, text string) string {
	for _, secret := range d.Secrets {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)),
			base64.RawURLEncoding.EncodeToString([]byte(secret))} {
			if strings.Contains(text, form) {
				return secret
			}
		}
	}
	return ""
}

func printsNoSecret(_ context.Context, d Driver, s Service) error {
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if leaks(d, fmt.Sprintf(verb, s.Notifier)) != "" {
			return fmt.Errorf("printed with %s, the channel shows a secret", verb)
		}
	}
	return nil
}

// plainFailure wants an error that people can read, without secrets in it or
// in its causes.
func plainFailure(d Driver, err error) error {
	e, ok := errors.AsType[*notify.Error](err)
	if !ok {
		return fmt.Errorf("the error is a %T and no *notify.Error: it counts as unknown", err)
	}
	if e.Text == "" || e.Next == "" || len(e.Text) > 1000 || len(e.Next) > 1000 || strings.ContainsAny(e.Text+e.Next, "\r\n\x00\x1b") {
		return fmt.Errorf("%q with the next step %q is nothing to show to a person", e.Text, e.Next)
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		for _, verb := range []string{"%v", "%+v", "%#v"} {
			if leaks(d, fmt.Sprintf(verb, cause)) != "" {
				return fmt.Errorf("a %T in the error shows a secret", cause)
			}
		}
	}
	if leaks(d, e.Next) != "" {
		return errors.New("the next step shows a secret")
	}
	return nil
}

func tells(ctx context.Context, d Driver, s Service, want notify.Trouble, after bool) error {
	err := send(ctx, d, s, example(1))
	if err := says(d, err, want); err != nil {
		return err
	}
	if e, _ := errors.AsType[*notify.Error](err); after && (e.After < 50*time.Second || e.After > 70*time.Second) {
		return fmt.Errorf("the service asked for a minute, and it says %s", e.After)
	}
	return nil
}

// says wants the error of a Send to be of that kind, in words for people.
func says(d Driver, err error, want notify.Trouble) error {
	if err == nil {
		return errors.New("it says that the message was taken")
	}
	if err := plainFailure(d, err); err != nil {
		return err
	}
	if e, _ := errors.AsType[*notify.Error](err); e.Trouble != want {
		return fmt.Errorf("it says %q and not %q: %s", e.Trouble, want, e.Text)
	}
	return nil
}
