package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Exchange is what a driver gives a client library as its HTTP client, one for
// each request: it completes what is sent, and remembers what came of it, since
// the libraries drop much of that.
type Exchange struct {
	Client *http.Client
	// Stream asks for an answer in pieces.
	Stream bool
	// Edit changes the body that is sent; nil leaves it.
	Edit func(body []byte) ([]byte, error)
	// Filter stands between a streamed answer and the library; nil: nothing.
	Filter func(io.ReadCloser) io.ReadCloser

	sent    bool
	failure *Error
	body    []byte
}

// Do sends a request.
func (x *Exchange) Do(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	if x.Stream {
		request.Header.Set("Accept", eventStream)
	} else {
		request.Header.Set("Accept", "application/json")
	}
	if err := x.edit(request); err != nil {
		return nil, err
	}
	x.sent = true
	response, err := x.Client.Do(request)
	if err != nil {
		errors.As(err, &x.failure)
		return nil, err
	}
	if x.Stream {
		response.Body = &watchedBody{exchange: x, ReadCloser: response.Body}
		if x.Filter != nil {
			response.Body = x.Filter(response.Body)
		}
		return response, nil
	}
	if x.body, err = io.ReadAll(response.Body); err != nil {
		errors.As(err, &x.failure)
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(x.body))
	return response, nil
}

func (x *Exchange) edit(request *http.Request) error {
	if x.Edit == nil || request.Body == nil {
		return nil
	}
	body, err := io.ReadAll(request.Body)
	closeBody(request.Body)
	if err != nil {
		return err
	}
	if body, err = x.Edit(body); err != nil {
		return err
	}
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}

// Body is the answer as it came, if it came in one piece.
func (x *Exchange) Body() []byte { return x.body }

// Failure is what went wrong, as an *Error of the model: what the transport
// knows, or else err of the library. A library that fails before it sends
// refuses the request; one that fails afterwards does not understand the answer.
func (x *Exchange) Failure(ctx context.Context, by Identity, err error) *Error {
	var failure *Error
	switch {
	case x.failure != nil:
		failure = x.failure
	case errors.As(err, &failure):
	case errors.Is(ctx.Err(), context.Canceled):
		failure = x.unsure(KindCancelled, "it was asked for no more", "")
	case ctx.Err() != nil:
		failure = x.unsure(KindTimeout, "no answer came in time", "")
	case x.sent:
		failure = x.unsure(KindAnswer, "its answer is not understood: "+err.Error(), "check that base_url and kind of the provider fit together")
	default:
		failure = &Error{Kind: KindRequest, Text: scrubbed("the request was not sent: "+err.Error(), nil)}
	}
	failed := *failure
	failed.By = by
	return &failed
}

// unsure is a failure of a request that may be paid for if it was sent.
func (x *Exchange) unsure(kind Kind, text, next string) *Error {
	failure := &Error{Kind: kind, Text: scrubbed(text, nil), Next: next}
	if x.sent {
		failure.Attempts, failure.Unsure = 1, 1
	}
	return failure
}

// watchedBody remembers why a stream broke.
type watchedBody struct {
	io.ReadCloser
	exchange *Exchange
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		errors.As(err, &b.exchange.failure)
	}
	return n, err
}

// Names reads a list of models, which has the same shape in both protocols, out
// of the answer; err is that of the library, for Failure.
func (x *Exchange) Names(ctx context.Context, by Identity, err error) ([]string, error) {
	if x.Body() == nil {
		return nil, x.Failure(ctx, by, err)
	}
	var said struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(x.Body(), &said); err != nil {
		return nil, x.Failure(ctx, by, fmt.Errorf("its list of models has another shape: %w", err))
	}
	names := make([]string, 0, len(said.Data))
	for _, item := range said.Data {
		names = append(names, item.ID)
	}
	return names, nil
}
