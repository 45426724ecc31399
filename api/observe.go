package api

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"reflect"
	"strings"

	"golang.org/x/net/netutil"
)

// Handed is an observation that a source hands in.
type Handed struct {
	Source, Token string
	Report        json.RawMessage
}

// Taken is what a source is answered: its observation waits for the next tick.
type Taken struct {
	Taken bool `json:"taken"`
}

// SourceTokenRequest asks for a new token of a source, or for none.
type SourceTokenRequest struct {
	As     string `json:"as,omitempty" is:"agent"`
	Source string `json:"source" is:"source"`
	Revoke bool   `json:"revoke,omitempty"`
}

func (r *SourceTokenRequest) check() error {
	return firstError(checkAs(r.As), mayVouch(r.As, "to open a source"))
}

// SourceToken is the new token, which is shown this once; empty where it was
// revoked.
type SourceToken struct {
	Source string `json:"source"`
	Token  string `json:"token,omitempty"`
}

// observe is POST /v1/observations/SOURCE. It is open to who has the token of that
// source, whoever that is, and the token opens nothing else.
type observe struct{}

const observePath = "/v1/observations/{source}"

func (observe) serve(s *Server) served {
	parts := [2]reflect.Type{reflect.TypeFor[json.RawMessage](), reflect.TypeFor[Taken]()}
	return served{http.MethodPost, observePath, "what a source observed, with its token", Observes, parts, func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(w, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		s.run(w, r, func() (any, error) {
			ctx, done := context.WithTimeout(s.life, AnswerWithin)
			defer done()
			return Taken{true}, s.options.Mind.Observe(ctx, Handed{r.PathValue("source"), token, body})
		})
	}}
}

// doorway serves that route alone.
func (s *Server) doorway() http.Handler {
	mux, route := http.NewServeMux(), observe{}.serve(s)
	mux.HandleFunc(route.path, func(w http.ResponseWriter, r *http.Request) { s.choose(w, r, []served{route}) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, Errorf(CodeRefused, "ask over the socket in the state folder", "here sources hand in by POST /v1/observations/SOURCE, and nothing else is served"))
	})
	return mux
}

// openDoor listens for sources on this machine, where that is asked for.
func (s *Server) openDoor() error {
	if s.options.Listen == "" {
		return nil
	}
	listener, err := net.Listen("tcp", s.options.Listen)
	if err != nil {
		return Errorf(CodeUnavailable, "choose another port in api.listen, or end what has this one", "cannot listen on %s: %w", s.options.Listen, err)
	}
	s.serve(s.door, netutil.LimitListener(listener, maxConns), "sources cannot hand in any more")
	return nil
}
