package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/memory"
)

const (
	jsonMedia = "application/json"
	textMedia = "text/plain; version=0.0.4; charset=utf-8" // as Prometheus asks for it
	fileMedia = "text/plain; charset=utf-8"
)

// Text is an answer that is no JSON.
type Text string

// served is one route with what answers it.
type served struct {
	method, path, about string
	class               Class
	media               string          // of what comes out
	parts               [2]reflect.Type // what goes in, and what comes out
	file                bool            // a file goes in, beside what stands in the query
	handle              http.HandlerFunc
}

// serve answers a route. A GET ends when its client goes away; the context of a
// POST ends with the server, so that a client that hangs up leaves nothing half
// done.
func (route Route[Q, A]) serve(s *Server) served {
	parts := [2]reflect.Type{reflect.TypeFor[Q](), reflect.TypeFor[A]()}
	media := cmp.Or(route.media, jsonMedia)
	if parts[1] == reflect.TypeFor[Event]() {
		media = eventStream
	} else if parts[1] == reflect.TypeFor[Text]() && route.media == "" {
		media = textMedia
	}
	return served{route.Method, route.Path, route.About, route.Class, media, parts, route.stream != nil && route.Method == http.MethodPost, func(w http.ResponseWriter, r *http.Request) {
		if route.stream != nil {
			question, err := fromQuery[Q](r.URL.Query(), r.PathValue)
			if err = cmp.Or(err, s.entitle(r, route.Class, &question)); err != nil {
				s.fail(w, r, err)
				return
			}
			route.stream(s, w, r, question)
			return
		}
		ctx, body := r.Context(), []byte(nil)
		if r.Method == http.MethodPost {
			var err error
			if body, err = readBody(w, r, max(route.Body, s.guards.body)); err != nil {
				s.fail(w, r, err)
				return
			}
			ctx = s.life
		}
		s.run(w, r, func() (any, error) {
			question, err := asked[Q](r, body)
			// An agent is told that it may not, before how others may.
			if refused, ok := errors.AsType[*Error](err); err == nil || ok && refused.Code == CodeRefused {
				err = cmp.Or(s.entitle(r, route.Class, &question), err)
			}
			if err != nil {
				return nil, err
			}
			if q, ok := any(&question).(interface{ from(Caller) }); ok {
				q.from(callerOf(r))
			}
			if q, ok := any(&question).(interface{ readable([]memory.Lane) error }); ok {
				if err := q.readable(s.lanes(r)); err != nil {
					return nil, err
				}
			}
			limit := AnswerWithin
			if q, ok := any(&question).(interface{ quick() bool }); route.Long > 0 && !(ok && q.quick()) {
				release, err := s.queue()
				if err != nil {
					return nil, err
				}
				defer release()
				limit = route.Long
			}
			ctx, done := context.WithTimeout(ctx, limit)
			defer done()
			return route.ask(s, ctx, question)
		})
	}}
}

// callerOf is the process that asks.
func callerOf(r *http.Request) Caller {
	if conn, ok := r.Context().Value(connKey{}).(*guardedConn); ok {
		return Caller{UID: conn.who.uid, PID: conn.who.pid}
	}
	return Caller{}
}

// queue takes one of the places of those who wait for what may take long, until
// release is called.
func (s *Server) queue() (release func(), err error) {
	select {
	case s.waiting <- struct{}{}:
		return func() { <-s.waiting }, nil
	default:
		return nil, Errorf(CodeBusy, "wait for one of them", "%d ticks, tests, searches and actions have been asked for already", maxWaiting)
	}
}

// entitle makes what a process below an agent says the agent's word, and refuses
// what is not for agents, and whoever could be one.
func (s *Server) entitle(r *http.Request, class Class, question any) error {
	conn, ok := r.Context().Value(connKey{}).(*guardedConn)
	if opens(class) || !ok || conn.guard.tcp {
		return nil
	}
	agent, err := s.guards.agent(conn.who.pid, conn.at)
	personal, ok := question.(interface{ personal() bool })
	switch {
	case err != nil:
		s.options.Logger.Warn("refused a process whose ancestry cannot be read", "path", r.URL.Path, "pid", conn.who.pid, "error", err)
		return Errorf(CodeRefused, "wait for the answer, and ask from a terminal of your own on the daemon's machine",
			"nobody can tell below which programs the process %d runs, and it could be an agent: %v", conn.who.pid, err)
	case agent != "" && (class != Acts || ok && personal.personal()):
		s.options.Logger.Warn("refused an agent", "path", r.URL.Path, "pid", conn.who.pid, "agent", agent)
		return Errorf(CodeRefused, "do it yourself, from a terminal that no agent has begun",
			"that is for you to decide, and the process %d which asks runs below the agent %s", conn.who.pid, agent)
	case agent != "":
		if as := reflect.ValueOf(question).Elem().FieldByName("As"); as.IsValid() {
			as.SetString(agent)
		}
	}
	return nil
}

// guarded asks the guards that look at no path.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, refuse := range s.guards.request {
			if err := refuse(r); err != nil {
				w.Header().Set("Connection", "close")
				s.fail(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) mux() *http.ServeMux {
	mux, paths := http.NewServeMux(), map[string][]served{"/": nil}
	var all []served
	for _, r := range routes() {
		route := r.serve(s)
		all, paths[route.path] = append(all, route), append(paths[route.path], route)
	}
	s.described = sync.OnceValues(func() (json.RawMessage, error) { return describeAll(all, s.options.Version) })
	for path, routes := range paths {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if err := s.mayEnter(r, path); err != nil {
				s.fail(w, r, err)
				return
			}
			s.choose(w, r, routes)
		})
	}
	return mux
}

// secured are the headers that keep a browser from doing anything with an answer
// but show it to who asked.
var secured = map[string]string{
	"Cache-Control":                "no-store",
	"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
}

// answer gives every answer its headers, and survives a panic.
func (s *Server) answer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(VersionHeader, s.options.Version)
		if zone := s.options.Now().Location().String(); zone != "" && zone != "Local" {
			w.Header().Set(ZoneHeader, zone)
		}
		for header, value := range secured {
			w.Header().Set(header, value)
		}
		defer s.contain(w, r)
		next.ServeHTTP(w, r)
	})
}

// oneLength refuses what may have said its length twice: of two that contradict
// each other net/http shows the one that it follows, the chunks, or with
// HTTP/1.0 Content-Length.
func oneLength(r *http.Request) error {
	if len(r.TransferEncoding) == 0 && r.ProtoAtLeast(1, 1) {
		return nil
	}
	return badRequest("speak HTTP/1.1, and say the length by Content-Length", "the request comes in pieces, or by an old protocol")
}

// run answers a request that has arrived whole with what do returns. Stop waits
// for it, and no other connection takes its place.
func (s *Server) run(w http.ResponseWriter, r *http.Request, do func() (any, error)) {
	if !s.begin(w, r) {
		return
	}
	defer s.running.Done()
	value, err := do()
	s.respond(w, r, value, err)
}

// begin counts a request in that has arrived whole, or refuses it while the server
// stops. Who began it says that it is done.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) bool {
	if !s.enter() {
		s.fail(w, r, Errorf(CodeUnavailable, "ask again in a moment; where nobody answers then, start the daemon again", "the daemon is stopping"))
		return false
	}
	if conn, ok := r.Context().Value(connKey{}).(*guardedConn); ok {
		conn.hear(false)
	}
	return true
}

// lanes are those of memory of which whoever asks may read: a token opens what is
// trusted, and what strangers said is for no agent.
func (s *Server) lanes(r *http.Request) []memory.Lane {
	conn, ok := r.Context().Value(connKey{}).(*guardedConn)
	if !ok || conn.guard.tcp {
		return memory.Lanes()[:1]
	}
	if agent, err := s.guards.agent(conn.who.pid, conn.at); agent != "" || err != nil {
		return memory.Lanes()[:2]
	}
	return memory.Lanes()
}

// contain turns a handler's panic into an answer and a line in the log. What broke off
// in the middle of an answer breaks off the connection.
func (s *Server) contain(w http.ResponseWriter, r *http.Request) {
	caught := recover()
	if caught == nil {
		return
	}
	if caught == http.ErrAbortHandler {
		panic(caught)
	}
	s.options.Logger.Error("a handler panicked", "path", r.URL.Path, "panic", fmt.Sprint(caught), "stack", string(debug.Stack()))
	s.fail(w, r, fmt.Errorf("api: panic: %v", caught))
}

func health(m Mind, ctx context.Context, _ Nothing) (HealthReply, error) {
	err := m.Health(ctx)
	if _, known := errors.AsType[*Error](err); err != nil && !known {
		err = Errorf(CodeUnavailable, "run `subconsciousctl status` for the whole picture", "%w", err)
	}
	return HealthReply{Status: "ok"}, err
}

func ticks(m Mind, ctx context.Context, q TicksQuery) (TickPage, error) {
	ticks, err := m.Ticks(ctx, q.Before, q.Limit)
	page := TickPage{Ticks: ticks}
	if len(ticks) == q.Limit && ticks[q.Limit-1].Tick > 1 {
		page.Before = ticks[q.Limit-1].Tick
	}
	return page, err
}

func (s *Server) command(ctx context.Context, request CommandRequest) (CommandResult, error) {
	command, err := request.command(s.options.Now())
	if err != nil {
		return CommandResult{}, err
	}
	command.By = By(request.As)
	return s.options.Mind.Command(ctx, command)
}

func (s *Server) report(ctx context.Context, q ReportQuery) (Report, error) {
	now := s.options.Now()
	switch {
	case q.Since.IsZero():
		q.Since = now.Add(-24 * time.Hour)
	case q.Since.After(now):
		return Report{}, badRequest("name a time that is past", "since: %s is not yet", q.Since.Format(time.RFC3339))
	}
	return s.options.Mind.Report(ctx, q.Since)
}

// choose hands a request to the route of its path that has its method.
func (s *Server) choose(w http.ResponseWriter, r *http.Request, routes []served) {
	var methods []string
	for _, route := range routes {
		if r.Method == route.method || r.Method == http.MethodHead && route.method == http.MethodGet {
			if overTCP(r) && !s.guards.opens(route.class) {
				s.fail(w, r, Errorf(CodeRefused, "ask over the socket in the state folder, as subconsciousctl does", "what acts is not served over TCP"))
				return
			}
			route.handle(w, r)
			return
		}
		methods = append(methods, route.method)
		if route.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	if routes == nil {
		s.fail(w, r, Errorf(CodeNotFound, "GET /v1/openapi.json lists what is", "nothing is served at %s", clip(r.URL.Path)))
		return
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	s.fail(w, r, Errorf(CodeMethod, "use "+strings.Join(methods, " or "), "%s does not take %s", clip(r.URL.Path), clip(r.Method)))
}

// readBody reads the body of a request whole. The deadline for that is lifted
// afterwards, because a tick may take longer.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	media := r.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(media); (media != "" || r.ContentLength != 0) && (err != nil || kind != "application/json") {
		return nil, Errorf(CodeMedia, "send Content-Type: application/json", "the content type %q is not taken", clip(media))
	}
	if r.ContentLength > most {
		w.Header().Set("Connection", "close")
		return nil, Errorf(CodeTooLarge, "send less", "the body is over %d bytes", most)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most))
	if err != nil {
		return nil, badRequest("send it whole, within ten seconds", "the body did not arrive: %w", err)
	}
	if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("api: lift the deadline: %w", err)
	}
	return body, nil
}

// respond writes the value, or the error as a problem document.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, value any, err error) {
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if text, ok := value.(Text); ok {
		s.write(w, r, http.StatusOK, textMedia, []byte(text))
		return
	}
	body, ok := value.(json.RawMessage)
	if !ok {
		if body, err = json.Marshal(filled(reflect.ValueOf(value)).Interface()); err != nil {
			s.fail(w, r, fmt.Errorf("api: write the answer: %w", err))
			return
		}
		body = append(body, '\n')
	}
	s.write(w, r, http.StatusOK, jsonMedia, body)
}

// filled is a copy of a value in which every list and every count is present,
// so that JSON has no null for them, and what should be JSON is.
func filled(v reflect.Value) reflect.Value {
	switch own := v.Interface().(type) {
	case json.RawMessage:
		if !json.Valid(own) {
			return reflect.ValueOf(json.RawMessage("{}"))
		}
		return v
	case json.Marshaler:
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(filled(v.Field(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(filled(v.Elem()))
		}
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(filled(v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for key, value := range v.Seq2() {
			out.SetMapIndex(key, filled(value))
		}
	}
	return out
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	problem := ProblemOf(err)
	if problem.Status >= http.StatusInternalServerError && !errors.Is(r.Context().Err(), context.Canceled) {
		s.options.Logger.Error("could not answer", "path", r.URL.Path, "code", string(problem.Code), "error", err)
	}
	body, err := json.Marshal(filled(reflect.ValueOf(problem)).Interface())
	if err != nil {
		s.options.Logger.Error("could not write a problem document", "error", err)
		return
	}
	s.write(w, r, problem.Status, problemMedia, append(body, '\n'))
}

// write sends all of it before it returns, so that Stop can close the
// connection as soon as no handler runs.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, media string, body []byte) {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	control := http.NewResponseController(w)
	err := control.SetWriteDeadline(time.Now().Add(writeTimeout))
	w.WriteHeader(status)
	if r.Method != http.MethodHead && err == nil {
		_, err = w.Write(body)
	}
	if err = errors.Join(err, control.Flush()); err != nil {
		s.options.Logger.Debug("a client went away before its answer", "path", r.URL.Path, "error", err)
	}
}
