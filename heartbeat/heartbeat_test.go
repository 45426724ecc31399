package heartbeat

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

const token = "1f1c2a3b-90aa-4b1e"

func noEnv(string) (string, bool) { return "", false }

// beating is a heart that has begun, and what it reports.
func beating(t *testing.T, c Config, env func(string) (string, bool)) (*Heart, chan Status) {
	t.Helper()
	done := make(chan Status, 100)
	h := New(Options{Config: c, Version: "v1", Env: env, Now: func() time.Time { return time.Unix(1e9, 0) },
		Done: func(_ context.Context, s Status) { done <- s }})
	h.Start(t.Context())
	t.Cleanup(func() {
		if err := h.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return h, done
}

// TestBeat: what is said is that it lives and nothing else; what is answered is
// good, or said with what to do, and nothing shows the address.
func TestBeat(t *testing.T) {
	for name, c := range map[string]struct {
		code         int
		error, fault string
	}{
		"well": {code: 200}, "empty": {code: 204}, "too often": {code: 429},
		"elsewhere": {302, "answers 302 Found, which leads elsewhere", "write the address that it leads to"},
		"unknown":   {404, "answers 404 Not Found", "the one that the service gave you"},
		"broken":    {503, "answers 503 Service Unavailable", "the next tick tries again"},
		"silent":    {0, "no answer within", "is online"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan *http.Request, 9)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, err := io.ReadAll(r.Body); err != nil || len(body) > 0 {
					t.Errorf("a body %q, %v", body, err)
				}
				asked <- r
				if c.code == 0 {
					<-r.Context().Done()
					return
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.code)
				_, _ = w.Write([]byte(strings.Repeat("x", 1<<16)))
			}))
			defer server.Close()
			h, done := beating(t, Config{URL: Address(server.URL + "/" + token + "?a=b#c")}, noEnv)
			if c.code == 0 {
				h.client.Timeout = 50 * time.Millisecond
			}
			h.Wake()
			got := <-done
			if r := <-asked; r.Method != "GET" || r.URL.String() != "/"+token+"?a=b" ||
				!maps.EqualFunc(r.Header, http.Header{"User-Agent": {"subconsciousd/v1"}, "Connection": {"close"}}, func(a, b []string) bool { return a[0] == b[0] }) {
				t.Errorf("asked %s %s %v", r.Method, r.URL, r.Header)
			}
			if len(asked) > 0 {
				t.Errorf("asked again: %s", (<-asked).URL)
			}
			if !strings.Contains(got.Error, c.error) || (got.Error == "") != (c.error == "") || !strings.Contains(got.Next, c.fault) || got.Last.IsZero() != (c.error != "") {
				t.Errorf("got %+v", got)
			}
			if shown := got.Error + got.Next + got.Host; strings.Contains(shown, token) {
				t.Errorf("it shows the address: %s", shown)
			}
			if *h.Status() != got {
				t.Errorf("the status is %+v", h.Status())
			}
		})
	}
}

// TestOneAtATime: what is woken meanwhile is one ping afterwards, and nobody waits.
func TestOneAtATime(t *testing.T) {
	asked, answer := make(chan bool, 100), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- true
		<-answer
	}))
	defer server.Close()
	h, done := beating(t, Config{URL: Address(server.URL)}, noEnv)
	h.Wake()
	<-asked
	for range 50 {
		h.Wake()
	}
	if len(asked) > 0 {
		t.Error("two at a time")
	}
	close(answer)
	<-done
	<-done
	if err := h.Idle(t.Context()); err != nil || len(done) > 0 {
		t.Errorf("%d more, %v", len(done), err)
	}
}

// TestStopGivesUp: a ping that hangs does not keep the daemon.
func TestStopGivesUp(t *testing.T) {
	asked := make(chan bool, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		<-r.Context().Done()
	}))
	defer server.Close()
	h, done := beating(t, Config{URL: Address(server.URL)}, noEnv)
	h.Wake()
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := h.Stop(ctx); err != nil || len(done) > 0 {
		t.Errorf("%v, %d reports", err, len(done))
	}
}

// TestSecretAddress: an address that is named by reference is fetched each time, and
// shown never.
func TestSecretAddress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	path := t.TempDir() + "/address"
	for _, c := range []struct{ name, address, error string }{
		{"file", server.URL + "/" + token + "\n", ""},
		{"plain http", "http://example.com/" + token, "the address in the file " + path + " is http://, where anybody"},
		{"no address", token, "is no address"},
		{"password", "https://me:" + token + "@example.com", "has a user or a password in it"},
	} {
		testutil.Write(t, path, c.address)
		h, done := beating(t, Config{File: path}, noEnv)
		h.Wake()
		got := <-done
		if !strings.Contains(got.Error, c.error) || (got.Error == "") != (c.error == "") || strings.Contains(got.Error+got.Next, token) || (got.Next == "") != (c.error == "") {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	_, done := beating(t, Config{Env: "NOWHERE"}, noEnv)
	if status := (Config{Env: "NOWHERE"}).Check(noEnv); !strings.Contains(status.Error, "NOWHERE") || !strings.Contains(status.Next, "EnvironmentFile") || len(done) > 0 {
		t.Errorf("%+v", status)
	}
}

// TestNone: where none is configured nothing is sent, and nothing is wrong.
func TestNone(t *testing.T) {
	h := New(Options{Env: noEnv})
	h.Wake()
	if h != nil || h.Status() != nil || h.Idle(t.Context()) != nil || (Config{}).Check(noEnv) != (Status{}) {
		t.Error("a heart beats that nobody configured")
	}
}
