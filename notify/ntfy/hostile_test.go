package ntfy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

// TestStrangers: others who found the topic cannot have anything handed on that
// is no token, and cannot keep tokens from coming.
func TestStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s scene
		huge := strings.Repeat("x", 100_000)
		s.serve(t, ntfy.Config{}, func(int, *http.Request) (int, streaming) {
			return 200, holds(opened,
				line("message", "stranger0001", "two words"),
				line("message", "stranger0002", ""),
				line("message", "stranger0003", strings.Repeat("x", 513)),
				line("message", "stranger0004", `\u0000\u001b[2J`),
				line("message", "stranger0005", "größer"),
				line("message", "none", "id"),
				line("message", "../../../etc", "path"),
				line("message_clear", "stranger0006", "cleared"),
				line("message", "stranger0007", huge),
				strings.Replace(press(7), reply, "re-other", 1),
				`{"id":"stranger0008","event":"message","topic":"`+reply+`","message":"You received a file: photo.jpg","attachment":{"url":"http://192.0.2.1/x"}}`+"\n",
				"\n", "null\n", "[]\n", "{}\n", strings.Repeat("[", 10_000)+"\n", huge+"\n", "\x00\xff\n",
				press(1))
		})
		s.play(t, time.Minute)
		s.want(t, "tokens", s.tokens, []string{"token1"})
		s.want(t, "asked", s.asked, []string{"stream since=all"})
		s.want(t, "states", s.states, []string{"well"})
	})
}

// TestHostileStreams: each ends, is told, and is not tried again at once.
func TestHostileStreams(t *testing.T) {
	repeat := func(text string) streaming {
		return func(ctx context.Context, w io.Writer) {
			_, _ = io.WriteString(w, opened)
			for ctx.Err() == nil {
				if _, err := io.WriteString(w, text); err != nil {
					return
				}
			}
		}
	}
	for name, c := range map[string]struct {
		stream streaming
		says   string
	}{
		"endless": {repeat(strings.Repeat("x", 4096)), "a line that does not end"},
		"garbage": {repeat("no event\n"), "no stream of events"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s scene
				s.serve(t, ntfy.Config{}, func(int, *http.Request) (int, streaming) { return 200, c.stream })
				s.play(t, time.Hour)
				if len(s.asked) > 121 || len(s.states) < 2 || !strings.Contains(s.states[1], c.says) {
					t.Errorf("asked %d times, states %q", len(s.asked), s.states[:min(2, len(s.states))])
				}
			})
		})
	}
}

// TestDribble: a line that comes byte by byte is no sign of life.
func TestDribble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s scene
		s.serve(t, ntfy.Config{}, func(int, *http.Request) (int, streaming) {
			return 200, func(ctx context.Context, w io.Writer) {
				_, _ = io.WriteString(w, opened)
				for ctx.Err() == nil {
					_, _ = io.WriteString(w, "x")
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
					}
				}
			}
		})
		s.play(t, 10*time.Minute)
		if len(s.asked) < 6 || len(s.asked) > 7 {
			t.Errorf("it connected %d times in ten minutes", len(s.asked))
		}
	})
}

// TestFlood: a stream without an end is read slowly, and what is remembered of
// it is bounded.
func TestFlood(t *testing.T) {
	for length, most := range map[int]int{20: 50_000, notify.TokenLength: 1000} { // in a second
		synctest.Test(t, func(t *testing.T) {
			var s scene
			s.serve(t, ntfy.Config{}, func(n int, _ *http.Request) (int, streaming) {
				if n > 1 {
					return 200, holds(opened)
				}
				return 200, func(ctx context.Context, w io.Writer) {
					_, _ = io.WriteString(w, opened)
					for i := 0; ctx.Err() == nil; i++ {
						if _, err := io.WriteString(w, line("message", fmt.Sprintf("flood%07d", i), fmt.Sprintf("%0*d", length, i))); err != nil {
							return
						}
					}
				}
			})
			s.play(t, 2*time.Second)
			if n := len(s.tokens); n < most || n > 3*most { // of the second that begins with the last instant, too
				t.Errorf("%d of %d bytes were taken in two seconds", n, length)
			}
		})
	}
}

// TestPresses: over real connections that break, and a server that goes down,
// each press comes once.
func TestPresses(t *testing.T) {
	server := start(t, ntfytest.Options{Keepalive: 20 * time.Millisecond})
	client := open(t, server, ntfy.Config{}, ntfy.Options{})
	tokens, states := listen(t, client)
	if err := await(t, states, "state"); err != nil {
		t.Fatal(err)
	}
	var want []string
	for round := range 3 {
		m := full()
		m.Sequence = fmt.Sprintf("s%d", round)
		for i := range m.Buttons {
			m.Buttons[i].Token = fmt.Sprintf("round%d.button%d", round, i)
			want = append(want, m.Buttons[i].Token)
		}
		if _, err := client.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		shown := server.Messages(topic)
		for i, b := range m.Buttons {
			if i == 1 && round == 0 {
				server.Break()
			}
			if i == 1 && round == 1 {
				server.Close()
				server.Up()
			}
			if err := server.Press(t.Context(), shown[len(shown)-1], b.Label); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, token := range want {
		if got := await(t, tokens, "token "+token); got != token {
			t.Errorf("token %d is %q and not %q", i, got, token)
		}
	}
	if len(server.Shown(topic)) != 0 {
		t.Errorf("the phone still shows %+v", server.Shown(topic))
	}
	select {
	case token := <-tokens:
		t.Errorf("%q came twice", token)
	default:
	}
}

// TestUnheardServer is the check of a server's rules over real connections.
func TestUnheardServer(t *testing.T) {
	options := account()
	client := open(t, start(t, options), ntfy.Config{Token: secret.Ref{Env: "NTFY_TOKEN"}}, ntfy.Options{})
	if err := client.CheckReplies(t.Context()); err != nil {
		t.Error(err)
	}
	options.Everyone = nil
	client = open(t, start(t, options), ntfy.Config{Token: secret.Ref{Env: "NTFY_TOKEN"}}, ntfy.Options{})
	e := failure(t, client.CheckReplies(t.Context()))
	if e.Next != "on the server run: ntfy access everyone 're-*' write-only; or set replies: false of the channel" {
		t.Errorf("%s, next: %s", e.Text, e.Next)
	}
	no := false
	client = open(t, start(t, options), ntfy.Config{Token: secret.Ref{Env: "NTFY_TOKEN"}, Replies: &no}, ntfy.Options{})
	if err := client.CheckReplies(t.Context()); err != nil || client.Buttons() {
		t.Errorf("without buttons it needs a reply topic: %v", err)
	}
}
