package ntfytest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// maxKept is how many messages are kept, of all topics together.
	maxKept = 20_000
	// lifetime is how long a message is kept.
	lifetime = 12 * time.Hour
	// refill is how long it takes until one more quick request is answered.
	refill = 5 * time.Second
)

// Server is an ntfy server on a port of this machine.
type Server struct {
	options Options
	addr    string
	ctx     context.Context // ends with the server
	cancel  context.CancelFunc

	serving sync.Mutex // for what follows
	server  *http.Server
	ended   chan struct{}

	mu       sync.Mutex // for what follows
	messages []*kept
	late     []Message // held back until Release
	number   int64
	changed  chan struct{} // closed when a message comes or a stream begins or ends
	streams  map[string]int
	breaks   chan struct{} // closed to break the streams
	requests int
	troubles []Trouble
	spent    float64
	refilled time.Time
}

// New starts a server on a free loopback port. Close ends it. It panics where
// options are wrong or no port is to be had, as test servers do.
func New(options Options) *Server {
	s, err := Listen("127.0.0.1:0", options)
	if err != nil {
		panic("ntfytest: " + err.Error())
	}
	return s
}

// Listen starts a server on an address; port 0 takes a free one. Close ends it.
func Listen(addr string, options Options) (*Server, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	s := &Server{options: options.withDefaults(), changed: make(chan struct{}), breaks: make(chan struct{}), streams: map[string]int{}}
	s.troubles = s.options.Troubles
	s.ctx, s.cancel = context.WithCancel(context.Background())
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	s.addr = listener.Addr().String()
	s.serve(listener)
	return s, nil
}

// Serve serves people on an address until ctx is done, and writes to out what
// it takes and how to press its buttons.
func Serve(ctx context.Context, addr string, options Options, out io.Writer) error {
	// What is seen waits until the address is out.
	var mu sync.Mutex
	seen := options.withDefaults().Seen
	options.Seen = func(m Message) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.WriteString(out, m.shown())
		seen(m)
	}
	mu.Lock()
	s, err := Listen(addr, options)
	if err == nil {
		_, err = fmt.Fprintf(out, "A stand-in for an ntfy server: %s\nIt keeps messages in memory, for 12 hours at most.\n", s.URL())
	}
	mu.Unlock()
	if s != nil {
		defer s.Close()
	}
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// shown is a message as Serve writes it.
func (m Message) shown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", time.Unix(m.Time, 0).Format(time.TimeOnly), m.Topic, m.ID)
	if m.Title != "" {
		fmt.Fprintf(&b, "\n  %q", m.Title)
	}
	fmt.Fprintf(&b, "\n  %q\n", m.Message)
	for _, a := range m.Actions {
		if a.Action == "http" {
			fmt.Fprintf(&b, "  press %q: curl -d %s %s\n", a.Label, quoted(a.Body), quoted(a.URL))
		}
	}
	return b.String()
}

// quoted is text as one word of a shell, without what a terminal would obey.
func quoted(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// serve answers what comes over a listener until Down.
func (s *Server) serve(listener net.Listener) {
	s.serving.Lock()
	defer s.serving.Unlock()
	ctx, cancel := context.WithCancel(s.ctx)
	server := &http.Server{Handler: http.HandlerFunc(s.answer), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(io.Discard, "", 0)}
	s.server, s.ended = server, make(chan struct{})
	go func(ended chan<- struct{}) {
		defer close(ended)
		defer cancel()
		_ = server.Serve(listener)
	}(s.ended)
}

// Close ends the server and its streams.
func (s *Server) Close() {
	s.cancel()
	s.Down()
}

// Down has the server refuse connections, and breaks those that there are. It
// keeps its messages.
func (s *Server) Down() {
	s.serving.Lock()
	defer s.serving.Unlock()
	_ = s.server.Close()
	<-s.ended
}

// Up has it answer again where it did.
func (s *Server) Up() {
	deadline := time.Now().Add(10 * time.Second)
	for {
		listener, err := net.Listen("tcp", s.addr)
		if err == nil {
			s.serve(listener)
			return
		}
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(deadline) {
			panic("ntfytest: " + err.Error())
		}
		<-time.After(10 * time.Millisecond)
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
	for {
		changed := s.change()
		if all := s.Messages(topic); len(all) >= n {
			return all, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return s.Messages(topic), fmt.Errorf("%s has %d of %d messages: %w", topic, len(s.Messages(topic)), n, context.Cause(ctx))
		}
	}
}

// AwaitStreams waits until n streams of a topic are open, no more, no fewer.
func (s *Server) AwaitStreams(ctx context.Context, topic string, n int) error {
	for {
		changed := s.change()
		s.mu.Lock()
		open := s.streams[topic]
		s.mu.Unlock()
		if open == n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s has %d streams and not %d: %w", topic, open, n, context.Cause(ctx))
		}
	}
}

// change is closed at the next message, and when a stream begins or ends.
func (s *Server) change() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// announce wakes who waits for a change. The lock is held.
func (s *Server) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// name is a new id: 12 letters and digits.
func name() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b[:])
}
