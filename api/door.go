package api

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// TokenName is what the file of the API's token is called, beside the socket.
const TokenName = "token"

// TokenRequest is the body of POST /v1/token, which makes a new one.
type TokenRequest struct {
	As string `json:"as,omitempty" is:"agent"`
}

func (r *TokenRequest) check() error {
	return firstError(checkAs(r.As), mayVouch(r.As, "to open the API"))
}

// TokenFile is where the token is; it travels nowhere else.
type TokenFile struct {
	Path string `json:"path"`
}

// newToken are 260 random bits, by which a program is let in over TCP.
func newToken() string { return "mind-" + rand.Text() + rand.Text() }

func (s *Server) tokenPath() string { return filepath.Join(filepath.Dir(s.options.Socket), TokenName) }

// readToken reads it at each request, so that another one counts at once.
func (s *Server) readToken() (string, error) {
	const mend = "remove it, and start the daemon again: it makes another one"
	text, err := secret.ReadFile(s.tokenPath(), syscall.O_NOFOLLOW, true, 1<<10, mend)
	token := strings.TrimSpace(string(text))
	if err == nil && len(token) != len(newToken()) {
		err = errors.New("has another length; " + mend)
	}
	return token, err
}

// renewToken makes another token, which alone opens from then on.
func (s *Server) renewToken(context.Context, TokenRequest) (TokenFile, error) {
	file := TokenFile{s.tokenPath()}
	if s.options.Listen == "" {
		return file, Errorf(CodeNotFound, "set api.listen in the configuration", "the API is not served over TCP, so that there is no token")
	}
	if err := secret.WriteFile(file.Path, []byte(newToken()+"\n")); err != nil {
		return file, Errorf(CodeUnavailable, "check that the folder can be written and its disk is not full", "cannot write the token of the API: %w", err)
	}
	return file, nil
}

// isToken compares in constant time.
func (s *Server) isToken(given string) bool {
	token, err := s.readToken()
	return err == nil && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

// bearer is the token that a request comes with, "" for none.
func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

// overTCP reports whether a request came through the door.
func overTCP(r *http.Request) bool {
	conn, ok := r.Context().Value(connKey{}).(*guardedConn)
	return !ok || conn.guard.tcp
}

// vouched reports whether who asks has the token of the API.
func (s *Server) vouched(r *http.Request) bool { return overTCP(r) && s.guards.token(bearer(r)) }

// named refuses, over TCP, who asks under a name by which the daemon does not go: a
// page of another site that has its name lead here.
func (s *Server) named(r *http.Request) error {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	is := func(name string) bool { return strings.EqualFold(name, host) }
	if !overTCP(r) || own.Loopback(host) || slices.ContainsFunc(s.options.Hosts, is) {
		return nil
	}
	return Errorf(CodeRefused, "ask 127.0.0.1, or add the name of your tunnel to api.hosts", "%s is no name of this daemon", clip(r.Host))
}

// sameOrigin refuses what a page of another site sends.
func sameOrigin() func(*http.Request) error {
	protection := http.NewCrossOriginProtection()
	return func(r *http.Request) error {
		if err := protection.Check(r); err != nil {
			return Errorf(CodeRefused, "ask from a program, and not from a page in a browser", "a page of another site asks: %w", err)
		}
		return nil
	}
}

// mayEnter refuses who comes to a path without a token over TCP, or with one over
// the socket, where it opens nothing.
func (s *Server) mayEnter(r *http.Request, path string) error {
	switch tcp := overTCP(r); {
	case path == observePath: // a source's own token is looked at by the mind
	case tcp && !s.vouched(r):
		return Errorf(CodeRefused, "send Authorization: Bearer TOKEN; `subconsciousctl token` says where it is", "over TCP the token of the API is asked for")
	case !tcp && r.Header.Get("Authorization") != "":
		return Errorf(CodeRefused, "leave the token out, where you may ask", "a source's token opens POST /v1/observations/SOURCE and nothing else")
	}
	return nil
}

// opens reports whether a token opens what is of a class.
func opens(class Class) bool { return class == Reads || class == Observes }

// openDoor listens on this machine, where that is asked for.
func (s *Server) openDoor() error {
	if s.options.Listen == "" {
		return nil
	}
	if _, err := s.readToken(); errors.Is(err, os.ErrNotExist) {
		if _, err := s.renewToken(context.Background(), TokenRequest{}); err != nil {
			return err
		}
	} else if err != nil {
		return fmt.Errorf("the token of the API in %s %w", s.tokenPath(), err)
	}
	listener, err := net.Listen("tcp", s.options.Listen)
	if err != nil {
		return Errorf(CodeUnavailable, "choose another port in api.listen, or end what has this one", "cannot listen on %s: %w", s.options.Listen, err)
	}
	guarded := newGuard(listener, s.options, s.patience)
	guarded.tcp = true
	s.serve(s.tcp, guarded, "the API cannot be asked over TCP any more")
	return nil
}
