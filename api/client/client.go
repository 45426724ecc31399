// Package client speaks to a running daemon over its unix socket. It stores
// nothing. The command line calls it, and any Go program of the same user may.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	dialTimeout = 2 * time.Second
	// answerTimeout is longer than the server's own, so that its words are
	// heard. A tick may wait for another and then take its full time.
	answerTimeout = 15 * time.Second
	tickTimeout   = 10 * time.Minute
	// maxAnswer is the most that is read of an answer, in bytes: a page of 100
	// tick reports of at most 100 KB each, and a little more.
	maxAnswer = 16 << 20
	// maxPath is the longest path with its query, in bytes: less than the daemon
	// reads of a request before it breaks off the connection.
	maxPath = 8 << 10
)

// Client asks one daemon. It may be used by many goroutines at once.
type Client struct {
	socket  string
	http    *http.Client
	version atomic.Value // string: what the daemon last said
	zone    atomic.Value // string: the name of its time zone
	speaker string       // the agent that speaks; "" for the person
	spoke   atomic.Bool  // as that agent
}

// SpeakAs makes what is said from now on the word of the agent of that name,
// where a request names nobody else; "" is the person. It comes before the first
// question.
func (c *Client) SpeakAs(agent string) { c.speaker = agent }

// Spoke reports whether anything was said as the agent of SpeakAs.
func (c *Client) Spoke() bool { return c.spoke.Load() }

// as is who speaks in a request that names as.
func (c *Client) as(as string) string {
	if as == "" && c.speaker != "" {
		c.spoke.Store(true)
		return c.speaker
	}
	return as
}

// New returns a client for the socket at that path. Nothing is opened before
// the first question.
func New(socket string) *Client {
	if absolute, err := filepath.Abs(socket); err == nil {
		socket = absolute
	}
	var dialer net.Dialer
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		ctx, done := context.WithTimeout(ctx, dialTimeout)
		defer done()
		conn, err := dialer.DialContext(ctx, "unix", socket)
		if err != nil {
			return nil, &dialError{err}
		}
		if err := api.CheckServer(conn); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}
	return &Client{
		socket: socket,
		http: &http.Client{
			Transport:     &http.Transport{DialContext: dial, MaxIdleConns: 2, IdleConnTimeout: 30 * time.Second, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Socket returns the absolute path that is tried.
func (c *Client) Socket() string { return c.socket }

// DaemonVersion returns the version that the daemon's last answer carried, or
// "" before the first.
func (c *Client) DaemonVersion() string {
	version, _ := c.version.Load().(string)
	return version
}

// Zone returns the time zone that the daemon's last answer named, or nil where
// it named none that this machine knows.
func (c *Client) Zone() *time.Location {
	name, _ := c.zone.Load().(string)
	if name == "" {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}

// Mismatch returns the daemon's version if its last answer came from another
// build than this program's. Builds without a version are never a mismatch.
func (c *Client) Mismatch() (daemon string, mismatch bool) {
	daemon = c.DaemonVersion()
	return daemon, differ(daemon, api.BuildVersion())
}

// differ reports whether two versions are known and not the same.
func differ(daemon, own string) bool {
	known := daemon != "" && daemon != api.Unversioned && own != api.Unversioned
	return known && daemon != own
}

// Status returns one screen about the mind.
func (c *Client) Status(ctx context.Context) (api.Status, error) {
	return get[api.Status](ctx, c, "/v1/status")
}

// Document returns the published document.
func (c *Client) Document(ctx context.Context) (subconscious.Document, error) {
	return get[subconscious.Document](ctx, c, "/v1/subconscious")
}

// Health returns nil while the mind thinks as it should.
func (c *Client) Health(ctx context.Context) error {
	_, err := get[api.HealthReply](ctx, c, "/healthz")
	return err
}

// Tick runs one tick and returns its report.
func (c *Client) Tick(ctx context.Context, request api.TickRequest) (api.TickReport, error) {
	ctx, done := context.WithTimeout(ctx, tickTimeout)
	defer done()
	return post[api.TickReport](ctx, c, "/v1/tick", request)
}

// Ticks returns at most limit reports of ticks below before, newest first; 0
// stands for the server's own limit, and for the newest there are.
func (c *Client) Ticks(ctx context.Context, before int64, limit int) (api.TickPage, error) {
	query := url.Values{}
	if before != 0 {
		query.Set("before", strconv.FormatInt(before, 10))
	}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	path := "/v1/ticks"
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return get[api.TickPage](ctx, c, path)
}

// TickReport returns the report of tick n.
func (c *Client) TickReport(ctx context.Context, n int64) (api.TickReport, error) {
	return get[api.TickReport](ctx, c, "/v1/ticks/"+strconv.FormatInt(n, 10))
}

// Why explains an entry.
func (c *Client) Why(ctx context.Context, entry subconscious.EntryID) (api.Explanation, error) {
	return get[api.Explanation](ctx, c, "/v1/why/"+url.PathEscape(string(entry)))
}

// Command records what the next tick will consume.
func (c *Client) Command(ctx context.Context, command api.CommandRequest) (api.CommandResult, error) {
	command.As = c.as(command.As)
	return post[api.CommandResult](ctx, c, "/v1/commands", command)
}

// Pause stops ticks for that long; 0 means until resumed.
func (c *Client) Pause(ctx context.Context, length time.Duration) (api.PauseState, error) {
	body := map[string]string{}
	if length != 0 {
		body["for"] = length.String()
	}
	return post[api.PauseState](ctx, c, "/v1/pause", body)
}

// Resume lets ticks go on.
func (c *Client) Resume(ctx context.Context) (api.PauseState, error) {
	return post[api.PauseState](ctx, c, "/v1/resume", struct{}{})
}

// Models returns every role with its model and how that is.
func (c *Client) Models(ctx context.Context) ([]api.ModelStatus, error) {
	return get[[]api.ModelStatus](ctx, c, "/v1/models")
}

// TestModels asks models live: those of a role or of a provider, or all where
// who is empty.
func (c *Client) TestModels(ctx context.Context, who string) ([]api.ModelTest, error) {
	ctx, done := context.WithTimeout(ctx, tickTimeout)
	defer done()
	return post[[]api.ModelTest](ctx, c, "/v1/models/test", api.ModelTestRequest{Who: who})
}

// Prompt returns what a thread would be asked now.
func (c *Client) Prompt(ctx context.Context, thread string) (api.RenderedPrompt, error) {
	return get[api.RenderedPrompt](ctx, c, "/v1/prompts/"+url.PathEscape(thread))
}

// Report sums up the time from since until now; a zero since stands for the
// last 24 hours.
func (c *Client) Report(ctx context.Context, since time.Time) (api.Report, error) {
	path := "/v1/report"
	if !since.IsZero() {
		path += "?" + url.Values{"since": {since.Format(time.RFC3339)}}.Encode()
	}
	return get[api.Report](ctx, c, path)
}

// Inbox returns one page of incidents and what waits; a zero query is the
// newest of those that are not over.
func (c *Client) Inbox(ctx context.Context, query api.InboxQuery) (api.Inbox, error) {
	values := pageValues(query.Before, query.Limit)
	setYes(values, "all", query.All)
	return get[api.Inbox](ctx, c, withQuery("/v1/inbox", values))
}

// Incident explains an incident.
func (c *Client) Incident(ctx context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error) {
	return get[api.IncidentExplanation](ctx, c, "/v1/inbox/"+url.PathEscape(string(id)))
}

// Missed traces what should have been told, and keeps it as missed.
func (c *Client) Missed(ctx context.Context, request api.MissedRequest) (api.Trace, error) {
	request.As = c.as(request.As)
	return post[api.Trace](ctx, c, "/v1/missed", request)
}

// Calibration returns what was learnt from the person's answers.
func (c *Client) Calibration(ctx context.Context) (api.Calibration, error) {
	return get[api.Calibration](ctx, c, "/v1/calibration")
}

// ResetCalibration forgets scores, all of them where the request is empty, and
// returns what is left.
func (c *Client) ResetCalibration(ctx context.Context, request api.CalibrationRequest) (api.Calibration, error) {
	return post[api.Calibration](ctx, c, "/v1/calibration/reset", request)
}

// Channels returns how each channel fares.
func (c *Client) Channels(ctx context.Context) ([]api.ChannelStatus, error) {
	return get[[]api.ChannelStatus](ctx, c, "/v1/channels")
}

// RenewChannel has the answers of a channel come back over a new reply topic.
func (c *Client) RenewChannel(ctx context.Context, channel string) (api.ChannelStatus, error) {
	return post[api.ChannelStatus](ctx, c, "/v1/channels/renew", api.ChannelTestRequest{Channel: channel})
}

// TestChannels sends a test message over one channel, or over all where channel
// is empty, and returns what became of it.
func (c *Client) TestChannels(ctx context.Context, channel string) ([]api.Delivery, error) {
	ctx, done := context.WithTimeout(ctx, tickTimeout)
	defer done()
	return post[[]api.Delivery](ctx, c, "/v1/channels/test", api.ChannelTestRequest{Channel: channel})
}

func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	ctx, done := context.WithTimeout(ctx, answerTimeout)
	defer done()
	return ask[T](ctx, c, http.MethodGet, path, nil)
}

func post[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var done context.CancelFunc
		ctx, done = context.WithTimeout(ctx, answerTimeout)
		defer done()
	}
	text, err := json.Marshal(body)
	if err != nil {
		var none T
		return none, fmt.Errorf("client: write the request: %w", err)
	}
	return ask[T](ctx, c, http.MethodPost, path, text)
}

// ask sends one request and reads its answer. Every failure is an *Unreachable,
// an *api.Problem, an *api.Error where the socket is somebody else's, or a plain
// error that names the path.
func ask[T any](ctx context.Context, c *Client, method, path string, body []byte) (T, error) {
	var value T
	if len(path) > maxPath {
		return value, api.Errorf(api.CodeBadRequest, "make it shorter", "the question is %d bytes long, and at most %d are taken", len(path), maxPath)
	}
	if err := api.CheckSocketPath(c.socket); err != nil {
		return value, c.unreachable(err)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://subconsciousd"+path, bytes.NewReader(body))
	if err != nil {
		return value, fmt.Errorf("client: %s %s: %w", method, path, err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return value, c.failure(err)
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return value, c.failure(err)
	}
	c.version.Store(response.Header.Get(api.VersionHeader))
	c.zone.Store(response.Header.Get(api.ZoneHeader))
	if len(answer) > maxAnswer {
		return value, fmt.Errorf("client: %s %s: the answer is over %d bytes", method, path, maxAnswer)
	}
	if response.StatusCode != http.StatusOK {
		return value, problem(response, answer)
	}
	if err := json.Unmarshal(answer, &value); err != nil {
		return value, fmt.Errorf("client: %s %s: the answer cannot be read: %w", method, path, err)
	}
	return value, nil
}

// problem reads a problem document, or makes one of whatever else was answered.
func problem(response *http.Response, body []byte) error {
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	read := &api.Problem{}
	if err == nil && media == "application/problem+json" && json.Unmarshal(body, read) == nil && read.Code != "" {
		return read
	}
	return &api.Problem{
		Type: "about:blank", Title: http.StatusText(response.StatusCode), Status: response.StatusCode, Code: api.CodeInternal,
		Detail: fmt.Sprintf("what listens on the socket answered %s and is not a daemon of this kind", response.Status),
		Next:   "check the state folder, and that daemon and command line are of one version",
	}
}
