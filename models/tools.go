package models

import (
	"context"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

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
