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
	"path/filepath"
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
	longTimeout   = 12 * time.Minute
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
	return ask(ctx, c, api.GetStatus, api.Nothing{})
}

// Document returns the published document.
func (c *Client) Document(ctx context.Context) (document subconscious.Document, err error) {
	text, err := ask(ctx, c, api.GetDocument, api.Nothing{})
	if err != nil {
		return document, err
	}
	return document, json.Unmarshal(text, &document)
}

// Health returns nil while the mind thinks as it should.
func (c *Client) Health(ctx context.Context) error {
	_, err := ask(ctx, c, api.GetHealth, api.Nothing{})
	return err
}

// Tick runs one tick and returns its report.
func (c *Client) Tick(ctx context.Context, request api.TickRequest) (api.TickReport, error) {
	return ask(ctx, c, api.PostTick, request)
}

// Ticks returns at most limit reports of ticks below before, newest first; 0
// stands for the server's own limit, and for the newest there are.
func (c *Client) Ticks(ctx context.Context, before int64, limit int) (api.TickPage, error) {
	return ask(ctx, c, api.GetTicks, api.TicksQuery{Before: before, Limit: limit})
}

// TickReport returns the report of tick n.
func (c *Client) TickReport(ctx context.Context, n int64) (api.TickReport, error) {
	return ask(ctx, c, api.GetTick, api.TickQuery{N: n})
}

// Why explains an entry.
func (c *Client) Why(ctx context.Context, entry subconscious.EntryID) (api.Explanation, error) {
	return ask(ctx, c, api.GetWhy, api.WhyQuery{Entry: entry})
}

// Command records what the next tick will consume.
func (c *Client) Command(ctx context.Context, command api.CommandRequest) (api.CommandResult, error) {
	command.As = c.as(command.As)
	return ask(ctx, c, api.PostCommand, command)
}

// Pause stops ticks for that long; 0 means until resumed.
func (c *Client) Pause(ctx context.Context, length time.Duration) (api.PauseState, error) {
	var body api.PauseBody
	if length != 0 {
		body.For = length.String()
	}
	return ask(ctx, c, api.PostPause, body)
}

// Resume lets ticks go on.
func (c *Client) Resume(ctx context.Context) (api.PauseState, error) {
	return ask(ctx, c, api.PostResume, api.Nothing{})
}

// Models returns every role with its model and how that is.
func (c *Client) Models(ctx context.Context) ([]api.ModelStatus, error) {
	return ask(ctx, c, api.GetModels, api.Nothing{})
}

// TestModels asks models live: those of a role or of a provider, or all where
// who is empty.
func (c *Client) TestModels(ctx context.Context, who string) ([]api.ModelTest, error) {
	return ask(ctx, c, api.PostModelTest, api.ModelTestRequest{Who: who})
}

// Prompt returns what a thread would be asked now.
func (c *Client) Prompt(ctx context.Context, thread string) (api.RenderedPrompt, error) {
	return ask(ctx, c, api.GetPrompt, api.PromptQuery{Thread: thread})
}

// Report sums up the time from since until now; a zero since stands for the
// last 24 hours.
func (c *Client) Report(ctx context.Context, since time.Time) (api.Report, error) {
	return ask(ctx, c, api.GetReport, api.ReportQuery{Since: since})
}

// Inbox returns one page of incidents and what waits; a zero query is the
// newest of those that are not over.
func (c *Client) Inbox(ctx context.Context, query api.InboxQuery) (api.Inbox, error) {
	return ask(ctx, c, api.GetInbox, query)
}

// Incident explains an incident.
func (c *Client) Incident(ctx context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error) {
	return ask(ctx, c, api.GetIncident, api.IncidentQuery{ID: id})
}

// Missed traces what should have been told, and keeps it as missed.
func (c *Client) Missed(ctx context.Context, request api.MissedRequest) (api.Trace, error) {
	request.As = c.as(request.As)
	return ask(ctx, c, api.PostMissed, request)
}

// Calibration returns what was learnt from the person's answers.
func (c *Client) Calibration(ctx context.Context) (api.Calibration, error) {
	return ask(ctx, c, api.GetCalibration, api.Nothing{})
}

// ResetCalibration forgets scores, all of them where the request is empty, and
// returns what is left.
func (c *Client) ResetCalibration(ctx context.Context, request api.CalibrationRequest) (api.Calibration, error) {
	return ask(ctx, c, api.PostCalibration, request)
}

// Channels returns how each channel fares.
func (c *Client) Channels(ctx context.Context) ([]api.ChannelStatus, error) {
	return ask(ctx, c, api.GetChannels, api.Nothing{})
}

// RenewChannel has the answers of a channel come back over a new reply topic.
func (c *Client) RenewChannel(ctx context.Context, channel string) (api.ChannelStatus, error) {
	return ask(ctx, c, api.PostChannelRenew, api.ChannelRenewal{ChannelTestRequest: api.ChannelTestRequest{Channel: channel}})
}

// TestChannels sends a test message over one channel, or over all where channel
// is empty, and returns what became of it.
func (c *Client) TestChannels(ctx context.Context, channel string) ([]api.Delivery, error) {
	return ask(ctx, c, api.PostChannelTest, api.ChannelTestRequest{Channel: channel})
}

// Proposals returns a page of the actions that wait for the person's word.
func (c *Client) Proposals(ctx context.Context, query api.ProposalQuery) (api.ProposalPage, error) {
	return ask(ctx, c, api.GetProposals, query)
}

// Proposal returns one by its id.
func (c *Client) Proposal(ctx context.Context, id string) (api.Proposal, error) {
	return ask(ctx, c, api.GetProposal, api.ProposalName{ID: id})
}

// Decide approves or rejects a proposal. Approving waits until the action has
// ended.
func (c *Client) Decide(ctx context.Context, decision api.ProposalDecision) (api.ProposalResult, error) {
	return ask(ctx, c, api.PostDecision, decision)
}

// Runs returns a page of what was carried out.
func (c *Client) Runs(ctx context.Context, query api.RunQuery) (api.RunPage, error) {
	return ask(ctx, c, api.GetRuns, query)
}

// Undo takes a run back and waits until that has ended.
func (c *Client) Undo(ctx context.Context, run string) (api.ActionRun, error) {
	return ask(ctx, c, api.PostUndo, api.UndoRequest{Run: run})
}

// Conversations returns a page of them, the newest message first.
func (c *Client) Conversations(ctx context.Context, query api.ConversationQuery) (api.ConversationPage, error) {
	return ask(ctx, c, api.GetConversations, query)
}

// Messages returns a page of a conversation, or with words those that fit best.
func (c *Client) Messages(ctx context.Context, query api.MessageQuery) (api.MessagePage, error) {
	if query.Words != "" {
		return ask(ctx, c, api.GetMessages, api.MessageSearch{Words: query.Words, Conversation: query.Conversation, Limit: query.Limit})
	}
	return ask(ctx, c, api.GetConversation, api.ConversationMessages{Conversation: query.Conversation, Before: query.Before, Limit: query.Limit})
}

// Post adds a message to a conversation.
func (c *Client) Post(ctx context.Context, request api.PostRequest) (api.Message, error) {
	request.As = c.as(request.As)
	return ask(ctx, c, api.PostMessage, request)
}

// SearchMemory returns what fits the words best, or the newest without any.
func (c *Client) SearchMemory(ctx context.Context, query api.MemoryQuery) (api.MemoryPage, error) {
	return ask(ctx, c, api.GetMemories, query)
}

// Memory returns one by its id.
func (c *Client) Memory(ctx context.Context, id string) (api.MemoryRecord, error) {
	return ask(ctx, c, api.GetMemory, api.MemoryName{ID: id})
}

// ChangeMemory adds, confirms or forgets.
func (c *Client) ChangeMemory(ctx context.Context, change api.MemoryChange) (api.MemoryRecord, error) {
	change.As = c.as(change.As)
	return ask(ctx, c, api.PostMemory, change)
}

// ask sends one request and reads its answer. Every failure is an *Unreachable,
// an *api.Problem, an *api.Error where the socket is somebody else's, or a plain
// error that names the path.
func ask[Q, A any](ctx context.Context, c *Client, route api.Route[Q, A], question Q) (value A, err error) {
	method := route.Method
	path, body, err := route.Request(question)
	if err != nil {
		return value, fmt.Errorf("client: write the request: %w", err)
	}
	within := answerTimeout
	if route.Long > 0 {
		within = longTimeout
	}
	ctx, done := context.WithTimeout(ctx, within)
	defer done()
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
