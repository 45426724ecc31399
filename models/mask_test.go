package models_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/redact"
)

const (
	person = "anna.berg@example.org"
	key    = "Vq7mZx2LwR9tKpB4nYc8HdJs"
)

func masking() models.StackOptions {
	return models.StackOptions{Secrets: hideKey, Masker: func() models.Masker {
		return redact.NewMask(redact.MaskOptions{MailAddresses: true})
	}}
}

func hideKey(text string) string { return strings.ReplaceAll(text, key, "[redacted:key]") }

// pairs masks by a table.
type pairs []string

func (p pairs) Mask(text string) string { return strings.NewReplacer(p...).Replace(text) }

func (p pairs) Restore(text string) string {
	var back []string
	for i := 0; i < len(p); i += 2 {
		back = append(back, p[i+1], p[i], "<"+strings.Trim(p[i+1], "[]")+">", p[i])
	}
	return strings.NewReplacer(back...).Replace(text)
}

// everythingIn is all that a driver was given to send.
func everythingIn(t *testing.T, request models.Request) string {
	t.Helper()
	request.OnText = nil
	var b strings.Builder
	b.WriteString(request.System)
	for _, m := range request.Messages {
		b.WriteString(" " + m.Text)
		for _, c := range m.Calls {
			b.WriteString(" " + string(c.Arguments))
		}
	}
	return b.String()
}

func TestRedactKeepsFromARemoteModelWhatIsNotItsBusiness(t *testing.T) {
	arguments, _ := json.Marshal(map[string]any{"who": person, "key": key, person: []any{1.5, person}})
	request := models.Request{MaxTokens: 10, System: "You help.", Messages: []models.Message{
		{Role: models.User, Text: "Write to " + person + " with " + key},
		{Role: models.Assistant, Text: "To " + person + "?", Calls: []models.ToolCall{{ID: "1", Name: "send", Arguments: arguments}}},
		{Role: models.ToolRole, CallID: "1", Text: person + " has " + key},
		{Role: models.Assistant, Calls: []models.ToolCall{{ID: "2", Name: "send", Arguments: json.RawMessage("not JSON: " + person)}}},
	}}
	d := driver(groq, says("Sent to [mail-1]."))
	answer, err := models.NewRedact(d, masking()).Generate(t.Context(), request)
	if err != nil || answer.Text != "Sent to "+person+"." {
		t.Fatalf("%q, %v", answer.Text, err)
	}
	sent := everythingIn(t, d.requests()[0])
	for _, private := range []string{person, "anna", key, key[5:15]} {
		if strings.Contains(sent, private) {
			t.Errorf("%q was sent: %s", private, sent)
		}
	}
	if !strings.Contains(sent, "[mail-1]") || !strings.Contains(sent, "[redacted:") || !strings.Contains(sent, "1.5") {
		t.Errorf("sent: %s", sent)
	}
	if !strings.Contains(request.Messages[0].Text, person) || !strings.Contains(string(request.Messages[1].Calls[0].Arguments), person) {
		t.Error("the caller's request was changed")
	}
}

func TestRedactRestoresWithinJSON(t *testing.T) {
	request := ask(`What does Anna "Bear" Berg want? Mail ` + person)
	request.Schema = &models.Schema{Name: "x", JSON: json.RawMessage(`{"type":"object"}`)}
	d := driver(groq, func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{
			Text:  "```json\n" + `{"who":"[name-1]","at":"\u003cmail-1\u003e", "said": "\"[name-1]\""}` + "\n``` for [mail-1]",
			Calls: []models.ToolCall{readCall("1", `{"q":"[name-1]","n":1.50,"[mail-1]":true}`), readCall("2", `broken [mail-1]`), readCall("3", "")},
		}, nil
	})
	options := models.StackOptions{Masker: func() models.Masker { return pairs{person, "[mail-1]", `Anna "Bear" Berg`, "[name-1]"} }}
	answer, err := models.NewRedact(d, options).Generate(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	object, _, err := models.Extract(answer.Text)
	want := `{"at":"anna.berg@example.org","said":"\"Anna \"Bear\" Berg\"","who":"Anna \"Bear\" Berg"}`
	if err != nil || string(object) != want {
		t.Errorf("the answer %s is %s, %v", answer.Text, object, err)
	}
	if !strings.HasSuffix(answer.Text, "for "+person) {
		t.Errorf("the words behind are %q", answer.Text)
	}
	for i, want := range []string{`{"q":"Anna \"Bear\" Berg","n":1.50,"` + person + `":true}`, "broken " + person, ""} {
		if got := string(answer.Calls[i].Arguments); got != want {
			t.Errorf("call %d has %s, want %s", i, got, want)
		}
	}
}

// stream answers with pieces, and tells of them.
func stream(pieces ...string) step {
	return func(_ context.Context, request models.Request) (models.Answer, error) {
		for _, piece := range pieces {
			request.OnText(piece)
		}
		return models.Answer{Text: strings.Join(pieces, "")}, nil
	}
}

func TestRedactRestoresStreams(t *testing.T) {
	for name, c := range map[string]struct{ pieces, want []string }{
		"whole":               {[]string{"to [mail-1] now"}, []string{"to " + person + " now"}},
		"cut in two":          {[]string{"to [ma", "il-1] now"}, []string{"to ", person + " now"}},
		"one byte at a time":  {strings.Split("a [mail-1]!", ""), []string{"a", " ", person, "!"}},
		"other brackets":      {[]string{"a <mail", "-1>", ` \[mail-`, `1\`, `]`}, []string{"a ", person, " ", person}},
		"none at the end":     {[]string{"a [mail"}, []string{"a ", "[mail"}},
		"a list":              {[]string{"[1", ", 2] ", "x"}, []string{"[1, 2] ", "x"}},
		"not one of them":     {[]string{"[mail-9", "]"}, []string{"[mail-9]"}},
		"nested":              {[]string{"([mail", "-1])"}, []string{"(" + person + ")"}},
		"too long to be one":  {[]string{"[" + strings.Repeat("x", 80)}, []string{"[" + strings.Repeat("x", 80)}},
		"behind another":      {[]string{"(x) [mail-", "1]"}, []string{"(x) ", person}},
		"nothing in a piece":  {[]string{"", "a", ""}, []string{"a"}},
		"before another line": {[]string{"[\n", "b"}, []string{"[\n", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			request := ask("write to " + person)
			request.OnText = func(delta string) { got = append(got, delta) }
			answer, err := models.NewRedact(driver(groq, stream(c.pieces...)), masking()).Generate(t.Context(), request)
			if err != nil || strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
			if answer.Text != strings.Join(c.want, "") {
				t.Errorf("the answer is %q", answer.Text)
			}
		})
	}
}

// However an answer is cut into pieces, the stream is the restored answer.
func FuzzRedactStream(f *testing.F) {
	f.Add("to [mail-1], <mail-1>!", []byte{3, 1, 2})
	f.Add(`x\[mail-1\]&lt;mail-1&gt;⟨mail-1⟩`, []byte{1})
	f.Add(`{"a":"\u003cmail-1\u003e"}`, []byte{7})
	f.Add("([{<mail-1>}]) [ mail-1 ] 【MAIL_1】", []byte{1, 9})
	f.Add("\xe2[mail-1]\xe3\x80", []byte{2})
	f.Fuzz(func(t *testing.T, text string, cuts []byte) {
		var pieces []string
		rest := text
		for i := 0; rest != ""; i++ {
			n := len(rest)
			if len(cuts) > 0 {
				n = min(n, int(cuts[i%len(cuts)])+1)
			}
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		var got strings.Builder
		request := ask("write to " + person)
		request.OnText = func(delta string) { got.WriteString(delta) }
		answer, err := models.NewRedact(driver(groq, stream(pieces...)), masking()).Generate(context.Background(), request)
		if err != nil || got.String() != answer.Text {
			t.Errorf("in pieces %q it is %q, whole %q, %v", pieces, got.String(), answer.Text, err)
		}
	})
}

func TestRedactPassesFailuresOn(t *testing.T) {
	var got []string
	request := ask("x")
	request.OnText = func(delta string) { got = append(got, delta) }
	d := driver(groq, func(ctx context.Context, r models.Request) (models.Answer, error) {
		r.OnText("a [b")
		return fails(models.KindCut)(ctx, r)
	})
	_, err := models.NewRedact(d, masking()).Generate(t.Context(), request)
	if failure(t, err).Kind != models.KindCut || strings.Join(got, "") != "a [b" {
		t.Errorf("%q, %v", got, err)
	}
	answer, err := models.NewRedact(driver(groq, says("x [mail-1]")), models.StackOptions{}).Generate(t.Context(), ask(person))
	if err != nil || answer.Text != "x [mail-1]" {
		t.Errorf("without options: %q, %v", answer.Text, err)
	}
}
