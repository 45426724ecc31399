package api

import "time"

// The guards of a server that did not start, left out for their twins.

// Patience is how long connections may be quiet while others wait: an hour is as
// good as no guard.
func Patience(s *Server, length time.Duration) { s.patience = length }

// Unmeasured takes a request that says its length twice.
func Unmeasured(s *Server) { s.http.Handler = s.answer(s.mux()) }
