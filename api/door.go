package api

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/subconsciousd/subconsciousd/internal/own"
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

// loadToken reads the token, and makes one where there is none.
func (s *Server) loadToken() error {
	path := s.tokenPath()
	wrong := func(err error) error {
		return Errorf(CodeUnavailable, "remove it, and start again: another one is made", "%s is no token of this mind: %w", path, err)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return s.renewToken()
	} else if err != nil {
		return wrong(err)
	}
	defer func() { _ = file.Close() }() // it was read alone
	info, err := file.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0) {
		err = errors.New("others may read or write it, or it is no file")
	}
	if err != nil {
		return wrong(err)
	}
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	token := strings.TrimSpace(string(text))
	if err == nil && len(token) != len(newToken()) {
		err = errors.New("it has another length")
	}
	if err != nil {
		return wrong(err)
	}
	s.token.Store(token)
	return nil
}

// renewToken makes another token, which alone opens from then on.
func (s *Server) renewToken() error {
	token := newToken()
	if err := renameio.WriteFile(s.tokenPath(), []byte(token+"\n"), 0o600); err != nil {
		return Errorf(CodeUnavailable, "check that the folder can be written and its disk is not full", "cannot write the token of the API: %w", err)
	}
	s.token.Store(token)
	return nil
}

func (s *Server) makeToken(context.Context, TokenRequest) (TokenFile, error) {
	if s.options.Listen == "" {
		return TokenFile{}, Errorf(CodeNotFound, "set api.listen in the configuration", "the API is not served over TCP, so that there is no token")
	}
	return TokenFile{s.tokenPath()}, s.renewToken()
}

// isToken compares in constant time; without a door there is no token.
func (s *Server) isToken(given string) bool {
	token, _ := s.token.Load().(string)
	return token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
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
func sameOrigin(r *http.Request) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return Errorf(CodeRefused, "ask from a program, and not from a page in a browser", "a page of another site asks: %w", err)
	}
	return nil
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
	if err := s.loadToken(); err != nil {
		return err
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
