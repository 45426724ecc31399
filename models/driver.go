package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// DriverOptions are what a driver for one model is made of, and how it reaches
// its provider.
type DriverOptions struct {
	// Provider is where the model is, with what its vendor fills in.
	Provider Provider
	Model    string
	// Key may be zero: a local server wants none.
	Key secret.Value
	// Client is for the provider's address.
	*Client
}

// Identity of the model.
func (o DriverOptions) Identity() Identity { return Target{o.Provider, o.Model}.Identity() }

// Ask has a driver ask one request, and makes an *Error of the model of whatever
// goes wrong: an error of another type is an answer that is not understood. What
// ask returns beside an error is what the call took nevertheless.
func (o DriverOptions) Ask(ctx context.Context, request Request, ask func(context.Context, Request) (Answer, error)) (Answer, error) {
	if request.MaxTokens < 1 {
		return Answer{}, &Error{Kind: KindRequest, By: o.Identity(), Text: "the request was not sent: it does not bound the answer"}
	}
	answer, err := ask(ctx, request)
	if err != nil {
		failure := o.Failure(ctx, err)
		if failure.Usage == (Usage{}) {
			failure.Usage = answer.Usage
		}
		return Answer{}, failure
	}
	answer.Attempts = 1
	return answer, nil
}

// Failure is err as an *Error of the model; see Ask.
func (o DriverOptions) Failure(ctx context.Context, err error) *Error {
	failed := Error{Kind: KindAnswer, Attempts: 1, Unsure: 1, Next: "check that base_url and kind of the provider fit together"}
	if failure, ok := errors.AsType[*Error](err); ok {
		failed = *failure
	} else if ctx.Err() != nil {
		failed = *asError(ctx.Err(), o.Identity())
	} else {
		failed.Text = scrubbed("its answer is not understood: "+err.Error(), nil)
	}
	failed.By = o.Identity()
	return &failed
}

// Names asks an address for a list of models, which has the same shape in all
// protocols.
func (o DriverOptions) Names(ctx context.Context, address string, header http.Header) ([]string, error) {
	body, err := o.Send(ctx, address, header, nil, nil)
	var said struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err == nil {
		if err = json.Unmarshal(body, &said); err != nil {
			err = fmt.Errorf("its list of models has another shape: %w", err)
		}
	}
	if err != nil {
		return nil, o.Failure(ctx, err)
	}
	names := make([]string, 0, len(said.Data))
	for _, item := range said.Data {
		names = append(names, item.ID)
	}
	return names, nil
}

// Address is a path below the provider's base_url.
func (o DriverOptions) Address(path string) string {
	return strings.TrimRight(o.Provider.BaseURL, "/") + path
}

// Protocol makes what asks models over one protocol of providers.
type Protocol struct {
	New func(DriverOptions) Driver
	// List returns the names of the models that a provider says it has.
	List func(context.Context, DriverOptions) ([]string, error)
}
