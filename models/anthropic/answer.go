package anthropic

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// message is an answer, as far as it is read.
type message struct {
	Type       string            `json:"type"`
	Model      string            `json:"model"`
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      *usage            `json:"usage"`
}

// usage is what an answer says that it took. Input counts only what was neither
// kept before nor put there.
type usage struct {
	Input   *float64 `json:"input_tokens"`
	Cached  *float64 `json:"cache_read_input_tokens"`
	Written *float64 `json:"cache_creation_input_tokens"`
	Output  *float64 `json:"output_tokens"`
	Details struct {
		Thinking float64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// over returns u with what v says in its place.
func (u usage) over(v usage) usage {
	for _, pair := range []struct{ to, from **float64 }{{&u.Input, &v.Input}, {&u.Cached, &v.Cached}, {&u.Written, &v.Written}, {&u.Output, &v.Output}} {
		if *pair.from != nil {
			*pair.to = *pair.from
		}
	}
	u.Details.Thinking = max(u.Details.Thinking, v.Details.Thinking)
	return u
}

// read returns the usage. What is not there, or cannot be so, is not known.
func (u *usage) read() models.Usage {
	if u == nil || u.Input == nil || u.Output == nil {
		return models.Usage{}
	}
	count := func(n *float64) float64 {
		if n == nil {
			return 0
		}
		return *n
	}
	for _, n := range []*float64{u.Input, u.Cached, u.Written, u.Output} {
		if n := count(n); n < 0 || n > math.MaxInt32 {
			return models.Usage{}
		}
	}
	read := models.Usage{Cached: int(count(u.Cached)), Written: int(count(u.Written)), Output: int(*u.Output), Known: true}
	read.Input = int(*u.Input) + read.Cached + read.Written
	read.Thinking = int(min(max(u.Details.Thinking, 0), *u.Output))
	if read.Input == 0 {
		return models.Usage{}
	}
	return read
}

// block is a piece of an answer.
type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	// Written is the input of a streamed block, as the model wrote it.
	Written string `json:"written"`
}

// read understands an answer in one piece.
func (d *Driver) read(body []byte) (models.Answer, error) {
	var said message
	if err := json.Unmarshal(body, &said); err != nil {
		return models.Answer{}, fmt.Errorf("its JSON has another shape: %w", err)
	}
	if said.Type != "message" && said.Content == nil {
		return models.Answer{Usage: said.Usage.read()}, &models.Error{Kind: models.KindAnswer, Text: "its answer is no message", Attempts: 1, Unsure: 1}
	}
	return d.answer(said, said.Usage.read())
}

// answer puts an answer together from its blocks.
func (d *Driver) answer(said message, took models.Usage) (models.Answer, error) {
	answer := models.Answer{By: d.Identity(), Usage: took}
	if said.Model != "" {
		answer.By.Model = said.Model
	}
	var text strings.Builder
	back, thoughts, shown := opaque{Model: d.Model}, 0, 0
	for _, raw := range said.Content {
		var b block
		if err := json.Unmarshal(raw, &b); err != nil {
			return models.Answer{Usage: took}, fmt.Errorf("a block of it has another shape: %w", err)
		}
		switch b.Type {
		case "text":
			text.WriteString(b.Text)
			back.Parts = append(back.Parts, part{Text: true})
		case "thinking", "redacted_thinking":
			back.Parts = append(back.Parts, part{Thought: raw})
			thoughts, shown = thoughts+1, shown+len(b.Thinking)
		case "tool_use":
			if b.ID == "" {
				b.ID = fmt.Sprintf("call_%d", len(answer.Calls)+1)
			}
			if b.Written != "" {
				b.Input = json.RawMessage(b.Written)
			}
			answer.Calls = append(answer.Calls, models.ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Input})
			back.Parts = append(back.Parts, part{Call: b.ID})
		}
	}
	answer.Text = text.String()
	if thoughts > 0 {
		answer.Opaque, _ = json.Marshal(back)
	}
	if answer.Usage.Known && answer.Usage.Thinking == 0 {
		answer.Usage.Thinking = min(shown/4, answer.Usage.Output)
	}
	answer.Stop = stopOf(said.StopReason)
	d.unwrap(&answer)
	return answer, nil
}

func stopOf(reason string) string {
	switch reason {
	case "max_tokens", "model_context_window_exceeded", "pause_turn":
		return models.StopLength // there would be more
	case "tool_use":
		return models.StopTools
	case "refusal":
		return models.StopRefused
	}
	return models.StopEnd
}

// unwrap takes the answer out of the tool that was there to take it. Beside
// asks for other tools it is no answer yet.
func (d *Driver) unwrap(answer *models.Answer) {
	var others []models.ToolCall
	var taken json.RawMessage
	for _, call := range answer.Calls {
		if call.Name == answerTool && d.forces() {
			taken = call.Arguments
			continue
		}
		others = append(others, call)
	}
	if taken == nil {
		return
	}
	answer.Calls, answer.Opaque = others, nil
	if len(others) == 0 {
		answer.Text = string(taken)
		if answer.Stop == models.StopTools {
			answer.Stop = models.StopEnd
		}
	}
}

// forces reports whether answers come by a tool.
func (d *Driver) forces() bool {
	_, tool := d.can.enforces(d.Provider.Schema)
	return tool
}
