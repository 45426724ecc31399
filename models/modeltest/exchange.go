package modeltest

import (
	"cmp"
	"net/http"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// exchange is one request and its answer.
type exchange struct {
	server   *Server
	w        http.ResponseWriter
	r        *http.Request
	protocol protocol
	record   Record // until it is published
	// published is the record in the ledger, sent what was sent since.
	published *Record
	sent      int64
}

// publish puts the record into the ledger: before anything is sent.
func (e *exchange) publish() {
	if e.published == nil {
		e.published = e.server.ledger.add(e.record)
	}
}

// generate answers a request for an answer.
func (e *exchange) generate() {
	request, refused := e.protocol.parse(e.r.Header, e.record.Body)
	request.Number = e.record.Number
	request.Turn = e.server.ledger.turn(request.System)
	e.record.Request = request
	if refused == nil && !e.server.knows(request.Model) {
		refused = &problem{http.StatusNotFound, "not_found_error", "there is no model " + request.Model}
	}
	if refused != nil {
		e.problem(*refused)
		return
	}
	e.record.Fault = e.server.decide(request)
	if e.refuse() {
		return
	}
	reply := e.server.ask(request)
	e.record.Fault = cmp.Or(reply.Fault, e.record.Fault)
	if reply.Fault != NoFault && e.refuse() {
		return
	}
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
		stop: reply.stop(), reasoning: reply.Reasoning, noContent: e.record.Fault == NullContent,
	}
	if request.Thinking > 0 && a.reasoning == "" {
		a.reasoning = "I look at what is new."
	}
	a.usage = e.server.ledger.input(request)
	a.usage.Thinking = tokens(a.reasoning)
	if request.MaxTokens > 0 {
		a.usage.Thinking = min(a.usage.Thinking, request.MaxTokens)
		a.reasoning = subconscious.Head(a.reasoning, 4*a.usage.Thinking)
		if room := request.MaxTokens - a.usage.Thinking; tokens(a.text) > room {
			a.text, a.stop = subconscious.Head(a.text, 4*room), "length"
		}
	}
	a.usage.Output = a.usage.Thinking + tokens(a.text)
	for _, call := range a.calls {
		a.usage.Output += tokens(call.Name) + tokens(string(call.Arguments))
	}
	if request.MaxTokens > 0 {
		a.usage.Output = min(a.usage.Output, request.MaxTokens)
	}
	return a
}

// problem refuses.
func (e *exchange) problem(p problem) { e.send(p.status, "application/json", e.protocol.problem(p)) }

func (e *exchange) json(status int, body []byte) { e.send(status, "application/json", body) }

// send writes a whole body.
func (e *exchange) send(status int, kind string, body []byte) {
	e.record.Status = status
	e.publish()
	e.w.Header().Set("Content-Type", kind)
	e.w.WriteHeader(status)
	e.write(body)
}

// write reports whether the client still takes what it is sent.
func (e *exchange) write(data []byte) bool {
	n, err := e.w.Write(data)
	e.sent += int64(n)
	return err == nil && e.r.Context().Err() == nil
}
