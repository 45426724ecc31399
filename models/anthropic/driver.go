package anthropic

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	client "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
)

// Options configures New.
type Options struct {
	// Provider is where the model is, with what its vendor fills in.
	Provider models.Provider
	Model    string
	// Key may be zero: a local server wants none.
	Key secret.Value
	// Client is one of models.NewClient for the provider's address.
	Client *http.Client
}

// Driver asks one model.
type Driver struct {
	options Options
	can     ability
	by      models.Identity
}

var _ models.Driver = (*Driver)(nil)

// New makes a driver.
func New(options Options) (*Driver, error) {
	switch {
	case options.Provider.BaseURL == "":
		return nil, errors.New("anthropic: the provider has no base_url")
	case options.Model == "":
		return nil, errors.New("anthropic: no model is named")
	case options.Client == nil:
		return nil, errors.New("anthropic: no client is given")
	}
	by := models.Identity{Provider: options.Provider.ID, Model: options.Model, Local: options.Provider.Local}
	return &Driver{options: options, can: abilityOf(options.Model), by: by}, nil
}

// Identity implements models.Driver.
func (d *Driver) Identity() models.Identity { return d.by }

// Generate implements models.Generator.
func (d *Driver) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	if request.MaxTokens < 1 {
		return models.Answer{}, &models.Error{Kind: models.KindRequest, By: d.by, Text: "the request was not sent: it does not bound the answer"}
	}
	start := time.Now()
	exchange := &models.Exchange{Client: d.options.Client, Stream: request.OnText != nil}
	answer, err := d.ask(ctx, exchange, request)
	if err != nil {
		failure := exchange.Failure(ctx, d.by, err)
		if failure.Usage == (models.Usage{}) {
			failure.Usage = answer.Usage
		}
		return models.Answer{}, failure
	}
	answer.Attempts, answer.Latency = 1, time.Since(start)
	return answer, nil
}

func (d *Driver) ask(ctx context.Context, exchange *models.Exchange, request models.Request) (models.Answer, error) {
	params := d.params(request)
	if exchange.Stream {
		return d.streamed(ctx, exchange, params, request.OnText)
	}
	service := d.library(exchange).Messages
	_, err := service.New(ctx, params)
	if exchange.Body() == nil {
		return models.Answer{}, err
	}
	return d.read(exchange.Body())
}

// library makes the client library for one request: without what it would take
// from the environment, and without retries, limits and traces of its own.
func (d *Driver) library(exchange *models.Exchange) client.Client {
	base := strings.TrimSuffix(strings.TrimRight(d.options.Provider.BaseURL, "/"), "/v1") // it adds v1 itself
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(base), option.WithHTTPClient(exchange),
		option.WithMaxRetries(0), option.WithRequestTimeout(time.Hour), option.WithoutOpenTelemetry(),
	}
	if !d.options.Key.IsZero() {
		options = append(options, option.WithAPIKey(d.options.Key.Reveal()))
	}
	return client.NewClient(options...)
}

// fault is an answer of another shape than the protocol has.
func (d *Driver) fault(text string) *models.Error {
	return &models.Error{Kind: models.KindAnswer, By: d.by, Text: text, Attempts: 1, Unsure: 1}
}
