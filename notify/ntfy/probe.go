package ntfy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

// probeWithin bounds trying a channel.
const probeWithin = 10 * time.Second

var _ notify.Prober = (*Client)(nil)

// Probe asks the server whether it is well, and whether the topic can be used.
func (c *Client) Probe(ctx context.Context) notify.Probed {
	ctx, done := context.WithTimeout(ctx, probeWithin)
	defer done()
	host := c.host
	code, body, err := c.get(ctx, "v1/health", false)
	var health struct {
		Healthy *bool `json:"healthy"`
	}
	switch {
	case err != nil:
		return notify.Probed{Problem: host + " does not answer: " + silence(err), Next: "start the server, check the connection, or correct url of the channel"}
	case code != http.StatusOK || json.Unmarshal(body, &health) != nil || health.Healthy == nil:
		return notify.Probed{Problem: fmt.Sprintf("%s answers, and not as an ntfy server does (HTTP %d)", host, code),
			Next: "correct url of the channel: the address of the server, without the topic"}
	case !*health.Healthy:
		return notify.Probed{Problem: host + " says that it is not well", Next: "look at the server; what is told waits until it is"}
	}
	// Of a topic the server says whether it may be read; what may be written is
	// known by writing alone.
	code, _, err = c.get(ctx, c.config.Topic+"/auth", true)
	failure, keyless := errors.AsType[*notify.Error](err)
	switch {
	case keyless:
		return notify.Probed{Problem: "its key is not to be had: " + failure.Err.Error(), Next: "put it where the channel says it is"}
	case err != nil:
		return notify.Probed{Problem: host + " does not answer about the topic: " + silence(err), Next: "try again"}
	case code == http.StatusForbidden && c.signs():
		return notify.Probed{Detail: host + " answers; your account may not read the topic, and sending alone shows whether it may write"}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return notify.Probed{Locked: true, Problem: host + " does not let you in to the topic",
			Next: "on the server allow it, ntfy access USER '" + c.config.Topic + "' rw, and give the channel that user's token_file or username and password_file"}
	case code == http.StatusOK:
		return notify.Probed{Detail: host + " answers, and lets you in to the topic"}
	}
	return notify.Probed{Detail: host + " answers"}
}

// get asks for a page of the server, bounded.
func (c *Client) get(ctx context.Context, page string, signed bool) (code int, body []byte, err error) {
	response, err := c.ask(ctx, http.MethodGet, page, nil, signed)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }() // what was read of it is all that matters
	body, err = io.ReadAll(io.LimitReader(response.Body, maxBody))
	return response.StatusCode, body, err
}

// silence is why no answer came, without the address, which has the topic in it.
func silence(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer came in time"
	}
	return bare(err).Error()
}
