package account_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// verbs are the commands of a visit.
var verbs = []string{"CAPABILITY", "AUTHENTICATE", "LIST", "EXAMINE", "SEARCH", "FETCH"}

// conclude checks how a Do on a server that breaks ended.
func conclude(t *testing.T, err error, kinds ...error) {
	t.Helper()
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			clean(t, err.Error())
			return
		}
	}
	t.Errorf("got %v, want one of %v", err, kinds)
}

func TestSilence(t *testing.T) {
	for _, verb := range verbs {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			s := &scripted{answer: at(verb, func(io.Writer, string) { <-release })}
			a := s.open(t, nil)
			start := time.Now()
			err := a.Do(t.Context(), func(session *account.Session) error { return visit(t.Context(), session) })
			conclude(t, err, account.ErrSilent)
			if took := time.Since(start); took != 20*time.Second {
				t.Errorf("%s: after %s: %v", verb, took, err)
			}
			close(release)
		})
	}
}

func TestNoGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all sync.WaitGroup
		for _, security := range []account.Security{account.None, account.StartTLS, account.TLS} {
			o := account.Options{Host: "mail.example.com", Security: security, User: ines, Password: known(password),
				Dial: func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					all.Go(func() { _, _ = io.Copy(io.Discard, theirs) })
					return ours, nil
				}}
			start := time.Now()
			err := open(t, o).Do(t.Context(), nothing)
			conclude(t, err, account.ErrSilent)
			if took := time.Since(start); took != 20*time.Second {
				t.Errorf("%s: after %s: %v", security, took, err)
			}
		}
		all.Wait()
	})
}

// TestATrickle has an answer that never ends, a byte every 19 seconds.
func TestATrickle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answer: at("SEARCH", func(w io.Writer, tag string) {
			for text := "* SEARCH"; ; text = " 1" {
				if _, err := io.WriteString(w, text); err != nil {
					return
				}
				time.Sleep(19 * time.Second)
			}
		})}
		a := s.open(t, nil)
		start := time.Now()
		err := a.Do(t.Context(), func(session *account.Session) error { return visit(t.Context(), session) })
		conclude(t, err, account.ErrSilent)
		if took := time.Since(start); took != 5*time.Minute {
			t.Errorf("after %s", took)
		}
	})
}

func TestTheEndOfTheContextEndsItAtOnce(t *testing.T) {
	for _, verb := range verbs {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			asked := make(chan struct{})
			s := &scripted{answer: at(verb, func(io.Writer, string) { close(asked); <-release })}
			a := s.open(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			start := time.Now()
			go func() { <-asked; cancel() }()
			err := a.Do(ctx, func(session *account.Session) error { return visit(ctx, session) })
			conclude(t, err, context.Canceled)
			if took := time.Since(start); took != 0 {
				t.Errorf("%s: after %s", verb, took)
			}
			close(release)
			conclude(t, a.Do(ctx, nothing), context.Canceled)
		})
	}
}

func TestByeAtEachPlace(t *testing.T) {
	for _, verb := range verbs {
		for _, reply := range []string{"* BYE going down for a while\r\n", "* BYE going down for a while\r\n%s OK\r\n", "%s NO going down for a while\r\n", "%s BAD going down for a while\r\n"} {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{answer: at(verb, func(w io.Writer, tag string) {
					if strings.Contains(reply, "%") {
						reply = fmt.Sprintf(reply, tag)
					}
					_, _ = io.WriteString(w, reply)
					_ = w.(io.Closer).Close()
				})}
				err := s.open(t, nil).Do(t.Context(), func(session *account.Session) error { return visit(t.Context(), session) })
				if err == nil {
					t.Fatalf("%s, %q: no error", verb, reply)
				}
				if verb != "CAPABILITY" && !strings.Contains(err.Error(), "going down for a while") && !strings.Contains(reply, " OK") {
					t.Errorf("%s, %q: %v", verb, reply, err)
				}
			})
		}
	}
	s := &scripted{greeting: "* BYE too many connections from here\r\n"}
	says(t, s.open(t, nil).Do(t.Context(), nothing), account.ErrBusy, "too many connections")
}

// cut closes a connection after so many bytes.
type cut struct {
	net.Conn
	left int
}

func (c *cut) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p[:min(len(p), c.left)])
	if c.left -= n; c.left == 0 && err == nil {
		_ = c.Close()
		err = io.ErrClosedPipe
	}
	return n, err
}

// counted counts the bytes that are written.
type counted struct {
	net.Conn
	n *atomic.Int64
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.n.Add(int64(n))
	return n, err
}

// TestCutAtEachByte closes the first connection behind each byte of a session:
// in the first Do that is an error; in a second one, which finds the connection
// dead, it is replaced.
func TestCutAtEachByte(t *testing.T) {
	var whole atomic.Int64
	end := 0
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{wrap: func(_ int, conn net.Conn) net.Conn { return counted{conn, &whole} }}
		do(t, s.open(t, nil), func(session *account.Session) error {
			defer func() { end = int(whole.Load()) }()
			return visit(t.Context(), session)
		})
	})
	if end < 500 {
		t.Fatalf("a session of %d bytes", end)
	}
	for at := range end {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{wrap: func(n int, conn net.Conn) net.Conn {
				if n > 1 {
					return conn
				}
				return &cut{conn, at + 1}
			}}
			a := s.open(t, nil)
			f := func(session *account.Session) error { return visit(t.Context(), session) }
			// The library takes the last answer for complete before the end of its
			// line, and may ask for capabilities beside what was asked.
			if err := a.Do(t.Context(), f); at < end-100 {
				conclude(t, err, account.ErrLost, account.ErrBounds)
			}
			synctest.Wait()
			if err := a.Do(t.Context(), f); err != nil {
				t.Errorf("cut at %d, the second time: %v", at, err)
			}
		})
	}
}

// TestAConnectionThatDiedUnseen is replaced once, and what ran on it runs again.
func TestAConnectionThatDiedUnseen(t *testing.T) {
	for _, silent := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			var examined atomic.Int64
			s := &scripted{}
			s.answer = at("EXAMINE", func(w io.Writer, tag string) {
				switch n := examined.Add(1); {
				case n != 2:
					usual(w, tag, "EXAMINE", nil)
				case silent:
					<-release
				default:
					_ = w.(io.Closer).Close()
				}
			})
			a := s.open(t, nil)
			runs := 0
			f := func(session *account.Session) error {
				runs++
				_, err := session.Examine(t.Context(), "INBOX")
				return err
			}
			do(t, a, f)
			start := time.Now()
			do(t, a, f)
			if runs != 3 || s.count() != 2 || silent && time.Since(start) != 10*time.Second {
				t.Errorf("%d runs, %d connections, %s", runs, s.count(), time.Since(start))
			}
			close(release)
		})
	}
}

// TestWhatWasReadIsNotReadTwice ends a connection after its first answer.
func TestWhatWasReadIsNotReadTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var searched atomic.Int64
		s := &scripted{}
		s.answer = at("SEARCH", func(w io.Writer, tag string) {
			if searched.Add(1) != 2 {
				usual(w, tag, "SEARCH", nil)
				return
			}
			_ = w.(io.Closer).Close()
		})
		a := s.open(t, nil)
		runs := 0
		f := func(session *account.Session) error {
			runs++
			if _, err := session.Examine(t.Context(), "INBOX"); err != nil {
				return err
			}
			_, err := session.After(t.Context(), 0, 10)
			return err
		}
		do(t, a, f)
		says(t, a.Do(t.Context(), f), account.ErrLost)
		do(t, a, f)
		if runs != 3 || s.count() != 2 {
			t.Errorf("%d runs, %d connections", runs, s.count())
		}
	})
}

func TestOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, nil)
		a := open(t, options(server))
		var all sync.WaitGroup
		in := 0
		for range 8 {
			all.Go(func() {
				do(t, a, func(s *account.Session) error {
					if in++; in > 1 {
						t.Error("two at once")
					}
					defer func() { in-- }()
					_, err := read(t.Context(), s)
					return err
				})
			})
		}
		all.Wait()
		if n := server.Traffic().Connections; n != 1 {
			t.Errorf("%d connections", n)
		}
	})
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, nil)
		a := open(t, options(server))
		entered := make(chan struct{})
		ended := make(chan error)
		go func() {
			ended <- a.Do(t.Context(), func(s *account.Session) error {
				server.Hang(mailtest.Opening)
				close(entered)
				_, err := s.Examine(t.Context(), "INBOX")
				return err
			})
		}()
		<-entered
		synctest.Wait()
		start := time.Now()
		stopped := make(chan error)
		go func() { stopped <- a.Stop(t.Context()) }()
		conclude(t, <-ended, account.ErrStopped)
		if err := <-stopped; err != nil || time.Since(start) != 0 {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		server.Mend()
		says(t, a.Do(t.Context(), nothing), account.ErrStopped, "mail account home")
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestStopTakesLeave(t *testing.T) {
	server := serve(t, nil)
	a := open(t, options(server))
	do(t, a, nothing)
	if err := a.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all := server.Commands(); len(all) == 0 || !strings.HasSuffix(all[len(all)-1], "LOGOUT") {
		t.Errorf("it did not sign out: %q", all)
	}
}
