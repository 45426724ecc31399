package mailtest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
)

// Server is an IMAP server in this process.
type Server struct {
	options Options
	imap    *imapserver.Server
	traffic counters
	busy    sync.WaitGroup // listeners and connections

	mu         sync.Mutex // for what follows, and for every box
	users      map[string]*account
	validities uint32
	wires      map[*wire]struct{}
	listeners  map[net.Listener]struct{}
	closed     bool
	faults     faults
	commands   []string
}

// account is a user with the box.
type account struct {
	User
	box *Box
}

// Traffic is what went over all connections so far.
type Traffic struct {
	Connections int64
	Commands    int64 // lines of clients, without continuations
	Read        int64 // bytes from clients
	Written     int64 // bytes to clients
}

type counters struct{ connections, commands, read, written atomic.Int64 }

// New makes a server. It panics where options are wrong, as test servers do.
func New(options Options) *Server {
	if err := options.validate(); err != nil {
		panic("mailtest: " + err.Error())
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &Server{options: options, users: map[string]*account{}, wires: map[*wire]struct{}{}, listeners: map[net.Listener]struct{}{},
		validities: uint32(options.Now().Unix())}
	for _, u := range options.Users {
		s.users[u.Name] = &account{User: u, box: newBox(s, u.Name)}
	}
	caps := imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapListExtended: {}, imap.CapListStatus: {}, imap.CapChildren: {}, imap.CapNamespace: {}}
	for _, c := range []imap.Cap{imap.CapSpecialUse, imap.CapESearch, imap.CapMove, imap.CapUIDPlus} {
		if options.has(c) {
			caps[c] = struct{}{}
		}
	}
	// Whether a connection is protected enough to sign in over is judged here.
	s.imap = imapserver.New(&imapserver.Options{Caps: caps, InsecureAuth: true, Logger: log.New(io.Discard, "", 0), NewSession: s.session})
	return s
}

// now is the server's clock.
func (s *Server) now() time.Time { return s.options.Now() }

// validity is a UIDVALIDITY that was never used. The lock is held, or nobody
// else has the server.
func (s *Server) validity() uint32 {
	s.validities++
	return s.validities
}

// User is the mailbox of a user. It panics where there is none.
func (s *Server) User(name string) *Box {
	a := s.users[name]
	if a == nil {
		panic(fmt.Sprintf("mailtest: there is no user %q", name))
	}
	return a.box
}

// SetToken replaces the token that a user signs in with.
func (s *Server) SetToken(user, token string) {
	b := s.User(user)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[b.name].Token = token
}

// Listen serves on a free loopback port and returns its address. Where there is
// a certificate, clients have to start TLS there.
func (s *Server) Listen() (net.Addr, error) { return s.listen("127.0.0.1:0", nil) }

// ListenTLS serves on a free loopback port, TLS from the first byte.
func (s *Server) ListenTLS() (net.Addr, error) {
	if s.options.TLS == nil {
		return nil, errors.New("listen: the server has no certificate: set Options.TLS")
	}
	return s.listen("127.0.0.1:0", s.options.TLS)
}

func (s *Server) listen(addr string, config *tls.Config) (net.Addr, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = listener.Close()
		return nil, fmt.Errorf("listen on %s: %w", addr, net.ErrClosed)
	}
	s.listeners[listener] = struct{}{}
	s.busy.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if err := s.serve(conn, config); err != nil {
				if tcp, ok := conn.(*net.TCPConn); ok {
					_ = tcp.SetLinger(0) // a reset, which is what is nearest to a refusal
				}
				_ = conn.Close()
			}
		}
	})
	return listener.Addr(), nil
}

// Dial connects without a socket, for bubbles of testing/synctest. The server
// reads and writes in step with the client, as over net.Pipe.
func (s *Server) Dial() (net.Conn, error) { return s.dial(nil) }

// DialTLS is Dial to where TLS starts at the first byte.
func (s *Server) DialTLS() (net.Conn, error) {
	if s.options.TLS == nil {
		return nil, errors.New("dial: the server has no certificate: set Options.TLS")
	}
	return s.dial(s.options.TLS)
}

func (s *Server) dial(config *tls.Config) (net.Conn, error) {
	ours, theirs := net.Pipe()
	if err := s.serve(ours, config); err != nil {
		_ = ours.Close()
		_ = theirs.Close()
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: err}
	}
	return theirs, nil
}

// serve serves one connection, which ends by itself, by Drop or by Close.
func (s *Server) serve(conn net.Conn, config *tls.Config) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.faults.refuses(NoConnection) {
		return syscall.ECONNREFUSED
	}
	w := newWire(s, conn, config)
	s.wires[w] = struct{}{}
	s.busy.Add(1)
	s.traffic.connections.Add(1)
	return s.imap.Serve(&once{conn: w})
}

// once is a listener with a single connection: the library serves each in a
// goroutine of its own.
type once struct{ conn net.Conn }

func (o *once) Accept() (net.Conn, error) {
	if o.conn == nil {
		return nil, net.ErrClosed
	}
	conn := o.conn
	o.conn = nil
	return conn, nil
}

func (o *once) Close() error   { return nil }
func (o *once) Addr() net.Addr { return &net.TCPAddr{} }

// ended is called when a connection is over.
func (s *Server) ended(w *wire) {
	s.mu.Lock()
	delete(s.wires, w)
	s.mu.Unlock()
	s.busy.Done()
}

// Drop cuts every connection, as a restart of the server or the net would. New
// ones are served.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.wires {
		w.cut()
	}
}

// cutViews cuts the connections that have a folder open. The lock is held.
func (s *Server) cutViews(f *folder) {
	for w := range s.wires {
		if w.session != nil && w.session.view != nil && w.session.view.folder == f {
			w.cut()
		}
	}
}

// tell wakes those who wait for news.
func (s *Server) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.wires {
		if w.session != nil {
			select {
			case w.session.wake <- struct{}{}:
			default: // it is about to look
			}
		}
	}
}

// Close ends the server and waits for its connections, until ctx is done.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for l := range s.listeners {
		_ = l.Close()
	}
	s.mu.Unlock()
	s.Drop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.busy.Wait()
	}()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for connections to end: %w", context.Cause(ctx))
	}
}

// Traffic is what went over all connections so far.
func (s *Server) Traffic() Traffic {
	t := &s.traffic
	return Traffic{Connections: t.connections.Load(), Commands: t.commands.Load(), Read: t.read.Load(), Written: t.written.Load()}
}
