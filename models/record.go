package models

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxRecorded bounds, in bytes, what is kept of an answer.
const maxRecorded = 4 << 10

// Call is the record of one request for an answer, all its attempts together.
type Call struct {
	Purpose Purpose
	By      Identity
	// PromptHash is the SHA-256, in hexadecimal, of the request as it was
	// asked, and PromptBytes its size as JSON.
	PromptHash  string
	PromptBytes int
	Usage       Usage
	Cost        budget.Money
	Latency     time.Duration
	Attempts    int
	Outcome     string // "answered" or a Kind
	Error       string // in plain words
	Answer      string // redacted, at most 4 KB
}

// Answered is the outcome of a call that brought an answer.
const Answered = "answered"

// Recorder keeps the records of calls. It must not wait for long.
type Recorder interface {
	Record(ctx context.Context, call Call)
}

// RecordOptions configures NewRecord.
type RecordOptions struct {
	By       Identity
	Recorder Recorder // nil records nothing
	// Redact takes secrets out of what is recorded; nil records no text of an
	// answer.
	Redact func(string) string
	Now    func() time.Time // nil is time.Now
}

// NewRecord records every call, and says how long it took.
func NewRecord(inner Generator, options RecordOptions) Generator {
	options.Now = clock(options.Now)
	return &record{inner, options}
}

type record struct {
	inner Generator
	RecordOptions
}

var _ Generator = (*record)(nil)

// Generate implements Generator.
func (r *record) Generate(ctx context.Context, request Request) (Answer, error) {
	start := r.Now()
	answer, err := r.inner.Generate(ctx, request)
	answer.Latency = r.Now().Sub(start)
	if r.Recorder == nil {
		return answer, err
	}
	call := Call{Purpose: request.Purpose, By: r.By, Usage: answer.Usage, Cost: answer.Cost, Latency: answer.Latency,
		Attempts: answer.Attempts, Outcome: Answered}
	call.PromptHash, call.PromptBytes = hashRequest(request)
	if err != nil {
		failure := asError(err, r.By)
		call.Outcome, call.Error = string(failure.Kind), r.text(failure.Text)
		call.Usage, call.Cost, call.Attempts = failure.Usage, failure.Cost, failure.Attempts
	} else {
		call.Answer = r.text(answered(answer))
	}
	r.Recorder.Record(context.WithoutCancel(ctx), call)
	return answer, err
}

// text redacts before it cuts: a secret that is cut in two is none that can be
// found. What is far over the bound is cut to it first, with the room of the
// longest secret beyond.
func (r *record) text(text string) string {
	if r.Redact == nil {
		return ""
	}
	return subconscious.Clip(r.Redact(subconscious.Clip(text, 4*maxRecorded)), maxRecorded)
}

// answered is an answer as text, with the calls of tools in it.
func answered(answer Answer) string {
	text := answer.Text
	for _, call := range answer.Calls {
		if text != "" {
			text += "\n"
		}
		text += call.Name + " " + string(call.Arguments)
	}
	return text
}
