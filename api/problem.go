package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/subconsciousd/subconsciousd/memory"
)

// Code names a sort of failure. Programs may rely on it; the words beside it
// are for people and may change.
type Code string

const (
	CodeBadRequest  Code = "bad_request"        // the request says something impossible
	CodeNotFound    Code = "not_found"          // no such entry, tick or thread
	CodeAmbiguous   Code = "ambiguous"          // more than one entry begins so
	CodePaused      Code = "paused"             // ticks are stopped by the person
	CodeRefused     Code = "refused"            // policy forbids it
	CodePassphrase  Code = "passphrase"         // it takes the passphrase, too
	CodeExpired     Code = "expired"            // it is too old for that
	CodeUsed        Code = "used"               // it was decided or taken back already
	CodeChanged     Code = "changed"            // it is not what was shown any more
	CodeLimit       Code = "limit"              // an action's limit of an hour or a day is reached
	CodeBusy        Code = "busy"               // too much waits already; try again
	CodeUnavailable Code = "unavailable"        // the mind starts, stops, or cannot store
	CodeTimeout     Code = "timeout"            // it took too long
	CodeMethod      Code = "method_not_allowed" // right path, wrong method
	CodeMedia       Code = "unsupported_media"  // the body is not JSON
	CodeTooLarge    Code = "too_large"          // the body is over MaxBody
	CodeInternal    Code = "internal"           // a fault of the daemon; see its log
)

// statuses give every code its HTTP status, its title, and what to do where an error
// does not say it better.
var statuses = map[Code]struct {
	status      int
	title, next string
}{
	CodeBadRequest:  {http.StatusBadRequest, "The request cannot be understood", "correct the request; GET /v1/openapi.json describes it"},
	CodeNotFound:    {http.StatusNotFound, "Not found", "look for it where things of its sort are listed"},
	CodeAmbiguous:   {http.StatusConflict, "More than one matches", "write more of its id"},
	CodePaused:      {http.StatusConflict, "The mind is paused", "let it go on: subconsciousctl resume"},
	CodeRefused:     {http.StatusForbidden, "Refused", "ask as the person, at a terminal on the daemon's machine"},
	CodePassphrase:  {http.StatusForbidden, "The passphrase is asked for", "send the passphrase"},
	CodeExpired:     {http.StatusGone, "Expired", "wait until it is asked for again"},
	CodeUsed:        {http.StatusConflict, "Decided already", "look at what became of it"},
	CodeChanged:     {http.StatusConflict, "Not what was shown", "look at it again, and decide on what it is now"},
	CodeLimit:       {http.StatusTooManyRequests, "The limit is reached", "wait for an hour, or a day"},
	CodeBusy:        {http.StatusServiceUnavailable, "Too much waits already", "wait a little, then repeat"},
	CodeUnavailable: {http.StatusServiceUnavailable, "Not available", "look at `subconsciousctl status`, then repeat"},
	CodeTimeout:     {http.StatusGatewayTimeout, "It took too long", "try again; `subconsciousctl status` shows whether it is busy"},
	CodeMethod:      {http.StatusMethodNotAllowed, "Method not allowed", "use another method; GET /v1/openapi.json lists them"},
	CodeMedia:       {http.StatusUnsupportedMediaType, "The body is not JSON", "send Content-Type: application/json"},
	CodeTooLarge:    {http.StatusRequestEntityTooLarge, "The body is too large", "send less"},
	CodeInternal:    {http.StatusInternalServerError, "The daemon failed", "read its log for the reason"},
}

// Error is a failure that a mind wants the person to read.
type Error struct {
	Code Code
	Text string // what, where; one plain sentence without a full stop
	Next string // what to do now
	// Candidates are ids that were perhaps meant.
	Candidates []string
	// Memory is the one that was to be changed, as it is.
	Memory *memory.Record
	// Err is the cause. It is logged and never sent.
	Err error
}

var _ error = (*Error)(nil)

// Errorf returns an Error; a %w in format becomes its cause as well.
func Errorf(code Code, next, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Text: err.Error(), Next: next, Err: errors.Unwrap(err)}
}

// Error returns the text and the next step.
func (e *Error) Error() string {
	if e.Next == "" {
		return e.Text
	}
	return e.Text + ": " + e.Next
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Problem is how every error travels: a problem document of RFC 9457, with
// members of our own (code, next, candidates, memory).
type Problem struct {
	Type       string         `json:"type"`
	Title      string         `json:"title"`
	Status     int            `json:"status"`
	Detail     string         `json:"detail"`
	Code       Code           `json:"code"`
	Next       string         `json:"next"`
	Candidates []string       `json:"candidates,omitempty"`
	Memory     *memory.Record `json:"memory,omitempty"`
}

var _ error = (*Problem)(nil)

// problemType is the URI of a code.
const problemType = "urn:problem-type:subconsciousd:"

// problemMedia is the media type of a Problem.
const problemMedia = "application/problem+json"

// Error returns the detail, or the title where there is none.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// ProblemOf turns any error into what may be sent. Only the words of an *Error
// travel; of other errors no more than that they happened, because their words
// may hold what is not the reader's.
func ProblemOf(err error) *Problem {
	var known *Error
	switch {
	case errors.As(err, &known):
	case errors.Is(err, context.DeadlineExceeded):
		known = &Error{Code: CodeTimeout, Text: "the daemon did not answer in time"}
	case errors.Is(err, context.Canceled):
		known = &Error{Code: CodeUnavailable, Text: "the daemon is stopping", Next: "start it again, then repeat"}
	default:
		known = &Error{Code: CodeInternal, Text: "the daemon failed to answer"}
	}
	is := cmp.Or(statuses[known.Code], statuses[CodeInternal])
	return &Problem{
		Type:  problemType + strings.ReplaceAll(string(known.Code), "_", "-"),
		Title: is.title, Status: is.status, Detail: known.Text,
		Code: known.Code, Next: cmp.Or(known.Next, is.next), Candidates: known.Candidates, Memory: known.Memory,
	}
}
