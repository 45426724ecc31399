package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// flaw is one way in which a driver can be wrong.
type flaw string

const (
	sound        flaw = ""
	leaksKey     flaw = "leaks key"       // puts what the provider said into its failure
	printsKey    flaw = "prints key"      // shows the key when it is printed
	retries      flaw = "retries"         // asks again by itself
	litters      flaw = "litters"         // leaves a goroutine behind
	believes     flaw = "believes"        // takes the end of the bytes for the end of the answer
	gulps        flaw = "gulps"           // reads as much as it is sent
	strays       flaw = "strays"          // follows to another host
	forgetsUsage flaw = "forgets usage"   // does not tell what was used
	inventsUsage flaw = "invents usage"   // says that usage is known where it is not
	vain         flaw = "vain"            // always says that it answered itself
	impatient    flaw = "impatient"       // does not say when to come back
	blunt        flaw = "blunt"           // every answer ends well
	lukewarm     flaw = "lukewarm"        // leaves out a temperature of 0
	mumbles      flaw = "mumbles"         // does not tell the last piece
	shapeless    flaw = "shapeless"       // sends no schema
	muddles      flaw = "muddles"         // takes several calls of tools for one
	raves        flaw = "raves"           // tells pieces after it has returned
	stubborn     flaw = "stubborn"        // takes being cancelled for a failure of the network
	stateful     flaw = "stateful"        // keeps what it was told last
	thoughtless  flaw = "thoughtless"     // gives no thoughts back
	spendthrift  flaw = "spendthrift"     // tells no limit
	hopeful      flaw = "hopeful"         // says that a request that broke off costs nothing
	wordy        flaw = "wordy"           // repeats a whole page as the reason
	alwaysLive   flaw = "always live"     // streams although nobody listens
	nameless     flaw = "nameless"        // does not know its model
	accepting    flaw = "accepting"       // takes every body for an answer
	unpacking    flaw = "keeps a promise" // tells of pieces only at the end, in one
)

// small is a driver for both protocols, written to be checked by the suite.
type small struct {
	url, protocol, key string
	flaw               flaw
	client             *http.Client
	last               atomic.Pointer[string] // for stateful
	litter             <-chan struct{}        // for litters: closed at the end of the test
}

var _ models.Driver = (*small)(nil)

func newSmall(t testing.TB, url, protocol string, f flaw) *small {
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		if f == strays {
			return nil
		}
		return http.ErrUseLastResponse
	}}
	return &small{url: url, protocol: protocol, key: modeltest.Key, flaw: f, client: client}
}

func (d *small) String() string {
	if d.flaw == printsKey {
		return d.url + " " + d.key
	}
	return d.url
}

func (d *small) GoString() string { return d.String() }

func (d *small) Format(s fmt.State, _ rune) { io.WriteString(s, d.String()) }

func (d *small) Identity() models.Identity {
	if d.flaw == nameless {
		return models.Identity{Provider: "small"}
	}
	return models.Identity{Provider: "small", Model: modeltest.Model}
}

const smallCap = 4 << 20

func (d *small) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	if d.flaw == alwaysLive && request.OnText == nil {
		request.OnText = func(string) {}
	}
	if d.flaw == litters {
		go func() { <-d.litter }()
	}
	answer, err := d.once(ctx, request)
	if err != nil && d.flaw == retries {
		answer, err = d.once(ctx, request)
	}
	answer.Attempts = 1
	if d.flaw == stateful {
		text := answer.Text
		if before := d.last.Swap(&text); before != nil {
			answer.Text = *before
		}
	}
	return answer, err
}

func (d *small) once(ctx context.Context, request models.Request) (models.Answer, error) {
	response, err := d.post(ctx, request)
	if err != nil {
		return models.Answer{}, d.broken(ctx, err, false)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return models.Answer{}, d.refused(response)
	}
	var limited io.Reader = &capped{response.Body, smallCap}
	if d.flaw == gulps {
		limited = response.Body
	}
	r := &reading{driver: d, request: request, answer: models.Answer{By: d.Identity()}}
	if request.OnText != nil {
		err = r.stream(bufio.NewReader(limited), response.Header.Get("Content-Type"))
	} else {
		err = r.plain(limited)
	}
	if d.flaw == raves && request.OnText != nil {
		go d.rave(request)
	}
	if err != nil {
		return models.Answer{}, d.broken(ctx, err, true)
	}
	return r.finish(), nil
}

// rave asks again behind everybody's back, and tells of it at the end.
func (d *small) rave(request models.Request) {
	response, err := d.post(context.Background(), request)
	if err == nil {
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	request.OnText("one more thing")
}

var (
	errTooLarge = errors.New("too large")
	errShape    = errors.New("not what the protocol says")
	errServer   = errors.New("the provider failed in the middle")
)

// capped reads up to a bound.
type capped struct {
	under io.Reader
	left  int
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooLarge
	}
	n, err := c.under.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func (d *small) failure(kind models.Kind, text string) *models.Error {
	return &models.Error{Kind: kind, By: d.Identity(), Text: text, Attempts: 1, Unsure: 1}
}

func (d *small) broken(ctx context.Context, err error, answering bool) error {
	f := d.failure(models.KindNetwork, "the connection failed")
	switch {
	case errors.Is(ctx.Err(), context.Canceled) && d.flaw != stubborn:
		f.Kind, f.Text = models.KindCancelled, "cancelled"
	case ctx.Err() != nil && d.flaw != stubborn:
		f.Kind, f.Text = models.KindTimeout, "no answer in time"
	case errors.Is(err, errTooLarge):
		f.Kind, f.Text = models.KindTooLarge, "the answer is too large"
	case errors.Is(err, errServer):
		f.Kind, f.Text = models.KindServer, "the provider failed in the middle"
	case errors.Is(err, errShape):
		f.Kind, f.Text = models.KindAnswer, "the answer is not one"
	case answering:
		f.Kind, f.Text = models.KindCut, "the answer ended in the middle"
	case strings.Contains(err.Error(), "refused"):
		f.Unsure = 0
	}
	if d.flaw == hopeful {
		f.Unsure = 0
	}
	return f
}

func (d *small) refused(response *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	f := d.failure(models.KindServer, "the provider refused: "+strconv.Itoa(response.StatusCode))
	f.Status, f.Unsure = response.StatusCode, 0
	switch {
	case f.Status == 429 || f.Status == 402:
		f.Kind = models.KindRate
	case f.Status == 401:
		f.Kind = models.KindKey
	case f.Status == 404:
		f.Kind = models.KindModel
	case f.Status < 500 && f.Status >= 400:
		f.Kind = models.KindRequest
	}
	if d.flaw == leaksKey || d.flaw == wordy {
		f.Text += string(body)
	}
	if d.flaw == impatient {
		return f
	}
	after := response.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil {
		f.RetryAfter = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		f.RetryAfter = time.Until(at)
	} else if _, tail, found := strings.Cut(string(body), `"retryDelay":"`); found {
		delay, _, _ := strings.Cut(tail, `"`)
		f.RetryAfter, _ = time.ParseDuration(delay)
	}
	return f
}

func (d *small) post(ctx context.Context, request models.Request) (*http.Response, error) {
	path, body := "/chat/completions", d.openAIBody(request)
	if d.protocol == modeltest.Anthropic {
		path, body = "/v1/messages", d.anthropicBody(request)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/json")
	if d.protocol == modeltest.Anthropic {
		post.Header.Set("X-Api-Key", d.key)
		post.Header.Set("Anthropic-Version", "2023-06-01")
	} else {
		post.Header.Set("Authorization", "Bearer "+d.key)
	}
	return d.client.Do(post)
}

func (d *small) common(request models.Request) object {
	body := object{"model": modeltest.Model, "stream": request.OnText != nil}
	if d.flaw != spendthrift || d.protocol == modeltest.Anthropic {
		body["max_tokens"] = request.MaxTokens
	}
	if request.Temperature != nil && (*request.Temperature != 0 || d.flaw != lukewarm) {
		body["temperature"] = *request.Temperature
	}
	return body
}

func (d *small) openAIBody(request models.Request) object {
	body := d.common(request)
	body["stream_options"] = object{"include_usage": true}
	list := []object{{"role": "system", "content": request.System}}
	for _, m := range request.Messages {
		one := object{"role": m.Role, "content": m.Text}
		var calls []object
		for _, c := range m.Calls {
			calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": string(c.Arguments)}})
		}
		if calls != nil {
			one["tool_calls"] = calls
		}
		if m.Role == models.ToolRole {
			one["tool_call_id"] = m.CallID
		}
		list = append(list, one)
	}
	body["messages"] = list
	var tools []object
	for _, tool := range request.Tools {
		tools = append(tools, object{"type": "function", "function": object{"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters}})
	}
	if tools != nil {
		body["tools"] = tools
	}
	if request.Schema != nil && d.flaw != shapeless {
		body["response_format"] = object{"type": "json_schema", "json_schema": object{"name": request.Schema.Name, "schema": request.Schema.JSON, "strict": true}}
	}
	return body
}

func (d *small) anthropicBody(request models.Request) object {
	body := d.common(request)
	keep := object{"type": "ephemeral"}
	body["system"] = []object{{"type": "text", "text": request.System, "cache_control": keep}}
	list := []object{}
	for _, m := range request.Messages {
		role, content := m.Role, []object{}
		if m.Opaque != nil && d.flaw != thoughtless {
			var thoughts []object
			_ = json.Unmarshal(m.Opaque, &thoughts) // its own
			content = append(content, thoughts...)
		}
		switch {
		case m.Role == models.ToolRole:
			role = models.User
			content = append(content, object{"type": "tool_result", "tool_use_id": m.CallID, "content": m.Text})
		case m.Text != "":
			content = append(content, object{"type": "text", "text": m.Text})
		}
		for _, c := range m.Calls {
			content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Arguments})
		}
		if last := len(list) - 1; m.Role == models.ToolRole && last >= 0 && list[last]["role"] == models.User {
			list[last]["content"] = append(list[last]["content"].([]object), content...)
			continue
		}
		list = append(list, object{"role": role, "content": content})
	}
	body["messages"] = list
	var tools []object
	for _, tool := range request.Tools {
		tools = append(tools, object{"name": tool.Name, "description": tool.Description, "input_schema": tool.Parameters})
	}
	if tools != nil {
		body["tools"] = tools
	}
	if request.Schema != nil && d.flaw != shapeless {
		body["output_config"] = object{"format": object{"type": "json_schema", "schema": request.Schema.JSON}}
	}
	if request.Thinking > 0 {
		body["thinking"] = object{"type": "enabled", "budget_tokens": request.Thinking}
	}
	return body
}
