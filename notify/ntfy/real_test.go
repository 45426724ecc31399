package ntfy_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

// place is a server that tests of both run against: a real one where the
// variable SUBCONSCIOUS_NTFY_URL names it, with an account's access token in
// SUBCONSCIOUS_NTFY_TOKEN if it needs one, or the stand-in.
type place struct {
	url, token   string
	topic, reply string
}

// real is the real server.
func real(t *testing.T) place {
	t.Helper()
	p := place{url: os.Getenv("SUBCONSCIOUS_NTFY_URL"), token: os.Getenv("SUBCONSCIOUS_NTFY_TOKEN"), topic: ntfy.NewReplyTopic(), reply: ntfy.NewReplyTopic()}
	if p.url == "" {
		t.Skip("set SUBCONSCIOUS_NTFY_URL to run this against a real server; the stand-in is tested in TestServer")
	}
	return p
}

// shown returns the messages that a phone shows of the topic.
func (p place) shown(t *testing.T) []ntfytest.Message {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimRight(p.url, "/")+"/"+p.topic+"/json?poll=1&since=all", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.token != "" {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var all []ntfytest.Message
	for lines := json.NewDecoder(response.Body); ; {
		var m ntfytest.Message
		if err := lines.Decode(&m); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("poll is answered with %d: %v", response.StatusCode, err)
		}
		if m.Event == "message" {
			all = append(all, m)
		}
	}
}

// client is a channel to the place, wired as the daemon does it.
func (p place) client(t *testing.T) *ntfy.Client {
	t.Helper()
	config := ntfy.Config{URL: p.url, Topic: p.topic}
	if p.token != "" {
		config.Token.Env = "NTFY_TOKEN"
	}
	return made(t, config, ntfy.Options{ReplyTopic: p.reply, Env: func(string) (string, bool) { return p.token, true }})
}

func TestServer(t *testing.T) {
	everything(t, func(t *testing.T) place {
		return place{url: start(t, ntfytest.Options{}).URL(), topic: topic, reply: reply}
	})
}

func TestRealServer(t *testing.T) { everything(t, real) }

// everything is what must hold with any server. It asks little of it, since
// real ones have limits.
func everything(t *testing.T, at func(*testing.T) place) {
	t.Run("a message arrives", func(t *testing.T) { arrives(t, at(t)) })
	t.Run("what arrived is found", func(t *testing.T) { found(t, at(t)) })
	t.Run("buttons answer", func(t *testing.T) { answers(t, at(t)) })
	t.Run("what was pressed while nobody listened comes", func(t *testing.T) { catchesUp(t, at(t)) })
	t.Run("the limits are as known", func(t *testing.T) { limits(t, at(t)) })
}

// found: a new client tells what arrived, and what did not, in its words or in
// those of a message with a title alone.
func found(t *testing.T, p place) {
	since := time.Now()
	asks(t, p.client(t), full(), since, false)
	title := notify.Message{Sequence: "6a1d0000", Kind: notify.KindNotice, Title: "A title alone"}
	for _, m := range []notify.Message{full(), title} {
		if _, err := p.client(t).Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		asks(t, p.client(t), m, since, true)
	}
	asks(t, p.client(t), notify.Message{Sequence: "7b2e0000", Kind: notify.KindNotice, Title: "Something else"}, since, false)
}

func full() notify.Message {
	return notify.Message{Sequence: "5f0c0000", Kind: notify.KindIncident, Incident: "i-backup-1a0", Title: "The backup of “Fotos” failed",
		Text: "Nothing is saved since Monday.\nFree 3 GB on /backup & start it again.", Urgent: true, Link: "https://home.example.org/incidents/i-backup-1a0?a=1&b=2",
		Buttons: []notify.Button{{Label: "Useful", Answer: notify.AnswerUseful, Token: "useful.Ab-_3"}, {Label: "Not now", Answer: notify.AnswerNotNow, Token: "later.Ab-_3"},
			{Label: "Dismiss", Answer: notify.AnswerDismiss, Token: "dismiss.Ab-_3"}}}
}

// shows is the one message that the phone shows.
func (p place) shows(t *testing.T) ntfytest.Message {
	t.Helper()
	shown := p.shown(t)
	if len(shown) != 1 {
		t.Fatalf("the phone shows %+v", shown)
	}
	return shown[0]
}

func arrives(t *testing.T, p place) {
	receipt, err := p.client(t).Send(t.Context(), full())
	if err != nil {
		t.Fatal(err)
	}
	shown := p.shows(t)
	m, want := shown, full()
	if m.ID != receipt.ID || m.Time != receipt.At.Unix() || m.Title != want.Title || m.Message != want.Text || m.Click != want.Link ||
		m.Priority != 5 || !slices.Equal(m.Tags, []string{"rotating_light"}) || m.Event != "message" || m.Topic != p.topic {
		t.Errorf("receipt %+v, shown %+v", receipt, m)
	}
	if m.Sequence != "" && m.Sequence != want.Sequence && m.Sequence != m.ID {
		t.Errorf("the sequence is %q", m.Sequence)
	}
	if len(m.Actions) != 3 {
		t.Fatalf("buttons: %+v", m.Actions)
	}
	for i, a := range m.Actions {
		b := want.Buttons[i]
		if a.ID == "" || a.Action != "http" || a.Label != b.Label || a.Body != b.Token || a.Method != "POST" || !a.Clear ||
			a.URL != strings.TrimRight(p.url, "/")+"/"+p.reply || len(a.Headers) != 0 {
			t.Errorf("button %d is %+v", i, a)
		}
	}
}

// listen listens until the test ends, and returns what comes.
func listen(t *testing.T, client *ntfy.Client) (tokens <-chan string, states <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done, all, fares := make(chan error, 1), make(chan string, 4096), make(chan error, 4096)
	go func() {
		done <- client.Listen(ctx, func(_ context.Context, token string) { all <- token }, func(err error) { fares <- err })
	}()
	t.Cleanup(func() {
		cancel()
		await(t, done, "the end of listening")
	})
	return all, fares
}

// await waits for what comes, long enough for any machine.
func await[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	timer := time.NewTimer(30 * time.Second)
	defer timer.Stop()
	select {
	case v := <-from:
		return v
	case <-timer.C:
		t.Fatalf("there was no %s", what)
		panic("unreachable")
	}
}

func answers(t *testing.T, p place) {
	client := p.client(t)
	tokens, states := listen(t, client)
	if err := await(t, states, "state"); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Send(t.Context(), full()); err != nil {
		t.Fatal(err)
	}
	shown := p.shows(t)
	for i, b := range full().Buttons {
		if err := shown.Actions[i].Press(t.Context()); err != nil {
			t.Fatal(err)
		}
		if token := await(t, tokens, "answer of "+b.Label); token != b.Token {
			t.Errorf("%s answered %q", b.Label, token)
		}
	}
}

func catchesUp(t *testing.T, p place) {
	client := p.client(t)
	if _, err := client.Send(t.Context(), full()); err != nil {
		t.Fatal(err)
	}
	shown := p.shows(t)
	if err := shown.Actions[1].Press(t.Context()); err != nil { // "Not now"
		t.Fatal(err)
	}
	tokens, _ := listen(t, client)
	if token := await(t, tokens, "answer"); token != "later.Ab-_3" {
		t.Errorf("%q came", token)
	}
}

// limits: what the guards are for is so.
func limits(t *testing.T, p place) {
	long := full()
	long.Title, long.Text = strings.Repeat("€", 2000), strings.Repeat("€", 2000)
	long.Buttons = append(long.Buttons, notify.Button{Label: "Fourth", Token: "fourth"})
	if _, err := p.client(t).Send(t.Context(), long); err != nil {
		t.Errorf("a message over all limits is not cut: %v", err)
	}
	p.topic = "with a space"
	if _, err := ntfy.New(ntfy.Config{URL: p.url, Topic: p.topic}, ntfy.Options{}); err == nil {
		t.Error("a topic that is none is taken")
	}
	p.topic = ntfy.NewReplyTopic()
	config := ntfy.Config{URL: p.url, Topic: p.topic, Token: secret.Ref{Env: "X"}}
	client, err := ntfy.New(config, ntfy.Options{Env: func(string) (string, bool) { return "tk_nobodyhasthistoken000000000", true }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Send(t.Context(), notify.Message{Sequence: "1", Kind: notify.KindTest, Title: "Hello"})
	failure, ok := errors.AsType[*notify.Error](err)
	if err == nil && os.Getenv("SUBCONSCIOUS_NTFY_URL") != "" {
		return // a server without accounts looks at no token
	}
	if !ok || failure.Trouble != notify.Refused || !strings.Contains(failure.Text, "401") {
		t.Errorf("a wrong token is answered with %#v", err)
	}
}
