package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
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
	// Cut: of an answer that its bound cut, what is whole counts, with the last words
	// as far as they came.
	Cut bool
	// Redact takes secrets out of excerpts in errors; nil is redact.Text.
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

// Bounds of a conversation.
const (
	toolCalls   = 4        // where MaxCalls is 0
	maxResult   = 64 << 10 // bytes of a tool's result
	maxExcerpt  = 200      // bytes of an answer in an error
	maxReplayed = 16 << 10 // bytes of a bad answer that the model is shown again
)

// Converse asks a model until it has answered: it runs the tools that the model
// asks for, finds the JSON in its answer, and holds it against the schema and
// Check. An answer that fails is sent back once, with what was wrong with it.
//
// An error is an *Error. The reply is filled in as far as it came in any case:
// what was spent is in it, and not in the error.
func Converse(ctx context.Context, generator Generator, request Request, options ConverseOptions) (Reply, error) {
	c := &conversation{generator: generator, request: request, options: options, reply: Reply{Usage: Usage{Known: true}}}
	if options.MaxCalls <= 0 {
		c.options.MaxCalls = toolCalls
	}
	if options.Redact == nil {
		c.options.Redact = redact.Text
	}
	if request.Schema != nil {
		shape, err := newShape(*request.Schema)
		if err != nil {
			return c.reply, &Error{Kind: KindRequest, Text: line(err.Error(), maxWords), Err: err}
		}
		c.shape = shape
	}
	c.request.Messages = slices.Clone(request.Messages)
	err := c.run(ctx)
	c.tell(err)
	return c.reply, err
}

// tell lets the model's health know whether its answer was of use.
func (c *conversation) tell(err error) {
	judge := c.reply.Answer.Judge
	if judge == nil {
		return
	}
	if err == nil {
		judge(nil)
		return
	}
	if failure := asError(err, c.reply.Answer.By); failure.Kind == KindAnswer && failure.Attempts == 0 {
		judge(failure)
	}
}

// conversation is one on its way.
type conversation struct {
	generator Generator
	request   Request
	options   ConverseOptions
	shape     *shape // nil where the answer is free
	reply     Reply
}

func (c *conversation) run(ctx context.Context) error {
	if err := c.useTools(ctx); err != nil {
		return err
	}
	wrong := c.judge()
	if wrong == nil {
		return nil
	}
	first := c.failed(wrong)
	if c.shape == nil {
		return first
	}
	c.reply.Failures = append(c.reply.Failures, first.Text)
	c.reply.Retried = true
	c.askAgain(wrong)
	if err := c.ask(ctx); err != nil {
		return err
	}
	if wrong = c.judge(); wrong != nil {
		failure := c.failed(wrong)
		failure.Text = "twice " + failure.Text
		return failure
	}
	return nil
}

// ask sends the request as it stands, and counts what it took.
func (c *conversation) ask(ctx context.Context) error {
	c.reply.Requests++
	answer, err := c.generator.Generate(ctx, c.request)
	if err != nil {
		failure := asError(err, Identity{})
		c.pass(failure.Passed)
		c.spend(failure.Usage, failure.Cost, failure.Unsure == 0)
		return failure
	}
	c.pass(answer.Passed)
	c.spend(answer.Usage, answer.Cost, answer.Usage.Known && answer.Unsure == 0)
	c.reply.Answer = answer
	if answer.Stop == "refused" {
		return &Error{Kind: KindRefused, By: answer.By, Text: strings.TrimSuffix("it declines to answer: "+c.excerpt(answer.Text), ": ")}
	}
	return nil
}

// pass counts models that were asked and did not answer.
func (c *conversation) pass(passed []*Error) {
	for _, failure := range passed {
		c.reply.Failures = append(c.reply.Failures, failure.Error())
		c.spend(failure.Usage, failure.Cost, failure.Unsure == 0)
	}
}

func (c *conversation) spend(usage Usage, cost budget.Money, known bool) {
	usage.Known = known
	c.reply.Usage = c.reply.Usage.Plus(usage)
	c.reply.Cost = plus(c.reply.Cost, cost)
}

// judge takes the JSON out of the last answer; an error says what is wrong, in
// words for the model.
func (c *conversation) judge() error {
	text := c.reply.Answer.Text
	if c.shape == nil {
		if text == "" {
			return errEmpty
		}
		return nil
	}
	err := c.accept(text)
	if err == nil || c.reply.Answer.Stop != StopLength {
		return err
	}
	if whole := text[:strings.LastIndexByte(text, '}')+1]; c.options.Cut && (c.accept(text+`"`) == nil || c.accept(whole) == nil) {
		return nil
	}
	return fmt.Errorf("it was cut at %d tokens: %w", c.request.MaxTokens, err)
}

// accept takes the answer out of a text.
func (c *conversation) accept(text string) error {
	object, repaired, err := Extract(text)
	if err != nil {
		return err
	}
	if object, err = c.shape.check(object); err != nil {
		return err
	}
	if c.options.Check != nil {
		if err := c.options.Check(object); err != nil {
			return err
		}
	}
	c.reply.JSON, c.reply.Repaired = object, repaired
	if repaired && c.reply.Answer.Stop == "length" {
		c.reply.Failures = append(c.reply.Failures, fmt.Sprintf("its answer was cut at %d tokens, and counts as far as it came", c.request.MaxTokens))
	}
	return nil
}

// askAgain shows the model its answer and what is wrong with it.
func (c *conversation) askAgain(wrong error) {
	messages := withoutTools(c.request.Messages)
	if text := c.reply.Answer.Text; text != "" {
		messages = append(messages, Message{Role: Assistant, Text: subconscious.Clip(text, maxReplayed)})
	}
	c.request.Messages = say(messages, "Your answer cannot be used: "+line(wrong.Error(), maxWords)+
		". Answer again, with one JSON object that fits the schema and nothing else: no words before or behind it, no fence, no thoughts.")
	c.request.Tools = nil
}

// failed is the error for an answer that cannot be used.
func (c *conversation) failed(wrong error) *Error {
	failure := &Error{Kind: KindAnswer, By: c.reply.Answer.By, Err: wrong,
		Text: "its answer cannot be used: " + c.options.Redact(line(wrong.Error(), maxWords))}
	if text := c.reply.Answer.Text; text != "" {
		failure.Text += "; it begins: " + c.excerpt(text)
	}
	if c.reply.Answer.Stop == "length" {
		failure.Next = "raise max_tokens of the role"
	}
	return failure
}

// excerpt is the beginning of an answer, without secrets.
func (c *conversation) excerpt(text string) string {
	return line(c.options.Redact(subconscious.Clip(text, 4*maxExcerpt)), maxExcerpt)
}

// maxAsked is how many tools an answer may ask for at once, those that are not
// run included.
const maxAsked = 64

// useTools asks, and runs the tools that are asked for, until there is an
// answer. Where no more calls are allowed, the model is asked a last time
// without tools.
func (c *conversation) useTools(ctx context.Context) error {
	if c.options.Tools != nil {
		c.request.Tools = c.options.Tools.Tools()
	}
	for {
		if err := c.ask(ctx); err != nil {
			return err
		}
		calls := c.reply.Answer.Calls
		if len(calls) == 0 || len(c.request.Tools) == 0 {
			return nil
		}
		if len(calls) > maxAsked {
			return &Error{Kind: KindAnswer, By: c.reply.Answer.By, Text: fmt.Sprintf("its answer cannot be used: it asks for %d tools at once", len(calls))}
		}
		c.request.Messages = append(c.request.Messages, Message{Role: Assistant,
			Text: c.reply.Answer.Text, Calls: calls, Opaque: c.reply.Answer.Opaque})
		for _, call := range calls {
			result := c.runTool(ctx, call)
			if ctx.Err() != nil {
				return ended(ctx, c.reply.Answer.By)
			}
			c.request.Messages = append(c.request.Messages, Message{Role: ToolRole, CallID: call.ID, Text: result})
		}
		if c.reply.ToolCalls >= c.options.MaxCalls {
			c.request.Messages = say(withoutTools(c.request.Messages), "There are no more tools. Answer now, with what you have.")
			c.request.Tools = nil
		}
	}
}

// runTool runs one tool and returns what the model is told.
func (c *conversation) runTool(ctx context.Context, call ToolCall) string {
	if c.reply.ToolCalls >= c.options.MaxCalls {
		return fmt.Sprintf("error: not run, %d calls of tools are allowed; answer with what you have", c.options.MaxCalls)
	}
	c.reply.ToolCalls++
	result, err := callTool(ctx, c.options.Tools, call)
	if err != nil {
		text := line(c.options.Redact(err.Error()), maxWords)
		c.reply.Failures = append(c.reply.Failures, "tool "+line(call.Name, 80)+": "+text)
		return "error: " + text
	}
	return subconscious.Clip(result, maxResult)
}

// callTool contains what a tool may do.
func callTool(ctx context.Context, tools Toolbox, call ToolCall) (result string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = errors.New("the tool failed, by a fault in this program")
		}
	}()
	return tools.Call(ctx, call)
}

// withoutTools returns messages in which the use of tools is told in words:
// some providers refuse calls in messages where no tools are described.
func withoutTools(messages []Message) []Message {
	told := make([]Message, 0, len(messages)+2)
	for _, m := range messages {
		switch {
		case m.Role == ToolRole:
			told = say(told, "[result of a tool]\n"+m.Text)
		case len(m.Calls) > 0:
			for _, call := range m.Calls {
				if m.Text != "" {
					m.Text += "\n"
				}
				m.Text += "[asked for the tool " + call.Name + " " + string(call.Arguments) + "]"
			}
			told = append(told, Message{Role: m.Role, Text: m.Text})
		default:
			told = append(told, m)
		}
	}
	return told
}

// say appends what the user says, to the user's own last message if nobody
// spoke since: some providers want turns.
func say(messages []Message, text string) []Message {
	if last := len(messages) - 1; last >= 0 && messages[last].Role == User && !messages[last].Kept {
		messages[last].Text += "\n\n" + text
		return messages
	}
	return append(messages, Message{Role: User, Text: text})
}

// ended says why a conversation goes on no more.
func ended(ctx context.Context, by Identity) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, By: by, Text: "its tools took all the time there was", Err: ctx.Err()}
	}
	return &Error{Kind: KindCancelled, By: by, Text: "it was asked for no more", Err: ctx.Err()}
}
