package api

import (
	"encoding/json"
	"log/slog"
	"slices"
	"time"
)

// The guards of a server that did not start, left out for their twins.

// Patience is how long connections may be quiet while others wait: an hour is as
// good as no guard.
func Patience(s *Server, length time.Duration) { s.patience = length }

// Unmeasured takes a request that says its length twice.
func Unmeasured(s *Server) { s.guards.request = nil }

// Unguarded leaves out one of the other guards.
func Unguarded(s *Server, guard string) {
	g := &s.guards
	switch guard {
	case "host", "origin":
		g.request = slices.Delete(slices.Clone(g.request), 1, 3)
	case "token":
		g.token = func(string) bool { return true }
	case "opens":
		g.opens = func(Class) bool { return true }
	case "body":
		g.body = 1 << 30
	case "peer":
		g.peer = func(peer) bool { return true }
	case "agent":
		g.agent = func(int, uint64) (string, error) { return "", nil }
	default:
		panic("there is no guard " + guard)
	}
}

// Below has every process that asks be below that agent, or not to be read.
func Below(s *Server, agent string, err error) {
	s.guards.agent = func(int, uint64) (string, error) { return agent, err }
}

var (
	AgentOf    = agentOf
	AgentAbove = agentAbove
)

// Walked is a route as a test walks it.
type Walked struct {
	Method, Path string
	Class        Class
}

// AllRoutes are all of them.
func AllRoutes() (all []Walked) {
	for _, r := range routes() {
		served := r.serve(nil)
		if served.path == GetEvents.Path {
			served.path += "?end=true"
		}
		all = append(all, Walked{served.method, served.path, served.class})
	}
	return all
}

// Listening sets how often a stream says that it is alive, how long a listener may
// take, and how long the request itself may take to arrive.
func Listening(s *Server, every, slowest, read time.Duration) {
	s.beat, s.slow, s.http.ReadTimeout = every, slowest, read
}

// Described is the OpenAPI document of what a server serves.
func Described() (json.RawMessage, error) {
	var s Server
	s.mux()
	return s.described()
}

// Logs has the server log there.
func Logs(s *Server, logger *slog.Logger) { s.options.Logger = logger }
