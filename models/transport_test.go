package models_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

const transportKey = "key-0123456789abcdefghij"

// send sends one request with a key, and returns the whole answer.
func send(t *testing.T, client *models.Client, address string, stream bool) (string, *models.Error) {
	t.Helper()
	return sendWithin(t, context.Background(), client, address, stream)
}

func sendWithin(t *testing.T, ctx context.Context, client *models.Client, address string, stream bool) (string, *models.Error) {
	t.Helper()
	options := models.DriverOptions{Provider: models.Provider{ID: "p"}, Model: "m", Client: client}
	var told strings.Builder
	var event func([]byte) error
	if stream {
		event = func(data []byte) error { told.Write(data); return nil }
	}
	body, err := options.Send(ctx, address, http.Header{"Authorization": {"Bearer " + transportKey}}, []byte(`{}`), event)
	if err != nil {
		return told.String(), options.Failure(ctx, err)
	}
	return told.String() + string(body), nil
}

// serve is a provider with one answer, and a client for it.
func serve(t *testing.T, answer http.HandlerFunc) (*models.Client, string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	client := models.NewClient(models.TransportOptions{BaseURL: server.URL})
	t.Cleanup(client.CloseIdleConnections)
	return client, server.URL + "/v1/chat"
}

func answerOf(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// TestRefusals: what providers answer instead of an answer becomes an *Error of
// the right kind, with what to do, and without the key that they repeat.
func TestRefusals(t *testing.T) {
	const repeat = ` Bearer ` + transportKey + ` and ` + transportKey
	message := func(text string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"x"}}`, text+repeat)
	}
	for _, c := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		kind   models.Kind
		text   string
		next   string
		wait   time.Duration
		unsure int
	}{
		{"a refused key", 401, nil, message("Incorrect API key provided."), models.KindKey, "the key is refused (401): Incorrect", "valid key", 0, 0},
		{"Gemini's refused key", 400, nil, `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, models.KindKey, "API key not valid", "valid key", 0, 0},
		{"a key without rights", 403, nil, message("no"), models.KindKey, "may not do this", "rights", 0, 0},
		{"an unknown model", 404, nil, message("The model x does not exist"), models.KindModel, "no such model", "model's name", 0, 0},
		{"Z.AI's unknown model", 400, nil, `{"error":{"code":"1211","message":"Unknown Model"}}`, models.KindModel, "Unknown Model", "model's name", 0, 0},
		{"a wrong address", 404, map[string]string{"Content-Type": "text/html"}, "<html>nothing</html>", models.KindModel, "nothing at this address", "base_url", 0, 0},
		{"a bad request", 400, nil, message("bad field"), models.KindRequest, "bad field", "", 0, 0},
		{"a long request", 400, nil, `{"error":{"message":"too long","code":"context_length_exceeded"}}`, models.KindRequest, "too long for the model", "takes more in", 0, 0},
		{"an empty account", 402, nil, message("pay"), models.KindRate, "account is empty", "top up", 0, 0},
		{"OpenAI's empty account", 429, nil, `{"error":{"message":"quota","type":"insufficient_quota"}}`, models.KindRate, "account is empty", "top up", 0, 0},
		{"Anthropic's empty account", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, models.KindRate, "account is empty", "top up", 0, 0},
		{"a limit in seconds", 429, map[string]string{"Retry-After": "7"}, message("slow"), models.KindRate, "too often", "", 7 * time.Second, 0},
		{"a limit in milliseconds", 429, map[string]string{"Retry-After-Ms": "1500"}, message("slow"), models.KindRate, "too often", "", 1500 * time.Millisecond, 0},
		{"a limit with a date", 429, map[string]string{"Date": "Sat, 21 Nov 2026 10:00:00 GMT", "Retry-After": "Sat, 21 Nov 2026 10:01:00 GMT"}, message("slow"), models.KindRate, "", "", time.Minute, 0},
		{"a limit that begins anew", 429, map[string]string{"X-Ratelimit-Reset-Requests": "1h0m0s", "X-Ratelimit-Remaining-Requests": "50",
			"X-Ratelimit-Reset-Tokens": "6m30s", "X-Ratelimit-Remaining-Tokens": "0"}, message("slow"), models.KindRate, "", "", 390 * time.Second, 0},
		{"Anthropic's limit", 429, map[string]string{"Date": "Sat, 21 Nov 2026 10:00:00 GMT", "Anthropic-Ratelimit-Tokens-Reset": "2026-11-21T10:00:20Z"}, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, models.KindRate, "", "", 20 * time.Second, 0},
		{"Gemini's limit", 429, nil, `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}]`, models.KindRate, "too often", "", 34500 * time.Millisecond, 0},
		{"a limit in words", 429, nil, message("Please try again in 1m2.5s."), models.KindRate, "", "", 62500 * time.Millisecond, 0},
		{"a limit with nonsense", 429, map[string]string{"Retry-After": "soon"}, "slow", models.KindRate, "", "", 0, 0},
		{"a limit in the past", 429, map[string]string{"Retry-After": "-5"}, message("slow"), models.KindRate, "", "", 0, 0},
		{"a fault", 500, nil, message("oops"), models.KindServer, "error of its own (500): oops", "", 0, 0},
		{"a fault with a page", 502, map[string]string{"Content-Type": "text/html"}, "<html>" + repeat, models.KindServer, "web page", "", 0, 0},
		{"overloaded", 529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, models.KindServer, "overloaded", "", 0, 0},
		{"a redirect", 307, map[string]string{"Location": "https://elsewhere.example/v1?key=" + transportKey}, "", models.KindRequest, "https://elsewhere.example", "base_url", 0, 0},
		{"an error inside", 200, nil, `{"error":{"message":"slow","code":429}}`, models.KindRate, "slow", "", 0, 1},
		{"a page", 200, map[string]string{"Content-Type": "text/html"}, "<html>Sign in" + repeat, models.KindAnswer, "web page", "sign in", 0, 1},
		{"no JSON", 200, nil, "I am well." + repeat, models.KindAnswer, "not JSON", "base_url", 0, 1},
		{"half of it", 200, nil, `{"choices":[{"mess`, models.KindCut, "in the middle", "", 0, 1},
		{"nothing", 200, nil, " \n", models.KindAnswer, "empty", "", 0, 1},
		{"a stream", 200, map[string]string{"Content-Type": "text/event-stream"}, "data: {}\n\n", models.KindAnswer, "stream", "", 0, 1},
		{"a huge answer", 200, nil, `"` + strings.Repeat("x", 5<<20) + `"`, models.KindTooLarge, "4 MiB", "", 0, 1},
		{"a huge error", 500, nil, `{"error":{"message":"` + strings.Repeat("x", 5<<20) + `"}}`, models.KindServer, "500", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, address := serve(t, answerOf(c.status, c.header, c.body))
			_, failure := send(t, client, address, false)
			if failure == nil {
				t.Fatal("there is no failure")
			}
			if failure.Kind != c.kind || !strings.Contains(failure.Text, c.text) || !strings.Contains(failure.Next, c.next) || failure.RetryAfter != c.wait || failure.Unsure != c.unsure || failure.Attempts != 1 {
				t.Errorf("the failure is a %s, %q, next %q, wait %s, unsure %d of %d; want a %s with %q, %q, %s, %d", failure.Kind, failure.Text, failure.Next,
					failure.RetryAfter, failure.Unsure, failure.Attempts, c.kind, c.text, c.next, c.wait, c.unsure)
			}
			if all := fmt.Sprintf("%+v %v", failure, failure); strings.Contains(all, "0123456789") {
				t.Errorf("the key is in the failure: %s", all)
			}
			if len(failure.Text) > 500 || strings.ContainsAny(failure.Text, "\n\r") {
				t.Errorf("the text is not one bounded line: %q", failure.Text)
			}
			if failure.By.Model != "m" {
				t.Errorf("the failure is of %v", failure.By)
			}
		})
	}
}

// TestRedirectIsNotFollowed: the key goes nowhere else.
func TestRedirectIsNotFollowed(t *testing.T) {
	asked := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		client, address := serve(t, answerOf(status, map[string]string{"Location": elsewhere.URL}, ""))
		if _, failure := send(t, client, address, false); failure == nil || failure.Kind != models.KindRequest {
			t.Errorf("status %d: the failure is %v", status, failure)
		}
	}
	if asked {
		t.Error("a redirect was followed")
	}
}

// TestOtherHostIsNotAsked: a client asks the host that it was made for.
func TestOtherHostIsNotAsked(t *testing.T) {
	asked := false
	client, _ := serve(t, answerOf(200, nil, `{}`))
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	_, failure := send(t, client, other.URL, false)
	if failure == nil || failure.Kind != models.KindRequest || failure.Attempts != 0 || failure.Unsure != 0 || asked {
		t.Errorf("the failure is %+v, asked %v", failure, asked)
	}
}

// TestBounds: whatever is sent, little of it is read.
func TestBounds(t *testing.T) {
	line := "data: " + strings.Repeat("x", 1000) + "\n"
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	_, _ = io.Copy(zip, io.LimitReader(zeros{}, 64<<20))
	_ = zip.Close()
	for _, c := range []struct {
		name   string
		stream bool
		answer http.HandlerFunc
		text   string
	}{
		{"an endless stream", true, streaming(func(w http.ResponseWriter) bool { _, err := io.WriteString(w, line); return err == nil }), "8 MiB"},
		{"an endless line", true, streaming(func(w http.ResponseWriter) bool { _, err := io.WriteString(w, line[:1000]); return err == nil }), "1 MiB"},
		{"a gzip bomb", false, answerOf(200, map[string]string{"Content-Encoding": "gzip"}, bomb.String()), "4 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, address := serve(t, c.answer)
			body, failure := send(t, client, address, c.stream)
			if failure == nil || failure.Kind != models.KindTooLarge || !strings.Contains(failure.Text, c.text) || failure.Unsure != 1 {
				t.Errorf("the failure is %+v", failure)
			}
			if len(body) > 8<<20+1 {
				t.Errorf("%d bytes were read", len(body))
			}
		})
	}
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// streaming writes until more has had enough.
func streaming(more func(http.ResponseWriter) bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil && more(w) {
		}
	}
}

// TestBroken: connections that break say whether the call may be paid for.
func TestBroken(t *testing.T) {
	hangUp := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			conn, buffer, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			_, _ = buffer.WriteString(after)
			_ = buffer.Flush()
			_ = conn.Close()
		}
	}
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
	for _, c := range []struct {
		name, after string
		stream      bool
		kind        models.Kind
	}{
		{"before an answer", "", false, models.KindNetwork},
		{"in the middle", head + `{"choices":[`, false, models.KindCut},
		{"in the middle of a stream", strings.Replace(head, "application/json", "text/event-stream", 1) + "data: {}\n", true, models.KindCut},
		{"with nonsense", "220 smtp ready\r\n", false, models.KindNetwork},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, address := serve(t, hangUp(c.after))
			_, failure := send(t, client, address, c.stream)
			if failure == nil || failure.Kind != c.kind || failure.Unsure != 1 || failure.Attempts != 1 {
				t.Errorf("the failure is %+v, want a %s that may be paid for", failure, c.kind)
			}
		})
	}
}

// TestNoConnection: nothing was sent, so that nothing is to be paid for.
func TestNoConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	_ = listener.Close()
	tls := httptest.NewUnstartedServer(answerOf(200, nil, `{}`))
	tls.Config.ErrorLog = stdlog.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	plain := httptest.NewServer(answerOf(200, nil, `{}`))
	defer plain.Close()
	for _, c := range []struct{ address, text, next string }{
		{address, "nothing answers at 127.0.0.1", "server runs"},
		{tls.URL, "certificate", "base_url"},
		{strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS", "http://"},
	} {
		client := models.NewClient(models.TransportOptions{BaseURL: c.address})
		_, failure := send(t, client, c.address, false)
		client.CloseIdleConnections()
		if failure == nil || failure.Kind != models.KindNetwork || failure.Unsure != 0 || !strings.Contains(failure.Text, c.text) || !strings.Contains(failure.Next, c.next) {
			t.Errorf("%s: the failure is %+v", c.address, failure)
		}
	}
}

// TestCancel: whoever waits no more is told so at once.
func TestCancel(t *testing.T) {
	for _, stream := range []bool{false, true} {
		began := make(chan struct{}, 1)
		client, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if stream {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: {}\n\n")
				_ = http.NewResponseController(w).Flush()
			}
			began <- struct{}{}
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-began; cancel() }()
		_, failure := sendWithin(t, ctx, client, address, stream)
		if failure == nil || failure.Kind != models.KindCancelled || !errors.Is(failure, context.Canceled) || failure.Unsure != 1 {
			t.Errorf("stream %v: the failure is %+v", stream, failure)
		}
		cancel()
	}
}

// TestDeadline: a request ends with the deadline of who asks.
func TestDeadline(t *testing.T) {
	client, address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, failure := sendWithin(t, ctx, client, address, false)
	if failure == nil || failure.Kind != models.KindTimeout || !strings.Contains(failure.Next, "models.timeout") {
		t.Errorf("the failure is %+v", failure)
	}
}

// TestIdle: a stream that stops is given up.
func TestIdle(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	client := models.NewClient(models.TransportOptions{BaseURL: server.URL, Idle: 20 * time.Millisecond})
	defer client.CloseIdleConnections()
	body, failure := send(t, client, server.URL, true)
	if failure == nil || failure.Kind != models.KindTimeout || !strings.Contains(failure.Text, "stopped") || failure.Unsure != 1 || body == "" {
		t.Errorf("the failure is %+v after %q", failure, body)
	}
}

// TestHeaders: no cookie comes back, and nothing tells of this machine.
func TestHeaders(t *testing.T) {
	var seen []http.Header
	client, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header)
		http.SetCookie(w, &http.Cookie{Name: "who", Value: "you"})
		answerOf(200, nil, `{}`)(w, r)
	})
	for range 2 {
		if _, failure := send(t, client, address, false); failure != nil {
			t.Fatal(failure)
		}
	}
	if seen[1].Get("Cookie") != "" || seen[1].Get("User-Agent") != "subconsciousd" || seen[1].Get("Accept") != "application/json" {
		t.Errorf("the headers are %v", seen[1])
	}
}

// TestOverall: without a deadline there is one nevertheless.
func TestOverall(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	client := models.NewClient(models.TransportOptions{BaseURL: server.URL, Overall: 20 * time.Millisecond})
	defer client.CloseIdleConnections()
	if _, failure := send(t, client, server.URL, false); failure == nil || failure.Kind != models.KindTimeout {
		t.Errorf("the failure is %+v", failure)
	}
}
