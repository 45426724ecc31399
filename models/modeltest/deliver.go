package modeltest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// hugeBytes is the size of a huge answer, bombBytes that of an unpacked
	// one.
	hugeBytes = 64 << 20
	bombBytes = 128 << 20
	// endlessBytes ends what is endless, for a client that never has enough.
	endlessBytes = 4 << 30
)

// refuse answers instead of the model, where the fault says so.
func (e *exchange) refuse() bool {
	about, _ := AboutFault(e.record.Fault)
	if about.Status == 0 {
		return false
	}
	fill := strings.NewReplacer(
		// Some providers repeat the key when they refuse it, and it must go no further.
		"{key}", e.r.Header.Get("X-Api-Key")+strings.TrimPrefix(e.r.Header.Get("Authorization"), "Bearer "),
		"{model}", e.record.Request.Model, "{date}", time.Now().Add(7*time.Second).UTC().Format(http.TimeFormat),
		"{other}", e.server.other.URL+e.r.URL.Path, "{long}", strings.Repeat("<p>sorry</p>", 20000)).Replace
	for name, value := range about.Header {
		e.w.Header().Set(name, fill(value))
	}
	if kind := about.Header["Content-Type"]; kind != "" {
		e.send(about.Status, kind, []byte(fill(about.Body)))
	} else {
		e.problem(problem{about.Status, about.Type, fill(about.Text)})
	}
	return true
}

// deliver sends the answer, in the way that the fault has it.
func (e *exchange) deliver(a answer) {
	frames, kind := e.wire.frames(a), "application/json"
	if a.request.Stream {
		kind = "text/event-stream; charset=utf-8"
	}
	switch f := e.record.Fault; f {
	case Reset:
		e.reset()
		return
	case HangBefore:
		e.hang()
	case HTML:
		e.send(http.StatusOK, "text/html", []byte("<!DOCTYPE html>\n<html><body>Welcome! Please sign in to this network.</body></html>\n"))
		return
	case NotJSON:
		frames = [][]byte{[]byte("data: {oops\n\n")}
	case Huge, Endless, LongLine, GzipBomb:
		e.flood(a, kind)
		return
	case Slow:
		e.drip(a, kind, frames)
	case Cut, CutClean, Hang, ErrorMidway:
		if a.request.Stream {
			frames = frames[:max(1, len(frames)/2)]
			break
		}
		whole := frames[0]
		frames[0] = whole[:len(whole)/2]
		switch f {
		case Cut:
			e.w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
		case Hang:
			frames = nil
		case ErrorMidway:
			frames[0] = e.wire.problem(problem{http.StatusInternalServerError, "api_error", "the provider behind failed"})
		}
	}
	e.start(http.StatusOK, kind)
	for _, frame := range frames {
		if !e.write(frame) {
			panic(http.ErrAbortHandler)
		}
		e.flush()
	}
	switch e.record.Fault {
	case Cut:
		e.flush()
		panic(http.ErrAbortHandler)
	case Hang:
		e.flush()
		e.hang()
	case ErrorMidway:
		if a.request.Stream {
			e.write(e.wire.failure())
		}
	}
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

// drip keeps the connection busy until the client has enough.
func (e *exchange) drip(a answer, kind string, frames [][]byte) {
	drop := []byte(" ")
	e.start(http.StatusOK, kind)
	if a.request.Stream {
		e.write(frames[0])
		drop = e.wire.delta(".")
	}
	ticker := time.NewTicker(e.server.options.Pace)
	defer ticker.Stop()
	for e.write(drop) {
		e.flush()
		select {
		case <-ticker.C:
		case <-e.r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	panic(http.ErrAbortHandler)
}

// flood sends far more than anybody wants: one text, or, in a stream, many events
// of a sound length.
func (e *exchange) flood(a answer, kind string) {
	const mark = "FLOOD" // where it stands in the answer
	a.text, a.calls, a.reasoning = mark, nil, ""
	before, after, _ := bytes.Cut(bytes.Join(e.wire.frames(a), nil), []byte(mark))
	block, size, pack := 64<<10, hugeBytes, func(data []byte) []byte { return data }
	switch e.record.Fault {
	case Endless:
		size = endlessBytes
	case GzipBomb:
		block, size, pack = 4<<20, bombBytes, packed
		e.w.Header().Set("Content-Encoding", "gzip")
	}
	filler := bytes.Repeat([]byte("a"), block)
	if fault := e.record.Fault; a.request.Stream && (fault == Huge || fault == Endless) {
		filler = e.wire.delta(string(filler))
		before = before[:bytes.LastIndex(before, []byte("\n\n"))+2]
		after = after[bytes.Index(after, []byte("\n\n"))+2:]
	}
	filler = pack(filler)
	e.start(http.StatusOK, kind)
	e.write(pack(before))
	for range size / block {
		if !e.write(filler) {
			panic(http.ErrAbortHandler)
		}
	}
	e.write(pack(after))
}

// packed returns one member of a gzip file. Members may follow one another.
func packed(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data) // a bytes.Buffer takes everything
	z.Close()
	return b.Bytes()
}

// garble does to a reply what is wrong with a model's words, and leaves it as
// it is under other faults.
func garble(f Fault, r Request, reply Reply) Reply {
	call := func(name, arguments string) Reply {
		return Reply{Calls: []models.ToolCall{{ID: fmt.Sprintf("call_%d", r.Number), Name: name, Arguments: json.RawMessage(arguments)}}}
	}
	tool := append(slices.Clone(r.Tools), models.Tool{Name: "read_file"})[0]
	text := reply.text()
	about, _ := AboutFault(f)
	switch {
	case about.Says != nil:
		text = strings.ReplaceAll(*about.Says, "{text}", text)
	case f == WrongModel:
		reply.Model = Unasked
		return reply
	case f == Truncated:
		return Reply{Text: subconscious.Head(text, len(text)*3/5), Stop: models.StopLength, Model: reply.Model}
	case f == UnknownTool:
		return call("launch_rocket", `{"at":"once"}`)
	case f == BadArguments:
		return call(tool.Name, `{"path": "/home/`)
	case f == ToolLoop && len(r.Tools) > 0:
		return call(tool.Name, Instance(tool.Parameters))
	case f == TrailingComma:
		text = commas(text)
	case f == ExtraFields:
		text = extend(text)
	case f == BadEvidence && r.wantsThought():
		text = invented(r).JSON()
	default:
		return reply
	}
	reply.Thought, reply.Text, reply.Calls = nil, text, nil
	if f == Refusal {
		reply.Stop = models.StopRefused
	}
	return reply
}

// commas puts a comma before each bracket that closes.
func commas(text string) string {
	var b strings.Builder
	var before rune
	inString, escaped := false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == '}' || c == ']') && before != '{' && before != '[':
			b.WriteByte(',')
		}
		b.WriteRune(c)
		before = c
	}
	return b.String()
}

// extend adds fields to an object and to its findings.
func extend(text string) string {
	var all object
	if json.Unmarshal([]byte(text), &all) != nil {
		return text
	}
	all["confidence"], all["thread"] = 0.9, "watcher"
	findings, _ := all["findings"].([]any)
	for _, f := range findings {
		if finding, ok := f.(object); ok {
			finding["mood"] = "curious"
		}
	}
	return compact(all)
}

// invented cites what was never shown.
func invented(r Request) Thought {
	finding := func(n int, evidence ...string) Finding {
		return Finding{Kind: kind(r, n), Summary: fmt.Sprintf("Something odd number %d", n+1), Importance: 9, Evidence: evidence, Escalate: true}
	}
	return Thought{Findings: []Finding{finding(0, "files:aaaaaaaaaa@999999"), finding(1, "as I said before"), finding(2)}}
}
