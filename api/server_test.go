package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestMain(m *testing.M) {
	if os.Getenv(childSocket) != "" {
		askAsChild()
		return
	}
	goleak.VerifyTestMain(m)
}

// caller asks over a socket without the client package.
func caller(t testing.TB, folder string) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(folder, "socket"))
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

type reply struct {
	status  int
	header  http.Header
	body    string
	problem api.Problem
}

// call sends a request, with headers of two strings each.
func call(t testing.TB, c *http.Client, method, path, media, body string, headers ...string) reply {
	t.Helper()
	request, err := http.NewRequest(method, "http://mind"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	got := reply{status: response.StatusCode, header: response.Header, body: string(text)}
	if method != http.MethodHead {
		conforms(t, method, path, body, got)
	}
	if response.Header.Get("Content-Type") == "application/problem+json" && method != http.MethodHead {
		if err := json.Unmarshal(text, &got.problem); err != nil {
			t.Fatalf("%s %s: the problem document cannot be read: %v", method, path, err)
		}
		if p := got.problem; p.Status != got.status || p.Code == "" || p.Title == "" || p.Detail == "" || p.Next == "" || !strings.HasPrefix(p.Type, "urn:") {
			t.Errorf("%s %s: the problem document is not whole: %s", method, path, text)
		}
	}
	return got
}

const asJSON = "application/json"

func TestRoutes(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Busy(), api.Options{Version: "v9"})
	c := caller(t, folder)
	for _, test := range []struct {
		method, path, media, body string
		status                    int
		want                      string // in the body
	}{
		{"GET", "/healthz", "", "", 200, `{"status":"ok"}`},
		{"GET", "/v1/status", "", "", 200, `"schedule":"*/5 * * * *"`},
		{"HEAD", "/v1/status", "", "", 200, ""},
		{"GET", "/v1/subconscious", "", "", 200, `"w-disk-a1f"`},
		{"GET", "/v1/ticks", "", "", 200, `"tick":128`},
		{"GET", "/v1/ticks?limit=2", "", "", 200, `"before":127`},
		{"GET", "/v1/ticks?limit=1&before=127", "", "", 200, `"tick":126`},
		{"GET", "/v1/ticks?limit=999999", "", "", 200, `"tick":125`},
		{"GET", "/v1/ticks?before=1", "", "", 200, `"ticks":[]`},
		{"GET", "/v1/ticks?limit=0", "", "", 400, "above 0"},
		{"GET", "/v1/ticks?limit=x", "", "", 400, "limit"},
		{"GET", "/v1/ticks?limit=1&limit=2", "", "", 400, "limit"},
		{"GET", "/v1/ticks?order=up", "", "", 400, "order"},
		{"GET", "/v1/ticks/127", "", "", 200, `"rejected":{}`},
		{"GET", "/v1/ticks/7", "", "", 404, "no tick 7"},
		{"GET", "/v1/ticks/seven", "", "", 400, "seven"},
		{"GET", "/v1/why/w-backup-a2c", "", "", 200, `"failed_unit"`},
		{"GET", "/v1/why/w-nothing-a2c", "", "", 404, "w-nothing-a2c"},
		{"GET", "/v1/why/" + strings.Repeat("a", 200), "", "", 400, "not an entry"},
		{"GET", "/v1/why/W%20%1b", "", "", 400, "not an entry"},
		{"POST", "/v1/tick", "", "", 200, `"tick":128`},
		{"POST", "/v1/tick", asJSON, `{"dry_run":true,"thread":"oracle"}`, 200, `"dry_run":true`},
		{"POST", "/v1/tick", asJSON, `{"dryrun":true}`, 400, "dryrun"},
		{"POST", "/v1/tick", asJSON, `{"dry_run":1}`, 400, "dry_run: a number is not what belongs there"},
		{"POST", "/v1/tick", asJSON, `{"thread":"Or acle"}`, 400, "thread"},
		{"POST", "/v1/tick", asJSON, `{} {}`, 400, "goes on"},
		{"POST", "/v1/tick", asJSON, `[]`, 400, "not a JSON object"},
		{"POST", "/v1/tick", asJSON, `null`, 400, "not a JSON object"},
		{"POST", "/v1/tick", "text/plain", `{}`, 415, "text/plain"},
		{"POST", "/v1/tick", "", `{}`, 415, "content type"},
		{"POST", "/v1/tick", asJSON, `{"thread":"` + strings.Repeat("a", 16<<10) + `"}`, 413, "16384"},
		{"POST", "/v1/messages", asJSON, `{"text":"` + strings.Repeat("a", api.MaxBody) + `"}`, 413, "65536"},
		{"GET", "/v1/tick", "", "", 405, "does not take GET"},
		{"DELETE", "/v1/status", "", "", 405, "does not take DELETE"},
		{"POST", "/v1/commands", asJSON, `{"kind":"close","entry":"w-disk-a1f","forever":true}`, 404, "w-disk-a1f"},
		{"POST", "/v1/commands", asJSON, `{"kind":"close","entry":"w-backup-a2c","forever":true}`, 200, `"forever":true`},
		{"POST", "/v1/commands", asJSON, `{"kind":"confirm","entry":"w-backup-a2c"}`, 200, `"by":"person"`},
		{"POST", "/v1/commands", asJSON, `{"kind":"confirm","entry":"w-backup-a2c","forever":true}`, 400, "forever"},
		{"POST", "/v1/commands", asJSON, `{"kind":"confirm","entry":"w-backup-a2c","text":"x"}`, 400, "text"},
		{"POST", "/v1/commands", asJSON, `{"kind":"confirm"}`, 400, "entry"},
		{"POST", "/v1/commands", asJSON, `{"kind":"focus","thread":"oracle","text":"the fair"}`, 200, `"text":"the fair"`},
		{"POST", "/v1/commands", asJSON, `{"kind":"focus","thread":"oracle"}`, 200, `"pending":true`},
		{"POST", "/v1/commands", asJSON, `{"kind":"focus","thread":"seer"}`, 404, "seer"},
		{"POST", "/v1/commands", asJSON, `{"kind":"focus","thread":"oracle","text":"` + strings.Repeat("a", api.MaxHint+1) + `"}`, 400, "280"},
		{"POST", "/v1/commands", asJSON, `{"kind":"note","text":" call\u001b the\ndentist "}`, 200, `"text":"call the dentist"`},
		{"POST", "/v1/commands", asJSON, `{"kind":"note","text":" \u001b "}`, 400, "empty"},
		{"POST", "/v1/commands", asJSON, `{"kind":"note","text":"x","entry":"w-backup-a2c"}`, 400, "entry"},
		{"POST", "/v1/commands", asJSON, `{"kind":"explode","entry":"w-backup-a2c"}`, 400, "explode"},
		{"POST", "/v1/commands", asJSON, `{"kind":"note","text":"x","by":"owner"}`, 400, "by"},
		{"POST", "/v1/commands", asJSON, ``, 400, "kind"},
		{"POST", "/v1/pause", asJSON, `{"for":"2h"}`, 200, `"until"`},
		{"POST", "/v1/tick", "", "", 409, "paused"},
		{"POST", "/v1/pause", "", "", 200, `{"paused":true}`},
		{"POST", "/v1/pause", asJSON, `{"for":"2"}`, 400, "for"},
		{"POST", "/v1/pause", asJSON, `{"for":"-2h"}`, 400, "for"},
		{"POST", "/v1/pause", asJSON, `{"for":"20000h"}`, 400, "366"},
		{"POST", "/v1/resume", asJSON, `{"for":"2h"}`, 400, "for"},
		{"POST", "/v1/resume", asJSON, `{}`, 200, `{"paused":false}`},
		{"GET", "/v1/nothing", "", "", 404, "/v1/nothing"},
		{"GET", "/", "", "", 404, "nothing is served"},
	} {
		got := call(t, c, test.method, test.path, test.media, test.body)
		if got.status != test.status || !strings.Contains(got.body, test.want) {
			t.Errorf("%s %.60s %.60s: %d %s, want %d with %q", test.method, test.path, test.body, got.status, got.body, test.status, test.want)
		}
		if got.header.Get(api.VersionHeader) != "v9" || got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %.60s: headers are missing: %v", test.method, test.path, got.header)
		}
		if test.status == http.StatusMethodNotAllowed && got.header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow header", test.method, test.path)
		}
	}
}

func TestListsAreAlwaysPresent(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, &apitest.Mind{}, api.Options{})
	c := caller(t, folder)
	for _, path := range []string{"/v1/status", "/v1/ticks", "/v1/report", "/v1/models", "/v1/inbox", "/v1/calibration", "/v1/channels"} {
		if got := call(t, c, "GET", path, "", ""); strings.Contains(got.body, "null") {
			t.Errorf("%s holds null: %s", path, got.body)
		}
	}
}

func TestFailuresOfTheMind(t *testing.T) {
	cause := errors.New("the secret cause")
	for _, test := range []struct {
		err    error
		status int
		code   api.Code
		detail string
	}{
		{api.Errorf(api.CodeNotFound, "n", "no such thing"), 404, api.CodeNotFound, "no such thing"},
		{fmt.Errorf("status: %w", api.Errorf(api.CodeUnavailable, "n", "it starts")), 503, api.CodeUnavailable, "it starts"},
		{api.Errorf(api.CodeBusy, "n", "busy"), 503, api.CodeBusy, "busy"},
		{api.Errorf(api.CodeRefused, "n", "no"), 403, api.CodeRefused, "no"},
		{&api.Error{Code: api.CodeInternal, Text: "cannot read", Next: "n", Err: cause}, 500, api.CodeInternal, "cannot read"},
		{cause, 500, api.CodeInternal, "the daemon failed to answer"},
		{context.DeadlineExceeded, 504, api.CodeTimeout, "in time"},
		{context.Canceled, 503, api.CodeUnavailable, "stopping"},
	} {
		var log strings.Builder
		folder := testutil.Folder(t)
		mind := &apitest.Mind{OnStatus: func(context.Context) error { return test.err }}
		apitest.Serve(t, folder, mind, api.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		got := call(t, caller(t, folder), "GET", "/v1/status", "", "")
		if got.status != test.status || got.problem.Code != test.code || !strings.Contains(got.problem.Detail, test.detail) {
			t.Errorf("%v: %d %s", test.err, got.status, got.body)
		}
		if strings.Contains(got.body, "secret") {
			t.Errorf("%v: the cause was sent: %s", test.err, got.body)
		}
	}
}

func TestHealth(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Degraded(), api.Options{})
	got := call(t, caller(t, folder), "GET", "/healthz", "", "")
	if got.status != http.StatusServiceUnavailable || !strings.Contains(got.problem.Detail, "the calendar home is blind") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestPanicIsContained(t *testing.T) {
	log := &testutil.Log{}
	folder := testutil.Folder(t)
	mind := apitest.Busy()
	mind.OnStatus = func(context.Context) error { panic("a fault") }
	apitest.Serve(t, folder, mind, api.Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	c := caller(t, folder)
	if got := call(t, c, "GET", "/v1/status", "", ""); got.status != 500 || strings.Contains(got.body, "a fault") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if !strings.Contains(log.String(), "a fault") || !strings.Contains(log.String(), "stack=") {
		t.Errorf("the panic is not in the log: %s", log)
	}
	if got := call(t, c, "GET", "/v1/subconscious", "", ""); got.status != 200 {
		t.Errorf("after a panic: %d %s", got.status, got.body)
	}
}

func TestCommandIsStamped(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Busy()
	apitest.Serve(t, folder, mind, api.Options{Now: apitest.At})
	call(t, caller(t, folder), "POST", "/v1/commands", asJSON+"; charset=utf-8", `{"kind":"note","text":"x"}`)
	want := subconscious.Command{ID: 1, At: apitest.At(), Kind: subconscious.CommandNote, Text: "x", By: "person"}
	if got := mind.Commands(); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTickOutlivesItsClient(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Busy()
	begun, goOn := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	mind.OnThink = func(ctx context.Context, _ api.TickRequest) error {
		close(begun)
		<-goOn
		ended <- ctx.Err()
		return nil
	}
	apitest.Serve(t, folder, mind, api.Options{})
	ctx, hangUp := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "POST", "http://mind/v1/tick", nil)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	c := caller(t, folder)
	go func() {
		response, err := c.Do(request)
		if err == nil {
			err = response.Body.Close()
		}
		answered <- err
	}()
	<-begun
	hangUp()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Errorf("the tick was ended with its client: %v", err)
	}
}

func TestTooManyTicks(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Busy()
	begun, goOn := make(chan struct{}), make(chan struct{})
	mind.OnThink = func(context.Context, api.TickRequest) error {
		begun <- struct{}{}
		<-goOn
		return nil
	}
	apitest.Serve(t, folder, mind, api.Options{})
	c := caller(t, folder)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := call(t, c, "POST", "/v1/tick", "", ""); got.status != 200 {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
		<-begun
	}
	for _, route := range [][2]string{{"/v1/tick", ""}, {"/v1/missed", `{"text":"the backup"}`}} { // a search of all mail folders
		if got := call(t, c, "POST", route[0], "application/json", route[1]); got.status != 503 || got.problem.Code != api.CodeBusy {
			t.Errorf("%s as the ninth: %d %s", route[0], got.status, got.body)
		}
	}
	close(goOn)
	all.Wait()
}

func TestStop(t *testing.T) {
	stop := func(s *api.Server, grace time.Duration) error {
		ctx, done := context.WithTimeout(context.Background(), grace)
		defer done()
		return s.Stop(ctx)
	}
	t.Run("waits for what runs, and refuses what comes", func(t *testing.T) {
		folder := testutil.Folder(t)
		mind := apitest.Busy()
		begun, goOn := make(chan struct{}), make(chan struct{})
		mind.OnThink = func(ctx context.Context, _ api.TickRequest) error {
			close(begun)
			<-goOn
			return ctx.Err()
		}
		server := apitest.Serve(t, folder, mind, api.Options{})
		c := caller(t, folder)
		answer := make(chan reply, 1)
		go func() { answer <- call(t, c, "POST", "/v1/tick", "", "") }()
		<-begun
		stopped := make(chan error, 1)
		go func() { stopped <- stop(server, time.Minute) }()
		waitFor(t, func() bool {
			conn, err := net.Dial("unix", filepath.Join(folder, "socket"))
			if err != nil {
				return true
			}
			return conn.Close() != nil
		})
		close(goOn)
		if got := <-answer; got.status != 200 {
			t.Errorf("%d %s", got.status, got.body)
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(folder, "socket")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is still there: %v", err)
		}
		if err := stop(server, time.Second); err != nil {
			t.Errorf("the second time: %v", err)
		}
	})
	t.Run("cancels what takes too long", func(t *testing.T) {
		folder := testutil.Folder(t)
		mind := apitest.Busy()
		begun, ended := make(chan struct{}), make(chan struct{})
		mind.OnThink = func(ctx context.Context, _ api.TickRequest) error {
			close(begun)
			<-ctx.Done()
			close(ended)
			return ctx.Err()
		}
		server := apitest.Serve(t, folder, mind, api.Options{})
		conn, err := net.Dial("unix", filepath.Join(folder, "socket"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }() // the server may have closed it
		if _, err := io.WriteString(conn, "POST /v1/tick HTTP/1.1\r\nHost: mind\r\nContent-Length: 0\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-begun
		if err := stop(server, 20*time.Millisecond); err != nil {
			t.Error(err)
		}
		select {
		case <-ended:
		default:
			t.Error("Stop did not wait for the tick")
		}
	})
	t.Run("is not held up by a silent connection", func(t *testing.T) {
		folder := testutil.Folder(t)
		server := apitest.Serve(t, folder, apitest.Busy(), api.Options{})
		conn, err := net.Dial("unix", filepath.Join(folder, "socket"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }() // the server may have closed it
		call(t, caller(t, folder), "GET", "/healthz", "", "")
		begun := time.Now()
		if err := stop(server, time.Minute); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took > 50*time.Second {
			t.Errorf("it took %s", took)
		}
	})
	t.Run("without Start", func(t *testing.T) {
		mind := &apitest.Mind{}
		server, err := api.New(api.Options{Socket: filepath.Join(testutil.Folder(t), "socket"), Mind: mind})
		if err != nil {
			t.Fatal(err)
		}
		if err := stop(server, time.Second); err != nil {
			t.Error(err)
		}
		if err := server.Start(t.Context()); err == nil {
			t.Error("it started after Stop")
		}
	})
	t.Run("leaves the socket of a successor", func(t *testing.T) {
		folder := testutil.Folder(t)
		server := apitest.Serve(t, folder, apitest.Busy(), api.Options{})
		if err := os.Remove(filepath.Join(folder, "socket")); err != nil {
			t.Fatal(err)
		}
		apitest.Serve(t, folder, apitest.Busy(), api.Options{})
		if err := stop(server, time.Second); err != nil {
			t.Error(err)
		}
		if got := call(t, caller(t, folder), "GET", "/healthz", "", ""); got.status != 200 {
			t.Errorf("the successor answers %d", got.status)
		}
	})
}

// waitFor waits until something is so, at most ten seconds.
func waitFor(t testing.TB, so func() bool) {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), 10*time.Second)
	defer done()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for !so() {
		select {
		case <-ctx.Done():
			t.Fatal("it did not come about in time")
		case <-every.C:
		}
	}
}
