package models

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Kind is what sort of failure it was.
type Kind string

const (
	KindKey        Kind = "key"         // no key, or it is refused: 401, 403
	KindModel      Kind = "model"       // there is no such model: 404
	KindRequest    Kind = "request"     // the request is refused: 400, 413, 422
	KindRate       Kind = "rate"        // too many, or the account is empty: 429, 402
	KindServer     Kind = "server"      // 5xx, overloaded
	KindNetwork    Kind = "network"     // no connection, or it broke before an answer
	KindCut        Kind = "cut"         // the answer ended in the middle
	KindTimeout    Kind = "timeout"     // no answer in time
	KindTooLarge   Kind = "too_large"   // the answer is over its bound
	KindAnswer     Kind = "answer"      // the answer is not what was asked for
	KindWrongModel Kind = "wrong_model" // another model answered
	KindRefused    Kind = "refused"     // the model declines
	KindBudget     Kind = "budget"      // it may not be paid for: a *budget.Refusal is wrapped
	KindResting    Kind = "resting"     // its breaker is open, after failures
	KindCancelled  Kind = "cancelled"   // whoever asked waits no more
)

func (k Kind) is(kinds ...Kind) bool { return slices.Contains(kinds, k) }

// Error says why a model did not answer.
type Error struct {
	Kind   Kind
	By     Identity
	Status int    // HTTP, 0 where there was none
	Text   string // in plain words, without secrets, bounded
	Next   string // what to do; may be empty
	// RetryAfter is how long the provider wants to be left alone; 0 where it
	// did not say.
	RetryAfter time.Duration
	// Usage is what the call took although it failed; Attempts and Unsure are
	// as in Answer.
	Usage            Usage
	Attempts, Unsure int
	// Cost is set by the budget's decorator.
	Cost   budget.Money
	Passed []*Error
	Err    error
}

// Error implements error.
func (e *Error) Error() string {
	if e.By.Model == "" {
		return e.Text
	}
	return fmt.Sprintf("%s: %s", e.By, e.Text)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// asError returns the *Error in err, or makes one. A failure that no driver
// spoke of is one of whoever waits no more, or else of the answer; either may
// have to be paid for.
func asError(err error, by Identity) *Error {
	failure, ok := errors.AsType[*Error](err)
	if ok {
		copied := *failure
		if copied.By.Model == "" {
			copied.By = by
		}
		return &copied
	}
	failure = &Error{Kind: KindAnswer, By: by, Text: line(err.Error(), maxWords), Attempts: 1, Unsure: 1, Err: err}
	switch {
	case errors.Is(err, context.Canceled):
		failure.Kind, failure.Text = KindCancelled, "it was asked for no more"
	case errors.Is(err, context.DeadlineExceeded):
		failure.Kind, failure.Text = KindTimeout, "no answer came in time"
	}
	return failure
}

// contain turns a panic into an error, so that a fault in one driver or
// decorator harms nobody else. The stack is in the error's cause, not in its
// text.
func contain(by Identity, err *error) {
	if fault := recover(); fault != nil {
		*err = &Error{Kind: KindAnswer, By: by, Attempts: 1, Unsure: 1,
			Text: "a fault in this program kept it from being asked", Next: "report it, with the log",
			Err: fmt.Errorf("panic: %s\n%s", line(fmt.Sprint(fault), maxWords), subconscious.Clip(string(debug.Stack()), maxRecorded))}
	}
}

// maxWords bounds the text of an error that is made here, in bytes.
const maxWords = 500

// line makes one line of text without control characters, and clips it.
func line(text string, limit int) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(subconscious.Clip(text, 4*limit), ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return subconscious.Clip(strings.Join(words, " "), limit)
}
