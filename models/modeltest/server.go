package modeltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

// Server is a provider of models on a port of this machine.
type Server struct {
	options Options
	ledger  *ledger
	main    *listening
	other   *listening // where the fault redirect sends to
	stray   atomic.Int64
	closing sync.Once

	mu       sync.Mutex // for what follows
	script   Script
	troubles []Trouble
}

// NewServer starts a server on a free loopback port. Close ends it. It panics
// where options are wrong or no port is to be had, as test servers do.
func NewServer(options Options) *Server {
	s, err := Listen("127.0.0.1:0", options)
	if err != nil {
		panic("modeltest: " + err.Error())
	}
	return s
}

// Serve serves people on an address until the context ends, and writes a line
// about each request to log.
func Serve(ctx context.Context, addr string, options Options, log io.Writer) error {
	var mu sync.Mutex
	seen := options.Seen
	options.Seen = func(r Record) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(log, r.line())
		if seen != nil {
			seen(r)
		}
	}
	s, err := Listen(addr, options)
	if err != nil {
		return err
	}
	mu.Lock()
	fmt.Fprintf(log, "OpenAI-compatible:    %s\nAnthropic-compatible: %s\n", s.BaseURL(OpenAI), s.BaseURL(Anthropic))
	mu.Unlock()
	select {
	case <-ctx.Done():
		s.Close()
		return nil
	case err := <-s.main.failed:
		s.Close()
		return fmt.Errorf("serve on %s: %w", addr, err)
	}
}

// line says in one line what became of a request.
func (r Record) line() string {
	line := fmt.Sprintf("%d %s %s %d", r.Number, r.Method, r.Path, r.Status)
	if r.Request.Model != "" {
		line += fmt.Sprintf(" %s in=%d cached=%d out=%d", r.Request.Model, r.Charged.Input, r.Charged.Cached, r.Charged.Output)
	}
	if r.Fault != NoFault {
		line += " fault=" + string(r.Fault)
	}
	return line
}

// Listen starts a server on an address; port 0 takes a free one. Close ends it.
func Listen(addr string, options Options) (*Server, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	options = options.withDefaults()
	s := &Server{options: options, ledger: newLedger(options.Keep), script: options.Script, troubles: options.Troubles}
	var err error
	if s.main, err = startListening(addr, http.HandlerFunc(s.serve)); err != nil {
		return nil, err
	}
	stray := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.stray.Add(1)
		w.WriteHeader(http.StatusTeapot)
	})
	if s.other, err = startListening("127.0.0.1:0", stray); err != nil {
		s.main.close()
		return nil, err
	}
	return s, nil
}

// URL is the root of the server, without a slash at its end.
func (s *Server) URL() string { return s.main.url }

// BaseURL is what a driver for the protocol is given.
func (s *Server) BaseURL(protocol string) string {
	if protocol == Anthropic {
		return s.main.url
	}
	return s.main.url + "/v1"
}

// Requests returns what was received, oldest first: the last ones that are
// kept. A request is among them once its answer begins, with what it is
// charged; how much of it was sent is known at the end.
func (s *Server) Requests() []Record { return s.ledger.all() }

// Count returns how many requests have come, those being answered included.
func (s *Server) Count() int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.count
}

// Charged sums what all requests were charged.
func (s *Server) Charged() models.Usage {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.charged
}

// Strayed counts requests that followed the fault redirect to another host.
func (s *Server) Strayed() int { return int(s.stray.Load()) }

// SetScript answers from now on by another script.
func (s *Server) SetScript(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = script
}

// SetTroubles has other things go wrong from now on; none end them all.
func (s *Server) SetTroubles(troubles ...Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = slices.Clone(troubles)
}

// Close ends the server, breaks what is being answered and waits for it. It
// may be called more than once.
func (s *Server) Close() {
	s.closing.Do(func() {
		s.main.close()
		s.other.close()
	})
}

// decide returns what goes wrong with a request.
func (s *Server) decide(r Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.troubles {
		if t.strikes(r, s.options.Seed) {
			return t.Fault
		}
	}
	return NoFault
}

// ask runs the script, for one request at a time.
func (s *Server) ask(r Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.script(r)
}

// listening is an HTTP server that can be ended for good.
type listening struct {
	url    string
	server *http.Server
	end    context.CancelFunc
	served chan struct{}
	failed chan error
	conns  sync.WaitGroup
}

func startListening(addr string, handler http.Handler) (*listening, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &listening{url: "http://" + listener.Addr().String(), end: cancel, served: make(chan struct{}), failed: make(chan error, 1)}
	l.server = &http.Server{
		Handler: l.counted(handler), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0), ConnState: l.connection,
	}
	go func() {
		defer close(l.served)
		if err := l.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			l.failed <- err
		}
	}()
	return l, nil
}

// connection counts connections, so that close can wait for all of them.
func (l *listening) connection(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		l.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		l.conns.Done()
	}
}

// counted has close wait for a handler, also for one that took its connection
// over.
func (l *listening) counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.conns.Add(1)
		defer l.conns.Done()
		handler.ServeHTTP(w, r)
	})
}

func (l *listening) close() {
	l.end()
	l.server.Close()
	<-l.served
	l.conns.Wait()
}

// serve answers one request, whatever it is for.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	e := &exchange{server: s, w: w, r: r, record: Record{
		Number: s.ledger.number(), Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(),
	}}
	defer func() {
		e.publish()
		if record := s.ledger.sent(e.published, e.sent); s.options.Seen != nil {
			s.options.Seen(record)
		}
	}()
	e.protocol = openAI{}
	if r.Header.Get("Anthropic-Version") != "" || strings.HasSuffix(r.URL.Path, "/messages") {
		e.protocol = anthropic{}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	e.record.Body = body
	if err != nil {
		e.problem(problem{http.StatusRequestEntityTooLarge, "request_too_large", "the request is too large, or was broken off"})
		return
	}
	if !s.admits(r) {
		e.problem(problem{http.StatusUnauthorized, "authentication_error", "the API key is not valid"})
		return
	}
	switch path := r.URL.Path; {
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		e.json(http.StatusOK, e.protocol.models(s.options.Models))
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/chat/completions"), r.Method == http.MethodPost && strings.HasSuffix(path, "/messages"):
		e.generate()
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/embeddings"):
		e.embed()
	default:
		e.problem(problem{http.StatusNotFound, "not_found_error", "there is nothing at " + r.Method + " " + path})
	}
}

// admits checks the key, where one is asked for.
func (s *Server) admits(r *http.Request) bool {
	key := s.options.Key
	return key == "" || r.Header.Get("X-Api-Key") == key || r.Header.Get("Authorization") == "Bearer "+key
}

// knows reports whether there is such a model.
func (s *Server) knows(model string) bool {
	return len(s.options.Models) == 0 || slices.Contains(s.options.Models, model)
}
