package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// happened is a mind in which so much happened, all of it kept but for the first.
func happened(forgotten, n int) *apitest.Mind {
	m := apitest.Busy()
	m.Forgotten = int64(forgotten)
	for range n {
		m.Happen(api.EventTick, "7")
	}
	return m
}

// listen opens a stream. What it sends is read a block at a time, in few words.
func listen(t testing.TB, folder, query, last string) (next func() string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://mind/v1/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	c := caller(t, folder)
	c.Timeout = time.Minute
	response, err := c.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if media := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || media != "text/event-stream" {
		body, _ := io.ReadAll(response.Body)
		t.Fatalf("%s %s: %s", response.Status, media, body)
	}
	lines := bufio.NewReader(response.Body)
	return func() string {
		for block := ""; ; {
			line, err := lines.ReadString('\n')
			switch {
			case err == io.EOF && block+line == "":
				return "end"
			case err != nil:
				return fmt.Sprint(block, err)
			case line != "\n":
				block += strings.TrimSuffix(line, "\n") + " "
			default:
				return strings.TrimSpace(regexp.MustCompile(`data: \S*?"kind":"(\w+)".*`).ReplaceAllString(block, "$1"))
			}
		}
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name, query, last string
		want              []string // what is sent, with what happens then
	}{
		{"from now on", "", "", []string{": id: 12", "id: 13 event: message message"}},
		{"a day", "?past=true", "", []string{": id: 0", "id: 10 event: reset reset", "id: 11 event: tick tick", "id: 12 event: tick tick", "id: 13 event: message message"}},
		{"a day, and no more", "?past=true&end=true", "", []string{": id: 0", "id: 10 event: reset reset", "id: 11 event: tick tick", "id: 12 event: tick tick", "end"}},
		{"resumed", "?past=true", "11", []string{": id: 11", "id: 12 event: tick tick", "id: 13 event: message message"}},
		{"after one", "?after=11&end=true", "", []string{": id: 11", "id: 12 event: tick tick", "end"}},
		{"nothing new", "?after=12&end=true", "", []string{": id: 12", "end"}},
		{"too old", "?after=11", "9", []string{": id: 9", "id: 12 event: reset reset", "id: 13 event: message message"}},
		{"never given", "", "4000", []string{": id: 4000", "id: 12 event: reset reset", "id: 13 event: message message"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder, m := testutil.Folder(t), happened(10, 2)
			server := apitest.Serve(t, folder, m, api.Options{Now: apitest.At})
			next := listen(t, folder, c.query, c.last)
			live := c.want[len(c.want)-1] != "end"
			for i, want := range c.want {
				if live && i == len(c.want)-1 {
					m.Happen(api.EventMessage, "work/3")
				}
				if got := next(); got != want {
					t.Fatalf("%d: %q, want %q", i, got, want)
				}
			}
			if !live {
				return
			}
			if err := server.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if got := next(); got != "event: closing closing" {
				t.Errorf("when the server stops: %q", got)
			}
		})
	}
}

func TestEventsRefused(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, happened(0, 2), api.Options{Now: apitest.At})
	c := caller(t, folder)
	if got := call(t, c, "HEAD", "/v1/events", "", ""); got.status != http.StatusOK || got.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD: %+v", got)
	}
	for _, query := range []string{"?after=0", "?after=x", "?after=1&after=2", "?past=1", "?since=1"} {
		if got := call(t, c, "GET", "/v1/events"+query, "", ""); got.problem.Code != api.CodeBadRequest {
			t.Errorf("%s: %+v", query, got)
		}
	}
	for _, id := range []string{"x", "-1", "1e3", strings.Repeat("9", 100)} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://mind/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Last-Event-ID", id)
		response, err := c.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if _ = response.Body.Close(); response.StatusCode != http.StatusBadRequest {
			t.Errorf("Last-Event-ID %.20q: %s", id, response.Status)
		}
	}
	for range 16 {
		if got := listen(t, folder, "", "")(); got != ": id: 2" {
			t.Fatal(got)
		}
	}
	if got := call(t, c, "GET", "/v1/events", "", ""); got.problem.Code != api.CodeBusy {
		t.Errorf("the 17th listener: %+v", got)
	}
	if got := call(t, c, "GET", "/v1/status", "", ""); got.status != http.StatusOK {
		t.Errorf("beside them: %+v", got)
	}
}

// A stream outlives the time that a request may take to arrive, and says that it is
// alive.
func TestEventsStayAlive(t *testing.T) {
	folder := testutil.Folder(t)
	serve(t, folder, apitest.Busy(), func(s *api.Server) { api.Listening(s, 20*time.Millisecond, time.Hour, 50*time.Millisecond) })
	next := listen(t, folder, "", "")
	for i := range 10 {
		if got := next(); got != ": id: 0" {
			t.Fatalf("%d: %q", i, got)
		}
	}
}

// A listener that takes longer than it may is dropped with a word, behind what it was
// sent. The twin is the server that is patient with it.
func TestSlowListener(t *testing.T) {
	for slowest, want := range map[time.Duration]string{0: "event: dropped dropped", time.Hour: ": id: 0"} {
		folder := testutil.Folder(t)
		serve(t, folder, apitest.Busy(), func(s *api.Server) { api.Listening(s, time.Millisecond, slowest, time.Minute) })
		next := listen(t, folder, "", "")
		if first, got := next(), next(); first != ": id: 0" || got != want {
			t.Errorf("it may take %s: %q and %q", slowest, first, got)
		}
		if slowest == 0 {
			if got := next(); got != "end" {
				t.Errorf("after that word: %q", got)
			}
		}
	}
}
