package account

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2/imapclient"
)

const (
	// slack is what a server may send unasked while it answers a command:
	// changes of other messages, its capabilities.
	slack = 64 << 10
	// idleBudget is what it may send in a minute in which nothing is asked.
	idleBudget = 64 << 10
	// grace is how long the rest of what the server sent may take to arrive after
	// it takes nothing any more.
	grace = time.Second
	// longest is how many times Patience a command may take altogether, however
	// steadily the answer trickles.
	longest = 15
)

// allowance is what an answer may be.
type allowance struct {
	bytes   int64 // altogether; slack comes on top
	literal int64 // of one literal
	line    int64 // of an answer without literals; at least maxLine
}

// guard stands between the library, which believes the server every length, and
// the connection. It counts what comes against an allowance, follows it with a
// lexer, and ends the connection before the library sees what is too much; it
// ends it, too, when the server says nothing for too long where it has to answer.
type guard struct {
	net.Conn
	raw      io.Closer // what to close: TLS would say goodbye first, and wait
	patience time.Duration

	mu      sync.Mutex
	lexer   lexer
	left    int64
	waiting bool      // an answer is due
	began   time.Time // when it was asked for
	heard   time.Time // when the last byte came
	within  time.Duration
	minute  time.Time // when left was last filled up while nothing was asked
	timer   *time.Timer
	err     error // why it ended
	// gone is closed when the library's reader has ended.
	gone <-chan struct{}
	// bare makes an empty answer of SASL an empty line: the library writes "=",
	// which is right only with the command itself.
	bare bool
}

func newGuard(conn net.Conn, raw io.Closer, patience time.Duration) *guard {
	g := &guard{Conn: conn, raw: raw, patience: patience}
	g.timer = time.AfterFunc(time.Hour, g.check)
	g.timer.Stop()
	return g
}

// client makes a client of the library that speaks through the guard.
func (g *guard) client(options *imapclient.Options) *imapclient.Client {
	g.mu.Lock() // nothing comes through before gone is there
	defer g.mu.Unlock()
	client := imapclient.New(g, options)
	g.gone = client.Closed()
	return client
}

// expect says that an answer is due, and what it may be.
func (g *guard) expect(a allowance, within time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = a.bytes + slack
	g.lexer.maxLine, g.lexer.maxLiteral = a.line, max(a.literal, 4<<10)
	g.waiting, g.began, g.within = true, time.Now(), within
	g.heard = g.began
	g.timer.Reset(within)
}

// rest says that nothing is asked.
func (g *guard) rest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left, g.minute = idleBudget, time.Now()
	g.lexer.maxLine, g.lexer.maxLiteral = 0, 4<<10
	g.waiting = false
	g.timer.Stop()
}

// check ends the connection if the server has said nothing for too long.
func (g *guard) check() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.waiting || g.err != nil {
		return
	}
	now := time.Now()
	quiet := g.within - now.Sub(g.heard)
	whole := longest*g.patience - now.Sub(g.began)
	switch {
	case quiet <= 0:
		g.end(fmt.Errorf("%w: it said nothing for %s", ErrSilent, g.within))
	case whole <= 0:
		g.end(fmt.Errorf("%w: its answer did not end within %s", ErrSilent, longest*g.patience))
	default:
		g.timer.Reset(min(quiet, whole))
	}
}

// Read hands on what came, if it is within the allowance.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil && n > 0 {
		g.judge(p[:n])
	}
	if g.err != nil {
		return 0, g.err
	}
	return n, err
}

func (g *guard) judge(data []byte) {
	g.heard = time.Now()
	if !g.waiting && g.heard.Sub(g.minute) >= time.Minute {
		g.left, g.minute = idleBudget, g.heard
	}
	g.left -= int64(len(data))
	err := g.lexer.feed(data)
	switch {
	case err != nil:
		g.end(fmt.Errorf("%w: %w", ErrBounds, err))
	case g.left >= 0:
	case g.waiting:
		g.end(fmt.Errorf("%w: far more than was asked for", ErrBounds))
	default:
		g.end(fmt.Errorf("%w: more than %d KiB a minute without having been asked", ErrBounds, idleBudget>>10))
	}
}

// Write sends what the library wrote. Where that fails, the library would end its
// commands at once, in a race with its reader, which may hold the answer that says
// why; it is told of the failure when its reader has ended.
func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	bare := g.bare
	g.mu.Unlock()
	var err error
	if bare && string(p) == "=\r\n" {
		_, err = g.Conn.Write(p[1:])
	} else {
		_, err = g.Conn.Write(p)
	}
	if err == nil {
		return len(p), nil
	}
	timer := time.AfterFunc(grace, func() { g.fail(ErrLost) })
	defer timer.Stop()
	<-g.gone
	return 0, err
}

// SetReadDeadline does nothing: the library has its own idea of how long to
// wait, and the guard's is the one that counts.
func (*guard) SetReadDeadline(time.Time) error { return nil }

// Close ends the connection.
func (g *guard) Close() error {
	g.fail(ErrLost)
	return nil
}

// fail ends the connection with a reason; the first one stays.
func (g *guard) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.end(err)
	}
}

func (g *guard) end(err error) {
	g.err = err
	g.timer.Stop()
	_ = g.raw.Close() // there is nobody left to tell
}

// reason is why the connection ended; nil while it has not.
func (g *guard) reason() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// goodbye is what the server said in a BYE; "" where it said none.
func (g *guard) goodbye() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lexer.goodbye()
}

// under ends the connection with ctx, until the returned function is called. A
// ctx that has ended by then ends nothing later, in the turn of somebody else.
func (g *guard) under(ctx context.Context) func() {
	end := func() { g.fail(context.Cause(ctx)) }
	stop := context.AfterFunc(ctx, end)
	return func() {
		if !stop() {
			end()
		}
	}
}
