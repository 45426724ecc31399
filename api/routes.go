package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reading answers a GET, and writing a POST with that body. Both return a value to
// be written as JSON, or a json.RawMessage that is JSON already.
type (
	reading func(ctx context.Context, r *http.Request) (any, error)
	writing func(ctx context.Context, body []byte) (any, error)
	// word is a request for which it counts whose it is.
	word func(ctx context.Context, body []byte, by Caller) (any, error)
)

// routes is the whole table of what is served.
func (s *Server) routes() map[string]http.Handler {
	return map[string]http.Handler{
		"/healthz":               s.get(s.health),
		"/v1/status":             s.get(s.status),
		"/v1/subconscious":       s.get(s.document),
		"/v1/ticks":              s.get(s.ticks),
		"/v1/ticks/{n}":          s.get(s.tick),
		"/v1/why/{entry}":        s.get(s.why),
		"/v1/tick":               s.post(s.think),
		"/v1/commands":           s.post(s.command),
		"/v1/pause":              s.post(s.pause),
		"/v1/resume":             s.post(s.resume),
		"/v1/models":             s.get(s.models),
		"/v1/models/test":        s.post(s.testModels),
		"/v1/prompts/{thread}":   s.get(s.prompt),
		"/v1/report":             s.get(s.report),
		"/v1/inbox":              s.get(s.inbox),
		"/v1/inbox/{id}":         s.get(s.incident),
		"/v1/missed":             s.post(s.missed),
		"/v1/calibration":        s.get(s.calibration),
		"/v1/calibration/reset":  s.post(s.resetCalibration),
		"/v1/channels":           s.get(s.channels),
		"/v1/channels/test":      s.post(s.testChannels),
		"/v1/channels/renew":     s.post(s.renewChannel),
		"/v1/proposals":          s.get(s.proposals),
		"/v1/proposals/{id}":     s.get(s.proposal),
		"/v1/proposals/decide":   s.postBy(s.decide),
		"/v1/runs":               s.get(s.runs),
		"/v1/undo":               s.postBy(s.undo),
		"/v1/conversations":      s.get(s.conversations),
		"/v1/conversations/{id}": s.get(s.conversation),
		"/v1/messages":           s.post(s.postMessage),
		"/v1/messages/search":    s.get(s.searchMessages),
		"/v1/memory":             s.both(s.searchMemory, s.changeMemory),
		"/v1/memory/{id}":        s.get(s.memory),
		"/":                      http.HandlerFunc(s.nothing),
	}
}

func (s *Server) handler() http.Handler { return s.answer(s.oneLength(s.mux())) }

func (s *Server) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, handler := range s.routes() {
		mux.Handle(pattern, handler)
	}
	return mux
}

// answer gives every answer its headers, and survives a panic.
func (s *Server) answer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(VersionHeader, s.options.Version)
		if zone := s.options.Now().Location().String(); zone != "" && zone != "Local" {
			w.Header().Set(ZoneHeader, zone)
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		defer s.contain(w, r)
		next.ServeHTTP(w, r)
	})
}

// oneLength refuses what may have said its length twice: of two that contradict
// each other net/http shows the one that it follows, the chunks, or with
// HTTP/1.0 Content-Length.
func (s *Server) oneLength(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) == 0 && r.ProtoAtLeast(1, 1) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		s.fail(w, r, badRequest("speak HTTP/1.1, and say the length by Content-Length", "the request comes in pieces, or by an old protocol"))
	})
}

// run answers a request that has arrived whole with what do returns. Stop waits
// for it, and no other connection takes its place.
func (s *Server) run(w http.ResponseWriter, r *http.Request, do func() (any, error)) {
	if !s.enter() {
		s.fail(w, r, Errorf(CodeUnavailable, "start the daemon again, then repeat", "the daemon is stopping"))
		return
	}
	defer s.leave()
	if conn, ok := r.Context().Value(connKey{}).(*guardedConn); ok {
		conn.hear(false)
	}
	value, err := do()
	s.respond(w, r, value, err)
}

// contain turns a handler's panic into an answer and a line in the log.
func (s *Server) contain(w http.ResponseWriter, r *http.Request) {
	caught := recover()
	if caught == nil {
		return
	}
	s.options.Logger.Error("a handler panicked", "path", r.URL.Path, "panic", fmt.Sprint(caught), "stack", string(debug.Stack()))
	s.fail(w, r, fmt.Errorf("api: panic: %v", caught))
}

// get serves a reading. It ends when the client goes away.
func (s *Server) get(serve reading) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.wrongMethod(w, r, "GET, HEAD")
			return
		}
		ctx, done := context.WithTimeout(r.Context(), answerTimeout)
		defer done()
		s.run(w, r, func() (any, error) { return serve(ctx, r) })
	})
}

// post serves a request. Its context ends with the server, not with the
// connection, so that a client that hangs up leaves nothing half done.
func (s *Server) post(serve writing) http.Handler {
	return s.postBy(func(ctx context.Context, body []byte, _ Caller) (any, error) { return serve(ctx, body) })
}

func (s *Server) postBy(serve word) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			s.wrongMethod(w, r, "POST")
			return
		}
		body, err := readBody(w, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		var by Caller
		if conn, ok := r.Context().Value(connKey{}).(*guardedConn); ok {
			by = Caller{UID: conn.who.uid, PID: conn.who.pid}
		}
		s.run(w, r, func() (any, error) { return serve(s.life, body, by) })
	})
}

// both serves a reading and a request on one path.
func (s *Server) both(read reading, change writing) http.Handler {
	get, post := s.get(read), s.post(change)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			get.ServeHTTP(w, r)
		case http.MethodPost:
			post.ServeHTTP(w, r)
		default:
			s.wrongMethod(w, r, "GET, HEAD, POST")
		}
	})
}

func (s *Server) health(ctx context.Context, _ *http.Request) (any, error) {
	err := s.options.Inspector.Health(ctx)
	var known *Error
	if err != nil && !errors.As(err, &known) {
		err = Errorf(CodeUnavailable, "run `subconsciousctl status` for the whole picture", "%w", err)
	}
	return HealthReply{Status: "ok"}, err
}

func (s *Server) status(ctx context.Context, _ *http.Request) (any, error) {
	status, err := s.options.Inspector.Status(ctx)
	return status.filled(), err
}

func (s *Server) document(ctx context.Context, _ *http.Request) (any, error) {
	document, err := s.options.Inspector.Document(ctx)
	return json.RawMessage(document), err
}

func (s *Server) ticks(ctx context.Context, r *http.Request) (any, error) {
	before, limit, err := pageQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	ticks, err := s.options.Recorder.Ticks(ctx, before, limit)
	if err != nil {
		return nil, err
	}
	page := TickPage{Ticks: make([]TickReport, 0, len(ticks))}
	for _, report := range ticks {
		page.Ticks = append(page.Ticks, report.filled())
	}
	if len(ticks) == limit {
		page.Before = max(0, ticks[limit-1].Tick)
	}
	if page.Before == 1 {
		page.Before = 0
	}
	return page, nil
}

func (s *Server) tick(ctx context.Context, r *http.Request) (any, error) {
	n, err := number(r.PathValue("n"))
	if err != nil {
		return nil, badRequest("use a whole number above 0", "the tick's number: %w", err)
	}
	report, err := s.options.Recorder.Tick(ctx, n)
	return report.filled(), err
}

func (s *Server) why(ctx context.Context, r *http.Request) (any, error) {
	entry := subconscious.EntryID(r.PathValue("entry"))
	if err := checkEntry(entry); err != nil {
		return nil, err
	}
	explanation, err := s.options.Recorder.Why(ctx, entry)
	return explanation.filled(), err
}

// queue takes one of the places of those who wait for what may take long, until
// release is called.
func (s *Server) queue() (release func(), err error) {
	select {
	case s.waiting <- struct{}{}:
		return func() { <-s.waiting }, nil
	default:
		return nil, Errorf(CodeBusy, "wait for one of them", "%d ticks, tests and actions have been asked for already", maxWaiting)
	}
}

func (s *Server) think(ctx context.Context, body []byte) (any, error) {
	request, err := decodeTick(body)
	if err != nil {
		return nil, err
	}
	release, err := s.queue()
	if err != nil {
		return nil, err
	}
	defer release()
	report, err := s.options.Steerer.Think(ctx, request)
	return report.filled(), err
}

func (s *Server) command(ctx context.Context, body []byte) (any, error) {
	command, err := decodeCommand(body, s.options.Now())
	if err != nil {
		return nil, err
	}
	request, err := decode[CommandRequest](body)
	if err != nil {
		return nil, err
	}
	command.By = By(request.As)
	ctx, done := context.WithTimeout(ctx, answerTimeout)
	defer done()
	return s.options.Steerer.Command(ctx, command)
}

func (s *Server) pause(ctx context.Context, body []byte) (any, error) {
	request, err := decodePause(body)
	return s.setPause(ctx, request, err)
}

func (s *Server) resume(ctx context.Context, body []byte) (any, error) {
	request, err := decodeResume(body)
	return s.setPause(ctx, request, err)
}

func (s *Server) setPause(ctx context.Context, request PauseRequest, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(ctx, answerTimeout)
	defer done()
	return s.options.Steerer.Pause(ctx, request)
}

func (s *Server) models(ctx context.Context, _ *http.Request) (any, error) {
	if s.options.Modeler == nil {
		return nil, notServed("models")
	}
	models, err := s.options.Modeler.Models(ctx)
	return filledModels(models), err
}

// testModels may take long: it asks models, one after the other.
func (s *Server) testModels(ctx context.Context, body []byte) (any, error) {
	request, err := decodeModelTest(body)
	if err != nil {
		return nil, err
	}
	if s.options.Modeler == nil {
		return nil, notServed("models")
	}
	release, err := s.queue()
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, done := context.WithTimeout(ctx, testTimeout)
	defer done()
	tests, err := s.options.Modeler.TestModels(ctx, request.Who)
	return filledTests(tests), err
}

func (s *Server) prompt(ctx context.Context, r *http.Request) (any, error) {
	thread := r.PathValue("thread")
	if err := checkThread(subconscious.ThreadName(thread)); err != nil {
		return nil, err
	}
	if s.options.Modeler == nil {
		return nil, notServed("prompts")
	}
	return s.options.Modeler.Prompt(ctx, thread)
}

func (s *Server) report(ctx context.Context, r *http.Request) (any, error) {
	since, err := sinceQuery(r.URL.Query(), s.options.Now())
	if err != nil {
		return nil, err
	}
	if s.options.Reporter == nil {
		return nil, notServed("reports")
	}
	report, err := s.options.Reporter.Report(ctx, since)
	return report.filled(), err
}

// notServed says that this daemon has no such part.
func notServed(what string) error {
	return Errorf(CodeNotFound, "ask a daemon that does", "this daemon serves no %s", what)
}

func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, Errorf(CodeNotFound, "the paths are /healthz and those under /v1/", "nothing is served at %s", clip(r.URL.Path)))
}

func (s *Server) wrongMethod(w http.ResponseWriter, r *http.Request, allowed string) {
	w.Header().Set("Allow", allowed)
	s.fail(w, r, Errorf(CodeMethod, "use "+strings.ReplaceAll(allowed, ", ", " or "), "%s does not take %s", clip(r.URL.Path), clip(r.Method)))
}

// readBody reads the body of a request whole. The deadline for that is lifted
// afterwards, because a tick may take longer.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	media := r.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(media); (media != "" || r.ContentLength != 0) && (err != nil || kind != "application/json") {
		return nil, Errorf(CodeMedia, "send Content-Type: application/json", "the content type %q is not taken", clip(media))
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, badRequest("send it whole, within ten seconds", "the body did not arrive: %w", err)
	}
	if len(body) > MaxBody {
		return nil, Errorf(CodeTooLarge, "send less", "the body is over %d bytes", MaxBody)
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
	body, ok := value.(json.RawMessage)
	if !ok {
		if body, err = json.Marshal(value); err != nil {
			s.fail(w, r, fmt.Errorf("api: write the answer: %w", err))
			return
		}
		body = append(body, '\n')
	}
	s.write(w, r, http.StatusOK, "application/json", body)
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	problem := ProblemOf(err)
	if problem.Status >= http.StatusInternalServerError && !errors.Is(r.Context().Err(), context.Canceled) {
		s.options.Logger.Error("could not answer", "path", r.URL.Path, "code", string(problem.Code), "error", err)
	}
	body, err := json.Marshal(problem)
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
