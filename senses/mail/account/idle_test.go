package account_test

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// idling are options of an account that waits for news.
func idling(server *mailtest.Server) account.Options {
	o := options(server)
	o.Idle = true
	return o
}

// hinted says whether there is a hint, and takes it.
func hinted(a *account.Account) bool {
	synctest.Wait()
	select {
	case <-a.Hints():
		return true
	default:
		return false
	}
}

// tick is what a tick does.
func tick(t *testing.T, a *account.Account) {
	t.Helper()
	do(t, a, func(s *account.Session) error { _, err := read(t.Context(), s); return err })
}

func TestHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, nil)
		box := server.User(ines)
		a := open(t, idling(server))
		tick(t, a)
		if hinted(a) {
			t.Error("a hint of nothing")
		}
		for _, step := range []struct {
			name   string
			change func()
		}{
			{"an arrival", func() { box.Deliver("INBOX", message(1), arrival(1)) }},
			{"three arrivals", func() {
				for range 3 {
					box.Deliver("INBOX", message(1), arrival(1))
				}
			}},
			{"flags", func() { box.SetFlags("INBOX", 2, imap.FlagSeen) }},
			{"one that is gone", func() { box.Expunge("INBOX", 1) }},
		} {
			step.change()
			if !hinted(a) {
				t.Errorf("%s: no hint", step.name)
			}
			if hinted(a) {
				t.Errorf("%s: a second hint", step.name)
			}
			tick(t, a)
			if hinted(a) {
				t.Errorf("%s: a hint of what the collect saw", step.name)
			}
		}
		// The server cuts the connection, and the next one finds other UIDs.
		box.Renumber("INBOX")
		time.Sleep(time.Minute)
		if !hinted(a) {
			t.Error("renumbered: no hint")
		}
	})
}

func TestNoHintsUnlessWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, nil)
		for _, o := range []account.Options{options(server), idling(server)} {
			a := open(t, o)
			if !o.Idle {
				a.Hints() // which changes nothing
			}
			tick(t, a)
			synctest.Wait()
			if all := strings.Join(server.Commands(), "\n"); strings.Contains(all, "IDLE") {
				t.Errorf("it idles though nobody asked:\n%s", all)
			}
		}
	})
}

func TestNewsBetweenTheLookAndIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, nil)
		server.User(ines).Create("Other")
		a := open(t, idling(server))
		a.Hints()
		do(t, a, func(s *account.Session) error {
			if _, err := read(t.Context(), s); err != nil {
				return err
			}
			_, err := s.Examine(t.Context(), "Other")
			server.User(ines).Deliver("INBOX", message(1), arrival(1))
			return err
		})
		if !hinted(a) {
			t.Error("what came while another folder was open was not hinted at")
		}
	})
}

func TestAnIdleConnectionIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, nil)
		a := open(t, idling(server))
		a.Hints()
		time.Sleep(3 * time.Hour)
		if n := strings.Count(strings.Join(server.Commands(), "\n"), "IDLE"); n != 1+3*60/24 {
			t.Errorf("%d times", n)
		}
		if n := server.Traffic().Connections; n != 1 {
			t.Errorf("%d connections", n)
		}
		server.User(ines).Deliver("INBOX", message(1), arrival(1))
		if !hinted(a) {
			t.Error("no hint after the renewals")
		}
	})
}

func TestAnIdleConnectionThatBreaksComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, nil)
		o := idling(server)
		var log testutil.Log
		o.Logger = logger(&log)
		a := open(t, o)
		tick(t, a)
		hinted(a)
		server.Refuse(mailtest.NoConnection, -1)
		server.Drop()
		time.Sleep(time.Hour)
		synctest.Wait()
		server.User(ines).Deliver("INBOX", message(1), arrival(1))
		if n := server.Traffic().Connections; n > 40 {
			t.Errorf("%d connections within an hour", n)
		}
		server.Mend()
		time.Sleep(7 * time.Minute)
		if !hinted(a) {
			t.Error("no hint after it came back")
		}
		server.User(ines).Deliver("INBOX", message(1), arrival(1))
		if !hinted(a) {
			t.Error("no hint of what came then")
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "account=home") {
			t.Errorf("the log has %d lines:\n%s", n, log.String())
		}
		clean(t, log.String())
	})
}

func TestARefusedPasswordIsNotTriedOverAndOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, nil)
		server.Refuse(mailtest.BadSignIn, -1)
		o := idling(server)
		a := open(t, o)
		a.Hints()
		time.Sleep(time.Hour)
		tried := func() int { return strings.Count(strings.Join(server.Commands(), "\n"), "AUTHENTICATE") }
		if n := tried(); n != 1 {
			t.Errorf("%d times within an hour", n)
		}
		says(t, a.Do(t.Context(), nothing), account.ErrSignIn)
		time.Sleep(time.Hour)
		if n := tried(); n != 2 {
			t.Errorf("%d times after a collect", n)
		}
		server.Mend()
		tick(t, a)
		hinted(a)
		server.User(ines).Deliver("INBOX", message(1), arrival(1))
		if !hinted(a) {
			t.Error("no hint when the password was right again")
		}
	})
}

// TestASilentIdle has a server that does not answer DONE: the connection is
// given up, and the collect done on another one.
func TestASilentIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &scripted{}
		var idled atomic.Int64
		s.answer = at("IDLE", func(w io.Writer, tag string) {
			_, _ = io.WriteString(w, "+ idling\r\n")
			if idled.Add(1) == 1 {
				<-release
			}
		})
		a := s.open(t, func(o *account.Options) { o.Idle = true })
		a.Hints()
		synctest.Wait()
		start := time.Now()
		do(t, a, func(session *account.Session) error { return visit(t.Context(), session) })
		if took := time.Since(start); took != 10*time.Second || s.count() != 2 {
			t.Errorf("%s, %d connections", took, s.count())
		}
		close(release)
	})
}

func TestAFloodWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.answer = at("IDLE", func(w io.Writer, tag string) {
			_, _ = io.WriteString(w, "+ idling\r\n")
			flood(w, "* 23 EXISTS\r\n", 10_000_000*13)
		})
		var log testutil.Log
		a := s.open(t, func(o *account.Options) { o.Idle, o.Logger = true, logger(&log) })
		a.Hints()
		before := memory()
		time.Sleep(10 * time.Minute)
		if grown := memory() - before; grown > mostMemory || s.count() > 20 {
			t.Errorf("%d MiB, %d connections", grown>>20, s.count())
		}
		if !strings.Contains(log.String(), "without having been asked") && !strings.Contains(log.String(), "far more") {
			t.Errorf("the log: %s", log.String())
		}
	})
}

// TestASteadyDripWhileIdle is no flood: a line a second, for hours.
func TestASteadyDripWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.answer = at("IDLE", func(w io.Writer, tag string) {
			_, _ = io.WriteString(w, "+ idling\r\n")
			for range 20 * 60 {
				if _, err := io.WriteString(w, "* OK still here\r\n"); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
			_, _ = io.WriteString(w, tag+" OK enough\r\n")
		})
		a := s.open(t, func(o *account.Options) { o.Idle = true })
		a.Hints()
		time.Sleep(19 * time.Minute)
		if s.count() != 1 || hinted(a) {
			t.Errorf("%d connections", s.count())
		}
	})
}
