package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newClient(t testing.TB, folder string) *Client {
	t.Helper()
	c := New(filepath.Join(folder, "socket"))
	t.Cleanup(c.Close)
	return c
}

func TestEveryMethod(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Busy()
	apitest.Serve(t, folder, mind, api.Options{Version: "v9", Now: apitest.At})
	c, ctx := newClient(t, folder), t.Context()
	if c.DaemonVersion() != "" {
		t.Errorf("before the first answer the version is %q", c.DaemonVersion())
	}
	if _, err := Ask(ctx, c, api.GetHealth, api.Nothing{}); err != nil {
		t.Error(err)
	}
	if c.DaemonVersion() != "v9" {
		t.Errorf("the version is %q", c.DaemonVersion())
	}
	if status, err := Ask(ctx, c, api.GetStatus, api.Nothing{}); err != nil || status.Tick.Count != 128 || len(status.Senses) != 4 {
		t.Errorf("status: %v %+v", err, status.Tick)
	}
	var document subconscious.Document
	if text, err := Ask(ctx, c, api.GetDocument, api.Nothing{}); err != nil || json.Unmarshal(text, &document) != nil || len(document.ActiveThreads) != 4 {
		t.Errorf("document: %v %+v", err, document)
	}
	if page, err := Ask(ctx, c, api.GetTicks, api.TicksQuery{Before: 128, Limit: 2}); err != nil || len(page.Ticks) != 2 || page.Ticks[0].Tick != 127 || page.Before != 126 {
		t.Errorf("ticks: %v %+v", err, page)
	}
	if page, err := Ask(ctx, c, api.GetTicks, api.TicksQuery{}); err != nil || len(page.Ticks) != 4 {
		t.Errorf("ticks: %v %+v", err, page)
	}
	if report, err := Ask(ctx, c, api.GetTick, api.TickQuery{N: 127}); err != nil || report.Tick != 127 {
		t.Errorf("tick: %v %+v", err, report)
	}
	if why, err := Ask(ctx, c, api.GetWhy, api.WhyQuery{Entry: "w-backup-a2c"}); err != nil || len(why.Steps) != 28 {
		t.Errorf("why: %v, %d steps", err, len(why.Steps))
	}
	if report, err := Ask(ctx, c, api.PostTick, api.TickRequest{DryRun: true, Thread: "oracle"}); err != nil || !report.DryRun {
		t.Errorf("tick: %v %+v", err, report)
	}
	if got := mind.Requests(); len(got) != 1 || got[0] != (api.TickRequest{DryRun: true, Thread: "oracle"}) {
		t.Errorf("the mind was asked for %+v", got)
	}
	result, err := Ask(ctx, c, api.PostCommand, api.CommandRequest{Kind: subconscious.CommandFocus, Thread: "oracle", Text: "the fair"})
	if err != nil || !result.Pending || result.Command.Text != "the fair" {
		t.Errorf("command: %v %+v", err, result)
	}
	if state, err := Ask(ctx, c, api.PostPause, api.PauseBody{For: "90m"}); err != nil || !state.Paused || state.Until.IsZero() {
		t.Errorf("pause: %v %+v", err, state)
	}
	if state, err := Ask(ctx, c, api.PostPause, api.PauseBody{}); err != nil || !state.Paused || !state.Until.IsZero() {
		t.Errorf("pause: %v %+v", err, state)
	}
	var problem *api.Problem
	if _, err := Ask(ctx, c, api.PostTick, api.TickRequest{}); !errors.As(err, &problem) || problem.Code != api.CodePaused || problem.Next == "" {
		t.Errorf("a tick while paused: %v", err)
	}
	if state, err := Ask(ctx, c, api.PostResume, api.Nothing{}); err != nil || state.Paused {
		t.Errorf("resume: %v %+v", err, state)
	}
}

func TestUnreachable(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, folder string)
		path    string
		reason  string
		next    string
	}{
		{"nothing there", func(*testing.T, string) {}, "socket", "no such socket", "start it: subconsciousd"},
		{"left over", func(t *testing.T, folder string) {
			listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, "socket"), Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			listener.SetUnlinkOnClose(false)
			if err := listener.Close(); err != nil {
				t.Fatal(err)
			}
		}, "socket", "no longer runs", "start it: subconsciousd"},
		{"a file", func(t *testing.T, folder string) {
			testutil.Write(t, filepath.Join(folder, "socket"), "")
		}, "socket", "is not a socket", "--state-dir"},
		{"path too long", func(*testing.T, string) {}, strings.Repeat("a", 120), "the system allows", "shorter"},
		{"hangs up", func(t *testing.T, folder string) {
			serveRaw(t, folder, func(conn net.Conn) error { return nil })
		}, "socket", "broke off", "log"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := testutil.Folder(t)
			test.prepare(t, folder)
			c := New(filepath.Join(folder, test.path))
			defer c.Close()
			_, err := Ask(t.Context(), c, api.GetStatus, api.Nothing{})
			var unreachable *Unreachable
			if !errors.As(err, &unreachable) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(unreachable.Reason, test.reason) || !strings.Contains(unreachable.Next, test.next) || !strings.Contains(err.Error(), folder) {
				t.Errorf("%v; next: %s", err, unreachable.Next)
			}
		})
	}
}

// serveRaw answers one connection after its request with whatever answer does.
func serveRaw(t testing.TB, folder string, answer func(net.Conn) error) {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(folder, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			ended <- err
			return
		}
		_, err = conn.Read(make([]byte, 4096))
		ended <- errors.Join(err, answer(conn), conn.Close())
	}()
	t.Cleanup(func() {
		if err := errors.Join(listener.Close(), <-ended); err != nil {
			t.Error(err)
		}
	})
}

func TestStrangeAnswers(t *testing.T) {
	for _, test := range []struct{ name, answer, want string }{
		{"no daemon", "HTTP/1.1 418 I'm a teapot\r\nContent-Length: 2\r\n\r\nhi", "not a daemon of this kind"},
		{"a redirect", "HTTP/1.1 302 Found\r\nLocation: http://example.com/\r\nContent-Length: 0\r\n\r\n", "not a daemon of this kind"},
		{"a problem without a code", "HTTP/1.1 500 X\r\nContent-Type: application/problem+json\r\nContent-Length: 2\r\n\r\n{}", "not a daemon of this kind"},
		{"no JSON", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "cannot be read"},
		{"no HTTP", "SSH-2.0-x\r\n\r\n", "broke off"},
		{"cut short", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}", "broke off"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := testutil.Folder(t)
			serveRaw(t, folder, func(conn net.Conn) error {
				_, err := io.WriteString(conn, test.answer)
				return err
			})
			if _, err := Ask(t.Context(), newClient(t, folder), api.GetStatus, api.Nothing{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestAnswersAreBounded(t *testing.T) {
	folder := testutil.Folder(t)
	serveRaw(t, folder, func(conn net.Conn) error {
		_, err := fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", maxAnswer*2)
		for err == nil {
			_, err = conn.Write(make([]byte, 1<<20))
		}
		return nil // the client hangs up in the middle
	})
	if _, err := Ask(t.Context(), newClient(t, folder), api.GetStatus, api.Nothing{}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(maxAnswer)) {
		t.Errorf("got %v", err)
	}
}

func TestDeadlineAndCancel(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Busy()
	begun := make(chan struct{}, 2) // of both requests, the first of which may end before it is taken
	mind.OnStatus = func(ctx context.Context) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	apitest.Serve(t, folder, mind, api.Options{})
	c := newClient(t, folder)
	ctx, done := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer done()
	var unreachable *Unreachable
	if _, err := Ask(ctx, c, api.GetStatus, api.Nothing{}); !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "in time") {
		t.Errorf("after the deadline: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := Ask(ctx, c, api.GetStatus, api.Nothing{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the cancel: %v", err)
	}
}

func TestVersionsDiffer(t *testing.T) {
	for _, test := range []struct {
		daemon, own string
		want        bool
	}{
		{"v0.1.0", "v0.1.0", false},
		{"v0.1.0", "v0.2.0", true},
		{"", "v0.2.0", false},
		{api.Unversioned, "v0.2.0", false},
		{"v0.2.0", api.Unversioned, false},
	} {
		if got := differ(test.daemon, test.own); got != test.want {
			t.Errorf("%q and %q: %v", test.daemon, test.own, got)
		}
	}
}

func BenchmarkStatus(b *testing.B) {
	folder := testutil.Folder(b)
	apitest.Serve(b, folder, apitest.Busy(), api.Options{})
	c := newClient(b, folder)
	for b.Loop() {
		if _, err := Ask(b.Context(), c, api.GetStatus, api.Nothing{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestZone(t *testing.T) {
	tokyo := testutil.Zone(t, "Asia/Tokyo")
	for _, test := range []struct {
		zone *time.Location
		want string
	}{
		{tokyo, "Asia/Tokyo"},
		{time.UTC, "UTC"},
		{time.FixedZone("nowhere", 3600), ""},
	} {
		folder := testutil.Folder(t)
		apitest.Serve(t, folder, apitest.Busy(), api.Options{Now: func() time.Time { return apitest.At().In(test.zone) }})
		c := New(filepath.Join(folder, "socket"))
		defer c.Close()
		if c.Zone() != nil {
			t.Errorf("%s: a zone before the first answer", test.zone)
		}
		if _, err := Ask(t.Context(), c, api.GetStatus, api.Nothing{}); err != nil {
			t.Fatal(err)
		}
		got := ""
		if zone := c.Zone(); zone != nil {
			got = zone.String()
		}
		if got != test.want {
			t.Errorf("%s: the zone is %q, want %q", test.zone, got, test.want)
		}
	}
}
