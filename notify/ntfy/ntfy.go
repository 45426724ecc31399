// Package ntfy sends messages over an ntfy server, and takes the answers of
// their buttons back over a topic of its own.
//
// A message is one JSON document, posted to the server. Each button is an
// action that the phone performs by itself: it posts the button's token to the
// reply topic. The action carries nothing else, above all no password and no
// token of the account: it passes through the server, through whatever pushes
// to the phone, and lies on the phone. So anybody must be allowed to write to
// the reply topic, which nobody can guess, and whose tokens work once. On a
// server that asks for signing in:
//
//	ntfy access everyone 'REPLY-TOPIC' write-only
//
// What broke off is looked for among the messages that the server keeps. That
// takes an account that may read the topic, and a server that keeps messages;
// elsewhere nobody can tell.
//
// It stores nothing. The outbox of package notify calls Send, Arrived and
// Listen.
package ntfy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxBody bounds what is read of an answer.
	maxBody = 64 << 10
	// sendTimeout bounds one message from the connection to the answer.
	sendTimeout = 30 * time.Second
	// agent is what the server is told of who asks.
	agent = "subconsciousd"
)

// Options are what a Client needs beside its configuration. Every zero value
// is usable.
type Options struct {
	// ReplyTopic is where answers come back if the configuration names no
	// topic: 128 random bits that the caller keeps, see NewReplyTopic. Where
	// neither does, messages have no buttons.
	ReplyTopic string
	// Env looks variables up; nil is os.LookupEnv.
	Env func(string) (string, bool)
	// Transport carries requests; nil is one with bounds, which uses the proxy
	// of the environment.
	Transport http.RoundTripper
	// Now is the clock that dates of the server are compared with; nil is
	// time.Now.
	Now func() time.Time
}

// Client is a channel to one topic. It may be used by many at once.
type Client struct {
	config  Config
	options Options
	base    string // the server, with a slash at its end
	host    string // the same as people are told of it
	client  *http.Client
	told    told
	burst   int // see there

	mu      sync.Mutex // for what follows
	reply   string     // the reply topic; empty: no buttons
	renewed context.Context
	renew   context.CancelFunc
	// keeps is for how many seconds the server keeps messages, as far as it
	// has said so since the start; 0 for unknown.
	keeps atomic.Int64
}

// told is what Keep was told.
type told struct {
	place   string
	strange func()
	reached func(ctx context.Context, place string)
}

var (
	_ notify.Notifier = (*Client)(nil)
	_ notify.Verifier = (*Client)(nil)
	_ notify.Keeper   = (*Client)(nil)
)

// New makes a client. It connects to nothing.
func New(config Config, options Options) (*Client, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	c := &Client{config: config, options: options, base: strings.TrimRight(config.URL, "/") + "/"}
	if at, err := url.Parse(c.base); err == nil {
		c.host = subconscious.Clip(at.Host, 100)
	}
	c.renewed, c.renew = context.WithCancel(context.Background())
	c.burst = burst
	c.Keep("", func() {}, func(context.Context, string) {})
	if config.Answers() {
		c.reply = cmp.Or(config.ReplyTopic, options.ReplyTopic)
	}
	if c.reply != "" && (!topicPattern().MatchString(c.reply) || c.reply == config.Topic) {
		return nil, errTopic
	}
	if c.options.Now == nil {
		c.options.Now = time.Now
	}
	c.client = &http.Client{
		Transport: cmp.Or(c.options.Transport, transport()),
		// A message and its key go where the configuration says, nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

var errTopic = errors.New("the reply topic cannot be used: it is no topic, or the one that messages go to; make one by NewReplyTopic")

// transport bounds every wait but that for the next line of a stream, which
// Listen watches. Every request has a connection of its own: on one that lay
// idle and broke unseen a message would be lost to doubt.
func transport() http.RoundTripper {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  20 * time.Second,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // what is small needs none, and what is not must not grow
	}
}

// Buttons reports whether messages have buttons, whose answers Listen hands on.
func (c *Client) Buttons() bool { return c.ReplyTopic() != "" }

// ReplyTopic is where answers come back; empty where there are no buttons.
func (c *Client) ReplyTopic() string {
	topic, _ := c.replies()
	return topic
}

// Close gives idle connections up.
func (c *Client) Close() { c.client.CloseIdleConnections() }

// Send implements notify.Notifier.
func (c *Client) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // it is short
	if err := encoder.Encode(c.document(message)); err != nil {
		return notify.Receipt{}, &notify.Error{Trouble: notify.Refused, Err: err,
			Text: "the message cannot be written as JSON", Next: "report this as a bug"}
	}
	answer, err := c.post(ctx, "", body.Bytes(), true)
	if err != nil {
		return notify.Receipt{}, err
	}
	return c.receipt(answer, c.config.Topic)
}

// authorize signs a request. The key is fetched each time, so that a new one
// counts at once and an old one does not stay in memory.
func (c *Client) authorize(request *http.Request) error {
	password := c.config.Username != ""
	ref := c.config.Token
	if password {
		ref = c.config.Password
	}
	key, err := ref.Resolve(c.options.Env)
	switch {
	case errors.Is(err, secret.ErrNone):
		return nil
	case err != nil:
		return err
	case password:
		request.SetBasicAuth(c.config.Username, key.Reveal())
	default:
		request.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
	return nil
}

// signs reports whether requests are signed.
func (c *Client) signs() bool {
	return len(c.config.Token.Names())+len(c.config.Password.Names()) > 0
}
