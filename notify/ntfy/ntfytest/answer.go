package ntfytest

import (
	"crypto/subtle"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var topics = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

// answer answers one request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	s.mu.Unlock()
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	posts := r.Method == http.MethodPost || r.Method == http.MethodPut
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case reads && r.URL.Path == "/v1/health":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{\"healthy\":true}\n"))
	case !s.within():
		tooMany.write(w)
	case posts && len(path) == 1 && path[0] == "":
		s.publish(w, r, "")
	case posts && len(path) == 1 && topics.MatchString(path[0]):
		s.publish(w, r, path[0])
	case reads && len(path) == 2 && path[1] == "json":
		s.subscribe(w, r, strings.Split(path[0], ","))
	case reads && len(path) == 2 && path[1] == "auth" && topics.MatchString(path[0]):
		if refused := s.may(r, path[0], false); refused != nil {
			refused.write(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{\"success\":true}\n"))
	default:
		noPage.write(w)
	}
}

// within counts a request against the limit of quick ones.
func (s *Server) within() bool {
	if s.options.Burst < 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.refilled.IsZero() {
		s.spent = max(0, s.spent-float64(now.Sub(s.refilled))/float64(refill))
	}
	s.refilled = now
	if s.spent+1 > float64(s.options.Burst) {
		return false
	}
	s.spent++
	return true
}

// may tells whether a request may use a topic; nil is yes.
func (s *Server) may(r *http.Request, topic string, write bool) *refusal {
	account, refused := s.account(r)
	switch {
	case refused != nil:
		return refused
	case s.options.open():
		return nil
	case account == nil && granted(s.options.Everyone, topic, write):
		return nil
	case account != nil && (len(account.Access) == 0 || granted(account.Access, topic, write)):
		return nil
	}
	return &forbidden
}

// account is who asks; nil is nobody known.
func (s *Server) account(r *http.Request) (*Account, *refusal) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return nil, nil
	}
	token, bearer := strings.CutPrefix(header, "Bearer ")
	name, password, basic := r.BasicAuth()
	for i := range s.options.Accounts {
		a := &s.options.Accounts[i]
		switch {
		case bearer && a.Token != "" && same(a.Token, token),
			basic && name == "" && a.Token != "" && same(a.Token, password), // a token in the place of a password
			basic && a.Password != "" && a.Name == name && same(a.Password, password):
			return a, nil
		}
	}
	return nil, &noSignIn
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// spoil does what a fault does in the place of an answer. It reports whether
// there is nothing more to answer.
func (s *Server) spoil(w http.ResponseWriter, r *http.Request, fault Fault) bool {
	switch fault {
	case CutBefore, CutAfter, CutLate:
		cut(w)
	case Hang, HangAfter:
		select {
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
		cut(w)
	case Broken:
		itsOwnFault.write(w)
	case Gateway:
		page(w, http.StatusBadGateway)
	case Late:
		page(w, http.StatusGatewayTimeout)
	case Limited:
		w.Header().Set("Retry-After", "60")
		tooMany.write(w)
	case Denied:
		noSignIn.write(w)
	case Forbidden:
		forbidden.write(w)
	case Huge:
		s.flood(w, r)
	case Garbage:
		for n := range 40 {
			_, _ = w.Write([]byte("{\"no\":" + strconv.Itoa(n) + ", this is\x00 no JSON\n"))
		}
	case Page:
		page(w, http.StatusOK)
	case Redirect:
		w.Header().Set("Location", "https://signin.example.net/portal?from=here")
		w.WriteHeader(http.StatusFound)
	default:
		return false
	}
	return true
}

// flood writes one line until nobody reads any more.
func (s *Server) flood(w http.ResponseWriter, r *http.Request) {
	chunk := []byte(strings.Repeat("x", 32<<10))
	for range 64 << 20 / len(chunk) {
		if _, err := w.Write(chunk); err != nil || r.Context().Err() != nil || s.ctx.Err() != nil {
			return
		}
	}
}

// cut breaks the connection.
func cut(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}
