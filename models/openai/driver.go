// Package openai asks models that speak OpenAI's chat protocol: OpenAI, Groq,
// Gemini, Z.AI, Mistral, DeepSeek, OpenRouter, and the servers that people run
// themselves (Ollama, llama.cpp, vLLM, LM Studio). What they do differently is
// in models.Vendors. The types of what is asked are those of the client library;
// models.DriverOptions sends it, since the library bounds no answer, and drops
// what vendors add to the protocol.
//
// It stores nothing. models.OpenRoster makes one driver for each model in use.
package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/subconsciousd/subconsciousd/models"
)

// Protocol returns what a roster needs of this package.
func Protocol() models.Protocol {
	return models.Protocol{New: New, List: List}
}

// Driver asks one model.
type Driver struct {
	models.DriverOptions
	vendor models.Vendor
}

var _ models.Driver = (*Driver)(nil)

// New makes a driver.
func New(options models.DriverOptions) models.Driver {
	return &Driver{options, models.VendorOf(options.Provider)}
}

// Generate implements models.Generator.
func (d *Driver) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	return d.Ask(ctx, request, d.ask)
}

func (d *Driver) ask(ctx context.Context, r models.Request) (models.Answer, error) {
	if r.Texts != nil {
		return d.embed(ctx, r.Texts)
	}
	body, err := d.body(r)
	if err != nil {
		return models.Answer{}, err
	}
	if r.OnText != nil {
		return d.streamed(ctx, body, r.OnText)
	}
	said, err := post(ctx, d.DriverOptions, "/chat/completions", body, nil)
	if err != nil {
		return models.Answer{}, err
	}
	return d.read(said)
}

// streamed asks for an answer in pieces and tells onText of its text.
func (d *Driver) streamed(ctx context.Context, body []byte, onText func(string)) (models.Answer, error) {
	var g gathered
	done := false // its last line was seen
	_, err := post(ctx, d.DriverOptions, "/chat/completions", body, func(data []byte) error {
		if done = string(data) == "[DONE]"; done {
			return io.EOF
		}
		var p piece
		if err := json.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("a piece of its stream is not JSON: %w", err)
		}
		before := g.text.Len()
		err := g.add(p)
		if g.text.Len() > before && err == nil {
			onText(g.text.String()[before:])
		}
		return err
	})
	if err == nil && g.finish == "" && (!done || g.text.Len() == 0 && len(g.calls) == 0 && g.refusal.Len() == 0) {
		err = &models.Error{Kind: models.KindCut, Text: "its answer ends in the middle", Attempts: 1, Unsure: 1}
	}
	if err != nil {
		return models.Answer{Usage: g.usage}, err
	}
	return d.answer(&g)
}

// List returns the names of the models that a provider says it has. The Model
// of the options does not matter.
func List(ctx context.Context, options models.DriverOptions) ([]string, error) {
	return options.Names(ctx, options.Address("/models"), header(options))
}

func post(ctx context.Context, o models.DriverOptions, path string, body []byte, event func([]byte) error) ([]byte, error) {
	return o.Send(ctx, o.Address(path), header(o), body, event)
}

func header(o models.DriverOptions) http.Header {
	if o.Key.IsZero() {
		return http.Header{}
	}
	return http.Header{"Authorization": {"Bearer " + o.Key.Reveal()}}
}
