// Package heartbeat shows somebody else that the daemon lives: after each tick it
// asks one address, of a service that tells the person when it is asked no more,
// which a daemon that died cannot do itself.
//
// A request says nothing but that. No redirect is followed, so that only the
// configured host is reached; nothing waits for an answer, and of it the status
// alone is looked at.
//
// It stores nothing. The daemon wakes it; doctor calls Check.
package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/redact"
)

// within is how long a ping may take, from the connection to the answer.
const within = 10 * time.Second

// Status is how the last ping went.
type Status struct {
	Host  string    `json:"host"`            // who is asked; "" where that is not known
	Last  time.Time `json:"last,omitzero"`   // when one arrived last, since the start
	Error string    `json:"error,omitempty"` // why the last one did not
	Next  string    `json:"next,omitempty"`  // what to do about Error
}

// Options are what a Heart needs. Env and Now must be set.
type Options struct {
	Config  Config
	Version string
	Env     func(string) (string, bool)
	Now     func() time.Time
	// Done is told of each ping.
	Done func(context.Context, Status)
}

// Heart sends pings, one at a time. One that is nil sends none.
type Heart struct {
	options Options
	client  *http.Client
	bell    *wake.Bell
	cancel  context.CancelFunc
	ended   chan struct{}

	mu   sync.Mutex
	last Status
}

// New returns a heart that does not beat yet; nil where none is configured.
func New(o Options) *Heart {
	if o.Config == (Config{}) {
		return nil
	}
	return &Heart{options: o, bell: wake.New(), ended: make(chan struct{}), last: o.Config.Check(o.Env), client: &http.Client{
		Timeout: within,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, DisableCompression: true,
			MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Start begins to wait for Wake.
func (h *Heart) Start(ctx context.Context) {
	ctx, h.cancel = context.WithCancel(ctx)
	go func() {
		defer close(h.ended)
		for {
			if h.bell.Sleep(ctx, 0); ctx.Err() != nil {
				return
			}
			if status := h.beat(ctx); ctx.Err() == nil {
				h.options.Done(ctx, status)
			}
		}
	}()
}

// Stop gives up the ping that is under way.
func (h *Heart) Stop(ctx context.Context) error {
	h.cancel()
	select {
	case <-h.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the heartbeat has not ended: %w", ctx.Err())
	}
}

// Wake has a ping sent, after the one that is under way. It does not wait.
func (h *Heart) Wake() {
	if h != nil {
		h.bell.Ring()
	}
}

// Idle waits until no ping is under way.
func (h *Heart) Idle(ctx context.Context) error {
	if h == nil {
		return nil
	}
	return h.bell.Idle(ctx)
}

// Status is how the last ping went; nil where none is ever sent.
func (h *Heart) Status() *Status {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	last := h.last
	return &last
}

// beat sends one ping, and keeps how it went. The address is fetched each time, so
// that a new one counts at once.
func (h *Heart) beat(ctx context.Context) Status {
	at, status := h.options.Config.resolve(h.options.Env)
	if at != nil {
		if err := h.ask(ctx, at); err != nil {
			status = failed(at.Host, err)
		} else {
			status.Last = h.options.Now()
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if status.Error != "" {
		status.Last = h.last.Last
	}
	h.last = status
	return status
}

// ask asks an address. Its errors show nothing of it but the host.
func (h *Heart) ask(ctx context.Context, at *url.URL) error {
	request := (&http.Request{Method: http.MethodGet, URL: at, Header: http.Header{"User-Agent": {"subconsciousd/" + h.options.Version}}}).WithContext(ctx)
	answer, err := h.client.Do(request)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			if err = wrapped.Err; wrapped.Timeout() {
				err = fmt.Errorf("no answer within %s", within)
			}
		}
		return fmt.Errorf("%s cannot be reached (%s); look whether this machine is online, and whether the address is right", at.Host, redact.Text(err.Error()))
	}
	defer answer.Body.Close()
	said := fmt.Sprintf("%s answers %d %s", at.Host, answer.StatusCode, http.StatusText(answer.StatusCode))
	switch code := answer.StatusCode; {
	case code/100 == 2, code == http.StatusTooManyRequests: // who hears too much hears that it lives
		return nil
	case code/100 == 3:
		return fmt.Errorf("%s, which leads elsewhere and is not followed; write the address that it leads to", said)
	case code/100 == 4:
		return fmt.Errorf("%s; look whether the address is the one that the service gave you", said)
	}
	return fmt.Errorf("%s; nothing is to be done but on that server: the next tick tries again", said)
}
