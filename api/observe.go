package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
)

// Handed is an observation that a source hands in.
type Handed struct {
	Source, Token string
	// Vouched: the token is that of the API, which opens every source.
	Vouched bool
	Report  json.RawMessage
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
// source, whoever that is, and the token opens nothing else; over TCP to who has
// that of the API, too.
type observe struct{}

const observePath = "/v1/observations/{source}"

func (observe) serve(s *Server) served {
	parts := [2]reflect.Type{reflect.TypeFor[json.RawMessage](), reflect.TypeFor[Taken]()}
	return served{http.MethodPost, observePath, "what a source observed, with its token", Observes, jsonMedia, parts, false, func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(w, r, MaxBody)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.run(w, r, func() (any, error) {
			ctx, done := context.WithTimeout(s.life, AnswerWithin)
			defer done()
			return Taken{true}, s.options.Mind.Observe(ctx, Handed{r.PathValue("source"), bearer(r), s.vouched(r), body})
		})
	}}
}
