package ntfytest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

const topic = "alerts"

// client leaves no connection behind.
func client() *http.Client { return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} }

func start(t *testing.T, options ntfytest.Options) *ntfytest.Server {
	t.Helper()
	s := ntfytest.New(options)
	t.Cleanup(s.Close)
	return s
}

// ask makes a request and returns the answer. Headers are "Name: value".
func ask(t *testing.T, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	response, err := client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

func message(t *testing.T, text string) ntfytest.Message {
	t.Helper()
	var m ntfytest.Message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}

func TestHealth(t *testing.T) {
	if status, body := ask(t, "GET", start(t, ntfytest.Options{}).URL()+"/v1/health", ""); status != 200 || body != "{\"healthy\":true}\n" {
		t.Errorf("%d %q", status, body)
	}
}

func TestPublish(t *testing.T) {
	s := start(t, ntfytest.Options{})
	status, body := ask(t, "POST", s.URL()+"/"+topic, "The text")
	if m := message(t, body); status != 200 || m.Message != "The text" || m.Event != "message" || len(m.ID) != 12 || m.Expires-m.Time != 12*3600 {
		t.Errorf("%d %+v", status, m)
	}
	status, body = ask(t, "POST", s.URL(), `{"topic":"alerts","title":"T","message":"M","priority":5,"tags":["x"],"sequence_id":"s1",
		"actions":[{"action":"http","label":"Yes","url":"https://example.org","method":"POST","headers":{"A":"b"},"body":"c"}]}`)
	if m := message(t, body); status != 200 || m.Title != "T" || m.Message != "M" || m.Priority != 5 || m.Sequence != "s1" || m.Actions[0].Headers["A"] != "b" || m.Actions[0].ID == "" {
		t.Errorf("%d %+v", status, m)
	}
	if all := s.Messages(topic); len(all) != 2 || all[1].Title != "T" {
		t.Errorf("kept are %+v", all)
	}
}

func TestRefusals(t *testing.T) {
	s := start(t, ntfytest.Options{Accounts: []ntfytest.Account{{Name: "ada", Password: "right", Token: "tk_1"}},
		Everyone: []ntfytest.Grant{{Topic: "open", Read: true, Write: true}, {Topic: "re-*", Write: true}}})
	button := `{"action":"http","label":"L","url":"https://example.org"}`
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		code               int
	}{
		"anonymous":      {"POST", "/secret", "x", nil, 40301},
		"write only":     {"GET", "/re-1/json?poll=1", "", nil, 40301},
		"wrong password": {"POST", "/open", "x", []string{"Authorization: Basic YWRhOndyb25n"}, 40101},
		"wrong token":    {"POST", "/open", "x", []string{"Authorization: Bearer tk_2"}, 40101},
		"JSON priority":  {"POST", "/", `{"topic":"open","priority":6}`, nil, 40007},
		"since":          {"GET", "/open/json?poll=1&since=yesterday", "", nil, 40008},
		"topic":          {"POST", "/", `{"topic":"a b"}`, nil, 40009},
		"long":           {"POST", "/open", strings.Repeat("x", 4097), nil, 40014},
		"four buttons":   {"POST", "/", `{"topic":"open","actions":[` + strings.Repeat(button+",", 3) + button + `]}`, nil, 40018},
		"unknown button": {"POST", "/", `{"topic":"open","actions":[{"action":"call","label":"L"}]}`, nil, 40018},
		"no JSON":        {"POST", "/", `x`, nil, 40024},
		"too large":      {"POST", "/", `{"topic":"open","message":"` + strings.Repeat("x", 9000) + `"}`, nil, 41303},
		"no page":        {"GET", "/open/none", "", nil, 40401},
		"no such method": {"DELETE", "/open", "", nil, 40401},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := ask(t, c.method, s.URL()+c.path, c.body, c.headers...)
			var said struct {
				Code, HTTP  int
				Error, Link string
			}
			if err := json.Unmarshal([]byte(body), &said); err != nil || said.Code != c.code || said.HTTP != status || status != c.code/100 || said.Error == "" {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	for _, allowed := range []string{"Authorization: Basic YWRhOnJpZ2h0", "Authorization: Bearer tk_1"} {
		if status, body := ask(t, "POST", s.URL()+"/secret", "x", allowed); status != 200 {
			t.Errorf("%s: %d %s", allowed, status, body)
		}
	}
	if status, _ := ask(t, "POST", s.URL()+"/re-1", "x"); status != 200 {
		t.Errorf("what everyone is granted is answered with %d", status)
	}
}

// polled is what the server still has of the topic.
func polled(t *testing.T, s *ntfytest.Server, since string) (all []ntfytest.Message) {
	t.Helper()
	_, body := ask(t, "GET", s.URL()+"/"+topic+"/json?poll=1&since="+since, "")
	for line := range strings.Lines(body) {
		all = append(all, message(t, line))
	}
	return all
}

func TestSince(t *testing.T) {
	now := time.Unix(1790000000, 0)
	s := start(t, ntfytest.Options{Now: func() time.Time { return now }})
	var ids []string
	for n := range 3 {
		_, body := ask(t, "POST", s.URL()+"/"+topic, fmt.Sprint("m", n))
		ids = append(ids, message(t, body).ID)
		now = now.Add(time.Minute)
	}
	for since, want := range map[string]string{"all": "m0 m1 m2", ids[0]: "m1 m2", ids[2]: "", "unknownid000": "m0 m1 m2", "90s": "m2", "150s": "m1 m2"} {
		var got []string
		for _, m := range polled(t, s, since) {
			got = append(got, m.Message)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("since %q: %q", since, got)
		}
	}
}

func TestSequence(t *testing.T) {
	for _, old := range []bool{false, true} {
		s := start(t, ntfytest.Options{Old: old})
		for _, text := range []string{"first", "second"} {
			ask(t, "POST", s.URL(), `{"topic":"alerts","sequence_id":"one","message":"`+text+`"}`)
		}
		shown := s.Shown(topic)
		all := polled(t, s, "all")
		want := map[bool]int{false: 1, true: 2}[old]
		if len(shown) != want || len(all) != want || shown[want-1].Message != "second" || len(s.Messages(topic)) != 2 {
			t.Errorf("old %v: shown %+v, polled %+v", old, shown, all)
		}
	}
}

// lines reads a stream.
func lines(t *testing.T, url string) <-chan ntfytest.Message {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan ntfytest.Message, 100)
	go func() {
		defer close(all)
		defer func() { _ = response.Body.Close() }()
		scanner := bufio.NewScanner(response.Body)
		for scanner.Scan() {
			var m ntfytest.Message
			if json.Unmarshal(scanner.Bytes(), &m) == nil {
				all <- m
			}
		}
	}()
	return all
}

func next(t *testing.T, from <-chan ntfytest.Message, want string) ntfytest.Message {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case m, ok := <-from:
			if !ok {
				t.Fatalf("the stream ended before %s", want)
			}
			if m.Event == want {
				return m
			}
			if m.Event != "keepalive" {
				t.Fatalf("%+v came before %s", m, want)
			}
		case <-deadline:
			t.Fatalf("there was no %s", want)
		}
	}
}

func TestStream(t *testing.T) {
	s := start(t, ntfytest.Options{Keepalive: 5 * time.Millisecond})
	ask(t, "POST", s.URL()+"/"+topic, "old")
	stream := lines(t, s.URL()+"/"+topic+"/json?since=all")
	if m := next(t, stream, "open"); m.Topic != topic || m.ID == "" {
		t.Errorf("it begins with %+v", m)
	}
	if m := next(t, stream, "message"); m.Message != "old" {
		t.Errorf("%+v came", m)
	}
	next(t, stream, "keepalive")
	ask(t, "POST", s.URL()+"/other", "not this")
	ask(t, "POST", s.URL()+"/"+topic, "new")
	if m := next(t, stream, "message"); m.Message != "new" || m.Topic != topic {
		t.Errorf("%+v came", m)
	}
	if err := s.AwaitStreams(t.Context(), topic, 1); err != nil {
		t.Error(err)
	}
	s.Break()
	for range stream {
	}
	if err := s.AwaitStreams(t.Context(), topic, 0); err != nil {
		t.Error(err)
	}
}

func TestPress(t *testing.T) {
	s := start(t, ntfytest.Options{})
	ask(t, "POST", s.URL(), `{"topic":"alerts","message":"M","actions":[{"action":"http","label":"Yes","method":"POST","url":"`+s.URL()+`/re-1","body":"token","clear":true},
		{"action":"http","label":"Gone","method":"POST","url":"`+s.URL()+`/re-1/none","clear":true}]}`)
	m := s.Messages(topic)[0]
	for _, label := range []string{"Gone", "None"} {
		if err := s.Press(t.Context(), m, label); err == nil || len(s.Shown(topic)) != 1 {
			t.Errorf("%s: %v", label, err)
		}
	}
	if err := s.Press(t.Context(), m, "Yes"); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Await(t.Context(), "re-1", 1); err != nil || all[0].Message != "token" || len(s.Shown(topic)) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestTroubles(t *testing.T) {
	s := start(t, ntfytest.Options{Troubles: []ntfytest.Trouble{{Fault: ntfytest.Broken, Use: ntfytest.Publish, Skip: 1, Times: 2}}})
	var got []int
	for range 4 {
		status, _ := ask(t, "POST", s.URL()+"/"+topic, "x")
		got = append(got, status)
		if status, _ := ask(t, "GET", s.URL()+"/"+topic+"/json?poll=1&since=all", ""); status != 200 {
			t.Errorf("a poll is answered with %d", status)
		}
	}
	if fmt.Sprint(got) != "[200 500 500 200]" {
		t.Errorf("answered with %v", got)
	}
}
