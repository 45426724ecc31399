package shoutrrr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/notify/shoutrrr"
)

// hook is the secret in the address.
const hook = "Vq7mZx2LwR9tKpB4-hook"

func TestMain(m *testing.M) {
	shoutrrr.Bound(http.DefaultClient)
	goleak.VerifyTestMain(m)
}

// webhook is a server as people write them for the generic service.
type webhook struct {
	t       testing.TB
	address string

	mu       sync.Mutex
	server   *httptest.Server
	fault    notifytest.Fault
	requests int
	taken    []string
	end      chan struct{}
}

func startWebhook(t testing.TB) *webhook {
	t.Helper()
	w := &webhook{t: t, end: make(chan struct{})}
	w.server = httptest.NewServer(w)
	w.address = w.server.Listener.Addr().String()
	t.Cleanup(func() {
		w.release()
		w.server.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return w
}

// release ends what hangs.
func (w *webhook) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.end)
	w.end = make(chan struct{})
}

// again starts the server at the address that it had.
func (w *webhook) again() {
	listener, err := net.Listen("tcp", w.address)
	if err != nil {
		w.t.Error(err)
		return
	}
	server := httptest.NewUnstartedServer(w)
	if err := server.Listener.Close(); err != nil {
		w.t.Error(err)
	}
	server.Listener = listener
	server.Start()
	w.server = server
}

func (w *webhook) fail(fault notifytest.Fault) {
	if fault == notifytest.Down {
		w.server.Close()
	}
	w.mu.Lock()
	before := w.fault
	w.fault = fault
	w.mu.Unlock()
	if before == notifytest.Down && fault == notifytest.Healthy {
		w.again()
	}
}

// ServeHTTP implements http.Handler.
func (w *webhook) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	content, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
	var said struct{ Message string }
	if err == nil {
		err = json.Unmarshal(content, &said)
	}
	if err != nil || request.URL.Path != "/"+hook {
		w.t.Errorf("%s: %q, %v", request.URL.Path, content, err)
	}
	w.mu.Lock()
	w.requests++
	fault, end := w.fault, w.end
	if fault == notifytest.Healthy || fault == notifytest.Garbles {
		w.taken = append(w.taken, said.Message)
	}
	w.mu.Unlock()
	switch fault {
	case notifytest.Refuses:
		http.Error(answer, "no such key: "+hook, http.StatusUnauthorized)
	case notifytest.Broken:
		http.Error(answer, "later", http.StatusServiceUnavailable)
	case notifytest.Limits:
		http.Error(answer, "too many", http.StatusTooManyRequests)
	case notifytest.Cuts:
		panic(http.ErrAbortHandler)
	case notifytest.Hangs:
		<-end
	case notifytest.Endless:
		line := []byte(strings.Repeat("x", 1<<16))
		for range 1024 {
			if _, err := answer.Write(line); err != nil {
				return
			}
		}
		<-end
	case notifytest.Garbles:
		_, _ = io.WriteString(answer, "\x00\xff{")
	}
}

func (w *webhook) received() []notifytest.Received {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []notifytest.Received
	for _, text := range w.taken {
		list = append(list, notifytest.Received{Title: text})
	}
	return list
}

func (w *webhook) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

// channel to an address, which is in a variable.
func channel(t testing.TB, address string, timeout time.Duration) *shoutrrr.Notifier {
	t.Helper()
	n, err := shoutrrr.New(shoutrrr.Config{URL: secret.Ref{Env: "SHOUTRRR_URL"}}, shoutrrr.Options{Timeout: timeout, Env: func(string) (string, bool) { return address, true }})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (w *webhook) url() string {
	return "generic://" + w.address + "/" + hook + "?disabletls=yes&template=json"
}

func TestConformance(t *testing.T) {
	notifytest.Run(t, notifytest.Driver{
		Open: func(t testing.TB) notifytest.Service {
			w := startWebhook(t)
			return notifytest.Service{Notifier: channel(t, w.url(), 0), Received: w.received, Fail: w.fail, Requests: w.count}
		},
		Faults: notifytest.Faults(), Secrets: []string{hook},
	})
}

// trouble checks that err is a *notify.Error that says something, and no secret.
func trouble(t *testing.T, err error, want notify.Trouble, words string) {
	t.Helper()
	failure, ok := errors.AsType[*notify.Error](err)
	if !ok || failure.Trouble != want || failure.Next == "" || !strings.Contains(failure.Text+" "+failure.Next, words) {
		t.Errorf("got %v (%#v), want %s with %q", err, failure, want, words)
	}
	if strings.Contains(fmt.Sprintf("%+v %#v", err, failure), hook) {
		t.Errorf("the secret is in %#v", failure)
	}
}

// TestOneHangs: what hangs is left behind once, and only when it has ended is
// the channel there again.
func TestOneHangs(t *testing.T) {
	w := startWebhook(t)
	w.fail(notifytest.Hangs)
	n := channel(t, w.url(), 0)
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := n.Send(ctx, notify.Message{Title: "one"})
		first <- err
	}()
	testutil.Until(t, "it has happened", func() bool { return w.count() == 1 })
	// Another waits for its turn, and may be called off.
	waiting, stop := context.WithCancel(t.Context())
	stop()
	_, err := n.Send(waiting, notify.Message{Title: "two"})
	trouble(t, err, notify.Unavailable, "")
	cancel()
	trouble(t, <-first, notify.Unknown, "generic did not answer in time")
	for range 3 {
		_, err := n.Send(t.Context(), notify.Message{Title: "three"})
		trouble(t, err, notify.Unavailable, "still hangs")
	}
	if w.count() != 1 {
		t.Errorf("%d requests", w.count())
	}
	w.fail(notifytest.Healthy)
	w.release()
	testutil.Until(t, "it has happened", func() bool {
		_, err := n.Send(t.Context(), notify.Message{Title: "four"})
		return err == nil
	})
	if got := w.received(); len(got) != 1 || got[0].Title != "four" {
		t.Errorf("received %+v", got)
	}
}

// TestTimeout: without a deadline of the caller the channel's own counts.
func TestTimeout(t *testing.T) {
	w := startWebhook(t)
	w.fail(notifytest.Hangs)
	_, err := channel(t, w.url(), time.Millisecond).Send(context.WithoutCancel(t.Context()), notify.Message{Title: "one"})
	trouble(t, err, notify.Unknown, "in time")
}

// TestAddressesThatCannotBeUsed are refused before anything is sent, in words
// without them.
func TestAddressesThatCannotBeUsed(t *testing.T) {
	for address, words := range map[string]string{
		hook:                               "no service is named",
		"://" + hook:                       "no address",
		"generic:" + hook:                  "no service is named",
		"generic://" + hook + "\x7f":       "cannot be",
		"https://" + hook + "@example/x":   "plain web address",
		"logger://" + hook:                 "drops what it is given",
		"nothing://" + hook:                "no service has the name",
		"generic://":                       "nothing follows",
		"telegram+https://" + hook:         "takes no web address",
		"telegram://" + hook + "@telegram": "telegram cannot use its address",
		"slack://" + hook:                  "slack cannot use its address",
		"discord://" + hook:                "discord cannot use its address",
		"smtp://" + hook + "@h:x/":         "no address",
		"discord://" + strings.Repeat("x", 9_000) + hook: "over 8192",
	} {
		_, err := channel(t, address, 0).Send(t.Context(), notify.Message{Title: "one"})
		if strings.HasSuffix(address, "\x7f") {
			trouble(t, err, notify.Unavailable, "control characters")
			continue
		}
		trouble(t, err, notify.Refused, words)
	}
}

func TestCheck(t *testing.T) {
	for _, address := range []string{"telegram://TOKEN@telegram?chats=1", "discord://TOKEN@1", "generic+https://example/x", "generic://example",
		"smtp://user:word@host:587/?from=a@b.example&to=c@d.example", "matrix://u:p@host:443/", "DISCORD://TOKEN@1"} {
		if err := shoutrrr.Check(secret.New(address)); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	services := shoutrrr.Services()
	if len(services) < 20 || strings.Contains(strings.Join(services, " "), "logger") {
		t.Errorf("services %q", services)
	}
}

// TestNoAddress: where it is not there yet, it may come.
func TestNoAddress(t *testing.T) {
	n, err := shoutrrr.New(shoutrrr.Config{URL: secret.Ref{File: t.TempDir() + "/none"}}, shoutrrr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = n.Send(t.Context(), notify.Message{Title: "one"})
	trouble(t, err, notify.Unavailable, "there is no such file")
}

// TestAddressFromAFile: it is read anew for each message.
func TestAddressFromAFile(t *testing.T) {
	w := startWebhook(t)
	path := t.TempDir() + "/url"
	n, err := shoutrrr.New(shoutrrr.Config{URL: secret.Ref{File: path}}, shoutrrr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	testutil.Write(t, path, w.url()+"\n")
	receipt, err := n.Send(t.Context(), notify.Message{Title: "Backup failed", Text: "Open the log"})
	if err != nil || receipt.At.IsZero() {
		t.Fatalf("%+v, %v", receipt, err)
	}
	if got := w.received(); len(got) != 1 || got[0].Title != "Backup failed\nOpen the log" {
		t.Errorf("received %+v", got)
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		config shoutrrr.Config
		words  string
	}{
		"none":              {shoutrrr.Config{}, "url_file: is not set"},
		"two":               {shoutrrr.Config{URL: secret.Ref{Env: "A", File: "/b"}}, "keep one"},
		"an address":        {shoutrrr.Config{URL: secret.Ref{Env: "slack://" + hook}}, "never the address itself"},
		"an address, again": {shoutrrr.Config{URL: secret.Ref{File: "slack://" + hook}}, "never the address itself"},
		"and again":         {shoutrrr.Config{URL: secret.Ref{Keyring: "slack://" + hook}}, "SERVICE/USER"},
		"a keyring":         {shoutrrr.Config{URL: secret.Ref{Keyring: "phone"}}, "SERVICE/USER"},
		"a path":            {shoutrrr.Config{URL: secret.Ref{Credential: "../" + hook}}, "plain name"},
	} {
		_, err := shoutrrr.New(c.config, shoutrrr.Options{})
		if err == nil || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), hook) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, config := range []shoutrrr.Config{{URL: secret.Ref{Env: "A_1"}}, {URL: secret.Ref{File: "/a b"}}, {URL: secret.Ref{Keyring: "a/b"}}, {URL: secret.Ref{Credential: "phone"}}} {
		if err := config.Validate(); err != nil {
			t.Errorf("%+v: %v", config, err)
		}
	}
}
