package models

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// What one answer may be at most, after decompression.
const (
	maxPlain  = 4 << 20  // bytes of an answer in one piece
	maxStream = 8 << 20  // bytes of a streamed answer
	maxLine   = 1 << 20  // bytes of one line of it
	maxError  = 16 << 10 // bytes that are kept of an error's body
	maxHeader = 64 << 10 // bytes of all headers
)

// TransportOptions configures NewClient.
type TransportOptions struct {
	// BaseURL is where the provider is: no other host is ever asked.
	BaseURL string
	// Overall bounds a request whose context has no deadline; 0 is 10 minutes.
	Overall time.Duration
	// Idle bounds the wait between two pieces of a stream; 0 is 60 seconds.
	Idle time.Duration
	// Now is the clock, for dates in headers; nil is time.Now.
	Now func() time.Time
}

// Client reaches one provider. Its failures are *Error: in plain words, bounded,
// without the key.
//
// It asks the provider's host alone, follows no redirect, keeps no cookie,
// bounds what it reads, and honours the proxy of the environment.
type Client struct {
	options TransportOptions
	base    *url.URL
	under   *http.Transport
}

// NewClient returns the client for one provider.
func NewClient(options TransportOptions) *Client {
	options.Overall, options.Idle = cmp.Or(options.Overall, 10*time.Minute), cmp.Or(options.Idle, time.Minute)
	options.Now = clock(options.Now)
	base, err := url.Parse(options.BaseURL)
	if err != nil {
		base = &url.URL{}
	}
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error { return bar(address) }}
	return &Client{options, base, &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: 15 * time.Second,
		MaxResponseHeaderBytes: maxHeader, MaxIdleConns: 8, MaxIdleConnsPerHost: 4, IdleConnTimeout: 90 * time.Second,
	}}
}

// CloseIdleConnections closes what is kept open for later requests.
func (c *Client) CloseIdleConnections() { c.under.CloseIdleConnections() }

// Send sends a body, or asks for what is at the address where it is nil, and
// returns the answer if it comes in one piece: it is whole then, and JSON. With
// event the answer is to come as a stream: event is told of the data of each of
// its events, until it returns an error; io.EOF says that this was the last.
func (c *Client) Send(ctx context.Context, address string, header http.Header, body []byte, event func([]byte) error) ([]byte, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	trip := c.begin(ctx, header, event != nil)
	defer trip.cancel(nil)
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(trip.ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			trip.written.Store(true)
		}
	}}), method, address, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Kind: KindRequest, Text: trip.clean("the request was not sent: " + err.Error())}
	}
	if request.URL.Host != c.base.Host || request.URL.Scheme != c.base.Scheme || c.base.Host == "" {
		return nil, &Error{Kind: KindRequest, Text: fmt.Sprintf("the request was not sent: %s is not the provider's address", line(request.URL.Host, 80)),
			Next: "set base_url of the provider to an address that begins with http:// or https://"}
	}
	request.Header = header
	header.Set("Content-Type", "application/json")
	header.Set("Accept", pick(event != nil, eventStream, "application/json"))
	header.Set("User-Agent", "subconsciousd")
	response, err := c.under.RoundTrip(request)
	if err != nil {
		return nil, trip.broken(err, "before an answer")
	}
	defer func() { _ = response.Body.Close() }()
	return trip.read(response, event)
}

// begin bounds a request.
func (c *Client) begin(ctx context.Context, header http.Header, stream bool) *trip {
	trip, stop := &trip{Client: c, asked: ctx, secrets: secretsOf(header), stream: stream}, func() {}
	if _, ok := ctx.Deadline(); !ok {
		ctx, stop = context.WithTimeout(ctx, c.options.Overall)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	trip.ctx, trip.cancel = ctx, func(cause error) { cancel(cause); stop() }
	return trip
}

// trip is one request on its way.
type trip struct {
	*Client
	asked   context.Context // of who asked
	ctx     context.Context // bounded
	cancel  func(cause error)
	written atomic.Bool // the whole request left this machine
	secrets []string    // that its headers carry
	stream  bool
}

// eventStream is the type of an answer in pieces.
const eventStream = "text/event-stream"

// errIdle is the cause where a stream stops.
var errIdle = errors.New("no piece of the stream came in time")

// read returns a good answer, and turns any other into an *Error.
func (t *trip) read(response *http.Response, event func([]byte) error) ([]byte, error) {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	streamed := media == eventStream || t.stream && (media == "" || media == "text/plain")
	switch {
	case response.StatusCode < 200 || response.StatusCode >= 300:
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxError))
		return nil, t.refused(response, body)
	case t.stream != streamed:
		return nil, t.unusable(response, media)
	case streamed:
		return nil, t.events(&streamBody{trip: t, under: response.Body}, event)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxPlain+1))
	switch {
	case len(body) > maxPlain:
		return nil, t.failed(KindTooLarge, fmt.Sprintf("the answer is larger than %d MiB", maxPlain>>20), "")
	case err != nil:
		return nil, t.broken(err, "in the middle of its answer")
	}
	if failure := t.inside(response, media, body); failure != nil {
		return nil, failure
	}
	return body, nil
}

// events tells of a stream.
func (t *trip) events(body io.Reader, event func([]byte) error) error {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) { // half a line is none
			return err
		}
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		if data = bytes.TrimSpace(data); ok && len(data) > 0 {
			if failure := event(data); failure != nil {
				err = failure
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return t.asked.Err()
		case err != nil:
			return err
		}
	}
}

// failed is a failure of a request that was sent and may be paid for.
func (t *trip) failed(kind Kind, text, next string) *Error {
	return &Error{Kind: kind, Text: t.clean(text), Next: next, Attempts: 1, Unsure: 1}
}

// broken says why there is no answer, or only a part of one.
func (t *trip) broken(err error, when string) *Error {
	failure := &Error{Kind: KindNetwork, Attempts: 1, Err: plainCause(err)}
	if t.written.Load() {
		failure.Unsure = 1
	}
	answering := strings.Contains(when, "middle")
	switch {
	case errors.Is(t.asked.Err(), context.Canceled):
		failure.Kind, failure.Text = KindCancelled, "it was asked for no more"
	case errors.Is(context.Cause(t.ctx), errIdle):
		failure.Kind = KindTimeout
		failure.Text = fmt.Sprintf("its answer stopped for longer than %s", t.options.Idle)
	case t.ctx.Err() != nil, isTimeout(err):
		failure.Kind, failure.Text = KindTimeout, "no answer came in time"
		if answering {
			failure.Text = "its answer took longer than the time it was given"
		}
		failure.Next = "give it more time by models.timeout, or choose a faster model"
	case answering:
		failure.Kind, failure.Text = KindCut, "the connection broke "+when
	default:
		failure.Text, failure.Next = t.reason(err)
	}
	return failure
}

// reason says why there was no connection.
func (t *trip) reason(err error) (text, next string) {
	host := line(t.base.Host, 80)
	var dns *net.DNSError
	var operation *net.OpError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var refused barred
	switch {
	case errors.As(err, &refused):
		return host + " was not asked: " + refused.Error(), "set base_url of the provider to the machine that the model is on"
	case errors.As(err, &dns):
		return "the name " + host + " cannot be resolved", "check base_url of the provider, and that this machine is online"
	case errors.As(err, &verification):
		return "the certificate of " + host + " is not trusted", "check base_url of the provider, and this machine's clock and certificates"
	case errors.As(err, &record):
		return host + " does not speak TLS", "begin base_url with http:// if the server is one of your own"
	case errors.As(err, &operation) && operation.Op == "dial":
		return "nothing answers at " + host, "check that the server runs and that base_url names its address"
	case t.written.Load():
		return "the connection to " + host + " broke before an answer", ""
	default:
		return "the request could not be sent to " + host, "check base_url of the provider, and that this machine is online"
	}
}

// clean takes the key and other secrets out of a text that may become part of
// an error, and bounds it.
func (t *trip) clean(text string) string { return scrubbed(text, t.secrets) }

// plainCause keeps of an error what callers ask for, and no text of a server.
func plainCause(err error) error {
	for _, known := range []error{context.Canceled, context.DeadlineExceeded, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	return nil
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// streamBody hands on a streamed answer and bounds it: all of it, each line,
// and the wait between two pieces. Its failures are *Error.
type streamBody struct {
	trip        *trip
	under       io.Reader
	total, line int
	ended       error
}

// Read implements io.Reader.
func (b *streamBody) Read(p []byte) (int, error) {
	if b.ended != nil {
		return 0, b.ended
	}
	idle := time.AfterFunc(b.trip.options.Idle, func() { b.trip.cancel(errIdle) })
	n, err := b.under.Read(p[:min(len(p), maxStream-b.total+1)])
	idle.Stop()
	b.count(p[:n])
	switch {
	case b.total > maxStream:
		err = b.trip.failed(KindTooLarge, fmt.Sprintf("its answer is larger than %d MiB", maxStream>>20), "")
	case b.line > maxLine:
		err = b.trip.failed(KindTooLarge, fmt.Sprintf("a line of its answer is longer than %d MiB", maxLine>>20), "")
	case err != nil && !errors.Is(err, io.EOF):
		err = b.trip.broken(err, "in the middle of its answer")
	}
	b.ended = err
	return n, err
}

func (b *streamBody) count(p []byte) {
	b.total += len(p)
	for len(p) > 0 && b.line <= maxLine {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			b.line += len(p)
			return
		}
		if b.line += end; b.line <= maxLine {
			b.line = 0
		}
		p = p[end+1:]
	}
}
