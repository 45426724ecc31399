// Package oauthtest is a provider of OAuth 2.0 in this process, on loopback: a
// page that lets one in at once, and tokens for the codes that it hands out. It
// checks what a provider checks: the client, its secret, the redirect, PKCE, that
// a code is used once, and a refresh token too where they rotate. It fails on
// demand.
//
// It keeps everything in memory. Tests of whatever signs in start it.
package oauthtest

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Fault is what goes wrong with every request for a token.
type Fault string

const (
	None         Fault = ""
	InvalidGrant Fault = "invalid_grant" // the sign-in was taken back
	Overloaded   Fault = "overloaded"    // HTTP 503, and no JSON
	Huge         Fault = "huge"          // an answer without an end
	Slow         Fault = "slow"          // no answer until the client gives up
	Nonsense     Fault = "nonsense"      // HTTP 200 and a page
	Elsewhere    Fault = "elsewhere"     // a redirect to another address
	Chatty       Fault = "chatty"        // an error that quotes what was sent
	Bare         Fault = "bare"          // a token with a control character in it
)

// Options say what the provider is like.
type Options struct {
	// ClientID and ClientSecret are those of the only client; without a secret
	// none is wanted.
	ClientID, ClientSecret string
	// Header wants the secret in the header, and knows no client without it there.
	Header bool
	// Rotates gives a new refresh token each time, and ends the sign-in where an
	// old one comes again.
	Rotates bool
	// NoRefresh gives no refresh token.
	NoRefresh bool
	// Denies is the error with which the page answers, "access_denied"; empty: it
	// lets everybody in.
	Denies string
	// Lifetime of tokens; 0 is an hour. Ends is how long a sign-in lasts; 0 does not say.
	Lifetime, Ends time.Duration
	// Issued hears of each access token, before it is given out.
	Issued func(access string)
}

// Server is the provider.
type Server struct {
	options Options
	http    *httptest.Server
	over    chan struct{}

	mu       sync.Mutex
	fault    Fault
	grants   map[string]grant // by code
	refresh  map[string]bool  // those that are good
	used     map[string]bool  // those that were
	requests []url.Values
	secrets  []string
}

// grant is what a code was made for.
type grant struct{ redirect, challenge string }

// New starts a provider; Close ends it.
func New(options Options) *Server {
	s := &Server{options: options, over: make(chan struct{}), grants: map[string]grant{}, refresh: map[string]bool{}, used: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	s.http = httptest.NewServer(mux)
	return s
}

// Close ends what waits and stops serving.
func (s *Server) Close() {
	close(s.over)
	s.http.Close()
}

// AuthURL is where one signs in, TokenURL where tokens are.
func (s *Server) AuthURL() string  { return s.http.URL + "/authorize" }
func (s *Server) TokenURL() string { return s.http.URL + "/token" }

// Fail lets every request for a token fail from now on.
func (s *Server) Fail(fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Requests are the parameters of all requests for a token so far.
func (s *Server) Requests() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]url.Values(nil), s.requests...)
}

// Secrets are all codes and tokens that were handed out, and the verifiers that
// came: none of them may be seen anywhere.
func (s *Server) Secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.secrets...)
}

// secret makes one that is remembered. The lock is held.
func (s *Server) secret(kind string) string {
	made := kind + "." + rand.Text()
	s.secrets = append(s.secrets, made)
	return made
}

// authorize is the page on which the person signs in: it sends them back at once.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || back.Hostname() != "127.0.0.1" && back.Hostname() != "localhost" || asked.Get("client_id") != s.options.ClientID ||
		asked.Get("response_type") != "code" || asked.Get("code_challenge_method") != "S256" || asked.Get("state") == "" {
		http.Error(w, "this is no request to sign in", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {asked.Get("state")}}
	if s.options.Denies != "" {
		answer.Set("error", s.options.Denies)
		answer.Set("error_description", "The person <b>said no</b>.")
	} else {
		s.mu.Lock()
		code := s.secret("code")
		s.grants[code] = grant{asked.Get("redirect_uri"), asked.Get("code_challenge")}
		s.mu.Unlock()
		answer.Set("code", code)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil {
		refuse(w, http.StatusBadRequest, "invalid_request", "")
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, r.PostForm)
	if v := r.PostForm.Get("code_verifier"); v != "" {
		s.secrets = append(s.secrets, v)
	}
	fault := s.fault
	s.mu.Unlock()
	if s.fails(w, r, fault) {
		return
	}
	id, secret, header := r.BasicAuth()
	if !header {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	if id != s.options.ClientID || secret != s.options.ClientSecret || s.options.Header != header && s.options.ClientSecret != "" {
		refuse(w, http.StatusUnauthorized, "invalid_client", "")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch form := r.PostForm; form.Get("grant_type") {
	case "authorization_code":
		g, known := s.grants[form.Get("code")]
		delete(s.grants, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if !known || g.redirect != form.Get("redirect_uri") || g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			refuse(w, http.StatusBadRequest, "invalid_grant", "")
			return
		}
		s.issue(w, !s.options.NoRefresh)
	case "refresh_token":
		old := form.Get("refresh_token")
		if s.used[old] {
			clear(s.refresh) // somebody stole it: nobody is signed in any more
		}
		if !s.refresh[old] {
			refuse(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
			return
		}
		if s.options.Rotates {
			delete(s.refresh, old)
			s.used[old] = true
		}
		s.issue(w, s.options.Rotates)
	default:
		refuse(w, http.StatusBadRequest, "unsupported_grant_type", "")
	}
}

// issue gives a token out. The lock is held.
func (s *Server) issue(w http.ResponseWriter, withRefresh bool) {
	access := s.secret("access")
	if s.options.Issued != nil {
		s.options.Issued(access)
	}
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(cmp.Or(s.options.Lifetime, time.Hour) / time.Second)}
	if s.options.Ends > 0 {
		answer["refresh_token_expires_in"] = int(s.options.Ends / time.Second)
	}
	if withRefresh {
		fresh := s.secret("refresh")
		s.refresh[fresh] = true
		answer["refresh_token"] = fresh
	}
	write(w, http.StatusOK, answer)
}

// fails answers with a fault; not where there is none.
func (s *Server) fails(w http.ResponseWriter, r *http.Request, fault Fault) bool {
	switch fault {
	case InvalidGrant:
		refuse(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
	case Overloaded:
		http.Error(w, "<h1>Service Unavailable</h1>", http.StatusServiceUnavailable)
	case Huge:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"`)
		for part := strings.Repeat("a", 1<<16); r.Context().Err() == nil; {
			if _, err := io.WriteString(w, part); err != nil {
				break
			}
		}
	case Slow:
		select {
		case <-r.Context().Done():
		case <-s.over:
		}
	case Nonsense:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>welcome to the hotel's network</html>")
	case Elsewhere:
		http.Redirect(w, r, "/authorize", http.StatusTemporaryRedirect)
	case Chatty:
		refuse(w, http.StatusBadRequest, "invalid_request", "you sent "+r.PostForm.Encode()+" and\x1b[2J "+r.Header.Get("Authorization"))
	case Bare:
		write(w, http.StatusOK, map[string]any{"access_token": "a\r\nb", "token_type": "Bearer", "expires_in": 3600})
	default:
		return false
	}
	return true
}

func refuse(w http.ResponseWriter, status int, code, description string) {
	answer := map[string]any{"error": code}
	if description != "" {
		answer["error_description"] = description
	}
	write(w, status, answer)
}

func write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a client that is gone takes nothing
}
