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
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
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

// speak says in a question who speaks, where it can say so and names nobody.
func (c *Client) speak(question any) {
	as := reflect.ValueOf(question).Elem().FieldByName("As")
	if c.speaker != "" && as.IsValid() && as.String() == "" {
		as.SetString(c.speaker)
		c.spoke.Store(true)
	}
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

// Ask puts a question to the daemon and reads its answer. Every failure is an
// *Unreachable, an *api.Problem, an *api.Error where the socket is somebody
// else's, or a plain error that names the path.
func Ask[Q, A any](ctx context.Context, c *Client, route api.Route[Q, A], question Q) (value A, err error) {
	within := answerTimeout
	if route.Long > 0 {
		within = longTimeout
	}
	ctx, done := context.WithTimeout(ctx, within)
	defer done()
	response, err := send(ctx, c, route, question, "", nil)
	if err != nil {
		return value, err
	}
	return read[A](c, response)
}

// Send puts a question to the daemon whose body is a file, however long, and reads its
// answer as Ask does.
func Send[Q, A any](ctx context.Context, c *Client, route api.Route[Q, A], question Q, file *os.File) (value A, err error) {
	response, err := send(ctx, c, route, question, "", file)
	if err != nil {
		return value, err
	}
	return read[A](c, response)
}

func read[A any](c *Client, response *http.Response) (value A, err error) {
	answer, err := c.whole(response)
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal(answer, &value); err != nil {
		return value, fmt.Errorf("client: %s %s: the answer cannot be read: %w", response.Request.Method, response.Request.URL.Path, err)
	}
	return value, nil
}

// Copy puts a question to the daemon, and writes what it answers to w as it comes. Its
// errors are those of Ask; w has less than all then.
func Copy[Q any](ctx context.Context, c *Client, route api.Route[Q, api.Text], question Q, w io.Writer) error {
	response, err := send(ctx, c, route, question, "", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(w, response.Body); err != nil {
		return fmt.Errorf("client: the answer broke off: %w", err)
	}
	return nil
}

// send puts a question to the daemon, after the event with an id where there is one, and
// with a file for its body where there is one.
// An answer that is no success is an error.
func send[Q, A any](ctx context.Context, c *Client, route api.Route[Q, A], question Q, after string, file *os.File) (*http.Response, error) {
	c.speak(&question)
	path, body, err := route.Request(question)
	if err != nil {
		return nil, fmt.Errorf("client: write the request: %w", err)
	}
	if len(path) > maxPath {
		return nil, api.Errorf(api.CodeBadRequest, "make it shorter", "the question is %d bytes long, and at most %d are taken", len(path), maxPath)
	}
	if err := api.CheckSocketPath(c.socket); err != nil {
		return nil, c.unreachable(err)
	}
	request, err := http.NewRequestWithContext(ctx, route.Method, "http://subconsciousd"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("client: %s %s: %w", route.Method, path, err)
	}
	if file != nil {
		stat, err := file.Stat()
		if err != nil {
			return nil, fmt.Errorf("client: %w", err)
		}
		request.Body, request.ContentLength = io.NopCloser(file), stat.Size()
	} else if route.Method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	if after != "" {
		request.Header.Set("Last-Event-ID", after)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.failure(err)
	}
	c.version.Store(response.Header.Get(api.VersionHeader))
	c.zone.Store(response.Header.Get(api.ZoneHeader))
	if response.StatusCode != http.StatusOK {
		answer, err := c.whole(response)
		if err == nil {
			err = problem(response, answer)
		}
		return nil, err
	}
	return response, nil
}

// whole reads an answer to its end.
func (c *Client) whole(response *http.Response) ([]byte, error) {
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, c.failure(err)
	}
	if len(answer) > maxAnswer {
		return nil, fmt.Errorf("client: %s %s: the answer is over %d bytes", response.Request.Method, response.Request.URL.Path, maxAnswer)
	}
	return answer, nil
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
