// Package anthropic asks Claude over Anthropic's own protocol: with its prompt
// cache, its tools, its thinking, and answers that keep to a schema.
//
// It stores nothing. models.OpenRoster makes one driver for each model in use.
package anthropic

import (
	"context"
	"net/http"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// Protocol returns what a roster needs of this package.
func Protocol() models.Protocol {
	return models.Protocol{New: New, List: List}
}

// Driver asks one model.
type Driver struct {
	models.DriverOptions
	can ability
}

var _ models.Driver = (*Driver)(nil)

// New makes a driver.
func New(options models.DriverOptions) models.Driver {
	return &Driver{options, abilityOf(options.Model)}
}

// Generate implements models.Generator.
func (d *Driver) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	return d.Ask(ctx, request, d.ask)
}

func (d *Driver) ask(ctx context.Context, r models.Request) (models.Answer, error) {
	if r.Texts != nil {
		return models.Answer{}, &models.Error{Kind: models.KindRequest, Text: "Anthropic has no embedders", Next: "give the role embedding a model of another provider"}
	}
	body, err := d.body(r)
	if err != nil {
		return models.Answer{}, err
	}
	if r.OnText != nil {
		return d.streamed(ctx, body, r.OnText)
	}
	said, err := d.Send(ctx, address(d.DriverOptions, "messages"), header(d.DriverOptions), body, nil)
	if err != nil {
		return models.Answer{}, err
	}
	return d.read(said)
}

// List returns the names of the models that a provider says it has. The Model
// of the options does not matter.
func List(ctx context.Context, options models.DriverOptions) ([]string, error) {
	return options.Names(ctx, address(options, "models?limit=1000"), header(options))
}

// address is a path of the protocol, whether base_url ends in its version or not.
func address(o models.DriverOptions, path string) string {
	return strings.TrimSuffix(o.Address(""), "/v1") + "/v1/" + path
}

func header(o models.DriverOptions) http.Header {
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if !o.Key.IsZero() {
		header.Set("X-Api-Key", o.Key.Reveal())
	}
	return header
}
