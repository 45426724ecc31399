package ntfy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

const (
	// maxKept bounds what is read of the messages that the server keeps.
	maxKept = 4 << 20
	// margin is how much before the first sending is looked: clocks are set.
	margin = time.Hour
	// nearly is how much earlier than it was sent a message of the same words
	// may be for it to be that one: dates have whole seconds.
	nearly = 3 * time.Second
	// keptLeast is how long a server that keeps messages and does not say for
	// how long is taken to do so: a little less than it does by default.
	keptLeast = 11 * time.Hour
)

// Arrived implements notify.Verifier: it looks for the message among those that
// the server keeps, by its words and its sequence. The span is counted back from the server's own clock.
func (c *Client) Arrived(ctx context.Context, message notify.Message, since time.Time) (bool, error) {
	age := c.options.Now().Sub(since)
	span := "all"
	if age >= 0 {
		span = fmt.Sprintf("%ds", int64((age+margin)/time.Second))
	}
	kept, theirs, err := c.kept(ctx, span)
	if err != nil {
		return false, err
	}
	first := since.Add(theirs - nearly).Unix()
	want := c.document(message)
	for _, e := range kept {
		if e.is(want, first) {
			return true, nil
		}
	}
	return false, c.wouldHave(ctx, kept, age)
}

// is tells whether an event is of that message, by its words and, where the server
// gave it one, by its sequence, which others of the incident have, too. A server of
// today gives messages without a sequence their id as one; there, and at an old
// server, the same words sent before first are another message.
func (e event) is(want document, first int64) bool {
	said := strings.TrimSpace(e.Title) == strings.TrimSpace(want.Title) && strings.TrimSpace(e.Message) == strings.TrimSpace(want.Message)
	switch {
	case e.Topic != want.Topic:
		return false
	case e.Sequence != "" && e.Sequence != e.ID: // others of the incident have it, in other words
		return e.Sequence == want.Sequence && said
	}
	return e.Event == eventMessage && e.Time >= first && said
}

// kept returns what the server has kept of the topic, and by how much its clock
// is ahead. Errors are *notify.Error.
func (c *Client) kept(ctx context.Context, since string) (list []event, ahead time.Duration, err error) {
	response, err := c.subscribe(ctx, c.config.Topic, since, false)
	if failure, keyless := errors.AsType[*notify.Error](err); keyless {
		return nil, 0, failure
	}
	if err != nil {
		return nil, 0, c.unseen(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxKept+1))
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, 0, c.unread(response, body[:min(len(body), maxBody)])
	case len(body) > maxKept:
		return nil, 0, c.unclear(fmt.Sprintf("with more than %d MiB", maxKept>>20))
	case err != nil:
		return nil, 0, c.unseen(err)
	case markup(response.Header.Get("Content-Type"), body):
		return nil, 0, c.unclear("with a web page")
	case len(body) > 0 && body[len(body)-1] != '\n':
		return nil, 0, c.unclear("with half a line")
	}
	for line := range bytes.Lines(body) {
		e, ok := parseEvent(line)
		if !ok && len(bytes.TrimSpace(line)) > 0 {
			return nil, 0, c.unclear("with what is no event")
		}
		list = append(list, e)
	}
	if now, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		ahead = now.Sub(c.options.Now())
	}
	return list, ahead, nil
}

// wouldHave is nil where the server would have shown a message of that age. It
// is sure to keep messages if it shows any, or said for how long it keeps one.
func (c *Client) wouldHave(ctx context.Context, kept []event, age time.Duration) error {
	keeps := longest(kept)
	if keeps == 0 {
		keeps = time.Duration(c.keeps.Load()) * time.Second
	}
	if keeps == 0 && c.Buttons() { // it says so of the probe, which nobody sees
		if answer, err := c.post(ctx, c.reply, []byte(probe), false); err == nil {
			_, _ = c.receipt(answer, c.reply)
		}
		keeps = time.Duration(c.keeps.Load()) * time.Second
	}
	if keeps == 0 {
		older, _, err := c.kept(ctx, "all")
		if err != nil {
			return err
		}
		keeps = longest(older)
	}
	if keeps < age+time.Minute {
		return &notify.Error{Trouble: notify.Unknown, Text: c.host + " may not have kept the message long enough to tell whether it arrived",
			Next: "look at the phone; on the server set cache-duration: 12h"}
	}
	return nil
}

// longest is for how long a server keeps what it showed; 0 where it showed no
// message.
func longest(kept []event) (keeps time.Duration) {
	for _, e := range kept {
		switch {
		case e.Event != eventMessage:
		case e.Expires == 0:
			keeps = max(keeps, keptLeast)
		default:
			keeps = max(keeps, time.Duration(min(max(0, e.Expires-e.Time), 1<<30))*time.Second)
		}
	}
	return keeps
}

// unseen is a question that got no answer: it can be asked again.
func (c *Client) unseen(err error) *notify.Error {
	failure := c.unreached(err)
	if errors.Is(err, context.Canceled) {
		failure.Text = "looking for a message was broken off"
	}
	return failure
}

// unread is an answer other than 200 to that question.
func (c *Client) unread(response *http.Response, body []byte) *notify.Error {
	failure := c.denied(response, body)
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests, status >= 500:
		return failure
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		failure.Text = fmt.Sprintf("%s does not let the channel read its topic (%d)", c.host, status)
		failure.Next = "on the server run: ntfy access USER TOPIC rw; without that nobody can tell whether a message arrived"
	default:
		failure.Text = fmt.Sprintf("%s does not say what it keeps of the topic (%d)", c.host, status)
		failure.Next = "check that the url of the channel is that of an ntfy server"
	}
	failure.Trouble, failure.After = notify.Refused, 0
	return failure
}

// unclear is an answer that cannot be relied on.
func (c *Client) unclear(how string) *notify.Error {
	return &notify.Error{Trouble: notify.Unknown, Text: c.host + " answers the question for what arrived " + how,
		Next: "check that the url of the channel is that of an ntfy server"}
}
