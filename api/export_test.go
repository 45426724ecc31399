package api

// The guards of a server that did not start, left out for their twins.

// Patient makes no room for others where connections are quiet.
func Patient(s *Server) { s.http.ConnState = nil }

// Unmeasured takes a request that says its length twice.
func Unmeasured(s *Server) { s.http.Handler = s.answer(s.mux()) }
