package ntfy

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/subconsciousd/subconsciousd/notify"
)

// probe is what is written to the reply topic to see whether it can be. It is
// no token.
const probe = "May phones answer here?"

// CheckReplies tries whether a phone could answer: whether anybody may write to
// the reply topic, without signing in. An error is an *notify.Error with a next
// step. The message that it leaves there is seen by nobody.
func (c *Client) CheckReplies(ctx context.Context) error {
	if !c.Buttons() {
		return nil
	}
	reply := c.ReplyTopic()
	answer, err := c.post(ctx, reply, []byte(probe), false)
	if err == nil {
		_, err = c.receipt(answer, reply)
	}
	if err == nil {
		return nil
	}
	failure := err.(*notify.Error)
	if failure.Trouble == notify.Refused {
		failure.Text = "the buttons of messages cannot answer: " + c.host + " lets nobody write to the reply topic without signing in"
		failure.Next = "on the server run: ntfy access everyone '" + c.pattern() + "' write-only; or set replies: false of the channel"
	}
	return failure
}

// pattern names the reply topic for the server's rules of access.
func (c *Client) pattern() string {
	if c.config.ReplyTopic != "" {
		return c.config.ReplyTopic
	}
	return replyPrefix + "*"
}

// Renew has answers come back at another topic from now on. Buttons that were
// sent before answer at the old one, which nobody reads any more.
func (c *Client) Renew(topic string) error {
	switch {
	case !c.Buttons():
		return errors.New("its messages have no buttons: replies is false")
	case c.config.ReplyTopic != "":
		return errors.New("its reply topic is in the configuration: change reply_topic there, or leave it out, and restart the daemon")
	case !topicPattern().MatchString(topic) || topic == c.config.Topic:
		return errTopic
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renew()
	c.reply = topic
	c.renewed, c.renew = context.WithCancel(context.Background())
	return nil
}

// replies is where answers come back, until renewed is done.
func (c *Client) replies() (topic string, renewed context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reply, c.renewed
}

// subscribe asks for what is written to a topic: as it comes, or what there is.
func (c *Client) subscribe(ctx context.Context, topic, since string, streams bool) (*http.Response, error) {
	query := url.Values{"since": {since}}
	if !streams {
		query.Set("poll", "1")
	}
	return c.ask(ctx, http.MethodGet, topic+"/json?"+query.Encode(), nil, true)
}

// denied is an answer other than 200 to who listens.
func (c *Client) denied(response *http.Response, body []byte) *notify.Error {
	failure := c.refusal(response, body)
	failure.Trouble = notify.Unavailable
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized:
		failure.Trouble = notify.Refused
	case status == http.StatusForbidden:
		failure.Trouble = notify.Refused
		failure.Text = "the account may not read the reply topic at " + c.host + " (" + strconv.Itoa(status) + ")"
		failure.Next = "on the server run: ntfy access USER '" + c.pattern() + "' read-only; or set replies: false of the channel"
		if !c.signs() {
			failure.Text = c.host + " lets nobody read the reply topic without signing in (" + strconv.Itoa(status) + ")"
			failure.Next = "set token_file, or username and password_file, of the channel"
		}
	case status == http.StatusTooManyRequests:
		failure.After = max(failure.After, limitWait)
	case status < 500:
		failure.After = max(failure.After, limitWait)
		failure.Text = c.host + " does not hand on answers (" + strconv.Itoa(status) + ")"
	}
	return failure
}
