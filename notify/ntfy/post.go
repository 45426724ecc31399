package ntfy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// ask makes a request for a page of the server. Its errors are *notify.Error where
// no request was made.
func (c *Client) ask(ctx context.Context, method, page string, body []byte, signed bool) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+page, bytes.NewReader(body))
	if err != nil {
		return nil, &notify.Error{Trouble: notify.Refused, Err: err, Text: "the address of the server cannot be used", Next: "correct the url of the channel"}
	}
	request.Header.Set("User-Agent", agent)
	if signed {
		if err := c.authorize(request); err != nil {
			return nil, &notify.Error{Trouble: notify.Unavailable, Err: err, Text: "the key of the channel cannot be had: " + err.Error(),
				Next: "put it where the configuration of the channel says it is"}
		}
	}
	return c.client.Do(request)
}

// post sends a body and returns the answer to it if the server took it. Errors
// are *notify.Error.
func (c *Client) post(ctx context.Context, page string, body []byte, signed bool) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	// Once the request is written, only an answer can say what became of it.
	var written atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(w httptrace.WroteRequestInfo) {
		if w.Err == nil {
			written.Store(true)
		}
	}})
	response, err := c.ask(ctx, http.MethodPost, page, body, signed)
	if failure, unasked := errors.AsType[*notify.Error](err); unasked {
		return nil, failure
	} else if err != nil {
		return nil, c.unanswered(err, written.Load())
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if response.StatusCode != http.StatusOK {
		return nil, c.refusal(response, answer)
	}
	switch {
	case err != nil:
		return nil, c.unanswered(err, true)
	case len(answer) > maxBody:
		return nil, c.strange(fmt.Sprintf("with more than %d KiB", maxBody>>10))
	case markup(response.Header.Get("Content-Type"), answer):
		return nil, &notify.Error{Trouble: notify.Unavailable, Text: "a web page answers in the place of " + c.host,
			Next: "check the url of the channel, and whether the network asks for signing in first"}
	}
	return answer, nil
}

// markup tells a web page, which no server of messages answers with.
func markup(media string, body []byte) bool {
	kind, _, _ := mime.ParseMediaType(media)
	return kind == "text/html" || bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

// messageID is what servers number messages by. Shorter ones would read as a
// span of time where messages since one are asked for.
var messageID = lazy.Regexp(`^[-_A-Za-z0-9]{8,64}$`)

// receipt reads what the server took.
func (c *Client) receipt(answer []byte, topic string) (notify.Receipt, error) {
	taken, ok := parseEvent(answer)
	if !ok || taken.Event != eventMessage || taken.Topic == "" {
		return notify.Receipt{}, c.strange("with what is no receipt")
	}
	if taken.Topic != topic {
		return notify.Receipt{}, c.strange("that another topic got the message")
	}
	c.keeps.Store(max(0, taken.Expires-taken.Time))
	receipt := notify.Receipt{ID: taken.ID}
	if at := time.Unix(taken.Time, 0).UTC(); at.Year() >= 2020 && at.Year() < 2200 {
		receipt.At = at
	}
	return receipt, nil
}

// strange is an answer that no server of messages gives: nobody knows what
// became of the message.
func (c *Client) strange(what string) *notify.Error {
	return &notify.Error{Trouble: notify.Unknown, Text: c.host + " answers " + what,
		Next: "check that the url of the channel is that of an ntfy server: " + strings.TrimSuffix(c.base, "/") + "/v1/health answers {\"healthy\":true}"}
}
