package ntfytest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Phone does what a phone with the app does, with this server or a real one.
type Phone struct {
	URL, Topic string
	Token      string // of an account; empty: it does not sign in
	// Client asks; nil is one with a timeout of 30 s.
	Client *http.Client
}

// Press presses the button of that label. The phone sends what the action
// says, without signing in; nothing else of it matters. The message is off the
// phone if the action says so and the server took it.
func (s *Server) Press(ctx context.Context, m Message, label string) error {
	if err := (Phone{URL: s.URL(), Topic: m.Topic}).Press(ctx, m, label); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.messages {
		for _, a := range k.Actions {
			if k.ID == m.ID && a.Label == label && a.Clear {
				k.cleared = true
			}
		}
	}
	return nil
}

// Press presses the button of that label.
func (p Phone) Press(ctx context.Context, m Message, label string) error {
	for _, a := range m.Actions {
		if a.Label == label {
			return p.do(ctx, a)
		}
	}
	return fmt.Errorf("message %s has no button %q", m.ID, label)
}

func (p Phone) do(ctx context.Context, a Action) error {
	if a.Action != "http" {
		return fmt.Errorf("the button %q does %s and not http", a.Label, a.Action)
	}
	request, err := http.NewRequestWithContext(ctx, cmp.Or(a.Method, http.MethodPost), a.URL, strings.NewReader(a.Body))
	if err != nil {
		return fmt.Errorf("the button %q: %w", a.Label, err)
	}
	for name, value := range a.Headers {
		request.Header.Set(name, value)
	}
	response, err := p.client().Do(request)
	if err != nil {
		return fmt.Errorf("the button %q: %w", a.Label, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("the button %q is answered with %d: %s", a.Label, response.StatusCode, body)
	}
	return nil
}

// Messages returns what the server still has of the topic, oldest first. Since
// is all, an id or a span of time.
func (p Phone) Messages(ctx context.Context, since string) ([]Message, error) {
	query := url.Values{"poll": {"1"}, "since": {since}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(p.URL, "/")+"/"+p.Topic+"/json?"+query.Encode(), nil)
	if err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	if p.Token != "" {
		request.Header.Set("Authorization", "Bearer "+p.Token)
	}
	response, err := p.client().Do(request)
	if err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
		return nil, fmt.Errorf("poll is answered with %d: %s", response.StatusCode, body)
	}
	var all []Message
	lines := bufio.NewScanner(io.LimitReader(response.Body, 64<<20))
	lines.Buffer(nil, 64<<10)
	for lines.Scan() {
		var m Message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return nil, fmt.Errorf("poll: a line is no JSON: %w", err)
		}
		if m.Event == "message" {
			all = append(all, m)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	return all, nil
}

func (p Phone) client() *http.Client {
	if p.Client != nil {
		return p.Client
	}
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
}
