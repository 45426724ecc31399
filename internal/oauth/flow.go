package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
)

const (
	// signInWithin is how long a sign-in may take.
	signInWithin = 5 * time.Minute
	// maxAddress bounds an address that comes back, in bytes.
	maxAddress = 16 << 10
)

// Request says how to sign in.
type Request struct {
	// Account is whose sign-in it is, mostly a mail address: the provider
	// proposes it. It may be empty.
	Account string
	// Listen waits for a browser on this machine; else the address that the
	// browser ended at is given to Paste.
	Listen bool
	// Port to listen at; 0 is any that is free.
	Port int
}

// Flow is one sign-in under way. It is good for one answer of the provider.
type Flow struct {
	options  Options
	state    string
	verifier string
	redirect string
	hint     string
	deadline time.Time
	used     atomic.Bool // an answer is or was worked on

	server *http.Server
	taken  atomic.Bool   // a browser brought an answer
	served chan struct{} // closed when the server is gone
	// arrived takes what the browser brought.
	arrived chan arrival
}

// arrival is the provider's answer as it came with the browser, which waits for
// the page to show.
type arrival struct {
	values url.Values
	page   chan error
}

// Begin prepares a sign-in, and listens where that is asked for. Close ends it.
func Begin(options Options, request Request) (*Flow, error) {
	if err := options.Config.Validate(); err != nil {
		return nil, err
	}
	options = options.filled()
	f := &Flow{options: options, state: rand.Text(), verifier: oauth2.GenerateVerifier(), hint: request.Account,
		deadline: time.Now().Add(signInWithin), arrived: make(chan arrival)}
	port := request.Port
	if request.Listen {
		listener, err := net.Listen("tcp4", hostPort("127.0.0.1", request.Port))
		if err != nil {
			return nil, fmt.Errorf("wait for the browser at port %d: %w", request.Port, err)
		}
		port = listener.Addr().(*net.TCPAddr).Port
		f.serve(listener)
	} else if port == 0 {
		// Nobody listens there; it is one of the ports that nobody is given.
		port = 1<<15 + 1<<14 + mathrand.IntN(1<<14)
	}
	f.redirect = "http://" + hostPort(options.endpoint().redirect, port)
	return f, nil
}

// URL is where the person signs in.
func (f *Flow) URL() string {
	e := f.options.endpoint()
	extra := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(f.verifier)}
	for name, value := range e.extra {
		extra = append(extra, oauth2.SetAuthURLParam(name, value))
	}
	if f.hint != "" && f.options.Config.Provider != Custom {
		extra = append(extra, oauth2.SetAuthURLParam("login_hint", f.hint))
	}
	return f.options.client(noSecret, oauth2.AuthStyleInParams, f.redirect).AuthCodeURL(f.state, extra...)
}

// Redirect is the address at which the browser ends, without what it brings.
func (f *Flow) Redirect() string { return f.redirect }

// Wait waits for the browser, at most 5 minutes from Begin on, and keeps the
// sign-in.
func (f *Flow) Wait(ctx context.Context) (State, error) {
	ctx, done := context.WithDeadlineCause(ctx, f.deadline, errors.New("nobody signed in within 5 minutes; begin again"))
	defer done()
	select {
	case a := <-f.arrived:
		state, err := f.answer(ctx, a.values)
		a.page <- err
		return state, err
	case <-ctx.Done():
		return State{}, context.Cause(ctx)
	}
}

// ErrNotTheAddress says that what was pasted is not the address at which the
// browser ended, so that it can be pasted anew.
var ErrNotTheAddress = errors.New("not the address at which the browser ended")

// notIt is an ErrNotTheAddress in words that say more.
type notIt string

func (n notIt) Error() string        { return string(n) }
func (n notIt) Is(target error) bool { return target == ErrNotTheAddress }

// Paste takes the address that the browser ended at, and keeps the sign-in.
func (f *Flow) Paste(ctx context.Context, address string) (State, error) {
	address = strings.Trim(strings.TrimSpace(address), `"'<>`)
	if len(address) > maxAddress {
		return State{}, notIt("what was pasted is too long for the address of a sign-in")
	}
	_, query, found := strings.Cut(address, "?")
	query, _, _ = strings.Cut(query, "#")
	values, err := url.ParseQuery(query)
	switch {
	case !found || err != nil || values.Get("state") == "" || values.Get("code")+values.Get("error") == "":
		return State{}, notIt("that is not the address at which the browser ended: it begins with " + f.redirect + " and has a code and a state in it; copy all of it")
	case !f.mine(values):
		return State{}, notIt("that address is of another sign-in; open the address shown above, and paste the one at which that ended")
	}
	ctx, done := context.WithDeadlineCause(ctx, f.deadline, errors.New("nobody signed in within 5 minutes; begin again"))
	defer done()
	return f.answer(ctx, values)
}

// mine reports whether an answer is to this sign-in.
func (f *Flow) mine(values url.Values) bool {
	return subtle.ConstantTimeCompare([]byte(values.Get("state")), []byte(f.state)) == 1
}

// answer makes a sign-in of the provider's answer, once.
func (f *Flow) answer(ctx context.Context, values url.Values) (State, error) {
	if f.used.Swap(true) {
		return State{}, errors.New("this sign-in was answered already; begin again")
	}
	if code := values.Get("error"); code != "" {
		return State{}, f.options.refusal(0, code, unsaid(values.Get("error_description"), []string{f.state, f.verifier}), true)
	}
	made, err := f.options.exchange(ctx, values.Get("code"), f.verifier, f.redirect)
	if err != nil {
		return State{}, err
	}
	unlock, err := lock(ctx, f.options.Path)
	if err != nil {
		return State{}, err
	}
	defer unlock()
	if err := writeToken(f.options.Path, made); err != nil {
		return State{}, err
	}
	return made.State, nil
}

// Close stops listening, once a page that is being shown is out.
func (f *Flow) Close() error {
	if f.server == nil {
		return nil
	}
	ctx, done := context.WithTimeout(context.Background(), 2*time.Second)
	defer done()
	err := f.server.Shutdown(ctx)
	if err != nil {
		err = f.server.Close()
	}
	<-f.served
	if err != nil {
		return fmt.Errorf("stop waiting for the browser: %w", err)
	}
	return nil
}
