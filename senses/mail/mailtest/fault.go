package mailtest

import (
	"slices"
	"time"
)

// Refusal is how a server does not take a client.
type Refusal string

const (
	NoConnection Refusal = "no connection" // it does not accept, or resets at once
	Busy         Refusal = "busy"          // it says BYE instead of a greeting
	BadSignIn    Refusal = "bad sign-in"   // NO [AUTHENTICATIONFAILED], whatever the password
	Unavailable  Refusal = "unavailable"   // NO [UNAVAILABLE] to a sign-in
)

// Stage is where a connection can hang.
type Stage string

const (
	Greeting Stage = "greeting"  // before the greeting, or the TLS handshake
	SignIn   Stage = "sign-in"   // at LOGIN and AUTHENTICATE
	Listing  Stage = "list"      // at LIST, LSUB and STATUS
	Opening  Stage = "open"      // at SELECT and EXAMINE
	Search   Stage = "search"    // at SEARCH
	Fetch    Stage = "fetch"     // at FETCH
	Body     Stage = "body"      // in the middle of the answer to a FETCH
	Idling   Stage = "idle"      // at IDLE
	News     Stage = "news"      // IDLE is answered, and tells nothing
	Anything Stage = "any stage" // at any command
)

// faults are what goes wrong at present. The server's lock guards them.
type faults struct {
	refusal Refusal
	left    int // refusals left; below 0: without end
	hung    []Stage
	slow    time.Duration
	release chan struct{} // closed by Mend
}

// refuses tells whether a refusal is due, and counts it.
func (f *faults) refuses(r Refusal) bool {
	if f.refusal != r || f.left == 0 {
		return false
	}
	if f.left > 0 {
		f.left--
	}
	return true
}

// Refuse refuses the next n connections or sign-ins in a way; n below 0: all,
// until Mend. Connections that there are stay.
func (s *Server) Refuse(how Refusal, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.refusal, s.faults.left = how, n
}

// Hang has connections hang at a stage, until Mend or until they are cut.
func (s *Server) Hang(at Stage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.release == nil {
		s.faults.release = make(chan struct{})
	}
	s.faults.hung = append(s.faults.hung, at)
}

// Slow has each command wait before it is answered, until Mend.
func (s *Server) Slow(each time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.slow = each
}

// Mend ends what Refuse, Hang and Slow began.
func (s *Server) Mend() {
	s.mu.Lock()
	if s.faults.release != nil {
		close(s.faults.release)
	}
	s.faults = faults{}
	s.mu.Unlock()
	s.tell()
}

// hangs is what to wait for at a stage; nil: nothing. The lock is not held.
func (s *Server) hangs(at ...Stage) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stage := range at {
		if slices.Contains(s.faults.hung, stage) {
			return s.faults.release
		}
	}
	return nil
}

// slowness is how long a command waits.
func (s *Server) slowness() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.slow
}

// stageOf is the stage that a command belongs to.
func stageOf(verb string) Stage {
	switch verb {
	case "LOGIN", "AUTHENTICATE":
		return SignIn
	case "LIST", "LSUB", "STATUS":
		return Listing
	case "SELECT", "EXAMINE":
		return Opening
	case "SEARCH":
		return Search
	case "FETCH":
		return Fetch
	case "IDLE":
		return Idling
	}
	return Anything
}
