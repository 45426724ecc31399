package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/store"
)

// The exit codes, the same for every command; commands.txt says what they mean.
const (
	exitFine        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnreachable = 3
	exitDegraded    = 4
	exitNotFound    = 5
	exitRefused     = 6
)

// usageError is a command line that was not understood.
type usageError struct {
	err  error
	next string
}

func (u *usageError) Error() string { return u.err.Error() }
func (u *usageError) Unwrap() error { return u.err }

// silentError ends a command that printed all it had to say.
type silentError struct{ exit int }

func (s *silentError) Error() string { return fmt.Sprintf("exit code %d", s.exit) }

// ended ends a command that printed all it had to say with a code, if that is so.
func ended(so bool, code int) error {
	if so {
		return &silentError{code}
	}
	return nil
}

// degraded ends a command as ended does.
func degraded(so bool) error { return ended(so, exitDegraded) }

// failure is an error as it is shown; with --json, as it is printed.
type failure struct {
	Code       string   `json:"code"`
	Detail     string   `json:"detail"`
	Next       string   `json:"next,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	Exit       int      `json:"exit"`
}

// failureOf gives every error its code, words, next step and exit code.
func failureOf(err error) failure {
	var problem *api.Problem
	var known *api.Error
	var unreachable *client.Unreachable
	var usage *usageError
	var stored *store.Error
	switch {
	case errors.As(err, &unreachable):
		return failure{Code: "unreachable", Detail: unreachable.Error(), Next: unreachable.Next, Exit: exitUnreachable}
	case errors.As(err, &known):
		problem = api.ProblemOf(known)
	case errors.As(err, &usage):
		return failure{Code: "usage", Detail: usage.Error(), Next: usage.next, Exit: exitUsage}
	case errors.As(err, &problem):
	case errors.As(err, &stored):
		detail := stored.Text
		if stored.Err != nil {
			detail += " (" + stored.Err.Error() + ")"
		}
		return failure{Code: string(stored.Code), Detail: detail, Next: stored.Next, Exit: exitFailed}
	default:
		return failure{Code: "failed", Detail: err.Error(), Exit: exitFailed}
	}
	return failure{Code: string(problem.Code), Detail: problem.Error(), Next: problem.Next,
		Candidates: problem.Candidates, Exit: exitOf(problem.Code)}
}

func exitOf(code api.Code) int {
	switch code {
	case api.CodeNotFound:
		return exitNotFound
	case api.CodePaused, api.CodeRefused, api.CodePassphrase, api.CodeExpired, api.CodeUsed, api.CodeChanged, api.CodeLimit:
		return exitRefused
	case api.CodeBadRequest, api.CodeAmbiguous, api.CodeTooLarge:
		return exitUsage
	default:
		return exitFailed
	}
}

// report writes what went wrong and returns the exit code.
func report(w io.Writer, asJSON bool, err error) int {
	var silent *silentError
	if errors.As(err, &silent) {
		return silent.exit
	}
	f := failureOf(err)
	if asJSON {
		// What cannot be written to the standard error has nowhere to go.
		_ = json.NewEncoder(w).Encode(f)
		return f.Exit
	}
	clean := screen.Lines
	_, _ = fmt.Fprintf(w, "subconsciousctl: %s\n", clean(f.Detail))
	for _, candidate := range f.Candidates {
		_, _ = fmt.Fprintf(w, "    %s\n", clean(candidate))
	}
	if f.Next != "" {
		_, _ = fmt.Fprintf(w, "  → %s\n", clean(f.Next))
	}
	return f.Exit
}
