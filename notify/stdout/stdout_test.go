package stdout_test

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/notify/stdout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// paper is an output that can fail.
type paper struct {
	mu       sync.Mutex
	text     strings.Builder
	fault    notifytest.Fault
	requests int
	released chan struct{}
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	p.requests++
	fault := p.fault
	p.mu.Unlock()
	switch fault {
	case notifytest.Down:
		return 0, io.ErrClosedPipe
	case notifytest.Refuses:
		return 0, os.ErrClosed
	case notifytest.Cuts:
		return len(b) / 2, io.ErrShortWrite
	case notifytest.Hangs:
		<-p.released
		return 0, io.ErrClosedPipe
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

var lineOf = regexp.MustCompile(`^\d\d:\d\d ([!-]) (.*?)( \[[^ ]*\])?( <([^ ]*)>)?$`)

func (p *paper) received() (list []notifytest.Received) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.text.String()) {
		parts := lineOf.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if parts == nil {
			parts = make([]string, 6)
		}
		list = append(list, notifytest.Received{Title: parts[2], Urgent: parts[1] == "!", Link: parts[5]})
	}
	return list
}

func open(t testing.TB) notifytest.Service {
	p := &paper{released: make(chan struct{})}
	t.Cleanup(func() { close(p.released) })
	return notifytest.Service{Notifier: stdout.New(stdout.Config{}, stdout.Options{Writer: p}), Received: p.received,
		Fail: func(f notifytest.Fault) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.fault = f
		},
		Requests: func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.requests
		}}
}

func TestSuite(t *testing.T) {
	notifytest.Run(t, notifytest.Driver{Open: open, Urgent: true, Link: true,
		Faults: []notifytest.Fault{notifytest.Refuses, notifytest.Down, notifytest.Cuts}})
}

func now() time.Time { return time.Date(2026, 3, 10, 9, 5, 0, 0, time.UTC) }

func TestLines(t *testing.T) {
	for _, test := range []struct {
		name    string
		message notify.Message
		want    string
	}{
		{"whole", notify.Message{Incident: "i-backup-1a0", Title: "The backup failed", Text: "The disk is full.", Urgent: true, Link: "http://127.0.0.1:7766/"},
			"09:05 ! The backup failed: The disk is full. [i-backup-1a0] <http://127.0.0.1:7766/>\n"},
		{"calm", notify.Message{Title: "Three things"}, "09:05 - Three things\n"},
		{"no content", notify.Message{Incident: "i-1", Title: "There is something to look at", Text: "i-1"}, "09:05 - There is something to look at: i-1\n"},
		{"hostile", notify.Message{Title: "a\x1b[2J\r\nb", Text: "c\u2028d\x00\xff"}, "09:05 - a [2J  b: c d \ufffd\n"},
	} {
		var b strings.Builder
		c := stdout.New(stdout.Config{}, stdout.Options{Writer: &b, Now: now})
		if _, err := c.Send(t.Context(), test.message); err != nil || b.String() != test.want {
			t.Errorf("%s: %q, want %q: %v", test.name, b.String(), test.want, err)
		}
	}
}

// An output that nobody reads holds a Send up until its context ends, and the
// next one as well, which has printed nothing.
func TestFullPipe(t *testing.T) {
	p := &paper{released: make(chan struct{}), fault: notifytest.Hangs}
	c := stdout.New(stdout.Config{}, stdout.Options{Writer: p})
	for _, want := range []notify.Trouble{notify.Unknown, notify.Unavailable} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := c.Send(ctx, notify.Message{Title: "Hello"})
		cancel()
		var failed *notify.Error
		if !errors.As(err, &failed) || failed.Trouble != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	close(p.released)
}
