package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
)

const (
	// MaxBody is the largest request body, in bytes, and smallBody that of most routes.
	MaxBody   = 64 << 10
	smallBody = 16 << 10
	// MaxPause is the longest pause with an end.
	MaxPause = 366 * 24 * time.Hour
	// VersionHeader carries the daemon's version in every answer.
	VersionHeader = "Subconsciousd-Version"
	// ZoneHeader carries the name of the mind's time zone in every answer, if it
	// has one, so that times are shown as its entries write them.
	ZoneHeader = "Subconsciousd-Timezone"

	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 10 * time.Second
	idleTimeout   = time.Minute
	stopGrace     = 5 * time.Second
	patience      = time.Second // with a quiet connection in whose place another one waits
	maxHeader     = 16 << 10
	maxConns      = 64
	maxWaiting    = 8 // ticks asked for and not yet answered
)

// Options are what a Server needs.
type Options struct {
	// Socket is the absolute path of the unix socket. Its folder must exist,
	// belong to this user and be closed to others (0700).
	Socket string
	// Listener listens on Socket already, as what Keep returned does; nil for none.
	Listener *net.UnixListener
	// Listen is a loopback address, as 127.0.0.1:7766, on which what reads and
	// observes is served to who has the token beside the socket; "" for none.
	Listen string
	// Hosts are names, beside those of this machine, under which it is asked there.
	Hosts []string
	// Mind is what is served.
	Mind Mind
	// Logger is told of refused peers and failed answers; nil discards.
	Logger *slog.Logger
	// Version is sent with each answer; empty means BuildVersion().
	Version string
	// Now is the clock that commands are stamped with, in the mind's time zone;
	// nil means time.Now.
	Now func() time.Time
}

func (o *Options) validate() error {
	switch {
	case o.Mind == nil:
		return errors.New("api: Options.Mind is missing")
	case !filepath.IsAbs(o.Socket):
		return fmt.Errorf("api: the socket's path must be absolute: %q", o.Socket)
	}
	o.Logger, o.Version = cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), cmp.Or(o.Version, BuildVersion())
	if o.Now == nil {
		o.Now = time.Now
	}
	return CheckSocketPath(o.Socket)
}

// Server answers on one unix socket, and on loopback.
type Server struct {
	options Options
	http    *http.Server // of the socket
	tcp     *http.Server // of Options.Listen
	guards  guards
	// described is the OpenAPI document of what is served.
	described func() (json.RawMessage, error)
	waiting   chan struct{} // one for each tick asked for

	listeners  chan struct{} // one for each stream
	beat, slow time.Duration
	ending     context.Context // done when it begins to stop, which ends the streams
	end        context.CancelFunc

	patience time.Duration

	// life is the context of work that outlives its connection.
	life   context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	listener net.Listener
	raw      *net.UnixListener // behind it
	serving  sync.WaitGroup    // of both
	running  sync.WaitGroup    // requests; none is added while it stops
	socket   os.FileInfo
	stopping bool
	kept     bool

	stop    sync.Once
	stopErr error
}

// New returns a server that does not listen yet.
func New(options Options) (*Server, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	s := &Server{
		options: options,
		waiting: make(chan struct{}, maxWaiting), listeners: make(chan struct{}, maxListeners), beat: beat, slow: slow,

		patience: patience,
	}
	s.ending, s.end = context.WithCancel(context.Background())
	s.life, s.cancel = context.WithCancel(context.Background())
	s.guards = guards{request: []func(*http.Request) error{oneLength, s.named, sameOrigin()}, token: s.isToken, opens: opens, peer: peer.isOurs, agent: agentAbove, body: smallBody}
	handler := s.answer(s.guarded(s.mux()))
	s.http, s.tcp = s.serves(handler), s.serves(handler)
	return s, nil
}

// guards are what stands between a request and its answer, one by one, so that
// tests can show what each is for.
type guards struct {
	request []func(*http.Request) error // before its path is looked at
	token   func(given string) bool     // over TCP
	opens   func(class Class) bool      // over TCP
	peer    func(peer) bool             // over the socket
	agent   func(pid int, connected uint64) (string, error)
	body    int64 // the most of a question, in bytes, unless its route says more
}

// serves is what both listeners are served by.
func (s *Server) serves(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return s.life },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		},
		ConnState: follow,
		ErrorLog:  slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug),
	}
}

// Start listens and serves. It returns once clients can connect. A stale socket
// is replaced; a live one, or anything else of that name, is an *Error.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil || s.stopping {
		return errors.New("api: started twice, or after Stop")
	}
	listener, err := s.options.Listener, error(nil)
	if listener == nil {
		if listener, err = listen(ctx, s.options.Socket); err != nil {
			return err
		}
	}
	s.raw = listener
	if s.socket, err = os.Lstat(s.options.Socket); err != nil {
		return errors.Join(fmt.Errorf("api: look at the new socket: %w", err), listener.Close())
	}
	if err := s.openDoor(); err != nil {
		return errors.Join(err, listener.Close(), os.Remove(s.options.Socket))
	}
	guarded := newGuard(listener, s.options, s.patience)
	guarded.lets = s.guards.peer
	s.listener = guarded
	s.serve(s.http, guarded, "nobody can ask any more")
	return nil
}

// serve lets a server answer until it is closed; lost is logged where it ends before.
func (s *Server) serve(server *http.Server, listener net.Listener, lost string) {
	s.serving.Go(func() {
		if err := server.Serve(listener); ignoreClosed(err) != nil {
			s.options.Logger.Error(lost, "address", listener.Addr().String(), "error", err)
		}
	})
}

// Stop takes no new requests, lets running ones finish until ctx is done or
// five seconds have passed, cancels the rest, and waits for them. It may be
// called more than once, and without Start.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() { s.stopErr = s.shutdown(ctx) })
	return s.stopErr
}

func (s *Server) shutdown(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, stopGrace)
	defer done()
	s.mu.Lock()
	s.stopping = true
	s.end()
	listener := s.listener
	s.mu.Unlock()

	var errs []error
	if listener != nil {
		errs = append(errs, ignoreClosed(listener.Close()))
	}
	wake.Joined(ctx, &s.running)
	s.cancel()
	errs = append(errs, ignoreClosed(s.http.Close()), ignoreClosed(s.tcp.Close()))
	s.serving.Wait()
	if listener != nil && !s.kept {
		errs = append(errs, s.removeSocket())
	}
	last, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	if !wake.Joined(last, &s.running) {
		errs = append(errs, errors.New("api: a request did not end when it was cancelled"))
	}
	return errors.Join(errs...)
}

// Keep returns a listener for another server on the socket, which Stop then leaves
// in its place: who connects between the two is answered by the other one.
func (s *Server) Keep() (*net.UnixListener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := s.raw.File()
	if err != nil {
		return nil, fmt.Errorf("api: keep the socket: %w", err)
	}
	defer file.Close()
	again, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("api: keep the socket: %w", err)
	}
	s.kept = true
	return again.(*net.UnixListener), nil
}

// removeSocket deletes the socket if it is still the one made by Start, so that
// a successor's is left alone.
func (s *Server) removeSocket() error {
	now, err := os.Lstat(s.options.Socket)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("api: look at the socket: %w", err)
	}
	if !os.SameFile(now, s.socket) {
		return nil
	}
	if err := os.Remove(s.options.Socket); err != nil {
		return fmt.Errorf("api: remove the socket: %w", err)
	}
	return nil
}

// enter counts a request in, until it is done; it is refused while the server stops.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.running.Add(1)
	return true
}

func ignoreClosed(err error) error {
	if err == nil || errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("api: %w", err)
}
