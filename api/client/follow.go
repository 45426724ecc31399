package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

const (
	// silence is how long a stream may say nothing before it counts as broken: three
	// of its signs of life.
	silence = 45 * time.Second
	// A stream that broke is asked for again after firstWait, and later less often.
	firstWait   = 10 * time.Millisecond
	longestWait = 10 * time.Second
	// maxLine is the longest line of a stream, in bytes.
	maxLine = 64 << 10
)

// Follow hands every event of a stream to take, each once and in order, until ctx is
// done, take returns an error, or the stream has ended as it was asked to. Where the
// connection breaks off, or the daemon restarts, it asks again and goes on behind the
// last event; away, where it is not nil, is told why. It fails where nobody
// answers at first, and where the daemon refuses.
//
// An event of the kind EventReset says that some were lost, and where to begin anew.
func Follow(ctx context.Context, c *Client, question api.EventsQuery, take func(api.Event) error, away func(error)) error {
	last, wait, told := "", firstWait, false
	for {
		heard, ended, err := c.listen(ctx, question, &last, take)
		var refused *api.Problem
		switch {
		case ctx.Err() != nil:
			return nil
		case ended:
			return err
		case errors.As(err, &refused) && refused.Status < 500, last == "" && !heard && err != nil:
			return err
		case heard:
			wait, told = firstWait, false
		}
		if err != nil && away != nil && !told {
			told = true
			away(err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, longestWait)
	}
}

// listen reads one stream to its end, and notes the id of the last event: heard that
// anything came, and ended that it is not to be asked for again.
func (c *Client) listen(ctx context.Context, question api.EventsQuery, last *string, take func(api.Event) error) (heard, ended bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := send(ctx, c, api.GetEvents, question, *last, nil)
	if err != nil {
		return false, false, err
	}
	defer response.Body.Close()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxLine)
	id, data, more := "", []byte(nil), false
	for lines.Scan() {
		more = true
		quiet.Reset(silence)
		field, value, _ := strings.Cut(lines.Text(), ":")
		switch value = strings.TrimPrefix(value, " "); field {
		case "id":
			id = value
		case "data":
			data = append(data, value...)
		}
		if lines.Text() != "" {
			continue
		}
		if len(data) > 0 {
			var event api.Event
			if err := json.Unmarshal(data, &event); err != nil {
				return true, true, fmt.Errorf("client: an event of the daemon cannot be read: %w", err)
			}
			if event.Kind == api.EventDropped || event.Kind == api.EventClosing {
				return true, false, nil
			}
			if err := take(event); err != nil {
				return true, true, err
			}
		}
		if id != "" {
			*last = id
		}
		data = nil
	}
	if err := lines.Err(); err != nil || !question.End {
		return more, errors.Is(err, bufio.ErrTooLong), c.failure(err)
	}
	return true, true, nil
}
