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
)

// peer is who is at the other end of a connection, as the kernel says.
type peer struct {
	uid int
	pid int // 0 where it is not known
}

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

// guard is a listener that lets in only the users that may, and only so many at
// once. Others are answered with a problem document before one byte of theirs
// is read.
type guard struct {
	net.Listener
	allowed []int
	version string
	logger  *slog.Logger
	slots   chan struct{}
	closed  chan struct{}
	once    sync.Once
}

var _ net.Listener = (*guard)(nil)

func newGuard(listener net.Listener, options Options) *guard {
	return &guard{
		Listener: listener,
		allowed:  append([]int{0, os.Geteuid()}, options.AllowUIDs...),
		version:  options.Version,
		logger:   options.Logger,
		slots:    make(chan struct{}, maxConns),
		closed:   make(chan struct{}),
	}
}

// Accept returns the next connection of a user that may.
func (g *guard) Accept() (net.Conn, error) {
	select {
	case g.slots <- struct{}{}:
	case <-g.closed:
		return nil, net.ErrClosed
	}
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			<-g.slots
			return nil, err
		}
		who, err := peerOf(conn)
		if err == nil && slices.Contains(g.allowed, who.uid) {
			return &guardedConn{Conn: conn, release: sync.OnceFunc(func() { <-g.slots })}, nil
		}
		g.refuse(conn, who, err)
	}
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
	release func()
}

// Close closes the connection.
func (c *guardedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
