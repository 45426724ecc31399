package models

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/subconsciousd/subconsciousd/redact"
)

// Masker puts placeholders in place of personal data, and puts the data back.
// It remembers one call; redact.NewMask makes one.
type Masker interface {
	// Mask replaces personal data by placeholders.
	Mask(text string) string
	// Restore puts back what Mask replaced. A placeholder is in brackets of any
	// kind and has at most 64 bytes, so that a stream can hold back one that is
	// cut in two.
	Restore(text string) string
}

// RedactOptions configures NewRedact.
type RedactOptions struct {
	// Secrets takes secrets out of text for good; nil is redact.Text.
	Secrets func(string) string
	// Masker returns a new Masker for each call; nil masks nothing.
	Masker func() Masker
}

// NewRedact keeps from a remote model what is not its business: secrets always,
// personal data as configured, which its answer gets back. It stands before all
// messages, results of tools and arguments of their calls. What the system
// prompt, the tools and the schema say is the program's own and is left as it
// is. In a stream of JSON, what is put back is not escaped; in the answer it is.
func NewRedact(inner Generator, options RedactOptions) Generator {
	if options.Secrets == nil {
		options.Secrets = redact.Text
	}
	return &redactor{inner, options}
}

type redactor struct {
	inner Generator
	RedactOptions
}

var _ Generator = (*redactor)(nil)

// Generate implements Generator.
func (r *redactor) Generate(ctx context.Context, request Request) (Answer, error) {
	var mask Masker = nothing{}
	if r.Masker != nil {
		mask = r.Masker()
	}
	hide := func(text string) string { return mask.Mask(r.Secrets(text)) }
	request.Messages = hideAll(request.Messages, hide)
	var stream *restorer
	if request.OnText != nil {
		stream = &restorer{restore: mask.Restore, out: request.OnText}
		request.OnText = stream.write
	}
	answer, err := r.inner.Generate(ctx, request)
	if stream != nil {
		stream.close()
	}
	if err != nil {
		return answer, err
	}
	if request.Schema != nil {
		answer.Text = restoreJSON(answer.Text, mask.Restore)
	} else {
		answer.Text = mask.Restore(answer.Text)
	}
	calls := make([]ToolCall, len(answer.Calls))
	for i, call := range answer.Calls {
		call.Arguments = onStrings(call.Arguments, mask.Restore)
		calls[i] = call
	}
	if len(calls) > 0 {
		answer.Calls = calls
	}
	return answer, nil
}

// hideAll returns the messages with hide applied to all that they say; the
// caller's own are left alone.
func hideAll(messages []Message, hide func(string) string) []Message {
	hidden := make([]Message, len(messages))
	for i, m := range messages {
		m.Text = hide(m.Text)
		if len(m.Calls) > 0 {
			calls := make([]ToolCall, len(m.Calls))
			for j, call := range m.Calls {
				call.Arguments = onStrings(call.Arguments, hide)
				calls[j] = call
			}
			m.Calls = calls
		}
		hidden[i] = m
	}
	return hidden
}

// onStrings applies change to all strings in JSON, so that what it writes is
// escaped; what is no JSON is changed as text.
func onStrings(arguments json.RawMessage, change func(string) string) json.RawMessage {
	if len(arguments) == 0 {
		return arguments
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return json.RawMessage(change(string(arguments)))
	}
	text, err := plainJSON(changeStrings(value, change))
	if err != nil {
		return json.RawMessage(change(string(arguments)))
	}
	return text
}

func changeStrings(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = changeStrings(v[i], change)
		}
	case map[string]any:
		changed := make(map[string]any, len(v))
		for key, item := range v {
			changed[change(key)] = changeStrings(item, change)
		}
		return changed
	}
	return value
}

// plainJSON encodes without escaping what only matters in a web page.
func plainJSON(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// nothing masks nothing.
type nothing struct{}

var _ Masker = nothing{}

func (nothing) Mask(text string) string    { return text }
func (nothing) Restore(text string) string { return text }
