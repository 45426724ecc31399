package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
)

const findings = `{"type":"object","additionalProperties":false,"required":["n"],
	"properties":{"n":{"type":"integer"},"note":{"type":"string"},"deep":{"type":"array","items":{"$ref":"#/$defs/d"}}},
	"$defs":{"d":{"type":"object","properties":{"x":{"type":"string","enum":["a","b"]},"y":{"type":["string","null"]}}}}}`

func shaped() models.Request {
	request := ask("how many?")
	request.System = "You count."
	request.Schema = &models.Schema{Name: "count", JSON: json.RawMessage(findings)}
	return request
}

// box has one tool, which says what it was called with.
type box struct {
	called []models.ToolCall
	err    error
	panics bool
}

func (b *box) Tools() []models.Tool {
	return []models.Tool{{Name: "look", Parameters: json.RawMessage(`{"type":"object"}`)}}
}

func (b *box) Call(_ context.Context, call models.ToolCall) (string, error) {
	b.called = append(b.called, call)
	if b.panics {
		panic("a fault")
	}
	return "seen " + string(call.Arguments), b.err
}

func readCall(id, arguments string) models.ToolCall {
	return models.ToolCall{ID: id, Name: "look", Arguments: json.RawMessage(arguments)}
}

func TestConverseAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		steps                    []step
		want                     string
		requests                 int
		repaired, retried, fails bool
	}{
		"at once":              {[]step{says(`{"n":3}`)}, `{"n":3}`, 1, false, false, false},
		"repaired":             {[]step{says("```\n{\"n\":3,}\n```")}, `{"n":3}`, 1, true, false, false},
		"with nulls for none":  {[]step{says(`{"n":3,"note":null,"deep":[{"x":null,"y":null}]}`)}, `{"deep":[{"y":null}],"n":3}`, 1, false, false, false},
		"at the second try":    {[]step{says("three"), says(`{"n":3}`)}, `{"n":3}`, 2, false, true, false},
		"of the wrong shape":   {[]step{says(`{"n":"three"}`), says(`{"n":3}`)}, `{"n":3}`, 2, false, true, false},
		"with a field more":    {[]step{says(`{"n":3,"m":4}`), says(`{"n":3}`)}, `{"n":3}`, 2, false, true, false},
		"refused by the check": {[]step{says(`{"n":13}`), says(`{"n":3}`)}, `{"n":3}`, 2, false, true, false},
		"never":                {[]step{says("three"), says("I said three"), says(`{"n":3}`)}, "", 2, false, true, true},
		"ambiguous":            {[]step{says(`{"n":3} {"n":4}`)}, "", 2, false, true, true},
		"with nothing":         {[]step{says("")}, "", 2, false, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := driver(groq, c.steps...)
			check := func(object json.RawMessage) error {
				if strings.Contains(string(object), "13") {
					return errors.New("n must not be 13")
				}
				return nil
			}
			reply, err := models.Converse(t.Context(), d, shaped(), models.ConverseOptions{Check: check})
			if (err != nil) != c.fails || string(reply.JSON) != c.want {
				t.Fatalf("Converse = %s, %v; want %s", reply.JSON, err, c.want)
			}
			if reply.Requests != c.requests || reply.Repaired != c.repaired || reply.Retried != c.retried {
				t.Errorf("requests %d, repaired %v, retried %v", reply.Requests, reply.Repaired, reply.Retried)
			}
			if want := (models.Usage{Input: 10 * c.requests, Output: 5 * c.requests, Known: true}); reply.Usage != want {
				t.Errorf("usage %+v, want %+v", reply.Usage, want)
			}
			if c.retried && len(reply.Failures) == 0 {
				t.Error("the first answer is not among the failures")
			}
			if c.fails && failure(t, err).Kind != models.KindAnswer {
				t.Errorf("kind %s", failure(t, err).Kind)
			}
		})
	}
}

func TestConverseSaysWhatWasWrong(t *testing.T) {
	d := driver(groq, says(`{"n":"`+key+`"}`))
	reply, err := models.Converse(t.Context(), d, shaped(), models.ConverseOptions{Redact: hideKey})
	failed := failure(t, err)
	for _, text := range append(reply.Failures, failed.Text) {
		if strings.Contains(text, key) || !strings.Contains(text, "n") || len(text) > 800 {
			t.Errorf("the failure shows a secret, or not what was wrong: %s", text)
		}
	}
	second := d.requests()[1]
	last := second.Messages[len(second.Messages)-1]
	if last.Role != models.User || !strings.Contains(last.Text, "schema") || !strings.Contains(last.Text, "integer") {
		t.Errorf("the model was told %q", last.Text)
	}
}

func TestConverseRunsTools(t *testing.T) {
	b := &box{}
	d := driver(groq, calls(readCall("1", `{"a":1}`), readCall("2", `{"a":2}`)), says(`{"n":2}`))
	reply, err := models.Converse(t.Context(), d, shaped(), models.ConverseOptions{Tools: b})
	if err != nil || string(reply.JSON) != `{"n":2}` || reply.ToolCalls != 2 || reply.Requests != 2 {
		t.Fatalf("Converse = %+v, %v", reply, err)
	}
	messages := d.requests()[1].Messages
	if len(messages) != 4 || messages[3].CallID != "2" || messages[3].Text != `seen {"a":2}` || len(messages[1].Calls) != 2 {
		t.Errorf("the second request has %+v", messages)
	}
}

func TestConverseEndsToolLoops(t *testing.T) {
	for name, c := range map[string]struct {
		box      *box
		each     int
		requests int
		ran      int
	}{
		"one a round":     {&box{}, 1, 5, 4},
		"three a round":   {&box{}, 3, 3, 4},
		"failing":         {&box{err: errors.New("no such file")}, 1, 5, 4},
		"panicking":       {&box{panics: true}, 1, 5, 4},
		"all in a sweep":  {&box{}, 9, 2, 4},
		"exactly at once": {&box{}, 4, 2, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var requests []models.ToolCall
			for i := range c.each {
				requests = append(requests, readCall(fmt.Sprint(i), `{}`))
			}
			d := driver(groq, func(ctx context.Context, request models.Request) (models.Answer, error) {
				if len(request.Tools) > 0 {
					return calls(requests...)(ctx, request)
				}
				return says(`{"n":1}`)(ctx, request)
			})
			reply, err := models.Converse(t.Context(), d, shaped(), models.ConverseOptions{Tools: c.box})
			if err != nil || reply.Requests != c.requests || reply.ToolCalls != c.ran || len(c.box.called) != c.ran {
				t.Fatalf("requests %d, calls %d, run %d, %v", reply.Requests, reply.ToolCalls, len(c.box.called), err)
			}
			asked := d.requests()
			for i, m := range asked[len(asked)-1].Messages {
				if len(m.Calls) > 0 || m.Role == models.ToolRole {
					t.Errorf("message %d of the last request has calls of tools, and the request no tools", i)
				}
				if i > 0 && m.Role == asked[len(asked)-1].Messages[i-1].Role {
					t.Errorf("messages %d and %d are both of %s", i-1, i, m.Role)
				}
			}
			if (c.box.err != nil || c.box.panics) && len(reply.Failures) != c.ran {
				t.Errorf("failures: %q", reply.Failures)
			}
		})
	}
}

func TestConverseThatNeverStopsAskingForTools(t *testing.T) {
	d := driver(groq, calls(readCall("1", `not JSON`)))
	reply, err := models.Converse(t.Context(), d, shaped(), models.ConverseOptions{Tools: &box{}, MaxCalls: 1})
	if failure(t, err).Kind != models.KindAnswer || reply.Requests != 3 || reply.ToolCalls != 1 {
		t.Errorf("Converse = %+v, %v", reply, err)
	}
}

func TestConversePassesFailuresOn(t *testing.T) {
	passed := []*models.Error{{Kind: models.KindRate, By: groq, Text: "too many", Usage: models.Usage{Input: 3, Known: true}, Cost: 7}}
	d := driver(local, func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Text: `{"n":1}`, Cost: 5, Passed: passed, Usage: models.Usage{Input: 1, Known: true}}, nil
	})
	reply, err := models.Converse(t.Context(), d, shaped(), models.ConverseOptions{})
	if err != nil || reply.Cost != 12 || reply.Usage.Input != 4 || len(reply.Failures) != 1 || !strings.Contains(reply.Failures[0], "groq/llama: too many") {
		t.Errorf("Converse = %+v, %v", reply, err)
	}
	d = driver(local, failsWith(models.Error{Kind: models.KindServer, Text: "down", Cost: 5, Passed: passed}))
	reply, err = models.Converse(t.Context(), d, shaped(), models.ConverseOptions{})
	if failure(t, err).Kind != models.KindServer || reply.Cost != 12 || reply.Requests != 1 {
		t.Errorf("Converse = %+v, %v", reply, err)
	}
}

func TestConverseWithoutSchema(t *testing.T) {
	reply, err := models.Converse(t.Context(), driver(groq, says("hello")), ask("hi"), models.ConverseOptions{})
	if err != nil || reply.Answer.Text != "hello" || reply.JSON != nil {
		t.Errorf("Converse = %+v, %v", reply, err)
	}
	_, err = models.Converse(t.Context(), driver(groq, says("")), ask("hi"), models.ConverseOptions{})
	if failure(t, err).Kind != models.KindAnswer {
		t.Errorf("nothing is an answer: %v", err)
	}
	refused := driver(groq, func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Text: "I cannot help with that", Stop: "refused"}, nil
	})
	_, err = models.Converse(t.Context(), refused, shaped(), models.ConverseOptions{})
	if failure(t, err).Kind != models.KindRefused || len(refused.requests()) != 1 {
		t.Errorf("a refusal is %v", err)
	}
	bad := ask("hi")
	bad.Schema = &models.Schema{JSON: json.RawMessage(`{"type":5}`)}
	_, err = models.Converse(t.Context(), driver(groq, says("{}")), bad, models.ConverseOptions{})
	if failure(t, err).Kind != models.KindRequest {
		t.Errorf("a broken schema is %v", err)
	}
}

func TestConverseSaysThatAnAnswerWasCut(t *testing.T) {
	cut := func(text string) step {
		return func(context.Context, models.Request) (models.Answer, error) {
			return models.Answer{Text: text, Stop: "length"}, nil
		}
	}
	reply, err := models.Converse(t.Context(), driver(groq, cut(`{"n":1,"deep":[{"x":"a"}`)), shaped(), models.ConverseOptions{})
	if err != nil || string(reply.JSON) != `{"deep":[{"x":"a"}],"n":1}` || len(reply.Failures) != 1 || !strings.Contains(reply.Failures[0], "100 tokens") {
		t.Errorf("%+v, %v", reply, err)
	}
	_, err = models.Converse(t.Context(), driver(groq, cut(`{"n":1,"note":"the di`)), shaped(), models.ConverseOptions{})
	if e := failure(t, err); e.Kind != models.KindAnswer || !strings.Contains(e.Next, "max_tokens") || !strings.Contains(e.Text, "100 tokens") {
		t.Errorf("%+v", e)
	}
}

func TestConverseLeavesTheRequestAlone(t *testing.T) {
	request := shaped()
	request.Messages = append(make([]models.Message, 0, 10), request.Messages...)
	d := driver(groq, calls(readCall("1", "{}")), says("x"), says(`{"n":1}`))
	if _, err := models.Converse(t.Context(), d, request, models.ConverseOptions{Tools: &box{}}); err != nil {
		t.Fatal(err)
	}
	if len(request.Messages) != 1 || request.Messages[0].Text != "how many?" || request.Messages[:2][1].Text != "" {
		t.Errorf("the caller's messages are %+v", request.Messages[:2])
	}
}

// TestConverseBoundsRequests: an answer that asks for tools without end is given
// up, and none of them is run.
func TestConverseBoundsRequests(t *testing.T) {
	many := make([]models.ToolCall, 100_000)
	for i := range many {
		many[i] = readCall("1", "{}")
	}
	for n, requests := range map[int]int{64: 2, 65: 1, len(many): 1} {
		d := driver(groq, calls(many[:n]...), says(`{"n":1}`))
		b := &box{}
		reply, err := models.Converse(t.Context(), d, ask("x"), models.ConverseOptions{Tools: b})
		if len(d.requests()) != requests || reply.Requests != requests || (err != nil) != (requests == 1) {
			t.Errorf("%d calls: %d requests, %d tools run, %v", n, len(d.requests()), reply.ToolCalls, err)
		}
		if err != nil && (failure(t, err).Kind != models.KindAnswer || reply.ToolCalls != 0 || !reply.Usage.Known || reply.Usage.Input != 10) {
			t.Errorf("%d calls: %v, %+v", n, err, reply)
		}
	}
}
