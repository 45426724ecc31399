package models

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

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

// NewRedact keeps from a remote model what is not its business: secrets always,
// personal data as configured, which its answer gets back. It stands before all
// messages, results of tools and arguments of their calls. What the system
// prompt, the tools and the schema say is the program's own and is left as it
// is. In a stream of JSON, what is put back is not escaped; in the answer it is.
func NewRedact(inner Generator, options StackOptions) Generator {
	if options.Secrets == nil {
		options.Secrets = redact.Text
	}
	return GeneratorFunc(func(ctx context.Context, request Request) (Answer, error) {
		var mask Masker = nothing{}
		if options.Masker != nil {
			mask = options.Masker()
		}
		hide := func(text string) string { return mask.Mask(options.Secrets(text)) }
		if request.Texts != nil {
			request.Texts = slices.Clone(request.Texts)
			for i, text := range request.Texts { // placeholders of its own, so that its vector depends on nothing else
				if options.Masker != nil {
					mask = options.Masker()
				}
				request.Texts[i] = hide(text)
			}
			return inner.Generate(ctx, request)
		}
		request.Messages = hideAll(request.Messages, hide)
		var stream *restorer
		if request.OnText != nil {
			stream = &restorer{restore: mask.Restore, out: request.OnText}
			request.OnText = stream.write
		}
		answer, err := inner.Generate(ctx, request)
		if stream != nil {
			stream.close()
		}
		if err != nil {
			return answer, err
		}
		if request.Schema != nil {
			answer.Text = inStrings(answer.Text, mask.Restore, mask.Restore)
		} else {
			answer.Text = mask.Restore(answer.Text)
		}
		answer.Calls = changed(answer.Calls, mask.Restore)
		return answer, nil
	})
}

// hideAll returns the messages with hide applied to all that they say; the
// caller's own are left alone.
func hideAll(messages []Message, hide func(string) string) []Message {
	hidden := make([]Message, len(messages))
	for i, m := range messages {
		m.Text = hide(m.Text)
		m.Calls = changed(m.Calls, hide)
		hidden[i] = m
	}
	return hidden
}

// changed returns the calls with change applied to all strings in their arguments,
// so that what it writes is escaped; what is no JSON is changed as text.
func changed(calls []ToolCall, change func(string) string) []ToolCall {
	calls = slices.Clone(calls)
	for i, call := range calls {
		text := string(call.Arguments)
		if json.Valid(call.Arguments) {
			text = inStrings(text, nothing{}.Mask, change)
		} else {
			text = change(text)
		}
		calls[i].Arguments = json.RawMessage(text)
	}
	return calls
}

// nothing masks nothing.
type nothing struct{}

var _ Masker = nothing{}

func (nothing) Mask(text string) string    { return text }
func (nothing) Restore(text string) string { return text }

// What a placeholder may look like by the time it comes back. Models change
// brackets, and JSON escapes them: "<mail-1>", `\[mail-1\]`, `\u003cmail-1\u003e`.
const (
	// maskOpeners are bytes with which one may begin, maskClosers such with
	// which one ends, and which it does not have within.
	maskOpeners = "[(<{\\&\xe2\xe3"
	maskClosers = "])>}\n"
	// maskBytes is more than one has.
	maskBytes = 64
)

// restorer puts personal data back into a stream. It holds back the beginning
// of what may be a placeholder until it is whole, or cannot become one.
type restorer struct {
	restore func(string) string
	out     func(string)
	held    string
}

// write takes the next piece of the stream.
func (r *restorer) write(delta string) {
	text := r.held + delta
	cut := safe(text)
	r.held = text[cut:]
	r.emit(text[:cut])
}

// close gives out what is still held back: it was no placeholder.
func (r *restorer) close() {
	text := r.held
	r.held = ""
	r.emit(text)
}

func (r *restorer) emit(text string) {
	if text != "" {
		r.out(r.restore(text))
	}
}

// safe returns how much of text cannot be part of a placeholder of which the
// end is still to come.
func safe(text string) int {
	from := max(0, len(text)-maskBytes)
	from += strings.LastIndexAny(text[from:], maskClosers) + 1
	for i := from; i < len(text); i++ {
		if strings.IndexByte(maskOpeners, text[i]) >= 0 {
			return i
		}
	}
	return len(text)
}

// inStrings changes a text that has JSON in it: the strings, so that what is put
// into one is escaped for it, and what is between them.
func inStrings(text string, between, within func(string) string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(text, '"')
		end := -1
		if start >= 0 {
			end = stringEnd(text[start:])
		}
		if end < 0 {
			b.WriteString(between(text))
			return b.String()
		}
		b.WriteString(between(text[:start]))
		quoted, plain := text[start:start+end], ""
		if json.Unmarshal([]byte(quoted), &plain) != nil {
			quoted = within(quoted)
		} else if changed := within(plain); changed != plain {
			quoted = string(textOf(changed))
		}
		b.WriteString(quoted)
		text = text[start+end:]
	}
}
