// Package modeltest stands in for providers of models: one server that speaks the
// protocols of OpenAI and Anthropic over real HTTP, answers by a script and fails
// on purpose. The suite that every driver has to pass over it is its folder
// conformance, which shows at the same time that the server is right.
//
// It stores nothing. Tests of drivers, of threads and of the daemon use it, eval,
// and "subconsciousctl models fake": a dry run that needs no key and costs nothing.
package modeltest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The protocols.
const (
	OpenAI    = models.OpenAI
	Anthropic = models.Anthropic
)

// What a Server of the suite expects, and what drivers under test are given.
const (
	// Key is the key that the suite hands to drivers. It must be found nowhere
	// but in the header it belongs in.
	Key = "modeltest-key-0123456789abcdef"
	// Model is the model that the suite asks.
	Model = "scripted-1"
	// Unasked is the model that answers under the fault wrong-model.
	Unasked = "unasked-9"

	keptBytes  = 128 << 20 // of bodies that are kept
	maxRequest = 16 << 20  // bytes of the largest body that is read
	maxTurns   = 4096      // systems that are told apart
)

// Options configures a Server.
type Options struct {
	// Script answers; nil is Silent.
	Script Script
	// Troubles are what goes wrong; none by default.
	Troubles []Trouble
	// Key is the key that requests must carry; empty asks for none.
	Key string
	// Models are those that there are; others are answered with 404. None
	// means that any model answers.
	Models []string
	// Seed is of what happens by chance.
	Seed uint64
	// Keep is how many of the last requests are kept, 4096 if 0.
	Keep int
	// Pace is the pause between the drops of a slow answer, 50 ms if 0.
	Pace time.Duration
	// Seen, if set, is told of each request once it has been dealt with, by
	// the goroutine that dealt with it.
	Seen func(Record)
}

// Record is one request that a server received, and what became of it.
type Record struct {
	Number int
	Method string
	Path   string
	Header http.Header
	Body   []byte
	// Request is the parsed body; empty where there was nothing to parse.
	Request Request
	// Status is what was sent, 0 if the connection was broken before.
	Status int
	// Fault is what went wrong on purpose.
	Fault Fault
	// Charged is what a provider would have on its bill: also for answers that
	// were cut, hung or too large. Reported is what the answer said.
	Charged, Reported models.Usage
	// Sent counts the bytes of the body that the connection took.
	Sent int64
}

// Server is a provider of models on a port of this machine.
type Server struct {
	options Options
	main    *httptest.Server
	other   *httptest.Server // where the fault redirect sends to
	stray   atomic.Int64
	end     context.CancelFunc
	closing sync.Once

	// asking is held while a script is asked, for one request at a time: it may
	// wait for what a test does meanwhile.
	asking sync.Mutex

	mu       sync.Mutex // for what follows
	script   Script
	troubles []Trouble
	count    int
	turns    map[string]int // by system
	records  []*Record      // the oldest go first, their charges stay
	bytes    int            // of their bodies
	charged  models.Usage
	prompts  map[string][]string // by protocol: the last ones, for what a provider keeps of them
}

// NewServer starts a server on a free loopback port. Close ends it. It panics
// where options are wrong or no port is to be had, as test servers do.
func NewServer(options Options) *Server {
	s, err := Listen("127.0.0.1:0", options)
	if err != nil {
		panic("modeltest: " + err.Error())
	}
	return s
}

// Listen starts a server on an address; port 0 takes a free one. Close ends it.
func Listen(addr string, options Options) (*Server, error) {
	for _, t := range options.Troubles {
		if _, ok := AboutFault(t.Fault); !ok {
			return nil, fmt.Errorf("there is no fault %q; there are %s", t.Fault, faultNames())
		}
	}
	options.Keep, options.Pace = cmp.Or(options.Keep, 4096), cmp.Or(options.Pace, 50*time.Millisecond)
	s := &Server{options: options, turns: map[string]int{}, prompts: map[string][]string{}, charged: models.Usage{Known: true}}
	s.SetScript(options.Script)
	s.SetTroubles(options.Troubles...)
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	var alive context.Context
	alive, s.end = context.WithCancel(context.Background())
	s.main = &httptest.Server{Listener: listener, Config: &http.Server{
		Handler: http.HandlerFunc(s.serve), BaseContext: func(net.Listener) context.Context { return alive }, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}}
	s.main.Start()
	s.other = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.stray.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	return s, nil
}

// URL is the root of the server, without a slash at its end.
func (s *Server) URL() string { return s.main.URL }

// BaseURL is what a driver for the protocol is given.
func (s *Server) BaseURL(protocol string) string {
	if protocol == Anthropic {
		return s.main.URL
	}
	return s.main.URL + "/v1"
}

// Requests returns what was received, by number: the last ones that are kept. A
// request is among them once its answer begins, with what it is charged; how
// much of it was sent is known at the end.
func (s *Server) Requests() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	records := make([]Record, len(s.records))
	for i, r := range s.records {
		records[i] = *r
	}
	slices.SortFunc(records, func(a, b Record) int { return a.Number - b.Number })
	return records
}

// Count returns how many requests have come, those being answered included.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Charged sums what all requests were charged.
func (s *Server) Charged() models.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charged
}

// Strayed counts requests that followed the fault redirect to another host.
func (s *Server) Strayed() int { return int(s.stray.Load()) }

// SetScript answers from now on by another script; nil is Silent.
func (s *Server) SetScript(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.script = script; script == nil {
		s.script = Silent()
	}
}

// SetTroubles has other things go wrong from now on; none end them all.
func (s *Server) SetTroubles(troubles ...Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = slices.Clone(troubles)
}

// Close ends the server, breaks what is being answered and waits for it. It
// may be called more than once.
func (s *Server) Close() {
	s.closing.Do(func() {
		s.end() // of a connection that comes between the next two lines as well
		for _, server := range []*httptest.Server{s.main, s.other} {
			server.CloseClientConnections()
			server.Close()
		}
	})
}

// exchange is one request and its answer.
type exchange struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	wire   wire
	record Record // until it is published
	// published is the record that is kept, sent what was sent since.
	published *Record
	sent      int64
}

// serve answers one request, whatever it is for.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.count++
	e := &exchange{server: s, w: w, r: r, wire: openAI{}, record: Record{Number: s.count, Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone()}}
	s.mu.Unlock()
	defer e.end()
	if r.Header.Get("Anthropic-Version") != "" || strings.HasSuffix(r.URL.Path, "/messages") {
		e.wire = anthropic{}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	e.record.Body = body
	key, known := s.options.Key, s.options.Models
	if len(known) == 0 {
		known = []string{Model}
	}
	switch asked := r.Method + " " + r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]; {
	case err != nil:
		e.problem(problem{http.StatusRequestEntityTooLarge, "request_too_large", "the request is too large, or was broken off"})
	case key != "" && r.Header.Get("X-Api-Key") != key && r.Header.Get("Authorization") != "Bearer "+key:
		e.problem(problem{http.StatusUnauthorized, "authentication_error", "the API key is not valid"})
	case asked == "GET models":
		e.send(http.StatusOK, "application/json", e.wire.models(known))
	case asked == "POST completions", asked == "POST messages":
		e.generate()
	case asked == "POST embeddings":
		e.embed()
	default:
		e.problem(problem{http.StatusNotFound, "not_found_error", "there is nothing at " + r.Method + " " + r.URL.Path})
	}
}

// publish keeps the record: before anything is sent, so that whoever has an
// answer finds it.
func (e *exchange) publish() {
	s := e.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.published != nil {
		return
	}
	record := e.record
	e.published = &record
	s.charged = s.charged.Plus(record.Charged)
	s.charged.Known = true
	s.records = append(s.records, &record)
	s.bytes += len(record.Body)
	for len(s.records) > s.options.Keep || s.bytes > keptBytes && len(s.records) > 1 {
		s.bytes -= len(s.records[0].Body)
		s.records[0] = nil
		s.records = s.records[1:]
	}
}

// end notes how far the answer came.
func (e *exchange) end() {
	e.publish()
	e.server.mu.Lock()
	e.published.Sent = e.sent
	record := *e.published
	e.server.mu.Unlock()
	if seen := e.server.options.Seen; seen != nil {
		seen(record)
	}
}

// begin takes a request in, and reports whether the model is asked: it is not
// where there is none, or where a fault has it refused.
func (e *exchange) begin(request Request, refused *problem) bool {
	s := e.server
	s.mu.Lock()
	if len(s.turns) >= maxTurns {
		clear(s.turns)
	}
	s.turns[request.System]++
	request.Number, request.Turn = e.record.Number, s.turns[request.System]
	e.record.Request = request
	if known := s.options.Models; refused == nil && len(known) > 0 && !slices.Contains(known, request.Model) {
		refused = &problem{http.StatusNotFound, "not_found_error", "there is no model " + request.Model}
	}
	for _, t := range s.troubles {
		if refused == nil && e.record.Fault == NoFault && t.strikes(request, s.options.Seed) {
			e.record.Fault = t.Fault
		}
	}
	s.mu.Unlock()
	if refused != nil {
		e.problem(*refused)
		return false
	}
	return !e.refuse()
}

// ask runs one script at a time; one may panic, or end its test.
func (s *Server) ask(script Script, request Request) Reply {
	s.asking.Lock()
	defer s.asking.Unlock()
	return script(request)
}

// generate answers a request for an answer.
func (e *exchange) generate() {
	if !e.begin(parse(e.wire.name(), e.r.Header, e.record.Body)) {
		return
	}
	request := e.record.Request
	e.server.mu.Lock()
	script := e.server.script
	e.server.mu.Unlock()
	reply := e.server.ask(script, request)
	a := e.answer(reply)
	e.record.Charged, e.record.Reported = a.usage, a.usage
	switch e.record.Fault {
	case Huge, Endless, LongLine, GzipBomb:
		e.record.Charged.Output = cmp.Or(request.MaxTokens, hugeBytes/4)
	case HugeUsage:
		e.record.Reported = models.Usage{Input: 1e9, Output: 1e9, Known: true}
	case NoUsage:
		e.record.Reported = models.Usage{}
	}
	a.usage = e.record.Reported
	e.deliver(a)
}

// answer turns a reply into what is to be written, with the fault that the
// model itself has.
func (e *exchange) answer(reply Reply) answer {
	request := e.record.Request
	reply = garble(e.record.Fault, request, reply)
	a := answer{
		request: request, model: cmp.Or(reply.Model, request.Model), text: reply.text(), calls: reply.Calls,
		stop: reply.stop(), noContent: e.record.Fault == NullContent, usage: e.server.input(request),
	}
	if request.Thinking > 0 {
		a.reasoning = "I look at what is new."
	}
	most := cmp.Or(request.MaxTokens, 1<<30)
	a.usage.Thinking = min(tokens(a.reasoning), most)
	a.reasoning = subconscious.Head(a.reasoning, 4*a.usage.Thinking)
	if room := most - a.usage.Thinking; tokens(a.text) > room {
		a.text, a.stop = subconscious.Head(a.text, 4*room), models.StopLength
	}
	a.usage.Output = a.usage.Thinking + tokens(a.text)
	for _, call := range a.calls {
		a.usage.Output += tokens(call.Name) + tokens(string(call.Arguments))
	}
	a.usage.Output = min(a.usage.Output, most)
	return a
}

// tokens estimates how many tokens a text is: four bytes each.
func tokens(text string) int { return (len(text) + 3) / 4 }

const (
	cacheBlock   = 512  // bytes that providers keep at a time: 128 tokens
	cacheLeast   = 4096 // bytes of the shortest beginning that is kept: 1,024 tokens
	cachePrompts = 64   // prompts that are remembered
)

// input counts what a request takes in, with what was kept of its beginning
// since an earlier one, as providers do.
func (s *Server) input(r Request) models.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	usage := models.Usage{Input: tokens(r.prompt), Known: true}
	keeps := r.prompt
	if r.kept >= 0 {
		keeps = keeps[:r.kept]
	}
	known := s.prompts[r.Protocol]
	for _, before := range known {
		same := 0
		for same < min(len(keeps), len(before)) && keeps[same] == before[same] {
			same++
		}
		if same = same / cacheBlock * cacheBlock; same >= cacheLeast {
			usage.Cached = max(usage.Cached, same/4)
		}
	}
	s.prompts[r.Protocol] = append(known[max(0, len(known)-cachePrompts+1):], keeps)
	if r.kept >= cacheLeast {
		usage.Written = r.kept/cacheBlock*cacheBlock/4 - usage.Cached
	}
	return usage
}

// problem refuses.
func (e *exchange) problem(p problem) { e.send(p.status, "application/json", e.wire.problem(p)) }

// send writes a whole body.
func (e *exchange) send(status int, kind string, body []byte) {
	e.start(status, kind)
	e.write(body)
}

// start sends the headers of an answer.
func (e *exchange) start(status int, kind string) {
	e.record.Status = status
	e.publish()
	e.w.Header().Set("Content-Type", kind)
	e.w.WriteHeader(status)
}

// write reports whether the client still takes what it is sent.
func (e *exchange) write(data []byte) bool {
	n, err := e.w.Write(data)
	e.sent += int64(n)
	return err == nil && e.r.Context().Err() == nil
}
