package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/kin"
)

// peer is who is at the other end of a connection, as the kernel says.
type peer struct {
	uid int
	pid int // 0 where it is not known
}

// isOurs reports whether it is this user, or root.
func (p peer) isOurs() bool { return p.uid == 0 || p.uid == os.Geteuid() }

// peerOf asks the kernel who connected.
func peerOf(conn net.Conn) (peer, error) {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return peer{}, fmt.Errorf("api: %T is not a unix connection", conn)
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return peer{}, fmt.Errorf("api: reach the connection: %w", err)
	}
	var who peer
	var asked error
	if err := raw.Control(func(fd uintptr) { who, asked = peerCredentials(int(fd)) }); err != nil {
		return peer{}, fmt.Errorf("api: reach the connection: %w", err)
	}
	if asked != nil {
		return peer{}, fmt.Errorf("api: ask who connected: %w", asked)
	}
	return who, nil
}

// CheckServer asks the kernel who serves the socket that conn leads to, and
// refuses everybody but this user and root: whoever may write to the socket's
// folder can put a socket of their own in its place.
func CheckServer(conn net.Conn) error {
	who, err := peerOf(conn)
	if err != nil {
		return Errorf(CodeRefused, "report this as a bug", "the system does not say who serves the socket: %w", err)
	}
	if !who.isOurs() {
		return Errorf(CodeRefused, "look at who may write to the state folder, or name your own with --state-dir DIR; if it is right, run the command as that user",
			"the socket %s is served by user %d%s, and this is user %d; nothing was said to it", conn.RemoteAddr(), who.uid, pidText(conn), os.Geteuid())
	}
	return nil
}

// guard is a listener that lets in only the users that may, and only so many at
// once. Others are answered with a problem document before one byte of theirs
// is read. Where all places are taken, the connection that has been quiet for
// longest makes room, if that is longer than patience.
type guard struct {
	net.Listener
	version string
	logger  *slog.Logger
	slots   chan struct{}
	closed  chan struct{}
	once    sync.Once

	patience time.Duration
	lets     func(peer) bool
	tcp      bool // anybody on this machine may connect; who may ask, tokens say

	mu    sync.Mutex
	quiet []*guardedConn // without a whole request, the longest one first
}

var _ net.Listener = (*guard)(nil)

func newGuard(listener net.Listener, options Options, patience time.Duration) *guard {
	return &guard{
		Listener: listener,
		version:  options.Version,
		logger:   options.Logger,
		slots:    make(chan struct{}, maxConns),
		closed:   make(chan struct{}),
		patience: patience,
	}
}

// Accept returns the next connection of a user that may.
func (g *guard) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		who, err := peer{}, error(nil)
		if !g.tcp {
			who, err = peerOf(conn)
		}
		if err != nil || !g.tcp && !g.lets(who) {
			g.refuse(conn, who, err)
			continue
		}
		at := kin.Now()
		if err := g.place(); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return &guardedConn{Conn: conn, who: who, at: at, guard: g, release: sync.OnceFunc(func() { <-g.slots })}, nil
	}
}

// place takes a place, and waits for one while all run a request.
func (g *guard) place() error {
	for {
		select {
		case g.slots <- struct{}{}:
			return nil
		default:
		}
		select {
		case g.slots <- struct{}{}:
			return nil
		case <-g.closed:
			return net.ErrClosed
		case <-time.After(g.hangUp()):
		}
	}
}

// hangUp closes the connection that has been quiet for longest, where that is
// long, and returns how long to wait before the next one.
func (g *guard) hangUp() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.quiet) == 0 {
		return g.patience
	}
	if left := g.patience - time.Since(g.quiet[0].since); left > 0 {
		return left
	}
	_ = g.quiet[0].Close() // who serves it sees that it is closed
	g.quiet = g.quiet[1:]
	return 0
}

// Close ends Accept.
func (g *guard) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.Listener.Close()
}

// refuse answers and hangs up. The answer fits the socket's buffer, so that it
// does not wait for the peer.
func (g *guard) refuse(conn net.Conn, who peer, cause error) {
	text := fmt.Sprintf("user %d may not speak with this mind, which belongs to user %d", who.uid, os.Geteuid())
	if cause != nil {
		text = "the system does not say which user is connecting"
	}
	problem := ProblemOf(&Error{Code: CodeRefused, Text: text, Next: "run the command as the user that the daemon runs as"})
	body, err := json.Marshal(problem)
	if err == nil {
		err = conn.SetWriteDeadline(time.Now().Add(time.Second))
	}
	if err == nil {
		_, err = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%s: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			problem.Status, http.StatusText(problem.Status), problemMedia, VersionHeader, g.version, len(body), body)
	}
	g.logger.Warn("refused a connection", "uid", who.uid, "pid", who.pid, "error", errors.Join(cause, err, conn.Close()))
}

// guardedConn gives its slot back when it is closed.
type guardedConn struct {
	net.Conn
	who     peer
	at      uint64 // when it was accepted, as kin.Now
	guard   *guard
	release func()
	since   time.Time // when it became quiet
}

// Close closes the connection.
func (c *guardedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// connKey is where the context of a request has its connection.
type connKey struct{}

// hear notes whether a connection is quiet: from when it is new, or between two
// requests, until a request has arrived whole.
func (c *guardedConn) hear(quiet bool) {
	c.guard.mu.Lock()
	defer c.guard.mu.Unlock()
	c.guard.quiet = slices.DeleteFunc(c.guard.quiet, func(other *guardedConn) bool { return other == c })
	if quiet {
		c.since = time.Now()
		c.guard.quiet = append(c.guard.quiet, c)
	}
}

// follow is told by the HTTP server what becomes of a connection.
func follow(conn net.Conn, state http.ConnState) {
	if guarded, ok := conn.(*guardedConn); ok && state != http.StateActive {
		guarded.hear(state == http.StateNew || state == http.StateIdle)
	}
}
