package openai

import (
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	client "github.com/sashabaranov/go-openai"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
)

// Options configures New and NewEmbedder.
type Options struct {
	// Provider is where the model is, with what its vendor fills in.
	Provider models.Provider
	Model    string
	// Key may be zero: a local server wants none.
	Key secret.Value
	// Client is one of models.NewClient for the provider's address.
	Client *http.Client
}

func (o Options) validate() error {
	switch {
	case o.Provider.BaseURL == "":
		return errors.New("openai: the provider has no base_url")
	case o.Model == "":
		return errors.New("openai: no model is named")
	case o.Client == nil:
		return errors.New("openai: no client is given")
	}
	return nil
}

// Driver asks one model.
type Driver struct {
	options Options
	vendor  models.Vendor
	by      models.Identity
}

var _ models.Driver = (*Driver)(nil)

// New makes a driver.
func New(options Options) (*Driver, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	by := models.Identity{Provider: options.Provider.ID, Model: options.Model, Local: options.Provider.Local}
	return &Driver{options: options, vendor: models.VendorOf(options.Provider), by: by}, nil
}

// Identity implements models.Driver.
func (d *Driver) Identity() models.Identity { return d.by }

// Generate implements models.Generator.
func (d *Driver) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	if request.MaxTokens < 1 {
		return models.Answer{}, &models.Error{Kind: models.KindRequest, By: d.by, Text: "the request was not sent: it does not bound the answer"}
	}
	start := time.Now()
	asked, extra := d.request(request)
	exchange := &models.Exchange{Client: d.options.Client, Stream: request.OnText != nil,
		Edit: func(body []byte) ([]byte, error) { return withFields(body, extra) }}
	var answer models.Answer
	var err error
	if exchange.Stream {
		answer, err = d.streamed(ctx, exchange, asked, request.OnText)
	} else {
		answer, err = d.whole(ctx, exchange, asked)
	}
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

// library makes the client library for one request. Its answers and errors are
// of little use: it drops what vendors add and refuses what it does not know,
// so that bodies are read here.
func (o Options) library(exchange *models.Exchange) *client.Client {
	config := client.DefaultConfig(o.Key.Reveal())
	config.BaseURL = o.Provider.BaseURL
	config.HTTPClient = exchange
	config.EmptyMessagesLimit = math.MaxUint32
	return client.NewClientWithConfig(config)
}

// whole asks for an answer in one piece.
func (d *Driver) whole(ctx context.Context, exchange *models.Exchange, asked client.ChatCompletionRequest) (models.Answer, error) {
	_, err := d.options.library(exchange).CreateChatCompletion(ctx, asked)
	if exchange.Body() == nil {
		return models.Answer{}, err
	}
	return d.read(exchange.Body())
}

// fault is an answer of another shape than the protocol has.
func (d *Driver) fault(text string) *models.Error {
	return &models.Error{Kind: models.KindAnswer, By: d.by, Text: text, Attempts: 1, Unsure: 1}
}
