package notifytest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

// flaw is one way in which a driver can be wrong.
type flaw string

const (
	sound       flaw = ""
	leaks1      flaw = "leaks in its words"
	leaks2      flaw = "leaks in its cause"
	prints      flaw = "shows its key when printed"
	untyped     flaw = "returns any error"
	wordless    flaw = "says no next step"
	trusting    flaw = "takes every answer for yes"
	impatient   flaw = "does not say when to come back"
	pessimist   flaw = "says unknown of all"
	optimist    flaw = "says unavailable of all"
	deaf        flaw = "goes on after its context"
	eager       flaw = "sends under a context that ended"
	gulps       flaw = "reads an answer to its end"
	doubles     flaw = "sends twice"
	mumbles     flaw = "leaves the text out"
	injects     flaw = "splits lines"
	calm        flaw = "is never urgent"
	buttonless  flaw = "shows no buttons"
	unsequenced flaw = "makes a sequence of its own"
	shared      flaw = "mixes up what is sent at once"
	unhearing   flaw = "does not listen again"
	clinging    flaw = "listens after its context"
	choosy      flaw = "stops at garbage"
	frail       flaw = "does not come back"
	credulous   flaw = "says that all arrived"
	hopeful     flaw = "says that what broke off arrived"
	blinded     flaw = "says that nothing arrived where it cannot tell"
)

const key = "tk-S3cret/Key+1"

// small is a driver written to be checked by the suite.
type small struct {
	url, key string
	flaw     flaw
	client   *http.Client
	mu       sync.Mutex
	last     notify.Message
	failed   bool
	sends    int
	second   chan struct{}   // the second message is being sent
	end      <-chan struct{} // of the test
}

func (d *small) String() string { return "small" }

func (d *small) Format(s fmt.State, _ rune) {
	if d.flaw == prints {
		io.WriteString(s, d.key)
	}
}

func (d *small) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	if err := ctx.Err(); err != nil && d.flaw != eager {
		return notify.Receipt{}, d.fail(notify.Unavailable, 0, err)
	}
	d.mu.Lock()
	d.last = m
	failed := d.failed
	d.mu.Unlock()
	switch d.flaw {
	case frail:
		if failed {
			return notify.Receipt{}, d.fail(notify.Unavailable, 0, errors.New("gave up"))
		}
	case deaf, eager:
		ctx = context.Background()
	case mumbles:
		m.Text = ""
	case calm:
		m.Urgent = false
	case buttonless:
		m.Buttons = nil
	case unsequenced:
		m.Sequence = fmt.Sprint(time.Now().UnixNano())
	case doubles:
		if _, err := d.post(ctx, m); err != nil {
			return notify.Receipt{}, err
		}
	case shared:
		d.mu.Lock()
		if d.sends++; d.sends == 2 {
			close(d.second)
		}
		d.mu.Unlock()
		<-d.second
		d.mu.Lock()
		m = d.last
		d.mu.Unlock()
	case injects:
		if before, after, ok := strings.Cut(m.Title, "\r\n"); ok {
			m.Title = before
			rest := m
			rest.Title = after
			if _, err := d.post(ctx, rest); err != nil {
				return notify.Receipt{}, err
			}
		}
	}
	return d.post(ctx, m)
}

func (d *small) post(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return notify.Receipt{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/?key="+d.key, bytes.NewReader(body))
	if err != nil {
		return notify.Receipt{}, err
	}
	response, err := d.client.Do(request)
	if err != nil {
		trouble := notify.Unknown
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
			trouble = notify.Unavailable
		}
		d.mu.Lock()
		d.failed = true
		d.mu.Unlock()
		return notify.Receipt{}, d.fail(trouble, 0, err)
	}
	defer response.Body.Close()
	var most int64 = 1 << 16
	if d.flaw == gulps {
		most = 1 << 40
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, most))
	switch {
	case d.flaw == trusting:
	case response.StatusCode == http.StatusForbidden:
		return notify.Receipt{}, d.fail(notify.Refused, 0, errors.New("403"))
	case response.StatusCode == http.StatusTooManyRequests:
		return notify.Receipt{}, d.fail(notify.Unavailable, time.Minute, errors.New("429"))
	case response.StatusCode != http.StatusOK:
		return notify.Receipt{}, d.fail(notify.Unavailable, 0, errors.New("500"))
	case err != nil || !json.Valid(raw):
		return notify.Receipt{}, d.fail(notify.Unknown, 0, errors.New("no answer"))
	}
	return notify.Receipt{}, nil
}

func (d *small) fail(trouble notify.Trouble, after time.Duration, err error) error {
	e := &notify.Error{Trouble: trouble, Text: "the service did not take it", Next: "Look at it", After: after, Err: errors.New("failed")}
	switch d.flaw {
	case leaks1:
		e.Text += " with " + d.key
	case leaks2:
		e.Err = fmt.Errorf("%w at %s", err, d.key)
	case untyped:
		return errors.New("failed")
	case wordless:
		e.Next = ""
	case impatient:
		e.After = 0
	case pessimist:
		e.Trouble = notify.Unknown
	case optimist:
		e.Trouble = notify.Unavailable
	}
	return e
}

func (d *small) Arrived(ctx context.Context, m notify.Message, _ time.Time) (bool, error) {
	list, err := d.kept(ctx)
	d.mu.Lock()
	failed := d.failed
	d.mu.Unlock()
	switch {
	case d.flaw == credulous, d.flaw == hopeful && failed:
		return true, nil
	case err != nil && d.flaw == blinded:
		return false, nil
	case err != nil:
		return false, d.fail(notify.Unavailable, 0, err)
	}
	return slices.ContainsFunc(list, func(r Received) bool {
		return r.Sequence == m.Sequence
	}), nil
}

func (d *small) kept(ctx context.Context) (list []Received, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, d.url, nil)
	if err != nil {
		return nil, err
	}
	response, err := d.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	return list, json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&list)
}

func (d *small) Listen(ctx context.Context, take func(context.Context, string), status func(error)) error {
	for ctx.Err() == nil {
		err := d.listen(ctx, take)
		if d.flaw == unhearing {
			<-ctx.Done()
		}
		status(err)
	}
	if d.flaw == clinging {
		<-d.end
	}
	return ctx.Err()
}

func (d *small) listen(ctx context.Context, take func(context.Context, string)) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return err
	}
	response, err := d.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		var token string
		if err := json.Unmarshal([]byte(line), &token); err != nil || len(token) > 1000 {
			if d.flaw == choosy {
				<-ctx.Done()
				return ctx.Err()
			}
			continue
		}
		take(ctx, token)
	}
}

// shop is the service behind it.
type shop struct {
	mu       sync.Mutex
	fault    Fault
	requests int
	list     []Received
	presses  map[chan string]bool
	broken   chan struct{}
	end      chan struct{}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.stream(w, r)
		return
	}
	var m notify.Message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil && r.Method == http.MethodPost {
		return
	}
	s.mu.Lock()
	s.requests++
	fault, list := s.fault, s.list
	if fault == Healthy && r.Method == http.MethodPost {
		got := Received{Title: m.Title, Text: m.Text, Urgent: m.Urgent, Sequence: m.Sequence, Link: m.Link}
		for _, b := range m.Buttons {
			got.Buttons = append(got.Buttons, b.Label)
		}
		s.list = append(s.list, got)
	}
	s.mu.Unlock()
	switch fault {
	case Refuses:
		w.WriteHeader(http.StatusForbidden)
	case Broken:
		w.WriteHeader(http.StatusInternalServerError)
	case Limits:
		w.WriteHeader(http.StatusTooManyRequests)
	case Cuts, Down:
		panic(http.ErrAbortHandler)
	case Hangs:
		<-s.end
	case Garbles:
		io.WriteString(w, "<html>")
	case Endless:
		block := bytes.Repeat([]byte("x"), 1<<16)
		for range 64 << 20 / len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
		select {
		case <-s.end:
		case <-r.Context().Done():
		}
	default:
		if r.Method == http.MethodPut {
			_ = json.NewEncoder(w).Encode(list)
			return
		}
		io.WriteString(w, "{}")
	}
}

func (s *shop) stream(w http.ResponseWriter, r *http.Request) {
	mine := make(chan string, 64)
	s.mu.Lock()
	s.presses[mine] = true
	broken := s.broken
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.presses, mine)
	}()
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case token := <-mine:
			line, _ := json.Marshal(token)
			w.Write(append(line, '\n'))
			_ = http.NewResponseController(w).Flush()
		case <-broken:
			panic(http.ErrAbortHandler)
		case <-s.end:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// openSmall returns a small driver with a flaw and its service. A service
// that is down is one whose address nobody listens on.
func openSmall(t testing.TB, f flaw) Service {
	s := &shop{presses: map[chan string]bool{}, broken: make(chan struct{}), end: make(chan struct{})}
	server := httptest.NewServer(s)
	transport := &http.Transport{DisableKeepAlives: true}
	d := &small{url: server.URL, key: key, flaw: f, client: &http.Client{Transport: transport}, end: s.end, second: make(chan struct{})}
	t.Cleanup(func() {
		close(s.end)
		transport.CloseIdleConnections()
		server.Close()
	})
	return Service{Notifier: d,
		Received: func() []Received {
			s.mu.Lock()
			defer s.mu.Unlock()
			return append([]Received{}, s.list...)
		},
		Requests: func() int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.requests
		},
		Fail: func(fault Fault) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.fault = fault
			if d.url = server.URL; fault == Down {
				d.url = "http://127.0.0.1:1"
			}
		},
		Press: func(token string) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			for c := range s.presses {
				select {
				case c <- token:
				default:
				}
			}
			return nil
		},
		Break: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			clear(s.presses)
			close(s.broken)
			s.broken = make(chan struct{})
		}}
}
