package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// piece is an answer in one piece, or one chunk of a streamed one, with what
// vendors add to the protocol.
type piece struct {
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Groq    struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"x_groq"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      message `json:"message"`
	Delta        message `json:"delta"`
	FinishReason string  `json:"finish_reason"`
}

type message struct {
	Content   content `json:"content"`
	Refusal   string  `json:"refusal"`
	Thought   content `json:"reasoning_content"`
	Reasoning content `json:"reasoning"`
	ToolCalls []call  `json:"tool_calls"`
}

type call struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string  `json:"name"`
		Arguments content `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

// content is a text, or a list of parts with texts, or an object that should
// have been a text.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil {
		for _, part := range parts {
			if part.Type == "" || part.Type == "text" || part.Type == "output_text" {
				*c += content(part.Text)
			}
		}
		return nil
	}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '{' {
		*c = content(raw)
	}
	return nil
}

// read understands an answer in one piece.
func (d *Driver) read(body []byte) (models.Answer, error) {
	var p piece
	if err := json.Unmarshal(body, &p); err != nil {
		return models.Answer{}, fmt.Errorf("its JSON has another shape: %w", err)
	}
	var g gathered
	if err := g.add(p); err != nil {
		return models.Answer{Usage: g.usage}, err
	}
	if len(p.Choices) == 0 {
		return models.Answer{Usage: g.usage}, &models.Error{Kind: models.KindAnswer, Text: "its answer has no choice in it", Attempts: 1, Unsure: 1}
	}
	return d.answer(&g)
}

// maxCalls is how many tools an answer may ask for: each piece is held against
// all of them.
const maxCalls = 64

// gathered puts pieces together.
type gathered struct {
	model, finish          string
	text, thought, refusal strings.Builder
	calls                  []*gatheredCall
	usage                  models.Usage
}

type gatheredCall struct {
	index     int
	id, name  string
	arguments strings.Builder
	extra     json.RawMessage
}

// add takes one piece in.
func (g *gathered) add(p piece) error {
	if p.Model != "" {
		g.model = p.Model
	}
	for _, raw := range []json.RawMessage{p.Groq.Usage, p.Usage} {
		if usage := readUsage(raw); usage.Known {
			g.usage = usage
		}
	}
	if len(p.Error) > 0 && string(p.Error) != "null" {
		return models.Complaint(fmt.Appendf(nil, `{"error":%s}`, p.Error))
	}
	for _, c := range p.Choices {
		if c.Index != 0 {
			continue
		}
		for _, m := range []message{c.Message, c.Delta} {
			g.text.WriteString(string(m.Content))
			g.thought.WriteString(string(m.Thought + m.Reasoning))
			g.refusal.WriteString(m.Refusal)
			for i, call := range m.ToolCalls {
				if g.call(i, call); len(g.calls) > maxCalls {
					return &models.Error{Kind: models.KindTooLarge, Text: fmt.Sprintf("it asks for more than %d tools at once", maxCalls), Attempts: 1, Unsure: 1}
				}
			}
		}
		if c.FinishReason != "" {
			g.finish = c.FinishReason
		}
	}
	return nil
}

// call takes a tool call, or a piece of one, in.
func (g *gathered) call(position int, c call) {
	at := position
	if c.Index != nil {
		at = *c.Index
	}
	var known *gatheredCall
	for _, k := range g.calls {
		if k.index == at && (c.ID == "" || k.id == "" || k.id == c.ID) {
			known = k
		}
	}
	if known == nil {
		known = &gatheredCall{index: at}
		g.calls = append(g.calls, known)
	}
	if c.ID != "" {
		known.id = c.ID
	}
	if c.Function.Name != "" && known.name == "" {
		known.name = c.Function.Name
	}
	known.arguments.WriteString(string(c.Function.Arguments))
	if len(c.Extra) > 0 {
		known.extra = c.Extra
	}
}

// answer is what came of all pieces.
func (d *Driver) answer(g *gathered) (models.Answer, error) {
	answer := models.Answer{Text: g.text.String(), By: d.Identity(), Usage: g.usage, Stop: models.StopEnd}
	if g.model != "" {
		answer.By.Model = g.model
	}
	if answer.Usage.Thinking == 0 && answer.Usage.Known { // some think without counting it apart
		answer.Usage.Thinking = min(g.thought.Len()/4, answer.Usage.Output)
	}
	back := opaque{By: d.Identity().String(), Calls: map[string]json.RawMessage{}}
	for i, c := range g.calls {
		if c.id == "" {
			c.id = fmt.Sprintf("call_%d", i+1)
		}
		answer.Calls = append(answer.Calls, models.ToolCall{ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments.String())})
		if len(c.extra) > 0 {
			back.Calls[c.id] = c.extra
		}
	}
	if d.vendor.Name == "deepseek" && len(g.calls) > 0 {
		back.Thought = g.thought.String()
	}
	if back.Thought != "" || len(back.Calls) > 0 {
		answer.Opaque, _ = json.Marshal(back)
	}
	switch {
	case g.finish == "error":
		return answer, &models.Error{Kind: models.KindServer, Text: "it reports an error of its own in the middle of its answer", Attempts: 1, Unsure: 1}
	case g.refusal.Len() > 0:
		answer.Stop = models.StopRefused
		if answer.Text == "" {
			answer.Text = g.refusal.String()
		}
	case g.finish == "content_filter":
		answer.Stop = models.StopRefused
	case g.finish == "length":
		answer.Stop = models.StopLength
	case len(answer.Calls) > 0:
		answer.Stop = models.StopTools
	}
	return answer, nil
}

// readUsage reads what an answer says that it took. What is not there, or
// cannot be so, is not known.
func readUsage(raw json.RawMessage) models.Usage {
	var said struct {
		Prompt     float64 `json:"prompt_tokens"`
		Completion float64 `json:"completion_tokens"`
		Total      float64 `json:"total_tokens"`
		InDetails  struct {
			Cached  float64 `json:"cached_tokens"`
			Written float64 `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		OutDetails struct {
			Reasoning float64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
		DeepSeekHit float64 `json:"prompt_cache_hit_tokens"`
		Cached      float64 `json:"cached_tokens"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &said) != nil {
		return models.Usage{}
	}
	for _, n := range []float64{said.Prompt, said.Completion, said.Total} {
		if n < 0 || n > math.MaxInt32 || math.IsNaN(n) {
			return models.Usage{}
		}
	}
	if said.Prompt <= 0 {
		return models.Usage{}
	}
	// Gemini counts its thoughts in the total alone.
	usage := models.Usage{Input: int(said.Prompt), Output: int(max(said.Completion, said.Total-said.Prompt)), Known: true}
	within := func(n float64, limit int) int { return int(min(max(n, 0), float64(limit))) }
	usage.Cached = within(max(said.InDetails.Cached, said.DeepSeekHit, said.Cached), usage.Input)
	usage.Written = within(said.InDetails.Written, usage.Input-usage.Cached)
	usage.Thinking = within(max(said.OutDetails.Reasoning, said.Total-said.Prompt-said.Completion), usage.Output)
	return usage
}
