package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// streamed asks for an answer in pieces and tells onText of its text.
func (d *Driver) streamed(ctx context.Context, body []byte, onText func(string)) (models.Answer, error) {
	g := gathered{onText: onText, asText: d.forces()}
	_, err := d.Send(ctx, address(d.DriverOptions, "messages"), header(d.DriverOptions), body, g.take)
	if err != nil {
		return models.Answer{}, err
	}
	if g.said.StopReason == "" {
		return models.Answer{}, &models.Error{Kind: models.KindCut, Text: "its answer ends in the middle", Attempts: 1, Unsure: 1}
	}
	took := models.Usage{}
	if g.ended { // until then it says how much there was so far
		took = g.usage.read()
	}
	if g.said.Content, err = g.content(); err != nil {
		return models.Answer{Usage: took}, err
	}
	return d.answer(g.said, took)
}

// gathered puts the events of a stream together.
type gathered struct {
	onText func(string)
	asText bool // the input of answerTool is the text
	said   message
	usage  usage
	ended  bool
	blocks []*gatheredBlock
}

// gatheredBlock is one block: how it began, and what came to it.
type gatheredBlock struct {
	start                            map[string]json.RawMessage
	text, thinking, signature, input strings.Builder
	takesAnswer                      bool
}

// event is one of the stream.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message message         `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
}

// take takes one event in.
func (g *gathered) take(raw []byte) error {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("an event of its stream has another shape: %w", err)
	}
	switch e.Type {
	case "message_start":
		g.said = e.Message
		g.said.StopReason = ""
		if e.Message.Usage != nil {
			g.usage = *e.Message.Usage
		}
	case "content_block_start":
		return g.begin(e)
	case "content_block_delta":
		if e.Index == len(g.blocks) && e.Delta.Type == "text_delta" { // a gateway left its beginning out
			g.blocks = append(g.blocks, &gatheredBlock{start: map[string]json.RawMessage{"type": json.RawMessage(`"text"`)}})
		}
		if e.Index < 0 || e.Index >= len(g.blocks) {
			return errors.New("an event of its stream belongs to no block")
		}
		g.more(g.blocks[e.Index], e)
	case "message_delta":
		if e.Delta.StopReason != "" {
			g.said.StopReason = e.Delta.StopReason
		}
		if e.Usage != nil {
			g.usage, g.ended = g.usage.over(*e.Usage), true
		}
	case "message_stop":
		return io.EOF
	case "error":
		return models.Complaint(raw)
	}
	return nil
}

func (g *gathered) begin(e event) error {
	if e.Index != len(g.blocks) {
		return errors.New("the blocks of its stream are not numbered one after the other")
	}
	b := &gatheredBlock{}
	if err := json.Unmarshal(e.Block, &b.start); err != nil || b.start == nil {
		return errors.New("a block of its stream has another shape")
	}
	var known block
	_ = json.Unmarshal(e.Block, &known)
	b.takesAnswer = g.asText && known.Type == "tool_use" && known.Name == answerTool
	b.text.WriteString(known.Text)
	b.thinking.WriteString(known.Thinking)
	if known.Type == "text" && known.Text != "" {
		g.onText(known.Text)
	}
	g.blocks = append(g.blocks, b)
	return nil
}

// more adds to a block.
func (g *gathered) more(b *gatheredBlock, e event) {
	switch e.Delta.Type {
	case "text_delta":
		b.text.WriteString(e.Delta.Text)
		g.onText(e.Delta.Text)
	case "input_json_delta":
		b.input.WriteString(e.Delta.PartialJSON)
		if b.takesAnswer && e.Delta.PartialJSON != "" {
			g.onText(e.Delta.PartialJSON)
		}
	case "thinking_delta":
		b.thinking.WriteString(e.Delta.Thinking)
	case "signature_delta":
		b.signature.WriteString(e.Delta.Signature)
	}
}

// content returns the blocks as they would have come in one piece.
func (g *gathered) content() ([]json.RawMessage, error) {
	var content []json.RawMessage
	for _, b := range g.blocks {
		for name, text := range map[string]*strings.Builder{"text": &b.text, "thinking": &b.thinking, "signature": &b.signature, "written": &b.input} {
			if text.Len() > 0 {
				b.start[name], _ = json.Marshal(text.String())
			}
		}
		raw, err := json.Marshal(b.start)
		if err != nil {
			return nil, err
		}
		content = append(content, raw)
	}
	return content, nil
}
