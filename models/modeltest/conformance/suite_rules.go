package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

type rule struct {
	name  string
	check func(testing.TB, Suite)
}

func rules() []rule {
	return []rule{
		{"identity", identity},
		{"plain", plainAnswer},
		{"streamed is the same", streamedIsTheSame},
		{"request arrives", requestArrives},
		{"schema is sent", schemaIsSent},
		{"tools", toolsRoundTrip},
		{"several tools", severalTools},
		{"usage", usageIsTold},
		{"limit of tokens", limitIsTold},
		{"keeps the key", keepsTheKey},
		{"cancelled before", cancelledBefore},
		{"cancelled in the middle", cancelledInTheMiddle},
		{"no word after the end", noWordAfterTheEnd},
		{"at once", atOnce},
		{"unreachable", unreachable},
	}
}

func identity(t testing.TB, s Suite) {
	b := newBench(t, s, modeltest.Options{})
	if got := b.driver.Identity(); got.Model != modeltest.Model || got.Provider == "" {
		t.Errorf("Identity is %+v; it must name the provider and the model %s", got, modeltest.Model)
	}
}

func plainAnswer(t testing.TB, s Suite) {
	b := newBench(t, s, modeltest.Options{Script: modeltest.Chatter("Grüße: \"alles\" <ruhig> 🙂\n\tund still.")})
	answer := b.must(question())
	if want := "Grüße: \"alles\" <ruhig> 🙂\n\tund still."; answer.Text != want {
		t.Errorf("the text is %q, want %q", answer.Text, want)
	}
	if answer.Stop != "end" || len(answer.Calls) != 0 {
		t.Errorf("it stopped for %q with %d calls, want \"end\" and none", answer.Stop, len(answer.Calls))
	}
	if answer.By != b.driver.Identity() {
		t.Errorf("it is by %v, want %v", answer.By, b.driver.Identity())
	}
	if answer.Attempts != 1 || answer.Unsure != 0 {
		t.Errorf("attempts %d and unsure %d, want 1 and 0", answer.Attempts, answer.Unsure)
	}
}

func streamedIsTheSame(t testing.TB, s Suite) {
	for _, named := range modeltest.Scripts() {
		b := newBench(t, s, modeltest.Options{})
		request := question()
		request.Tools = []models.Tool{tool("read_file"), tool("health")}
		b.server.SetScript(named.New(1))
		plain := b.must(request)
		if b.last().Request.Stream {
			t.Errorf("%s: streamed although nobody listens", named.Name)
		}
		b.server.SetScript(steady(named.New(1), b.last().Request))
		var h heard
		request.OnText = h.listen
		streamed := b.must(request)
		text, deltas := h.end()
		if !b.last().Request.Stream {
			t.Errorf("%s: not streamed although somebody listens", named.Name)
		}
		if text != streamed.Text || plain.Text != streamed.Text {
			t.Errorf("%s: plain %q, streamed %q, told of %q", named.Name, plain.Text, streamed.Text, text)
		}
		if len(text) > 100 && deltas < 2 {
			t.Errorf("%s: %d bytes came in %d pieces", named.Name, len(text), deltas)
		}
		if fmt.Sprint(plain.Calls) != fmt.Sprint(streamed.Calls) || plain.Stop != streamed.Stop || plain.By != streamed.By {
			t.Errorf("%s: plain %v %s %v, streamed %v %s %v", named.Name,
				plain.Calls, plain.Stop, plain.By, streamed.Calls, streamed.Stop, streamed.By)
		}
		if streamed.Usage.Known != plain.Usage.Known || streamed.Usage.Output != plain.Usage.Output || streamed.Usage.Input != plain.Usage.Input {
			t.Errorf("%s: usage is %+v plain and %+v streamed", named.Name, plain.Usage, streamed.Usage)
		}
	}
}

// steady answers as if it were asked the earlier request again.
func steady(script modeltest.Script, earlier modeltest.Request) modeltest.Script {
	return func(r modeltest.Request) modeltest.Reply {
		r.Number, r.Turn = earlier.Number, earlier.Turn
		return script(r)
	}
}

func requestArrives(t testing.TB, s Suite) {
	b := newBench(t, s, modeltest.Options{})
	request := question()
	request.Messages = append(request.Messages,
		models.Message{Role: models.Assistant, Text: "Nothing."},
		models.Message{Role: models.User, Text: "Look again.", Kept: true})
	b.must(request)
	got := b.last().Request
	if got.Model != modeltest.Model || got.System != request.System || got.MaxTokens != request.MaxTokens {
		t.Errorf("model %q, system %q, limit %d arrived; want %q, %q, %d", got.Model, got.System, got.MaxTokens, modeltest.Model, request.System, request.MaxTokens)
	}
	if len(got.Messages) != 3 {
		t.Fatalf("%d messages arrived, want 3: %+v", len(got.Messages), got.Messages)
	}
	for i, m := range request.Messages {
		if got.Messages[i].Role != m.Role || got.Messages[i].Text != m.Text {
			t.Errorf("message %d arrived as %s %q, want %s %q", i, got.Messages[i].Role, got.Messages[i].Text, m.Role, m.Text)
		}
	}
	for _, want := range []*float64{new(0.25), new(0.0), nil} {
		request.Temperature = want
		b.must(request)
		got := b.last().Request.Temperature
		if (got == nil) != (want == nil) || got != nil && (*got < *want-0.001 || *got > *want+0.001) {
			t.Errorf("the temperature %s arrived as %s", jsonOf(want), jsonOf(got))
		}
	}
}

func jsonOf(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// smallSchema is one that strict providers accept.
func smallSchema() *models.Schema {
	return &models.Schema{Name: "verdict", JSON: json.RawMessage(`{"type":"object","additionalProperties":false,` +
		`"properties":{"word":{"type":"string","enum":["calm","storm"]},"level":{"type":"integer"}},"required":["word","level"]}`)}
}

func schemaIsSent(t testing.TB, s Suite) {
	b := newBench(t, s, modeltest.Options{Script: modeltest.Silent()})
	inBothForms(func(streamed bool, request models.Request) {
		request.Schema = smallSchema()
		answer := b.must(request)
		got := b.last().Request
		if got.Schema == nil {
			t.Fatalf("streamed %v: no schema was sent", streamed)
		}
		var shape struct {
			Properties map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(got.Schema.JSON, &shape); err != nil || shape.Properties["word"] == nil || shape.Properties["level"] == nil {
			t.Errorf("streamed %v: the schema arrived as %s", streamed, got.Schema.JSON)
		}
		var verdict struct{ Word string }
		if err := json.Unmarshal([]byte(answer.Text), &verdict); err != nil || verdict.Word != "calm" || len(answer.Calls) != 0 {
			t.Errorf("streamed %v: the answer is %q with calls %v, want JSON of the schema and no calls", streamed, answer.Text, answer.Calls)
		}
	})
}

func usageIsTold(t testing.TB, s Suite) {
	inBothForms(func(streamed bool, request models.Request) {
		b := newBench(t, s, modeltest.Options{Script: modeltest.Thinker()})
		request.System = strings.Repeat("The same at each call. ", 400)
		request.Messages[0].Kept = true
		for range 2 {
			got, want := b.must(request).Usage, b.last().Reported
			if want.Thinking = got.Thinking; got != want { // not every provider tells of thinking
				t.Errorf("streamed %v: usage is %+v, want %+v", streamed, got, want)
			}
		}
		if cached := b.last().Reported.Cached; cached < 1024 {
			t.Errorf("streamed %v: the same request again has %d cached tokens: it must be told what to keep, and be the same to the byte", streamed, cached)
		}
	})
}

func limitIsTold(t testing.TB, s Suite) {
	b := newBench(t, s, modeltest.Options{Script: modeltest.Chatter(strings.Repeat("word ", 100))})
	request := question()
	request.MaxTokens = 10
	if answer := b.must(request); answer.Stop != "length" || len(answer.Text) > 40 {
		t.Errorf("it stopped for %q after %q, want \"length\"", answer.Stop, answer.Text)
	}
}

// keepsTheKey looks for the key everywhere but in its header.
func keepsTheKey(t testing.TB, s Suite) {
	b := newBench(t, s, modeltest.Options{})
	b.must(question())
	r := b.last()
	found := 0
	for name, values := range r.Header {
		for _, value := range values {
			if strings.Contains(value, modeltest.Key) {
				found++
				if name != "Authorization" && name != "X-Api-Key" {
					t.Errorf("the key is in the header %s", name)
				}
			}
		}
	}
	if found != 1 || bytes.Contains(r.Body, []byte(modeltest.Key)) || strings.Contains(r.Path, modeltest.Key) {
		t.Errorf("the key is in %d headers, want one, and neither in the body nor in the path", found)
	}
	if text := fmt.Sprintf("%v %+v %#v", b.driver, b.driver, b.driver); strings.Contains(text, modeltest.Key) {
		t.Error("the driver prints the key")
	}
}

func cancelledBefore(t testing.TB, s Suite) {
	b := newBench(t, s, modeltest.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := b.driver.Generate(ctx, question())
	wantKind(t, err, models.KindCancelled)
}

func cancelledInTheMiddle(t testing.TB, s Suite) {
	for _, f := range []modeltest.Fault{modeltest.Hang, modeltest.HangBefore, modeltest.Slow, modeltest.Endless} {
		for _, streamed := range []bool{false, true} {
			if f == modeltest.Endless && !streamed {
				continue // it is too large before anybody could cancel it
			}
			b := newBench(t, s, modeltest.Options{Script: modeltest.Eager(), Troubles: []modeltest.Trouble{modeltest.Always(f)}, Pace: time.Millisecond})
			ctx, cancel := context.WithCancel(context.Background())
			request := question()
			if streamed {
				var once sync.Once
				request.OnText = func(string) { once.Do(cancel) }
			}
			timer := time.AfterFunc(silence, cancel)
			began := time.Now()
			_, err := b.driver.Generate(ctx, request)
			if took := time.Since(began); took > silence+promptly {
				t.Errorf("%s, streamed %v: it came back after %s", f, streamed, took)
			}
			timer.Stop()
			cancel()
			wantKind(t, err, models.KindCancelled)
		}
	}
}

func noWordAfterTheEnd(t testing.TB, s Suite) {
	var h heard
	t.Cleanup(func() { // the bench has waited for all goroutines by then
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.late {
			t.Error("OnText was called after Generate had returned")
		}
	})
	b := newBench(t, s, modeltest.Options{Script: modeltest.Eager(), Troubles: []modeltest.Trouble{modeltest.Always(modeltest.Slow)}, Pace: time.Millisecond})
	ctx, cancel := context.WithTimeout(context.Background(), silence)
	defer cancel()
	request := question()
	request.OnText = h.listen
	if _, err := b.driver.Generate(ctx, request); err == nil {
		t.Error("an answer without an end was answered")
	}
	h.end()
}

func atOnce(t testing.TB, s Suite) {
	b := newBench(t, s, modeltest.Options{Script: func(r modeltest.Request) modeltest.Reply { return modeltest.Reply{Text: r.Messages[0].Text} }})
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			request := question()
			request.Messages[0].Text = fmt.Sprintf("number %d", i)
			var h heard
			if i%2 == 0 {
				request.OnText = h.listen
			}
			answer, err := b.ask(request)
			if err != nil || answer.Text != request.Messages[0].Text {
				t.Errorf("%q was answered with %q: %v", request.Messages[0].Text, answer.Text, err)
			}
		})
	}
	group.Wait()
}

func unreachable(t testing.TB, s Suite) {
	server := modeltest.NewServer(modeltest.Options{})
	url := server.BaseURL(s.Protocol)
	server.Close()
	driver := s.New(t, url)
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	_, err := driver.Generate(ctx, question())
	failure := wantKind(t, err, models.KindNetwork)
	if failure != nil && failure.Unsure != 0 {
		t.Errorf("%d attempts may be paid for, and none was sent", failure.Unsure)
	}
}

// wantKind checks a failure and returns it.
func wantKind(t testing.TB, err error, kinds ...models.Kind) *models.Error {
	t.Helper()
	if err == nil {
		t.Errorf("there is an answer, want a failure of %v", kinds)
		return nil
	}
	failure, ok := errors.AsType[*models.Error](err)
	switch {
	case !ok:
		t.Errorf("the failure is a %T and not an *Error: %v", err, err)
	case !slices.Contains(kinds, failure.Kind):
		t.Errorf("the failure is %q, want one of %v: %v", failure.Kind, kinds, err)
	}
	return failure
}
