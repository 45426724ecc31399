package api

import "time"

// The guards of a server that did not start, left out for their twins.

// Patience is how long connections may be quiet while others wait: an hour is as
// good as no guard.
func Patience(s *Server, length time.Duration) { s.patience = length }

// Unmeasured takes a request that says its length twice.
func Unmeasured(s *Server) { s.http.Handler = s.answer(s.mux()) }

// Listening sets how often a stream says that it is alive, how long a listener may
// take, and how long the request itself may take to arrive.
func Listening(s *Server, every, slowest, read time.Duration) {
	s.beat, s.slow, s.http.ReadTimeout = every, slowest, read
}
