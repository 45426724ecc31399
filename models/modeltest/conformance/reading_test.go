package conformance

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// reading puts an answer together.
type reading struct {
	driver   *small
	request  models.Request
	answer   models.Answer
	calls    map[int]*models.ToolCall
	thoughts []object
	ended    bool
	told     []string
}

func (r *reading) tell(text string) {
	r.answer.Text += text
	r.told = append(r.told, text)
	if f := r.driver.flaw; r.request.OnText != nil && f != mumbles && f != unpacking {
		r.request.OnText(text)
	}
}

func (r *reading) call(index int) *models.ToolCall {
	if r.calls == nil {
		r.calls = map[int]*models.ToolCall{}
	}
	if r.driver.flaw == muddles {
		index = 0
	}
	if r.calls[index] == nil {
		r.calls[index] = &models.ToolCall{}
	}
	return r.calls[index]
}

func (r *reading) finish() models.Answer {
	var order []int
	for index := range r.calls {
		order = append(order, index)
	}
	slices.Sort(order)
	for _, index := range order {
		call := *r.calls[index]
		if len(call.Arguments) == 0 {
			call.Arguments = json.RawMessage("{}")
		}
		r.answer.Calls = append(r.answer.Calls, call)
	}
	if len(r.thoughts) > 0 {
		r.answer.Opaque = json.RawMessage(compact(r.thoughts))
	}
	switch r.driver.flaw {
	case forgetsUsage:
		r.answer.Usage = models.Usage{}
	case inventsUsage:
		r.answer.Usage.Known = true
	case vain:
		r.answer.By = r.driver.Identity()
	case blunt:
		r.answer.Stop = "end"
	case mumbles:
		for _, text := range r.told[:max(0, len(r.told)-1)] {
			r.request.OnText(text)
		}
	case unpacking:
		if r.request.OnText != nil {
			r.request.OnText(r.answer.Text)
		}
	}
	return r.answer
}

var stops = map[string]string{
	"stop": "end", "length": "length", "tool_calls": "tools", "end_turn": "end", "max_tokens": "length", "tool_use": "tools", "refusal": "refused",
}

// smallUsage is usage in either protocol.
type smallUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Input   int `json:"input_tokens"`
	Output  int `json:"output_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Created int `json:"cache_creation_input_tokens"`
}

func (r *reading) usage(u *smallUsage) {
	if u == nil {
		return
	}
	if r.driver.protocol == modeltest.OpenAI {
		r.answer.Usage = models.Usage{Input: u.Prompt, Output: u.Completion, Cached: u.Details.Cached, Known: true}
		return
	}
	if input := u.Input + u.Read + u.Created; input > 0 {
		r.answer.Usage.Input, r.answer.Usage.Cached, r.answer.Usage.Written = input, u.Read, u.Created
	}
	r.answer.Usage.Output, r.answer.Usage.Known = u.Output, true
}

func (r *reading) model(name string) {
	if name != "" {
		r.answer.By.Model = name
	}
}

// smallBody is an answer, or an event of one, in either protocol.
type smallBody struct {
	Error   json.RawMessage `json:"error"`
	Model   string          `json:"model"`
	Usage   *smallUsage     `json:"usage"`
	Choices []struct {
		Message smallMessage `json:"message"`
		Delta   smallMessage `json:"delta"`
		Finish  string       `json:"finish_reason"`
	} `json:"choices"`
	Type    string          `json:"type"`
	Content []smallBlock    `json:"content"`
	Stop    string          `json:"stop_reason"`
	Message *smallBody      `json:"message"`
	Index   int             `json:"index"`
	Block   smallBlock      `json:"content_block"`
	Delta   json.RawMessage `json:"delta"`
}

type smallMessage struct {
	Content string       `json:"content"`
	Refusal string       `json:"refusal"`
	Calls   []openAICall `json:"tool_calls"`
}

type smallBlock struct {
	anthropicBlock
	Partial string `json:"partial_json"`
	Stop    string `json:"stop_reason"`
}

func (r *reading) plain(body io.Reader) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var in smallBody
	if json.Unmarshal(data, &in) != nil || in.Choices == nil && in.Type != "message" {
		if r.driver.flaw == accepting {
			r.answer.Text = string(data)
			return nil
		}
		return errShape
	}
	r.model(in.Model)
	r.usage(in.Usage)
	for _, choice := range in.Choices {
		r.message(choice.Message, choice.Finish)
	}
	for i, block := range in.Content {
		r.block(i, block.anthropicBlock)
	}
	if in.Stop != "" {
		r.answer.Stop = stops[in.Stop]
	}
	return nil
}

func (r *reading) message(m smallMessage, finish string) {
	if m.Content != "" {
		r.tell(m.Content)
	}
	for i, c := range m.Calls {
		if c.Index != nil {
			i = *c.Index
		}
		call := r.call(i)
		call.ID, call.Name = call.ID+c.ID, call.Name+c.Function.Name
		call.Arguments = append(call.Arguments, c.Function.Arguments...)
	}
	if finish != "" {
		if r.answer.Stop == "" {
			r.answer.Stop = stops[finish]
		}
	}
	if m.Refusal != "" {
		r.answer.Stop = "refused"
	}
}

func (r *reading) block(index int, b anthropicBlock) {
	switch b.Type {
	case "text":
		r.tell(b.Text)
	case "tool_use":
		call := r.call(index)
		call.ID, call.Name, call.Arguments = b.ID, b.Name, b.Input
	case "thinking":
		r.thoughts = append(r.thoughts, object{"type": "thinking", "thinking": b.Thinking, "signature": b.Signature})
	}
}

func (r *reading) stream(lines *bufio.Reader, kind string) error {
	if !strings.HasPrefix(kind, "text/event-stream") && r.driver.flaw != accepting {
		if strings.HasPrefix(kind, "application/json") {
			return errServer
		}
		return errShape
	}
	for !r.ended {
		line, err := lines.ReadString('\n')
		if err == io.EOF && (r.driver.flaw == believes || r.driver.flaw == accepting) {
			return nil
		}
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		data, found := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !found {
			continue
		}
		if data == "[DONE]" {
			return nil
		}
		var in smallBody
		if err := json.Unmarshal([]byte(data), &in); err != nil && r.driver.flaw != accepting {
			return errShape
		}
		if in.Error != nil {
			return errServer
		}
		r.event(in)
	}
	return nil
}

func (r *reading) event(in smallBody) {
	r.model(in.Model)
	r.usage(in.Usage)
	for _, choice := range in.Choices {
		r.message(choice.Delta, choice.Finish)
	}
	switch in.Type {
	case "message_start":
		r.model(in.Message.Model)
		r.usage(in.Message.Usage)
	case "content_block_start":
		in.Block.Input = nil
		if in.Block.Type != "text" {
			r.block(in.Index, in.Block.anthropicBlock)
		}
	case "content_block_delta":
		var delta smallBlock
		_ = json.Unmarshal(in.Delta, &delta) // checked with the event
		switch delta.Type {
		case "text_delta":
			r.tell(delta.Text)
		case "input_json_delta":
			call := r.call(in.Index)
			call.Arguments = append(call.Arguments, delta.Partial...)
		case "thinking_delta":
			last := r.thoughts[len(r.thoughts)-1]
			last["thinking"] = last["thinking"].(string) + delta.Thinking
		case "signature_delta":
			last := r.thoughts[len(r.thoughts)-1]
			last["signature"] = last["signature"].(string) + delta.Signature
		}
	case "message_delta":
		var delta smallBlock
		_ = json.Unmarshal(in.Delta, &delta) // checked with the event
		if r.answer.Stop == "" {
			r.answer.Stop = stops[delta.Stop]
		}
	case "message_stop":
		r.ended = true
	}
}
