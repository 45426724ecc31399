// Package mailtest is a mailbox that is served in this process over real IMAP:
// folders, messages, flags and changes are set by calls, and a client reads
// them over a connection, as it would those of a provider. It fails on demand
// as servers do, and keeps what clients asked of it, so that a test can show
// that none tried to change anything.
//
// The library's imapserver speaks IMAP4rev1 with IDLE, LIST-EXTENDED,
// SPECIAL-USE and ESEARCH; HIGHESTMODSEQ of CONDSTORE is added here. Each can be
// left out. It serves what a reader asks: LIST, EXAMINE, UID SEARCH by UID and
// day, UID FETCH with peek, IDLE. Everything that would change something is
// recorded and refused. Decision 26 says why the folders are ours.
//
// It keeps everything in memory. The demo and the days serve their mail with
// it; tests of the sense "mail" and of what signs in to accounts start it. Its
// subpackage dovecot starts a real server behind the same interface.
package mailtest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
)

// Options says what a server is like.
type Options struct {
	// Users have a mailbox each, under names of their own.
	Users []User
	// Now is the clock of arrivals without a date; nil: time.Now.
	Now func() time.Time
	// TLS is the server's certificate. With it Listen and Dial offer STARTTLS and
	// allow nobody to sign in before; nil: they serve in the clear, and there is no
	// ListenTLS and DialTLS.
	TLS *tls.Config
	// Without are capabilities that the server does not have, as "CONDSTORE",
	// "IDLE", "SPECIAL-USE", "ESEARCH", "ENABLE". Empty: it has them all.
	Without []imap.Cap
	// Mechanisms to sign in with; empty: PLAIN, OAUTHBEARER and XOAUTH2. LOGIN is
	// always there, for users with a password.
	Mechanisms []string
}

func (o *Options) has(c imap.Cap) bool { return !slices.Contains(o.Without, c) }

// User is somebody with a mailbox.
type User struct {
	Name     string // "ines@example.com"
	Password string // of LOGIN and PLAIN; empty: they are refused
	Token    string // of OAUTHBEARER and XOAUTH2; empty: they are refused
}

// Server is an IMAP server in this process.
type Server struct {
	options Options
	imap    *imapserver.Server
	busy    sync.WaitGroup // listeners and connections

	mu         sync.Mutex // for what follows, and for every box
	boxes      map[string]*Box
	validities uint32
	wires      map[*wire]struct{}
	listeners  []net.Listener
	closed     bool
	faults     faults
	commands   []string
	traffic    Traffic
}

// Traffic is what went over all connections so far.
type Traffic struct {
	Connections int64
	Commands    int64 // lines of clients, without continuations
	Read        int64 // bytes from clients
	Written     int64 // bytes to clients
}

// New makes a server.
func New(options Options) *Server {
	if options.Now == nil {
		options.Now = time.Now
	}
	if len(options.Mechanisms) == 0 {
		options.Mechanisms = []string{"PLAIN", oauthBearer, xoauth2}
	}
	s := &Server{options: options, boxes: map[string]*Box{}, wires: map[*wire]struct{}{}, validities: uint32(options.Now().Unix())}
	for _, u := range options.Users {
		s.boxes[u.Name] = newBox(s, u)
	}
	caps := imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapListExtended: {}, imap.CapSpecialUse: {}, imap.CapESearch: {}, imap.CapMove: {}}
	for _, c := range options.Without {
		delete(caps, c)
	}
	// Whether a connection is protected enough to sign in over is judged here.
	s.imap = imapserver.New(&imapserver.Options{Caps: caps, InsecureAuth: true, Logger: log.New(io.Discard, "", 0), NewSession: s.session})
	return s
}

// User is the mailbox of a user. It panics where there is none.
func (s *Server) User(name string) *Box {
	b := s.boxes[name]
	if b == nil {
		panic(fmt.Sprintf("mailtest: there is no user %q", name))
	}
	return b
}

// SetToken replaces the token that a user signs in with.
func (s *Server) SetToken(user, token string) {
	b := s.User(user)
	s.mu.Lock()
	defer s.mu.Unlock()
	b.user.Token = token
}

// Listen serves on a free loopback port and returns its address. Where there is
// a certificate, clients have to start TLS there.
func (s *Server) Listen() (net.Addr, error) { return s.listen(nil) }

// ListenTLS serves on a free loopback port, TLS from the first byte.
func (s *Server) ListenTLS() (net.Addr, error) { return s.listen(s.options.TLS) }

func (s *Server) listen(config *tls.Config) (net.Addr, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on a loopback port: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(net.ErrClosed, listener.Close())
	}
	s.listeners = append(s.listeners, listener)
	s.busy.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if err := s.serve(conn, config); err != nil {
				_ = conn.(*net.TCPConn).SetLinger(0) // a reset, which is what is nearest to a refusal
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
func (s *Server) DialTLS() (net.Conn, error) { return s.dial(s.options.TLS) }

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
	s.traffic.Connections++
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

// Drop cuts every connection, as a restart of the server or the net would. New
// ones are served.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.wires {
		w.cut()
	}
}

// Close ends the server and waits for its connections, until ctx is done.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for _, l := range s.listeners {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.traffic
}

// Commands are the lines that clients sent, oldest first, without what they sign
// in with; of more than 10,000 the oldest are left out.
func (s *Server) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands)
}

// Refusal is how a server does not take a client.
type Refusal string

const (
	NoConnection Refusal = "no connection" // it does not accept, or resets at once
	Busy         Refusal = "busy"          // it says BYE instead of a greeting
	BadSignIn    Refusal = "bad sign-in"   // NO [AUTHENTICATIONFAILED], whatever the password
	Unavailable  Refusal = "unavailable"   // NO [UNAVAILABLE] to a sign-in
)

// Stage is where a connection can hang: at commands, whose names it holds, or at
// a place of its own.
type Stage string

const (
	Greeting Stage = "greeting" // before the greeting, or the TLS handshake
	SignIn   Stage = "LOGIN AUTHENTICATE"
	Listing  Stage = "LIST LSUB STATUS"
	Opening  Stage = "SELECT EXAMINE"
	Search   Stage = "SEARCH"
	Fetch    Stage = "FETCH"
	Body     Stage = "body"      // in the middle of the answer to a FETCH
	Anything Stage = "any stage" // at any command
)

// faults are what goes wrong at present. The server's lock guards them.
type faults struct {
	refusal Refusal
	left    int // refusals left; below 0: without end
	hung    Stage
	release chan struct{} // closed by Mend
}

// refuses tells whether a refusal is due, and counts it.
func (f *faults) refuses(r Refusal) bool {
	due := f.refusal == r && f.left != 0
	if due {
		f.left = max(f.left-1, -1)
	}
	return due
}

// Refuse refuses the next n connections or sign-ins in a way; n below 0: all,
// until Mend. Connections that there are stay.
func (s *Server) Refuse(how Refusal, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.refusal, s.faults.left = how, n
}

// Hang has connections hang at a stage, until Mend or until they are cut.
func (s *Server) Hang(at Stage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.hung, s.faults.release = at, make(chan struct{})
}

// Mend ends what Refuse and Hang began.
func (s *Server) Mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.release != nil {
		close(s.faults.release)
	}
	s.faults = faults{}
}
