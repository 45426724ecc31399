package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
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

// text reads the text out of an answer, plain or streamed, and whether it came
// to its end.
func text(t *testing.T, protocol string, stream bool, body string) (text string, calls int, ended bool) {
	t.Helper()
	if !stream {
		return wholeText([]byte(body))
	}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			return text, calls, true
		}
		var event piece
		if json.Unmarshal([]byte(data), &event) != nil || event.Error != nil {
			return text, calls, false
		}
		for _, c := range event.Choices {
			text += c.Delta.Content
			for _, call := range c.Delta.ToolCalls {
				if call.ID != "" { // what follows belongs to it
					calls++
				}
			}
		}
		text += event.Delta.Text
		switch {
		case event.Type == "content_block_start" && event.Block.Type == "tool_use":
			calls++
		case event.Type == "message_stop":
			return text, calls, true
		}
	}
	return text, calls, false
}

// piece is an event of a stream, or a whole answer, of either protocol.
type piece struct {
	Type    string          `json:"type"`
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Delta, Message struct {
			Content   string `json:"content"`
			ToolCalls []struct {
				ID string `json:"id"`
			} `json:"tool_calls"`
		}
	} `json:"choices"`
	Block struct {
		Type string `json:"type"`
	} `json:"content_block"`
	Delta struct {
		Text string `json:"text"`
	} `json:"delta"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

func wholeText(body []byte) (text string, calls int, ended bool) {
	var whole piece
	if json.Unmarshal(body, &whole) != nil || whole.Error != nil {
		return "", 0, false
	}
	for _, c := range whole.Choices {
		text, calls = text+c.Message.Content, calls+len(c.Message.ToolCalls)
	}
	for _, b := range whole.Content {
		if text += b.Text; b.Type == "tool_use" {
			calls++
		}
	}
	return text, calls, true
}

// TestEachFault looks at what each fault sends, so that none can rot.
func TestEachFault(t *testing.T) {
	for _, about := range Faults() {
		check, ok := faultChecks()[about.Fault]
		if !ok {
			t.Errorf("nothing looks at the fault %s", about.Fault)
			continue
		}
		for _, protocol := range []string{OpenAI, Anthropic} {
			for _, stream := range []bool{false, true} {
				name := string(about.Fault) + "/" + protocol + map[bool]string{true: "/streamed"}[stream]
				t.Run(name, func(t *testing.T) {
					s := NewServer(Options{Script: Eager(), Troubles: []Trouble{Always(about.Fault)}, Pace: time.Millisecond})
					defer s.Close()
					patience := answerTime
					switch about.Fault {
					case HangBefore:
						patience = 0
					case Hang, Slow:
						patience = silence
					}
					got := fetch(t, s, protocol, bodies(protocol, stream), patience)
					s.Close()
					check(t, faulted{protocol, stream, s, got})
				})
			}
		}
	}
}

// faulted is what one fault sent.
type faulted struct {
	protocol string
	stream   bool
	server   *Server
	got      heardBack
}

type faultCheck func(*testing.T, faulted)

func faultChecks() map[Fault]faultCheck {
	checks := map[Fault]faultCheck{}
	for _, some := range []map[Fault]faultCheck{refusalChecks(), wireChecks(), bodyChecks(), wordChecks()} {
		for f, check := range some {
			checks[f] = check
		}
	}
	return checks
}

func refusalChecks() map[Fault]faultCheck {
	refused := func(status int, has string) faultCheck {
		return func(t *testing.T, l faulted) {
			if l.got.err != nil || l.got.status != status || !strings.Contains(l.got.body, has) {
				t.Errorf("status %d %.200q %v, want %d with %q", l.got.status, l.got.body, l.got.err, status, has)
			}
			if charged := l.server.Charged().Total(); charged != 0 {
				t.Errorf("%d tokens are charged for what was refused", charged)
			}
		}
	}
	return map[Fault]faultCheck{
		RateHeader: func(t *testing.T, l faulted) {
			refused(429, "too many")(t, l)
			if after := l.got.header.Get("Retry-After"); after != "7" {
				t.Errorf("Retry-After is %q", after)
			}
		},
		RateDate: func(t *testing.T, l faulted) {
			refused(429, "too many")(t, l)
			if _, err := http.ParseTime(l.got.header.Get("Retry-After")); err != nil {
				t.Error(err)
			}
		},
		RateGemini: refused(429, `"retryDelay":"7s"`),
		RateBare: func(t *testing.T, l faulted) {
			refused(429, "too many")(t, l)
			if l.got.header.Get("Retry-After") != "" || strings.Contains(l.got.body, "retryDelay") {
				t.Error("it says when to come back")
			}
		},
		NoMoney: refused(402, "credit"), BadKey: refused(401, Key), NoModel: refused(404, Model),
		BadRequest: refused(400, "invalid_request_error"), ServerError: refused(500, "<html>"),
		Unavailable: refused(503, ""), Overloaded: refused(529, "overloaded_error"),
		Redirect: func(t *testing.T, l faulted) {
			refused(307, "")(t, l)
			if to := l.got.header.Get("Location"); to == "" || strings.HasPrefix(to, l.server.URL()+"/") {
				t.Errorf("it leads to %q", to)
			}
		},
	}
}

func wireChecks() map[Fault]faultCheck {
	charged := func(t *testing.T, l faulted) {
		if u := l.server.Charged(); u.Output == 0 || u.Input == 0 {
			t.Errorf("charged %+v for an answer that was made", u)
		}
	}
	half := func(t *testing.T, l faulted) {
		charged(t, l)
		if _, _, ended := text(t, l.protocol, l.stream, l.got.body); ended || l.got.body == "" {
			t.Errorf("the answer is whole, or empty: %q", l.got.body)
		}
	}
	late := func(headers bool) faultCheck {
		return func(t *testing.T, l faulted) {
			charged(t, l)
			if !errors.Is(l.got.err, context.Canceled) || (l.got.status == 200) != headers {
				t.Errorf("status %d, error %v", l.got.status, l.got.err)
			}
		}
	}
	large := func(t *testing.T, l faulted) {
		charged(t, l)
		if l.got.err != nil || len(l.got.body) != 256<<10 {
			t.Errorf("%d bytes, error %v; want no end in sight", len(l.got.body), l.got.err)
		}
	}
	return map[Fault]faultCheck{
		Reset: func(t *testing.T, l faulted) {
			charged(t, l)
			if !errors.Is(l.got.err, syscall.ECONNRESET) && !errors.Is(l.got.err, io.EOF) {
				t.Errorf("error %v", l.got.err)
			}
		},
		Cut: func(t *testing.T, l faulted) {
			half(t, l)
			if !errors.Is(l.got.err, io.ErrUnexpectedEOF) {
				t.Errorf("error %v", l.got.err)
			}
		},
		CutClean: func(t *testing.T, l faulted) {
			half(t, l)
			if l.got.err != nil {
				t.Errorf("error %v", l.got.err)
			}
		},
		ErrorMidway: func(t *testing.T, l faulted) {
			half(t, l)
			if l.got.status != 200 || !strings.Contains(l.got.body, `"error":{`) {
				t.Errorf("status %d, %q", l.got.status, l.got.body)
			}
		},
		Hang: late(true), HangBefore: late(false), Slow: late(true),
		Huge: large, Endless: large,
		LongLine: func(t *testing.T, l faulted) {
			large(t, l)
			if tail := l.got.body[len(l.got.body)-128<<10:]; strings.Contains(tail, "\n") {
				t.Error("the line ends")
			}
		},
		GzipBomb: func(t *testing.T, l faulted) {
			charged(t, l)
			if l.got.header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(l.got.body, "\x1f\x8b") {
				t.Errorf("it is not packed: %v", l.got.header)
			}
			if sent := l.server.Requests()[0].Sent; sent > 2<<20 {
				t.Errorf("it has %d KiB packed", sent>>10)
			}
		},
	}
}

func bodyChecks() map[Fault]faultCheck {
	whole := func(check func(t *testing.T, l faulted, text string, calls int)) faultCheck {
		return func(t *testing.T, l faulted) {
			text, calls, ended := text(t, l.protocol, l.stream, l.got.body)
			if l.got.err != nil || l.got.status != 200 || !ended {
				t.Fatalf("status %d, ended %v, error %v: %q", l.got.status, ended, l.got.err, l.got.body)
			}
			check(t, l, text, calls)
		}
	}
	contains := func(some string) func(*testing.T, faulted, string, int) {
		return func(t *testing.T, l faulted, _ string, _ int) {
			if !strings.Contains(l.got.body, some) {
				t.Errorf("%q lacks %q", l.got.body, some)
			}
		}
	}
	silent := func(t *testing.T, l faulted, text string, calls int) {
		if text != "" || calls > 0 {
			t.Errorf("it says %q and has %d calls", text, calls)
		}
	}
	return map[Fault]faultCheck{
		NotJSON: func(t *testing.T, l faulted) {
			if l.got.status != 200 || json.Valid([]byte(l.got.body)) {
				t.Errorf("status %d, %q", l.got.status, l.got.body)
			}
		},
		HTML: func(t *testing.T, l faulted) {
			if l.got.status != 200 || !strings.HasPrefix(l.got.header.Get("Content-Type"), "text/html") || !strings.Contains(l.got.body, "<html>") {
				t.Errorf("status %d, %v, %q", l.got.status, l.got.header, l.got.body)
			}
		},
		WrongModel: whole(contains(`"model":"` + Unasked + `"`)),
		NoUsage: whole(func(t *testing.T, l faulted, _ string, _ int) {
			if strings.Contains(l.got.body, "_tokens") {
				t.Errorf("it tells of tokens: %q", l.got.body)
			}
		}),
		HugeUsage: whole(func(t *testing.T, l faulted, _ string, _ int) {
			// A stream that was not asked to end with usage tells nothing.
			if l.protocol == OpenAI && l.stream {
				return
			}
			contains(`1000000000`)(t, l, "", 0)
			if charged := l.server.Charged().Total(); charged > 10000 {
				t.Errorf("%d tokens are charged: the claim is not the charge", charged)
			}
		}),
		Empty: whole(silent), NullContent: whole(func(t *testing.T, l faulted, text string, calls int) {
			silent(t, l, text, calls)
			contains(`"content":null`)(t, l, "", 0)
		}),
		Refusal: whole(func(t *testing.T, l faulted, text string, calls int) {
			silent(t, l, text, calls)
			contains("refusal\"")(t, l, "", 0)
		}),
		Truncated: whole(func(t *testing.T, l faulted, text string, _ int) {
			if json.Valid([]byte(text)) || !strings.HasPrefix(text, "{") {
				t.Errorf("the text is whole: %q", text)
			}
			contains(map[string]string{OpenAI: `"length"`, Anthropic: `"max_tokens"`}[l.protocol])(t, l, "", 0)
		}),
	}
}

func wordChecks() map[Fault]faultCheck {
	words := func(check func(text string, calls int) bool) faultCheck {
		return func(t *testing.T, l faulted) {
			text, calls, ended := text(t, l.protocol, l.stream, l.got.body)
			if !ended || !check(text, calls) {
				t.Errorf("it ended %v and says %q with %d calls", ended, text, calls)
			}
		}
	}
	invalid := func(some string) faultCheck {
		return words(func(text string, _ int) bool { return !json.Valid([]byte(text)) && strings.Contains(text, some) })
	}
	valid := func(some string) faultCheck {
		return words(func(text string, _ int) bool { return json.Valid([]byte(text)) && strings.Contains(text, some) })
	}
	asks := func(name string) faultCheck {
		return func(t *testing.T, l faulted) {
			words(func(text string, calls int) bool { return text == "" && calls == 1 })(t, l)
			if !strings.Contains(l.got.body, `"`+name+`"`) {
				t.Errorf("it does not ask for %s: %q", name, l.got.body)
			}
		}
	}
	return map[Fault]faultCheck{
		Prose: invalid("Here is what I found"), ThinkBlock: invalid("<think>"), Fenced: invalid("```json"),
		TrailingComma: invalid(",}"), TwoObjects: invalid("other answer"),
		SameTwice: words(func(text string, _ int) bool {
			first, second, _ := strings.Cut(text, "\n")
			return first == second && json.Valid([]byte(first))
		}),
		WrongSchema: valid(`"items":[1,2,3]`), ExtraFields: valid(`"mood":"curious"`), BadEvidence: valid("files:aaaaaaaaaa@999999"),
		ToolLoop: asks("read_file"), UnknownTool: asks("launch_rocket"),
		BadArguments: func(t *testing.T, l faulted) {
			asks("read_file")(t, l)
			if !strings.Contains(l.got.body, `/home/`) {
				t.Errorf("the arguments are lost: %q", l.got.body)
			}
		},
	}
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
