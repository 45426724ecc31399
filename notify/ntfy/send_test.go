package ntfy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// trip carries requests by a function.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func reply200(body string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// TestSent shows what goes over the wire, for each kind of message.
func TestSent(t *testing.T) {
	no := false
	messages := map[string]struct {
		message notify.Message
		config  ntfy.Config
	}{
		"urgent":   {message: full()},
		"incident": {message: notify.Message{Sequence: "a1", Kind: notify.KindIncident, Incident: "i-x-1", Title: "Reply to Ada by 18:00", Text: "She asked twice."}},
		"digest":   {message: notify.Message{Sequence: "d1", Kind: notify.KindDigest, Title: "3 things can wait", Text: "One\nTwo\nThree"}},
		"notice":   {message: notify.Message{Sequence: "n1", Kind: notify.KindNotice, Title: "The mail cannot be read since 10:00"}},
		"proposal": {message: notify.Message{Sequence: "p1", Kind: notify.KindProposal, Incident: "i-x-1", Proposal: "p-4f2a", Title: "Shall restart-unit run?",
			Text: "Decide at home: subconsciousctl approve p-4f2a", Buttons: []notify.Button{{Label: "Later", Token: "t1"}, {Label: "Reject", Token: "t2"}}}},
		"test":       {message: notify.Message{Sequence: "t1", Kind: notify.KindTest, Title: "This is a test"}},
		"no replies": {message: full(), config: ntfy.Config{Replies: &no}},
		"signed":     {message: full(), config: ntfy.Config{Token: secret.Ref{Env: "NTFY_TOKEN"}}},
		"password":   {message: full(), config: ntfy.Config{Username: "ada", Password: secret.Ref{Env: "NTFY_TOKEN"}}},
		"a hostile link and sequence": {message: notify.Message{Sequence: "a b", Kind: notify.KindIncident, Title: "Look",
			Link: "intent://evil#Intent;scheme=x;end", Buttons: []notify.Button{{Label: "A\nB\x1b[1m", Token: "t"}}}},
	}
	for name, c := range messages {
		t.Run(name, func(t *testing.T) {
			config := c.config
			config.URL, config.Topic = "https://ntfy.example.org/", topic
			var sent bytes.Buffer
			client, err := ntfy.New(config, ntfy.Options{ReplyTopic: reply, Env: lookup, Transport: trip(func(r *http.Request) (*http.Response, error) {
				_ = r.Write(&sent)
				return reply200(`{"id":"abcDEF012345","time":1790000000,"event":"message","topic":"` + topic + `"}`), nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			receipt, err := client.Send(t.Context(), c.message)
			if err != nil || receipt.ID != "abcDEF012345" || receipt.At.Unix() != 1790000000 {
				t.Fatalf("receipt %+v, %v", receipt, err)
			}
			golden(t, "sent/"+strings.ReplaceAll(name, " ", "-"), indented(t, sent.String()))
		})
	}
}

// indented writes the document of a request so that people can read it.
func indented(t *testing.T, request string) string {
	t.Helper()
	head, body, _ := strings.Cut(strings.ReplaceAll(request, "\r\n", "\n"), "\n\n")
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(strings.TrimSpace(body)), "", "  "); err != nil {
		t.Fatalf("%q is no JSON: %v", body, err)
	}
	return head + "\n\n" + pretty.String() + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	testutil.Golden(t, *update, filepath.Join("testdata", name+".golden"), got)
}

// TestNoCredentialsInActions is the reason that actions have no headers.
func TestNoCredentialsInActions(t *testing.T) {
	for _, config := range []ntfy.Config{{Token: secret.Ref{Env: "NTFY_TOKEN"}}, {Username: "ada", Password: secret.Ref{Env: "NTFY_TOKEN"}}} {
		options := account()
		options.Accounts[0].Name, options.Accounts[0].Password = "ada", token
		server := start(t, options)
		client := open(t, server, config, ntfy.Options{})
		if _, err := client.Send(t.Context(), full()); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(server.Messages(topic))
		if err != nil || bytes.Contains(text, []byte(token)) || bytes.Contains(text, []byte("ada")) || bytes.Contains(text, []byte("uthorization")) {
			t.Errorf("what travels to the phone has the account in it: %s, %v", text, err)
		}
	}
}

func failure(t *testing.T, err error) *notify.Error {
	t.Helper()
	e, ok := errors.AsType[*notify.Error](err)
	if !ok || e.Text == "" || e.Next == "" || strings.Contains(e.Text+e.Next, token) {
		t.Fatalf("%#v is no failure for people", err)
	}
	return e
}

func TestFaults(t *testing.T) {
	want := map[ntfytest.Fault]struct {
		trouble notify.Trouble
		says    string
		kept    int
	}{
		ntfytest.CutBefore: {notify.Unknown, "it may have arrived", 0},
		ntfytest.CutAfter:  {notify.Unknown, "it may have arrived", 1},
		ntfytest.CutLate:   {notify.Unknown, "it may have arrived", 0},
		ntfytest.Hang:      {notify.Unknown, "it may have arrived", 0},
		ntfytest.HangAfter: {notify.Unknown, "it may have arrived", 1},
		ntfytest.Broken:    {notify.Unavailable, "an error of its own (50001)", 0},
		ntfytest.Gateway:   {notify.Unavailable, "an error of its own (502)", 0},
		ntfytest.Late:      {notify.Unknown, "(504)", 1},
		ntfytest.Limited:   {notify.Unavailable, "asked too often (42901)", 0},
		ntfytest.Denied:    {notify.Refused, "does not accept the key", 0},
		ntfytest.Forbidden: {notify.Refused, "without signing in (40301)", 0},
		ntfytest.Huge:      {notify.Unknown, "more than 64 KiB", 0},
		ntfytest.Garbage:   {notify.Unknown, "no receipt", 0},
		ntfytest.Page:      {notify.Unavailable, "a web page answers", 0},
		ntfytest.Redirect:  {notify.Unavailable, "sends on to https://signin.example.net (302)", 0},
	}
	for _, fault := range ntfytest.Faults() {
		w, ok := want[fault]
		if !ok {
			if fault != ntfytest.Silent && fault != ntfytest.Short {
				t.Errorf("nothing is expected of %s", fault)
			}
			continue
		}
		t.Run(string(fault), func(t *testing.T) {
			server := start(t, ntfytest.Options{Troubles: []ntfytest.Trouble{{Fault: fault}}})
			client := open(t, server, ntfy.Config{}, ntfy.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if fault == ntfytest.Hang || fault == ntfytest.HangAfter {
				go func() {
					for server.Requests() == 0 || len(server.Messages(topic)) < w.kept {
						<-time.After(time.Millisecond)
					}
					cancel()
				}()
			}
			_, err := client.Send(ctx, full())
			e := failure(t, err)
			if e.Trouble != w.trouble || !strings.Contains(e.Text, w.says) || len(server.Messages(topic)) != w.kept {
				t.Errorf("%s: %s, next: %s; %d kept", e.Trouble, e.Text, e.Next, len(server.Messages(topic)))
			}
			if fault == ntfytest.Limited && e.After != time.Minute {
				t.Errorf("it is left alone for %s", e.After)
			}
			server.SetTroubles()
			if _, err := client.Send(t.Context(), full()); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestNetwork: before a request is written nothing can have arrived.
func TestNetwork(t *testing.T) {
	refusing := start(t, ntfytest.Options{})
	refusing.Close()
	secured := httptest.NewUnstartedServer(http.NotFoundHandler())
	secured.Config.ErrorLog = log.New(io.Discard, "", 0)
	secured.StartTLS()
	t.Cleanup(secured.Close)
	plain := start(t, ntfytest.Options{})
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = deaf.Close() })
	for name, c := range map[string]struct{ url, says string }{
		"refused": {refusing.URL(), "refuses the connection"},
		"tls":     {secured.URL, "certificate"},
		"plain":   {strings.Replace(plain.URL(), "http:", "https:", 1), "does not speak TLS"},
		"hanging": {"https://" + deaf.Addr().String(), "does not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := ntfy.New(ntfy.Config{URL: c.url, Topic: topic}, ntfy.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			ctx := t.Context()
			if name == "hanging" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
				defer cancel()
			}
			_, err = client.Send(ctx, full())
			if e := failure(t, err); e.Trouble != notify.Unavailable || !strings.Contains(e.Text, c.says) {
				t.Errorf("%s: %s", e.Trouble, e.Text)
			}
		})
	}
}

func TestNoName(t *testing.T) {
	client, err := ntfy.New(ntfy.Config{URL: "https://ntfy.example.org", Topic: topic}, ntfy.Options{Transport: trip(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "ntfy.example.org", IsNotFound: true}}
	})})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Send(t.Context(), full())
	if e := failure(t, err); e.Trouble != notify.Unavailable || !strings.Contains(e.Text, "the name ntfy.example.org is not found") {
		t.Errorf("%s: %s", e.Trouble, e.Text)
	}
}

func TestMissingKey(t *testing.T) {
	server := start(t, account())
	client := open(t, server, ntfy.Config{Token: secret.Ref{Env: "OTHER"}}, ntfy.Options{})
	_, err := client.Send(t.Context(), full())
	if e := failure(t, err); e.Trouble != notify.Unavailable || !strings.Contains(e.Text, "variable OTHER") || server.Requests() != 0 {
		t.Errorf("%s: %s, after %d requests", e.Trouble, e.Text, server.Requests())
	}
}
