package shoutrrr

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/subconsciousd/subconsciousd/notify"
)

// TestClassify reads the errors of the services as they word them. Nothing of
// them is passed on.
func TestClassify(t *testing.T) {
	const address = "https://example.net:443/hooks/Vq7mZx2LwR9tKpB4"
	for text, want := range map[string]notify.Trouble{
		"failed to send notification to generic webhook: server returned unexpected response status code: 401 Unauthorized": notify.Refused,
		"server returned unexpected response status code: 503 Service Unavailable":                                          notify.Unavailable,
		"unexpected response status code: 429 Too Many Requests":                                                            notify.Unavailable,
		"unexpected HTTP status: 404 Not Found (unmarshal error: x)":                                                        notify.Refused,
		"OpsGenie notification returned unexpected HTTP status code: 422 - {}":                                              notify.Refused,
		"google chat api returned unexpected http status code: 500":                                                         notify.Unavailable,
		"failed to send notification to teams, response status code unexpected: 400 Bad Request":                            notify.Refused,
		"send failed: server returned status 502":                                                                           notify.Unknown,
		"PagerDuty notification failed: HTTP 504":                                                                           notify.Unknown,
		"notification failed: 413 {}":                                                                                       notify.Refused,
		"failed: unexpected status 301 Moved Permanently":                                                                   notify.Refused,
		"Post \"" + address + "\": EOF":                                                                                     notify.Unknown,
		"Post \"" + address + "\": dial tcp: lookup example.net: no such host":                                              notify.Unavailable,
		"Post \"" + address + "\": read: connection reset by peer":                                                          notify.Unknown,
		"Post \"" + address + "\": tls: failed to verify certificate: x509":                                                 notify.Unavailable,
		"error sending mail: something else":                                                                                notify.Unknown,
		strings.Repeat("x", 10_000) + " status 401":                                                                         notify.Unknown,
	} {
		got := classify("slack", errors.New(text))
		if got.Trouble != want || got.Next == "" || got.Err != nil || strings.Contains(got.Text+got.Next, "Vq7m") {
			t.Errorf("%.120s: %+v, want %s", text, got, want)
		}
	}
	for err, want := range map[error]notify.Trouble{
		&net.OpError{Op: "dial", Err: errors.New("x")}: notify.Unavailable,
		&net.OpError{Op: "read", Err: errors.New("x")}: notify.Unknown,
		&net.DNSError{Err: "x"}:                        notify.Unavailable,
	} {
		if got := classify("smtp", fmt.Errorf("send: %w", err)); got.Trouble != want {
			t.Errorf("%v: %+v, want %s", err, got, want)
		}
	}
	if got := unusable("matrix"); got.Trouble != notify.Unavailable {
		t.Errorf("matrix signs in while it reads its address: %+v", got)
	}
}

// TestQuiet: nobody else is called by what a stranger wrote.
func TestQuiet(t *testing.T) {
	m := notify.Message{Title: "Hi @everyone and <!channel>", Text: "@here\x00\n\n <@U123> a@b.example ask (@evilbot), x@all"}
	if got, want := text("slack", m), "Hi @\u200beveryone and <\u200b!channel>\n@\u200bhere\n<\u200b@\u200bU123> a@b.example ask (@\u200bevilbot), x@\u200ball"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := text("smtp", m); strings.ContainsRune(got, '\u200b') || !strings.HasSuffix(got, "<@U123> a@b.example ask (@evilbot), x@all") {
		t.Errorf("mail %q", got)
	}
	if got := text("generic", notify.Message{Title: strings.Repeat("界", 5_000)}); len(got) > 2_000 || strings.ContainsRune(got, '\ufffd') {
		t.Errorf("%d bytes", len(got))
	}
}

// TestBoundOnce: a client that was bounded stays as it is, and a shorter time
// of its own counts.
func TestBoundOnce(t *testing.T) {
	client := &http.Client{Timeout: 5}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { Bound(client) })
	}
	group.Wait()
	transport := client.Transport
	Bound(client)
	if client.Timeout != 5 || client.Transport != transport {
		t.Errorf("client %+v", client)
	}
	if Bound(http.DefaultClient); http.DefaultClient.Timeout != longest {
		t.Errorf("time %s", http.DefaultClient.Timeout)
	}
}
