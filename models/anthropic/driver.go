// Package anthropic asks Claude over Anthropic's own protocol: with its prompt
// cache, its tools, its thinking, and answers that keep to a schema. The types of
// what is asked are those of the client library; models.DriverOptions sends it.
//
// It stores nothing. models.OpenRoster makes one driver for each model in use.
package anthropic

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// Protocol returns what a roster needs of this package.
func Protocol() models.Protocol {
	return models.Protocol{New: func(o models.DriverOptions) (models.Driver, error) { return New(o) }, List: List}
}

// Driver asks one model.
type Driver struct {
	options models.DriverOptions
	can     ability
	by      models.Identity
}

var _ models.Driver = (*Driver)(nil)

// New makes a driver.
func New(options models.DriverOptions) (*Driver, error) {
	if err := options.Validate(); err != nil {
		return nil, fmt.Errorf("anthropic: %w", err)
	}
	return &Driver{options, abilityOf(options.Model), options.Identity()}, nil
}

// Identity implements models.Driver.
func (d *Driver) Identity() models.Identity { return d.by }

// Generate implements models.Generator.
func (d *Driver) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	return d.options.Ask(ctx, request, d.ask)
}

func (d *Driver) ask(ctx context.Context, r models.Request) (models.Answer, error) {
	body, err := d.body(r)
	if err != nil {
		return models.Answer{}, err
	}
	if r.OnText != nil {
		return d.streamed(ctx, body, r.OnText)
	}
	said, err := d.options.Send(ctx, address(d.options, "messages"), header(d.options), body, nil)
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
