package ntfy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
)

// scene is a listening client in a bubble, before a server that is a function.
type scene struct {
	client *ntfy.Client
	began  time.Time

	mu     sync.Mutex
	asked  []string // "10s stream since=all"
	tokens []string
	states []string // "10s well", "10s …"
}

// streaming writes the lines of a stream, until ctx is done because nobody reads
// any more.
type streaming func(ctx context.Context, w io.Writer)

// serve plays a scene: handle is given the number of the request, from 1.
func (s *scene) serve(t *testing.T, config ntfy.Config, handle func(n int, r *http.Request) (int, streaming)) {
	t.Helper()
	config.URL, config.Topic = "https://ntfy.example.org", topic
	s.began = time.Now()
	client, err := ntfy.New(config, ntfy.Options{ReplyTopic: reply, Env: lookup, Transport: trip(func(r *http.Request) (*http.Response, error) {
		n := s.note(r)
		status, write := handle(n, r)
		if status == 0 {
			return nil, syscall.ECONNREFUSED
		}
		reader, writer := io.Pipe()
		stop := context.AfterFunc(r.Context(), func() { _ = reader.CloseWithError(context.Cause(r.Context())) })
		go func() {
			defer stop()
			if write != nil {
				write(r.Context(), writer)
			}
			_ = writer.Close()
		}()
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: reader, Request: r}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
}

func (s *scene) note(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	use := "stream"
	if r.URL.Query().Get("poll") == "1" {
		use = "poll"
	}
	if r.Method == http.MethodPost {
		use = "post"
	}
	s.asked = append(s.asked, fmt.Sprintf("%s since=%s", use, r.URL.Query().Get("since")))
	return len(s.asked)
}

// play listens for a time.
func (s *scene) play(t *testing.T, wait time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	err := s.client.Listen(ctx, func(_ context.Context, token string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tokens = append(s.tokens, token)
	}, func(err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err == nil {
			s.states = append(s.states, "well")
			return
		}
		failure, ok := errors.AsType[*notify.Error](err)
		if !ok || failure.Next == "" {
			t.Errorf("the state %v has no next step", err)
		}
		s.states = append(s.states, err.Error())
	})
	if err != nil {
		t.Error(err)
	}
	synctest.Wait()
}

func line(event, id, message string) string {
	return fmt.Sprintf(`{"id":"%s","time":1790000000,"event":"%s","topic":"%s","message":"%s"}`+"\n", id, event, reply, message)
}

var (
	opened    = line("open", "open00000000", "")
	keepalive = line("keepalive", "keep00000000", "")
)

func press(n int) string {
	return line("message", fmt.Sprintf("message%05d", n), fmt.Sprintf("token%d", n))
}

// holds writes lines and stays open.
func holds(lines ...string) streaming {
	return func(ctx context.Context, w io.Writer) {
		_, _ = io.WriteString(w, strings.Join(lines, ""))
		for ctx.Err() == nil {
			_, _ = io.WriteString(w, keepalive)
			select {
			case <-time.After(45 * time.Second):
			case <-ctx.Done():
			}
		}
	}
}

// ends writes lines and ends.
func ends(lines ...string) streaming {
	return func(_ context.Context, w io.Writer) { _, _ = io.WriteString(w, strings.Join(lines, "")) }
}

// hangs writes lines and then nothing more.
func hangs(lines ...string) streaming {
	return func(ctx context.Context, w io.Writer) {
		_, _ = io.WriteString(w, strings.Join(lines, ""))
		<-ctx.Done()
	}
}

func (s *scene) want(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%q\nand not\n%q", what, got, want)
	}
}

func TestSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s scene
		s.serve(t, ntfy.Config{}, func(n int, _ *http.Request) (int, streaming) {
			switch n {
			case 1: // what is new comes before all of what is old
				return 200, ends(opened, press(3), press(1))
			case 2: // after a sign of life nothing old is to come
				return 200, ends(opened, press(1), press(2), press(3), keepalive)
			case 3:
				return 200, ends(opened, press(4), press(3), `{"id":"cut by the e`)
			}
			return 200, holds(opened, press(4), press(5))
		})
		s.play(t, time.Minute)
		s.want(t, "asked", s.asked, []string{"stream since=all", "stream since=all", "stream since=message00002", "stream since=message00002"})
		s.want(t, "tokens", s.tokens, []string{"token3", "token1", "token2", "token4", "token5"})
	})
}

func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s scene
		s.serve(t, ntfy.Config{}, func(int, *http.Request) (int, streaming) { return 200, hangs(opened) })
		s.play(t, 10*time.Minute)
		// A minute and a half of silence, and up to as much of a second and a half of rest.
		if len(s.asked) < 6 || len(s.asked) > 7 {
			t.Errorf("it connected %d times in ten minutes", len(s.asked))
		}
		s.want(t, "states", s.states, []string{"well"})
	})
}

func TestPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s scene
		polls := 0
		s.serve(t, ntfy.Config{}, func(_ int, r *http.Request) (int, streaming) {
			if r.URL.Query().Get("poll") != "1" {
				return 200, hangs() // something holds the stream back
			}
			polls++
			return 200, ends(press(polls))
		})
		s.play(t, 30*time.Minute)
		s.want(t, "asked", s.asked[:5], []string{"stream since=all", "stream since=all", "poll since=all", "poll since=message00001", "poll since=message00002"})
		if len(s.tokens) < 20 || s.tokens[0] != "token1" {
			t.Errorf("tokens %q", s.tokens)
		}
		s.want(t, "states", s.states, []string{"nothing comes over the connection to ntfy.example.org, not even a sign of life", "well"})
		if streams := strings.Count(strings.Join(s.asked, "\n"), "stream"); streams != 2 {
			t.Errorf("%d streams", streams)
		}
	})
}

// TestStreamsAgain: after an hour of polls it is tried whether streams work.
func TestStreamsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s scene
		s.serve(t, ntfy.Config{}, func(n int, r *http.Request) (int, streaming) {
			if r.URL.Query().Get("poll") == "1" {
				return 200, ends()
			}
			if n <= 2 {
				return 200, hangs()
			}
			return 200, holds(opened, press(1))
		})
		s.play(t, 3*time.Hour)
		if s.asked[len(s.asked)-1] != "stream since=all" || len(s.tokens) != 1 {
			t.Errorf("the last was %q, tokens %q", s.asked[len(s.asked)-1], s.tokens)
		}
	})
}

func TestDenied(t *testing.T) {
	for status, says := range map[int]string{401: "does not accept the key", 403: "lets nobody read the reply topic"} {
		synctest.Test(t, func(t *testing.T) {
			var s scene
			s.serve(t, ntfy.Config{}, func(int, *http.Request) (int, streaming) {
				return status, ends(fmt.Sprintf(`{"code":%d01,"http":%d,"error":"forbidden"}`, status, status))
			})
			s.play(t, 4*time.Hour)
			if len(s.asked) < 4*60/15 || len(s.asked) > 4*60/5+1 {
				t.Errorf("it asked %d times in four hours", len(s.asked))
			}
			if len(s.states) != 1 || !strings.Contains(s.states[0], says) {
				t.Errorf("states %q", s.states)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	for _, status := range []int{0, 500, 404, 429} {
		synctest.Test(t, func(t *testing.T) {
			var s scene
			s.serve(t, ntfy.Config{}, func(n int, _ *http.Request) (int, streaming) {
				if time.Since(s.began) > 2*time.Hour {
					return 200, holds(opened, press(1))
				}
				return status, nil
			})
			s.play(t, 3*time.Hour)
			// At most every two minutes and a half in the end.
			if len(s.asked) < 16 || len(s.asked) > 70 || len(s.tokens) != 1 || s.states[len(s.states)-1] != "well" || len(s.states) != 2 {
				t.Errorf("%d: it asked %d times; tokens %q, states %q", status, len(s.asked), s.tokens, s.states)
			}
		})
	}
}

// TestShort: a connection that ends again and again is a trouble, once is none.
func TestShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s scene
		s.serve(t, ntfy.Config{}, func(n int, _ *http.Request) (int, streaming) {
			if n <= 5 {
				return 200, ends(opened)
			}
			return 200, holds(opened)
		})
		s.play(t, time.Hour)
		s.want(t, "states", s.states, []string{"well", "ntfy.example.org ends the connection for answers again and again", "well"})
	})
}

// TestUnheard: on a server that asks for signing in it is tried whether phones
// may answer.
func TestUnheard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s scene
		s.serve(t, ntfy.Config{Token: secret.Ref{Env: "NTFY_TOKEN"}}, func(n int, r *http.Request) (int, streaming) {
			if r.Method != http.MethodPost {
				return 200, hangs(opened, press(n))
			}
			if r.Header.Get("Authorization") != "" {
				t.Error("it tries by signing in, which a phone does not")
			}
			if time.Since(s.began) < 2*time.Hour {
				return 403, ends(`{"code":40301,"http":403,"error":"forbidden"}`)
			}
			return 200, ends(line("message", "probe0000001", "ok"))
		})
		s.play(t, 5*time.Hour)
		if len(s.states) != 2 || !strings.Contains(s.states[0], "the buttons of messages cannot answer") || s.states[1] != "well" {
			t.Errorf("states %q", s.states)
		}
		if posts := strings.Count(strings.Join(s.asked, "\n"), "post"); posts < 3 || posts > 4 {
			t.Errorf("it tried %d times", posts)
		}
		if len(s.tokens) == 0 {
			t.Error("answers that came all the same are lost")
		}
	})
}
