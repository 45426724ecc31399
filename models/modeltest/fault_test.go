package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// heardBack is what came back from a request, without any driver.
type heardBack struct {
	status int
	header http.Header
	body   string
	err    error // of asking, or of reading the body
}

// bodies are requests for an answer.
func bodies(protocol string, stream bool) string {
	body := object{
		"model": Model, "max_tokens": 2000, "stream": stream,
		"messages": []object{{"role": "user", "content": "What is new?\n[files:abcdefghij@42] Report.odt was saved\n"}},
	}
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	body["tools"] = []object{{"type": "function", "function": object{"name": "read_file", "parameters": schema}}}
	if protocol == Anthropic {
		body["tools"] = []object{{"name": "read_file", "input_schema": schema}}
	}
	return compact(body)
}

func post(t *testing.T, ctx context.Context, s *Server, protocol, body string) (*http.Response, error) {
	t.Helper()
	path := "/chat/completions"
	if protocol == Anthropic {
		path = "/v1/messages"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL(protocol)+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+Key)
	if protocol == Anthropic {
		request.Header.Set("Anthropic-Version", "2023-06-01")
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return client.Do(request)
}

// fetch asks and reads up to 256 KiB of the answer, for as long as patience
// after its headers; 0 waits for a moment even for those.
func fetch(t *testing.T, s *Server, protocol, body string, patience time.Duration) heardBack {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	if patience == 0 {
		defer time.AfterFunc(silence, cancel).Stop()
	}
	response, err := post(t, ctx, s, protocol, body)
	if err != nil {
		return heardBack{err: err}
	}
	defer time.AfterFunc(patience, cancel).Stop()
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, 256<<10))
	return heardBack{response.StatusCode, response.Header, string(data), err}
}

func TestTroubles(t *testing.T) {
	cases := []struct {
		text string
		want Trouble
	}{
		{"cut", Always(Cut)},
		{"429-header@3", Nth(RateHeader, 3)},
		{"500@1,4", Nth(ServerError, 1, 4)},
		{"hang~0.25", Sometimes(Hang, 0.25)},
	}
	for _, c := range cases {
		got, err := ParseTrouble(c.text)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.text, err, diff)
		}
	}
	for _, text := range []string{"", "nonsense", "cut@", "cut@0", "cut@a", "cut~", "cut~2", "cut~0", "cut~NaN", "cut~0.5@3", "cut@1,,2"} {
		if got, err := ParseTrouble(text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

// TestWhenTroublesStrike counts what strikes by number and by chance.
func TestWhenTroublesStrike(t *testing.T) {
	statuses := func(seed uint64, troubles ...Trouble) []byte {
		s := NewServer(Options{Troubles: troubles, Seed: seed})
		defer s.Close()
		var got []byte
		for range 40 {
			if fetch(t, s, OpenAI, bodies(OpenAI, false), answerTime).status == 200 {
				got = append(got, '.')
			} else {
				got = append(got, 'x')
			}
		}
		return got
	}
	if got := string(statuses(1, Nth(ServerError, 2, 5))); got != ".x..x"+strings.Repeat(".", 35) {
		t.Errorf("on the second and fifth: %s", got)
	}
	first, again, other := statuses(1, Sometimes(Unavailable, 0.3)), statuses(1, Sometimes(Unavailable, 0.3)), statuses(2, Sometimes(Unavailable, 0.3))
	if !bytes.Equal(first, again) {
		t.Errorf("one seed gave %s and %s", first, again)
	}
	if bytes.Equal(first, other) {
		t.Errorf("two seeds gave %s", first)
	}
	if n := bytes.Count(first, []byte("x")); n < 4 || n > 22 {
		t.Errorf("a chance of 0.3 struck %d of 40 times", n)
	}
}
