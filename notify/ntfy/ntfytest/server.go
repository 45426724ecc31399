// Package ntfytest is a stand-in for an ntfy server: of what a real one was seen
// to do it does what the driver and its tests ask for, and it fails in ways that
// a real one rarely does.
//
// It keeps what it is told in memory. Tests start it, and people by
// "subconsciousctl notify fake".
package ntfytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options configures a Server. The zero value is a server that anybody may use.
type Options struct {
	// Accounts may sign in. Where there are any, nobody may do anything that is
	// not granted.
	Accounts []Account
	// Everyone is granted to those who do not sign in.
	Everyone []Grant
	// Keepalive is how often a stream has a sign of life; 0 is 45 s.
	Keepalive time.Duration
	// Old servers ignore sequence ids.
	Old bool
	// Uncached servers hand messages on and keep none.
	Uncached bool
	// Late is how long CutLate holds a message back; 0 is 5 s.
	Late time.Duration
	// Troubles are what goes wrong; none by default.
	Troubles []Trouble
	// Now is the clock of the messages; nil is time.Now.
	Now func() time.Time
	// Seen, if set, is told of each message that is taken, before the answer.
	Seen func(Message)
}

// Account is somebody who may sign in, by name and password or by token.
type Account struct {
	Name, Password, Token string
	// Access is what it may do; none is everything.
	Access []Grant
}

// Grant lets somebody use the topics that a pattern matches: "re-*".
type Grant struct {
	Topic       string
	Read, Write bool
}

// Server is an ntfy server on a port of this machine.
type Server struct {
	options Options
	addr    string
	server  *http.Server
	ended   chan struct{}

	mu       sync.Mutex // for what follows
	messages []*kept
	late     []Message     // held back until Release
	changed  chan struct{} // closed when a message comes or a stream begins or ends
	streams  map[string]int
	breaks   chan struct{} // closed to break the streams
	requests int
	troubles []Trouble
}

// New starts a server on a free loopback port. Close ends it. It panics where
// no port is to be had, as test servers do.
func New(options Options) *Server {
	s, err := Listen("127.0.0.1:0", options)
	if err != nil {
		panic("ntfytest: " + err.Error())
	}
	return s
}

// Listen starts a server on an address; port 0 takes a free one. Close ends it.
func Listen(addr string, options Options) (*Server, error) {
	options.Keepalive, options.Late = cmp.Or(options.Keepalive, 45*time.Second), cmp.Or(options.Late, 5*time.Second)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Seen == nil {
		options.Seen = func(Message) {}
	}
	s := &Server{options: options, changed: make(chan struct{}), breaks: make(chan struct{}), streams: map[string]int{}}
	s.SetTroubles(options.Troubles...)
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	s.addr = listener.Addr().String()
	s.serve(listener)
	return s, nil
}

// serve answers what comes over a listener until Close.
func (s *Server) serve(listener net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]bool{"healthy": true}) })
	mux.HandleFunc("POST /{$}", s.publish)
	mux.HandleFunc("POST /{topic}", s.publish)
	mux.HandleFunc("GET /{topic}/json", s.subscribe)
	mux.HandleFunc("GET /{topic}/auth", func(w http.ResponseWriter, r *http.Request) {
		if refused := s.may(r, r.PathValue("topic"), false); refused != nil {
			refused.write(w)
			return
		}
		answer(w, map[string]bool{"success": true})
	})
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { noPage.write(w) })
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests++
		s.mu.Unlock()
		mux.ServeHTTP(w, r)
	})
	server, ended := &http.Server{Handler: counted, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}, make(chan struct{})
	s.server, s.ended = server, ended
	go func() {
		defer close(ended)
		_ = server.Serve(listener)
	}()
}

// page lists what everybody's phones show, oldest first, for who opens the server's
// address in a browser.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	if len(s.options.Accounts) > 0 {
		noSignIn.write(w)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, "A stand-in for an ntfy server. What phones show:")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.messages {
		if len(k.Title) > 0 && !k.replaced && !k.cleared {
			_, _ = fmt.Fprintf(w, "\n%s  %s\n%s\n", k.Topic, k.Title, k.Message.Message)
		}
	}
}

// may tells whether a request may use a topic; nil is yes.
func (s *Server) may(r *http.Request, topic string, write bool) *refusal {
	grants := s.options.Everyone
	if header := r.Header.Get("Authorization"); header != "" {
		name, password, _ := r.BasicAuth()
		n := slices.IndexFunc(s.options.Accounts, func(a Account) bool {
			return a.Token != "" && header == "Bearer "+a.Token || a.Password != "" && a.Name == name && a.Password == password
		})
		if n < 0 {
			return &noSignIn
		}
		if grants = s.options.Accounts[n].Access; len(grants) == 0 {
			return nil
		}
	}
	granted := slices.ContainsFunc(grants, func(g Grant) bool {
		matches, err := path.Match(g.Topic, topic)
		return err == nil && matches && (write && g.Write || !write && g.Read)
	})
	if len(s.options.Accounts) == 0 || granted {
		return nil
	}
	return &forbidden
}

// Close has the server refuse connections, and breaks those that there are. It
// keeps its messages.
func (s *Server) Close() {
	_ = s.server.Close()
	<-s.ended
}

// Up has a server that was closed answer again where it did.
func (s *Server) Up() {
	for deadline := time.Now().Add(10 * time.Second); ; <-time.After(10 * time.Millisecond) {
		listener, err := net.Listen("tcp", s.addr)
		if err == nil {
			s.serve(listener)
			return
		}
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(deadline) {
			panic("ntfytest: " + err.Error())
		}
	}
}

// Break breaks the streams that there are.
func (s *Server) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.breaks)
	s.breaks = make(chan struct{})
}

// URL is the root of the server, without a slash at its end.
func (s *Server) URL() string { return "http://" + s.addr }

// Requests counts what was asked, the refused included.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Messages returns what a topic was sent and took, oldest first, with what was
// replaced since.
func (s *Server) Messages(topic string) []Message {
	return s.pick(topic, func(*kept) bool { return true })
}

// Shown returns what a phone shows of a topic, oldest first: without what was
// replaced or cleared since.
func (s *Server) Shown(topic string) []Message {
	return s.pick(topic, func(k *kept) bool { return !k.replaced && !k.cleared })
}

func (s *Server) pick(topic string, want func(*kept) bool) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Message
	for _, k := range s.messages {
		if k.Topic == topic && want(k) {
			found = append(found, k.Message)
		}
	}
	return found
}

// Await waits until a topic took n messages and returns them all.
func (s *Server) Await(ctx context.Context, topic string, n int) ([]Message, error) {
	err := s.await(ctx, fmt.Sprintf("%d messages of %s", n, topic), func() bool { return len(s.Messages(topic)) >= n })
	return s.Messages(topic), err
}

// AwaitStreams waits until n streams of a topic are open, no more, no fewer.
func (s *Server) AwaitStreams(ctx context.Context, topic string, n int) error {
	return s.await(ctx, fmt.Sprintf("%d streams of %s", n, topic), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.streams[topic] == n
	})
}

func (s *Server) await(ctx context.Context, what string, there func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if there() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("there are not %s: %w", what, context.Cause(ctx))
		}
	}
}

// announce wakes who waits for a change. The lock is held.
func (s *Server) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Press presses the button of that label, as a phone does, and takes the message
// off it if the button says so.
func (s *Server) Press(ctx context.Context, m Message, label string) error {
	for _, a := range m.Actions {
		if a.Label != label {
			continue
		}
		if err := a.Press(ctx); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, k := range s.messages {
			k.cleared = k.cleared || k.ID == m.ID && a.Clear
		}
		return nil
	}
	return fmt.Errorf("message %s has no button %q", m.ID, label)
}

// Press does what a phone does: it sends what the action says, without signing in.
func (a Action) Press(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, a.Method, a.URL, strings.NewReader(a.Body))
	if err != nil {
		return fmt.Errorf("the button %q: %w", a.Label, err)
	}
	client := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the button %q: %w", a.Label, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the button %q is answered with %d", a.Label, response.StatusCode)
	}
	return nil
}
