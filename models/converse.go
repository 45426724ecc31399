package models

import (
	"context"
	"encoding/json"

	"github.com/subconsciousd/subconsciousd/budget"
)

// Toolbox has the tools that a model may use in a conversation.
type Toolbox interface {
	// Tools describes them.
	Tools() []Tool
	// Call runs one and returns what the model is told. An error is told to
	// the model, and ends nothing.
	Call(ctx context.Context, call ToolCall) (string, error)
}

// ConverseOptions configures Converse.
type ConverseOptions struct {
	Tools Toolbox // nil: none
	// MaxCalls bounds the calls of tools in all rounds together; 0 is 4.
	MaxCalls int
	// Check judges an answer that has the right shape; its error is told to
	// the model. nil takes all.
	Check func(json.RawMessage) error
	// Redact takes secrets out of excerpts in errors; nil leaves excerpts out.
	Redact func(string) string
}

// Reply is what a conversation came to.
type Reply struct {
	// JSON is the answer as one valid JSON object, where the request has a
	// schema; else it is nil, and Answer.Text counts.
	JSON   json.RawMessage
	Answer Answer // the last
	// Usage and Cost are of all requests, those that failed included.
	Usage     Usage
	Cost      budget.Money
	Requests  int // answers asked for, without retries inside
	ToolCalls int // calls of tools that were run
	// Repaired: the JSON had to be repaired. Retried: the model was told what
	// was wrong with its first answer.
	Repaired, Retried bool
	// Failures are calls and answers that failed, in plain words, also where
	// the reply is good.
	Failures []string
}
