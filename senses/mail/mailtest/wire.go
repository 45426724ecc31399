package mailtest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
)

const (
	maxLine     = 64 << 10
	maxCommands = 10_000
	maxWrites   = 1_000
)

// wire is the server's end of a connection. It hands the library one line of
// the client's at a time, and adds to what either says what the library lacks:
// CONDSTORE, capabilities left out, faults, and the log.
type wire struct {
	server *Server
	raw    net.Conn
	closed chan struct{}
	cutter sync.Once
	ender  sync.Once
	// session is set once, under the server's lock.
	session *session

	mu      sync.Mutex // for what follows
	inner   net.Conn   // raw, or TLS over it
	secured bool
	modseq  uint64 // to be added to the next FETCH that is written
	highest uint64 // to be added to the next STATUS that is written

	// What follows is the reader's alone, which is the goroutine that answers.
	reader  *bufio.Reader
	ready   []byte
	literal int64 // bytes of a literal that are still to come
	verb    string
	asked   asked
}

var _ net.Conn = (*wire)(nil)

func newWire(s *Server, conn net.Conn, config *tls.Config) *wire {
	w := &wire{server: s, raw: conn, inner: conn, closed: make(chan struct{})}
	if config != nil {
		w.inner, w.secured = tls.Server(conn, config), true
	}
	w.reader = bufio.NewReaderSize(w.inner, 4096)
	return w
}

// protected tells whether somebody may sign in here.
func (w *wire) protected() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.secured || w.server.options.TLS == nil
}

// conn is the connection below.
func (w *wire) conn() net.Conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inner
}

// Read gives the library at most the rest of one line or literal, so that what
// it works on is always what came last.
func (w *wire) Read(b []byte) (int, error) {
	for len(w.ready) == 0 {
		if w.literal > 0 {
			n, err := w.reader.Read(b[:min(int64(len(b)), w.literal)])
			w.literal -= int64(n)
			w.server.traffic.read.Add(int64(n))
			return n, err
		}
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
	var line []byte
	for {
		part, err := w.reader.ReadSlice('\n')
		line = append(line, part...)
		w.server.traffic.read.Add(int64(len(part)))
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if len(line) > maxLine {
			return fmt.Errorf("a line of more than %d bytes", maxLine)
		}
	}
	text := strings.TrimRight(string(line), "\r\n")
	w.literal = literalAt(text)
	tag, verb, is := command(text)
	if !is || w.verb == "IDLE" && text == "DONE" {
		w.ready = line
		w.server.note(w.masked(text), false)
		return nil
	}
	w.verb, w.asked = verb, asked{}
	w.server.note(w.masked(text), true)
	if err := w.delay(verb); err != nil {
		return err
	}
	if verb == "STARTTLS" && w.server.options.TLS != nil {
		return w.startTLS(tag)
	}
	text, w.asked = w.server.rewritten(verb, text)
	w.ready = []byte(text + "\r\n")
	return nil
}

// delay waits where the server hangs or is slow.
func (w *wire) delay(verb string) error {
	if pause := w.server.slowness(); pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-w.closed:
			return net.ErrClosed
		}
	}
	return w.wait(w.server.hangs(stageOf(verb), Anything))
}

// wait waits for a hang to end; nil: there is none.
func (w *wire) wait(release <-chan struct{}) error {
	if release == nil {
		return nil
	}
	select {
	case <-release:
		return nil
	case <-w.closed:
		return net.ErrClosed
	}
}

// startTLS answers STARTTLS, and reads on from within TLS.
func (w *wire) startTLS(tag string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	answer := " OK Begin TLS negotiation now\r\n"
	switch {
	case w.secured:
		answer = " BAD This connection has TLS already\r\n"
	case w.reader.Buffered() > 0: // it could have been slipped in by somebody else
		answer = " BAD Nothing may follow STARTTLS before TLS\r\n"
	}
	if _, err := w.inner.Write([]byte(tag + answer)); err != nil || strings.HasPrefix(answer, " BAD") {
		return err
	}
	w.inner, w.secured = tls.Server(w.raw, w.server.options.TLS), true
	w.reader.Reset(w.inner)
	return nil
}

// masked is a line as it is logged, without what people sign in with.
func (w *wire) masked(text string) string {
	tag, verb, is := command(text)
	switch {
	case is && (verb == "LOGIN" || verb == "AUTHENTICATE"):
		name, _, _ := strings.Cut(strings.TrimSpace(text[len(tag)+1+len(verb):]), " ")
		return tag + " " + verb + " " + name + " …"
	case !is && (w.verb == "LOGIN" || w.verb == "AUTHENTICATE"):
		return "…"
	}
	return text
}

// command takes a line apart; is is false of a continuation. The verb of "UID
// FETCH" is FETCH.
func command(line string) (tag, verb string, is bool) {
	tag, rest, ok := strings.Cut(line, " ")
	if !ok || tag == "" || strings.ContainsAny(tag, `"(){}*+\`) {
		return "", "", false
	}
	verb, rest, _ = strings.Cut(rest, " ")
	verb = strings.ToUpper(verb)
	if verb == "UID" {
		verb, _, _ = strings.Cut(rest, " ")
		verb = strings.ToUpper(verb)
	}
	return tag, verb, verb != ""
}

// literalAt is the size of the literal that a line announces, else 0.
func literalAt(line string) int64 {
	open := strings.LastIndexByte(line, '{')
	if open < 0 || !strings.HasSuffix(line, "}") {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(line[open+1:len(line)-1], "+"), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Write sends what the library says, with what it lacks.
func (w *wire) Write(b []byte) (int, error) {
	out := w.amended(b)
	if w.verb == "FETCH" && len(out) > 1 {
		if release := w.server.hangs(Body); release != nil {
			half := len(out) / 2
			if err := w.send(out[:half]); err != nil {
				return 0, err
			}
			if err := w.wait(release); err != nil {
				return 0, err
			}
			out = out[half:]
		}
	}
	if err := w.send(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// send writes bytes as they are.
func (w *wire) send(b []byte) error {
	n, err := w.conn().Write(b)
	w.server.traffic.written.Add(int64(n))
	return err
}

// amended is what the library says, with capabilities and mod-sequences.
func (w *wire) amended(b []byte) []byte {
	head := b[:min(len(b), 80)]
	if line := bytes.IndexByte(head, '\n'); line >= 0 {
		head = head[:line]
	}
	if bytes.Contains(head, []byte("CAPABILITY IMAP4rev1")) {
		return w.capabilities(b)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if at := bytes.Index(head, []byte(" FETCH (")); at > 0 && w.modseq > 0 {
		at += len(" FETCH (")
		out := fmt.Appendf(append([]byte(nil), b[:at]...), "MODSEQ (%d) ", w.modseq)
		w.modseq = 0
		return append(out, b[at:]...)
	}
	if bytes.HasPrefix(head, []byte("* STATUS ")) && w.highest > 0 && bytes.HasSuffix(b, []byte(")\r\n")) {
		out := append([]byte(nil), bytes.TrimSuffix(b, []byte(")\r\n"))...)
		if !bytes.HasSuffix(out, []byte("(")) {
			out = append(out, ' ')
		}
		out = fmt.Appendf(out, "HIGHESTMODSEQ %d)\r\n", w.highest)
		w.highest = 0
		return out
	}
	return b
}

// capabilities are those of this connection in the place of the library's.
func (w *wire) capabilities(b []byte) []byte {
	options, text := w.server.options, string(b)
	for _, lacking := range options.Without {
		text = strings.ReplaceAll(text, " "+string(lacking)+" ", " ")
	}
	var more string
	switch {
	case !w.protected():
		more = " STARTTLS LOGINDISABLED"
	case w.session.user() != nil && options.has(imap.CapCondStore):
		more = " CONDSTORE"
	}
	return []byte(strings.Replace(text, "CAPABILITY IMAP4rev1", "CAPABILITY IMAP4rev1"+more, 1))
}

// addModSeq has the next FETCH carry a mod-sequence.
func (w *wire) addModSeq(n uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.modseq = n
}

// addHighest has the next STATUS carry HIGHESTMODSEQ.
func (w *wire) addHighest(n uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.highest = n
}

// cut ends the connection without a word.
func (w *wire) cut() {
	w.cutter.Do(func() {
		close(w.closed)
		_ = w.raw.Close()
	})
}

// Close ends the connection; the library calls it when it is done.
func (w *wire) Close() error {
	err := w.conn().Close()
	w.cut()
	w.ender.Do(func() { w.server.ended(w) })
	return err
}

func (w *wire) LocalAddr() net.Addr                { return w.raw.LocalAddr() }
func (w *wire) RemoteAddr() net.Addr               { return w.raw.RemoteAddr() }
func (w *wire) SetDeadline(t time.Time) error      { return w.conn().SetDeadline(t) }
func (w *wire) SetReadDeadline(t time.Time) error  { return w.conn().SetReadDeadline(t) }
func (w *wire) SetWriteDeadline(t time.Time) error { return w.conn().SetWriteDeadline(t) }
