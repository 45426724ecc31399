// Package models asks models, for answers and for vectors: one interface over all
// providers, and the decorators that every call passes, from the outside in:
// record, redact (for remote models), breaker, retry, budget, timeout, verify.
// Stack puts them together, Fallbacks stands before the stacks of a role, and
// Converse holds a conversation over it: tools, and an answer of the right shape.
//
// Config, Vendors, Presets and Resolve say which model each role has; Config.Rate
// what it costs.
//
// A Roster has the model of each role ready to be asked: it fetches keys, makes
// drivers, puts the decorators around them, and knows how all of them do. The
// daemon opens one and hands its roles to threads, deliberation and chat.
//
// It stores nothing. Drivers live in folders of their own; what they share, how a
// request is sent above all, is in DriverOptions.
package models

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
)

// Generator answers requests. Implementations may be called by any number of
// goroutines.
type Generator interface {
	// Generate answers one request. A failure is an *Error; what the call used
	// nevertheless is in it.
	Generate(ctx context.Context, request Request) (Answer, error)
}

// GeneratorFunc is a function that answers requests.
type GeneratorFunc func(ctx context.Context, request Request) (Answer, error)

var _ Generator = GeneratorFunc(nil)

// Generate implements Generator.
func (f GeneratorFunc) Generate(ctx context.Context, request Request) (Answer, error) {
	return f(ctx, request)
}

// Embedder turns texts into vectors.
type Embedder interface {
	// Embed returns one vector for each text, in order, all of one dimension.
	Embed(ctx context.Context, purpose Purpose, texts []string) (Answer, error)
}

// Driver is a Generator for one model of one provider.
type Driver interface {
	Generator
	Identity() Identity
}

// Identity says which model it is.
type Identity struct {
	Provider string // the configured id
	Model    string
	// Local: it costs nothing and is given plain text.
	Local bool
}

// String returns "groq/llama-3.3-70b-versatile".
func (i Identity) String() string { return i.Provider + "/" + i.Model }

// Purpose says what a call is for. Decorators read it, drivers do not.
type Purpose struct {
	Role string    // watcher, chat, deliberation, …
	Tick int64     // 0 outside a tick
	At   time.Time // in the mind's zone
	// Exploration: it counts against the exploration allowance.
	Exploration bool
}

// Request is one question to a model. Its JSON is what its size and its hash are
// of.
type Request struct {
	Purpose Purpose `json:"-"`
	// Texts, where there are some, are to be turned into vectors; of the rest
	// only Purpose and MaxTokens count then.
	Texts []string `json:",omitempty"`
	// System is what the model is told about its task: the same at each call,
	// so that providers can keep it.
	System   string `json:",omitempty"`
	Messages []Message
	Tools    []Tool `json:",omitempty"`
	// Schema is the shape of the answer; nil leaves it free. Drivers enforce
	// it where the provider can; Converse checks it always.
	Schema *Schema `json:",omitempty"`
	// MaxTokens is the most it may give out, thinking included; at least 1.
	MaxTokens int
	// Temperature nil leaves it to the provider.
	Temperature *float64 `json:",omitempty"`
	// Thinking is how many of MaxTokens it may think; 0 asks for none.
	Thinking int `json:",omitempty"`
	// OnText, if set, is told of the answer's text as it arrives; the call is
	// then streamed. It is called by one goroutine, and after Generate has
	// returned no more. What it was told of may belong to an attempt that
	// failed in the end.
	OnText func(delta string) `json:"-"`
}

// Schema is the shape of an answer.
type Schema struct {
	Name string          // a word, for providers that want one
	JSON json.RawMessage // JSON Schema of an object
}

// Who speaks in a message.
const (
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role string
	Text string `json:",omitempty"`
	// Calls are an assistant's requests; CallID says to which of them a tool's
	// message answers.
	Calls  []ToolCall `json:",omitempty"`
	CallID string     `json:",omitempty"`
	// Kept marks the end of what is the same at each call of this kind, for
	// providers that are told what to keep.
	Kept bool `json:"-"`
	// Opaque is what a driver wants back with an assistant's message, as it
	// was: signatures of thoughts.
	Opaque json.RawMessage `json:",omitempty"`
}

// Tool is something that a model may ask for.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage `json:",omitempty"` // JSON Schema of an object
}

// Schema is Parameters, or that of an object of nothing where there is none.
func (t Tool) Schema() json.RawMessage {
	if len(bytes.TrimSpace(t.Parameters)) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}

// ToolCall is a model's request for a tool.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage // as the model wrote them, maybe no JSON
}

// MarshalJSON implements json.Marshaler. Arguments that are no JSON are a text in
// it.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	if !json.Valid(c.Arguments) {
		c.Arguments, _ = json.Marshal(string(c.Arguments)) // a string can always be written
	}
	type plain ToolCall
	return json.Marshal(plain(c))
}

// Why an answer ended.
const (
	StopEnd     = "end"
	StopLength  = "length"
	StopTools   = "tools"
	StopRefused = "refused"
)

// Answer is what a model gave.
type Answer struct {
	Text  string
	Calls []ToolCall
	// Vectors has one for each of the request's Texts, all of one dimension.
	Vectors [][]float32
	// Stop says why it ended.
	Stop string
	// By is who answered: with fallbacks, not always the first.
	By     Identity
	Usage  Usage
	Opaque json.RawMessage // for Message.Opaque
	// Attempts counts requests sent for this answer. Unsure counts those of
	// them that failed and may nevertheless be paid for.
	Attempts, Unsure int
	// Cost is set by the budget's decorator; Latency is of all attempts.
	Cost    budget.Money
	Latency time.Duration
	// Passed are the failures of models that were asked before the one that
	// answered, in order.
	Passed []*Error
	// Judge, where it is set, is to be told once whether the answer was of use:
	// nil, or why not. Converse does so, and the model's health counts it.
	Judge func(*Error)
}

// Usage is what a call took, in tokens.
type Usage struct {
	// Input counts all that was taken in, Cached and Written included; Cached
	// was kept by the provider, Written was put there.
	Input, Cached, Written int
	// Output counts all that was given out, Thinking included.
	Output, Thinking int
	// Known: the provider said so. Else the worst case counts.
	Known bool
}

// Total is what counts against limits of tokens.
func (u Usage) Total() int { return u.Input + u.Output }

// Plus adds usages. The sum is known if both are.
func (u Usage) Plus(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Written: u.Written + v.Written,
		Output: u.Output + v.Output, Thinking: u.Thinking + v.Thinking, Known: u.Known && v.Known}
}
