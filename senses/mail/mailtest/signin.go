package mailtest

import (
	"crypto/subtle"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-sasl"
)

// Login signs in with a password.
func (s *session) Login(name, password string) error {
	return s.signIn(name, func(u *account) bool { return u.Password != "" && same(u.Password, password) })
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (s *session) signIn(name string, proves func(*account) bool) error {
	if !s.wire.protected() {
		return refused(imap.ResponseCodePrivacyRequired, "Start TLS first")
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.faults.refuses(Unavailable) {
		return refused(imap.ResponseCodeUnavailable, "Signing in is not possible at present")
	}
	u := s.server.users[name]
	if s.server.faults.refuses(BadSignIn) || u == nil || !proves(u) {
		return imapserver.ErrAuthFailed
	}
	s.who = u
	return nil
}

// AuthenticateMechanisms are those that are offered.
func (s *session) AuthenticateMechanisms() []string {
	if !s.wire.protected() || s.user() != nil {
		return nil
	}
	if m := s.server.options.Mechanisms; len(m) > 0 {
		return m
	}
	return mechanisms()
}

// Authenticate signs in by a mechanism.
func (s *session) Authenticate(mechanism string) (sasl.Server, error) {
	if !slices.Contains(s.AuthenticateMechanisms(), mechanism) {
		return nil, refused("", "This mechanism is not offered")
	}
	if mechanism == "PLAIN" {
		return sasl.NewPlainServer(func(_, name, password string) error { return s.Login(name, password) }), nil
	}
	return &bearer{session: s, user: map[string]string{"OAUTHBEARER": "n,a=", "XOAUTH2": "user="}[mechanism]}, nil
}

// bearer is OAUTHBEARER (RFC 7628) and XOAUTH2, which differ in how they name
// the user.
type bearer struct {
	session *session
	user    string // what stands before the name
	failed  error
}

var _ sasl.Server = (*bearer)(nil)

// Next takes the client's word. Who is refused is sent why as a challenge, and
// has to answer it before the command fails.
func (b *bearer) Next(response []byte) ([]byte, bool, error) {
	switch {
	case b.failed != nil:
		return nil, true, b.failed
	case response == nil:
		return []byte{}, false, nil
	}
	var name, token string
	for _, field := range strings.Split(string(response), "\x01") {
		if rest, ok := strings.CutPrefix(field, b.user); ok {
			name = strings.TrimSuffix(rest, ",")
		}
		if rest, ok := strings.CutPrefix(field, "auth="); ok && len(rest) > 7 && strings.EqualFold(rest[:7], "bearer ") {
			token = rest[7:]
		}
	}
	b.failed = b.session.signIn(name, func(u *account) bool { return u.Token != "" && same(u.Token, token) })
	if b.failed != nil {
		return []byte(`{"status":"invalid_token","schemes":"bearer","scope":"https://mail.example.com/"}`), false, nil
	}
	return nil, true, nil
}
