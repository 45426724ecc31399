package actions

import (
	"errors"
	"fmt"
)

// Code classes why something was refused.
type Code string

const (
	CodeUnknown     Code = "unknown_action" // no action is configured by that name
	CodeInvalid     Code = "invalid"        // the arguments do not fit the parameters
	CodeUnavailable Code = "unavailable"    // the action's program cannot be run
	CodeFull        Code = "full"           // too many proposals wait
	CodeNotFound    Code = "not_found"      // no such proposal or run
	CodeExpired     Code = "expired"        // its time is over
	CodeUsed        Code = "used"           // approved, rejected or undone before
	CodeChanged     Code = "changed"        // it is not what was shown any more
	CodeLimit       Code = "limit"          // it ran as often as it may
	CodeBusy        Code = "busy"           // it, or too much else, runs now
	CodeStopped     Code = "stopped"        // the engine does not run
	CodeNoUndo      Code = "no_undo"        // that run cannot be undone
	CodeForbidden   Code = "forbidden"      // whoever asks may not
	CodePassphrase  Code = "passphrase"     // it takes the passphrase, too
)

// Error is a refusal, for people and for models.
type Error struct {
	Code Code
	Text string // a plain sentence without a full stop
	Next string // what to do
}

// Error says what was refused and what to do.
func (e *Error) Error() string {
	if e.Next == "" {
		return e.Text
	}
	return e.Text + "; " + e.Next
}

var _ error = (*Error)(nil)

// CodeOf returns the code of an error of this package; "" where it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

func refuse(code Code, next, format string, values ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, values...), Next: next}
}
