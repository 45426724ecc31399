package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	client "github.com/sashabaranov/go-openai"

	"github.com/subconsciousd/subconsciousd/models"
)

// streamed asks for an answer in pieces and tells onText of its text.
func (d *Driver) streamed(ctx context.Context, exchange *models.Exchange, asked client.ChatCompletionRequest, onText func(string)) (models.Answer, error) {
	lines := &dataLines{}
	exchange.Filter = lines.over
	asked.Stream = true
	stream, err := d.options.library(exchange).CreateChatCompletionStream(ctx, asked)
	if err != nil {
		return models.Answer{}, err
	}
	defer func() { _ = stream.Close() }()
	var g gathered
	for {
		raw, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return models.Answer{Usage: g.usage}, err
		}
		if err := d.take(&g, raw, onText); err != nil {
			return models.Answer{Usage: g.usage}, err
		}
	}
	switch {
	case ctx.Err() != nil:
		return models.Answer{Usage: g.usage}, ctx.Err()
	case g.finish == "" && (!lines.done || g.text.Len() == 0 && len(g.calls) == 0 && g.refusal.Len() == 0):
		return models.Answer{Usage: g.usage}, &models.Error{Kind: models.KindCut, Text: "its answer ends in the middle", Attempts: 1, Unsure: 1}
	}
	return d.answer(&g)
}

// take takes one piece in.
func (d *Driver) take(g *gathered, raw []byte, onText func(string)) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	var p piece
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("a piece of its stream is not JSON: %w", err)
	}
	before := g.text.Len()
	if err := g.add(p); err != nil {
		return err
	}
	if g.text.Len() > before {
		onText(g.text.String()[before:])
	}
	return nil
}

// dataLines keeps of a stream the lines that carry data. The library gathers
// all others, and takes them for a part of an error's text; a line that begins
// with an error it takes apart itself, and drops most of it.
type dataLines struct {
	under io.ReadCloser
	lines *bufio.Reader
	rest  []byte
	err   error
	done  bool // "[DONE]" was seen
}

func (l *dataLines) over(body io.ReadCloser) io.ReadCloser {
	l.under, l.lines = body, bufio.NewReader(body)
	return l
}

// Read implements io.Reader.
func (l *dataLines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		var line []byte
		line, l.err = l.lines.ReadBytes('\n')
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			continue // half a line is none
		}
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok {
			l.keep(bytes.TrimSpace(data))
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *dataLines) keep(data []byte) {
	if string(data) == "[DONE]" {
		l.done = true
	}
	l.rest = append(l.rest[:0:0], "data: "...)
	if inside, ok := bytes.CutPrefix(data, []byte(`{"error"`)); ok {
		l.rest = append(l.rest, `{ "error"`...) // the library does not know it so
		data = inside
	}
	l.rest = append(append(l.rest, data...), '\n')
}

// Close implements io.Closer.
func (l *dataLines) Close() error { return l.under.Close() }
