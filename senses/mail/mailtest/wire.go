package mailtest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/emersion/go-imap/v2"
)

// wire is the server's end of a connection. It hands the library one line of
// the client's at a time, and adds to what either says what the library lacks:
// CONDSTORE, capabilities left out, faults, and the log. But for cut it belongs
// to the goroutine that answers.
type wire struct {
	net.Conn // raw, or TLS over it
	raw      net.Conn
	server   *Server
	session  *session      // set once, under the server's lock
	news     chan struct{} // something may have happened
	closed   chan struct{}
	cut      func() // ends the connection without a word
	ended    func()

	secured   bool
	reader    *bufio.Reader
	ready     []byte
	verb      string // of the last command
	continues bool   // the next line belongs to it
}

func newWire(s *Server, conn net.Conn, config *tls.Config) *wire {
	w := &wire{server: s, raw: conn, Conn: conn, news: make(chan struct{}, 1), closed: make(chan struct{})}
	if config != nil {
		w.Conn, w.secured = tls.Server(conn, config), true
	}
	w.reader = bufio.NewReaderSize(w.Conn, 64<<10)
	w.cut = sync.OnceFunc(func() {
		close(w.closed)
		_ = conn.Close()
	})
	w.ended = sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.wires, w)
		s.busy.Done()
	})
	return w
}

// Close ends the connection; the library calls it when it is done.
func (w *wire) Close() error {
	err := w.Conn.Close()
	w.cut()
	w.ended()
	return err
}

// protected tells whether somebody may sign in here.
func (w *wire) protected() bool { return w.secured || w.server.options.TLS == nil }

// hang waits where the server hangs, until that is mended.
func (w *wire) hang(at ...Stage) error {
	w.server.mu.Lock()
	f := w.server.faults
	w.server.mu.Unlock()
	if !slices.Contains(at, f.hung) || f.release == nil {
		return nil
	}
	select {
	case <-f.release:
		return nil
	case <-w.closed:
		return net.ErrClosed
	}
}

// Read gives the library at most the rest of one line, so that what it works on
// is always what came last.
func (w *wire) Read(b []byte) (int, error) {
	for len(w.ready) == 0 {
		if err := w.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, w.ready)
	w.ready = w.ready[n:]
	return n, nil
}

// next reads a line of the client's.
func (w *wire) next() error {
	line, err := w.reader.ReadSlice('\n')
	if err != nil {
		return err
	}
	text := strings.TrimRight(string(line), "\r\n")
	tag, verb, rest := command(text)
	is := verb != "" && !w.continues
	w.continues = strings.HasSuffix(text, "}") // a literal follows
	if is {
		w.verb = verb
	}
	w.log(text, is, len(line))
	w.ready = line
	if !is {
		return nil
	}
	if err := w.hang(append(stages(verb), Anything)...); err != nil {
		return err
	}
	if verb == "STARTTLS" && w.server.options.TLS != nil {
		w.ready = nil
		return w.startTLS(tag)
	}
	w.ready = []byte(w.rewritten(tag, text, rest) + "\r\n")
	return nil
}

// command takes a line apart; of a continuation there is no verb. The verb of
// "UID FETCH" is FETCH.
func command(line string) (tag, verb, rest string) {
	tag, rest, _ = strings.Cut(line, " ")
	verb, rest, _ = strings.Cut(strings.TrimPrefix(rest, "UID "), " ")
	return tag, strings.ToUpper(verb), rest
}

// stages are those that a command belongs to.
func stages(verb string) []Stage {
	return slices.DeleteFunc([]Stage{SignIn, Listing, Opening, Search, Fetch}, func(s Stage) bool { return !slices.Contains(strings.Fields(string(s)), verb) })
}

// log keeps a line, without what people sign in with.
func (w *wire) log(text string, command bool, size int) {
	secret := w.verb == "LOGIN" || w.verb == "AUTHENTICATE"
	switch {
	case secret && command:
		text = strings.Join(append(strings.SplitN(text, " ", 4)[:3], "…"), " ")
	case secret:
		text = "…"
	}
	s := w.server
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traffic.Read += int64(size)
	if command {
		s.traffic.Commands++
	}
	if len(s.commands) == 10_000 {
		s.commands = slices.Delete(s.commands, 0, 1000)
	}
	s.commands = append(s.commands, text)
}

// rewritten is a command as the library understands it. What the server lacks
// becomes a command that nobody knows.
func (w *wire) rewritten(tag, text, rest string) string {
	has := w.server.options.has
	switch {
	case w.verb == "IDLE" && !has(imap.CapIdle), w.verb == "ENABLE" && !has(imap.CapEnable),
		w.verb == "SEARCH" && strings.HasPrefix(rest, "RETURN (") && !has(imap.CapESearch):
		return tag + " LACKING"
	case w.verb == "EXAMINE" && has(imap.CapCondStore):
		return strings.TrimSuffix(text, " (CONDSTORE)")
	}
	return text
}

// startTLS answers STARTTLS, and reads on from within TLS.
func (w *wire) startTLS(tag string) error {
	switch {
	case w.secured:
		return w.send([]byte(tag + " BAD This connection has TLS already\r\n"))
	case w.reader.Buffered() > 0: // it could have been slipped in by somebody else
		return w.send([]byte(tag + " BAD Nothing may follow STARTTLS before TLS\r\n"))
	}
	if err := w.send([]byte(tag + " OK Begin TLS negotiation now\r\n")); err != nil {
		return err
	}
	w.Conn, w.secured = tls.Server(w.raw, w.server.options.TLS), true
	w.reader.Reset(w.Conn)
	return nil
}

// Write sends what the library says, with the capabilities of this connection in
// the place of the library's.
func (w *wire) Write(b []byte) (int, error) {
	out := b
	if said := []byte("CAPABILITY IMAP4rev1"); bytes.Contains(b[:min(len(b), 80)], said) {
		for _, lacking := range w.server.options.Without {
			out = bytes.ReplaceAll(out, []byte(" "+lacking+" "), []byte(" "))
		}
		more := ""
		switch {
		case !w.protected():
			more = " STARTTLS LOGINDISABLED"
		case w.session.box != nil && w.server.options.has(imap.CapCondStore):
			more = " CONDSTORE"
		}
		out = bytes.Replace(out, said, append(said, more...), 1)
	}
	if half := len(out) / 2; w.verb == "FETCH" && half > 0 {
		if err := w.send(out[:half]); err != nil {
			return 0, err
		}
		if err := w.hang(Body); err != nil {
			return 0, err
		}
		out = out[half:]
	}
	return len(b), w.send(out)
}

// send writes bytes as they are.
func (w *wire) send(b []byte) error {
	n, err := w.Conn.Write(b)
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	w.server.traffic.Written += int64(n)
	return err
}
