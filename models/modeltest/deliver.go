package modeltest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// hugeBytes is the size of a huge answer, bombBytes that of an unpacked
	// one.
	hugeBytes = 64 << 20
	bombBytes = 128 << 20
	// endlessBytes ends what is endless, for a client that never has enough.
	endlessBytes = 4 << 30
	block        = 64 << 10
)

// refuse answers instead of the model, where the fault says so.
func (e *exchange) refuse() bool {
	p := problem{http.StatusTooManyRequests, "rate_limit_error", "too many requests"}
	header := e.w.Header()
	switch e.record.Fault {
	case RateHeader:
		header.Set("Retry-After", "7")
	case RateDate:
		header.Set("Retry-After", time.Now().Add(7*time.Second).UTC().Format(http.TimeFormat))
	case RateGemini:
		e.json(p.status, []byte(`[{"error":{"code":429,"message":"quota exceeded","status":"RESOURCE_EXHAUSTED","details":[`+
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}]`))
		return true
	case RateBare:
	case NoMoney:
		p = problem{http.StatusPaymentRequired, "billing_error", "the account has no credit left"}
	case BadKey:
		p = problem{http.StatusUnauthorized, "authentication_error", "the API key is not valid: " + sentKey(e.r)}
	case NoModel:
		p = problem{http.StatusNotFound, "not_found_error", "there is no model " + e.record.Request.Model}
	case BadRequest:
		p = *refuse("the request does not please")
	case ServerError:
		e.send(http.StatusInternalServerError, "text/html", []byte("<html><body><h1>500</h1>"+strings.Repeat("<p>sorry</p>", 20000)+"</body></html>"))
		return true
	case Unavailable:
		e.send(http.StatusServiceUnavailable, "text/plain", nil)
		return true
	case Overloaded:
		p = problem{529, "overloaded_error", "overloaded"}
	case Redirect:
		header.Set("Location", e.server.other.url+e.r.URL.Path)
		e.send(http.StatusTemporaryRedirect, "text/plain", nil)
		return true
	default:
		return false
	}
	e.problem(p)
	return true
}

// sentKey is the key of a request: some providers repeat it when they refuse
// it, and it must go no further.
func sentKey(r *http.Request) string {
	if key := r.Header.Get("X-Api-Key"); key != "" {
		return key
	}
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// deliver sends the answer, in the way that the fault has it.
func (e *exchange) deliver(a answer) {
	switch e.record.Fault {
	case Reset:
		e.reset()
		return
	case HangBefore:
		e.hang()
	case HTML:
		e.send(http.StatusOK, "text/html", []byte("<!DOCTYPE html>\n<html><body>Welcome! Please sign in to this network.</body></html>\n"))
		return
	case NotJSON:
		e.start(a)
		e.write([]byte("data: {oops\n\n"))
		return
	case Slow:
		e.drip(a)
		return
	case Huge, Endless, LongLine, GzipBomb:
		e.flood(a)
		return
	}
	frames := e.frames(a)
	switch e.record.Fault {
	case Cut, CutClean, Hang, ErrorMidway:
		e.midway(a, frames)
		return
	}
	e.start(a)
	for _, frame := range frames {
		if !e.write(frame) {
			panic(http.ErrAbortHandler)
		}
		e.flush()
	}
}

// frames are the pieces in which an answer is sent: one where it is plain.
func (e *exchange) frames(a answer) [][]byte {
	if a.request.Stream {
		return e.protocol.stream(a)
	}
	return [][]byte{e.protocol.plain(a)}
}

// start sends the headers of an answer.
func (e *exchange) start(a answer) {
	kind := "application/json"
	if a.request.Stream {
		kind = "text/event-stream; charset=utf-8"
	}
	e.record.Status = http.StatusOK
	e.publish()
	e.w.Header().Set("Content-Type", kind)
	e.w.WriteHeader(http.StatusOK)
}

func (e *exchange) flush() {
	// A client that is gone is found out by the next write.
	_ = http.NewResponseController(e.w).Flush()
}

// reset breaks the connection without a word.
func (e *exchange) reset() {
	e.publish()
	conn, _, err := http.NewResponseController(e.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // the connection is thrown away either way
	}
	conn.Close()
}

// hang falls silent until the client goes away or the server ends, and breaks
// the connection then: it must not look like the end of an answer.
func (e *exchange) hang() {
	e.publish()
	<-e.r.Context().Done()
	panic(http.ErrAbortHandler)
}

// midway sends half of an answer and then does what the fault says.
func (e *exchange) midway(a answer, frames [][]byte) {
	if a.request.Stream {
		frames = frames[:max(1, len(frames)/2)]
	} else {
		whole := frames[0]
		frames = [][]byte{whole[:len(whole)/2]}
		switch e.record.Fault {
		case Cut:
			e.w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
		case Hang:
			frames = nil
		case ErrorMidway:
			frames = [][]byte{e.protocol.problem(problem{http.StatusInternalServerError, "api_error", "the provider behind failed"})}
		}
	}
	e.start(a)
	for _, frame := range frames {
		e.write(frame)
	}
	e.flush()
	switch e.record.Fault {
	case Cut:
		panic(http.ErrAbortHandler)
	case Hang:
		e.hang()
	case ErrorMidway:
		if a.request.Stream {
			e.write(e.protocol.failure())
		}
	}
}

// drip keeps the connection busy until the client has enough.
func (e *exchange) drip(a answer) {
	drop := []byte(" ")
	e.start(a)
	if a.request.Stream {
		e.write(e.protocol.stream(a)[0])
		drop = e.protocol.delta(".")
	}
	ticker := time.NewTicker(e.server.options.Pace)
	defer ticker.Stop()
	for e.write(drop) {
		e.flush()
		select {
		case <-ticker.C:
		case <-e.r.Context().Done():
		}
	}
	panic(http.ErrAbortHandler)
}

// fill is where a flood stands in an answer.
const fillMark = "FLOOD"

// flood sends far more than anybody wants.
func (e *exchange) flood(a answer) {
	a.text, a.calls, a.reasoning = fillMark, nil, ""
	whole := bytes.Join(e.frames(a), nil)
	before, after, _ := bytes.Cut(whole, []byte(fillMark))
	filler := bytes.Repeat([]byte("a"), block)
	size := hugeBytes
	switch e.record.Fault {
	case Endless:
		size = endlessBytes
	case GzipBomb:
		e.bomb(a, before, after)
		return
	}
	if a.request.Stream && e.record.Fault != LongLine {
		// Many events, each of a sound length, instead of one.
		event := e.protocol.delta(string(filler))
		end := bytes.LastIndex(before, []byte("\n\n")) + len("\n\n")
		next := bytes.Index(after, []byte("\n\n")) + len("\n\n")
		before, filler, after = before[:end], event, after[next:]
	}
	e.start(a)
	e.write(before)
	for range size / block {
		if !e.write(filler) {
			panic(http.ErrAbortHandler)
		}
	}
	e.write(after)
}

// bomb sends a packed flood.
func (e *exchange) bomb(a answer, before, after []byte) {
	const member = 4 << 20
	e.w.Header().Set("Content-Encoding", "gzip")
	e.start(a)
	filler := pack(bytes.Repeat([]byte("a"), member))
	e.write(pack(before))
	for range bombBytes / member {
		if !e.write(filler) {
			panic(http.ErrAbortHandler)
		}
	}
	e.write(pack(after))
}

// pack returns one member of a gzip file. Members may follow one another.
func pack(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data) // a bytes.Buffer takes everything
	z.Close()
	return b.Bytes()
}
