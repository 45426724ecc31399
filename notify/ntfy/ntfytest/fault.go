package ntfytest

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
)

// Fault is something that goes wrong with a request.
type Fault string

const (
	CutBefore Fault = "cut-before" // the connection breaks before the message is kept
	CutAfter  Fault = "cut-after"  // the message is kept, and the connection breaks
	CutLate   Fault = "cut-late"   // the connection breaks, and the message is kept only after Options.Late
	Hang      Fault = "hang"       // nothing is kept, and no answer comes
	HangAfter Fault = "hang-after" // the message is kept, and no answer comes
	Broken    Fault = "broken"     // 500, an error of the server's own
	Gateway   Fault = "gateway"    // 502, the web page of a proxy
	Late      Fault = "late"       // 504, the web page of a proxy; the message is kept
	Limited   Fault = "limited"    // 429, come again in a minute
	Denied    Fault = "denied"     // 401, as after a wrong password
	Forbidden Fault = "forbidden"  // 403, as where the account has no right
	Huge      Fault = "huge"       // an answer, or a line of a stream, that does not end
	Garbage   Fault = "garbage"    // an answer, or a stream, of nonsense
	Page      Fault = "page"       // 200, the web page of a network that wants a sign-in
	Redirect  Fault = "redirect"   // 302, to another host
	Silent    Fault = "silent"     // a stream on which nothing comes
	Short     Fault = "short"      // a stream that ends once what is old is sent
)

// Faults are all of them.
func Faults() []Fault {
	return []Fault{CutBefore, CutAfter, CutLate, Hang, HangAfter, Broken, Gateway, Late, Limited, Denied, Forbidden, Huge, Garbage, Page, Redirect, Silent, Short}
}

// Use is what a request is for.
type Use string

const (
	Publish Use = "publish"
	Stream  Use = "stream"
	Poll    Use = "poll"
)

// Trouble is a fault and when it happens. Of several the first that has to do
// with a request counts.
type Trouble struct {
	Fault Fault
	// Use is what it happens to; empty is everything.
	Use Use
	// Skip is how many requests are spared first.
	Skip int
	// Times is how often it happens; 0 is always.
	Times int
}

// SetTroubles has other things go wrong from now on; none end them all.
func (s *Server) SetTroubles(troubles ...Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = slices.Clone(troubles)
}

// fault is what goes wrong with a request; empty for nothing.
func (s *Server) fault(use Use) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.troubles {
		t := &s.troubles[i]
		switch {
		case t.Use != "" && t.Use != use || t.Times < 0:
			continue
		case t.Skip > 0:
			t.Skip--
			return ""
		case t.Times == 1:
			t.Times = -1 // used up
		case t.Times > 1:
			t.Times--
		}
		return t.Fault
	}
	return ""
}

// spoil does what a fault does in the place of an answer. It reports whether
// there is nothing more to answer.
func spoil(w http.ResponseWriter, r *http.Request, fault Fault) bool {
	switch fault {
	case CutBefore, CutAfter, CutLate:
		cut(w)
	case Hang, HangAfter:
		<-r.Context().Done()
		cut(w)
	case Limited:
		w.Header().Set("Retry-After", "60")
		tooMany.write(w)
	case Huge: // one line until nobody reads any more
		for chunk, n := bytes.Repeat([]byte("x"), 32<<10), 0; n < 64<<20; n += len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				break
			}
		}
	case Garbage:
		_, _ = w.Write(bytes.Repeat([]byte("{\"no\": this is\x00 no JSON\n"), 40))
	case Redirect:
		w.Header().Set("Location", "https://signin.example.net/portal?from=here")
		w.WriteHeader(http.StatusFound)
	default:
		if refused, ok := refusals[fault]; ok {
			refused.write(w)
			return true
		}
		if status, ok := pages[fault]; ok {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<html><body><h1>"+http.StatusText(status)+"</h1></body></html>\n")
			return true
		}
		return false
	}
	return true
}

// Faults that are an answer: of the server, and the web pages of others.
var (
	refusals = map[Fault]refusal{Broken: itsOwnFault, Denied: noSignIn, Forbidden: forbidden}
	pages    = map[Fault]int{Gateway: http.StatusBadGateway, Late: http.StatusGatewayTimeout, Page: http.StatusOK}
)

// cut breaks the connection.
func cut(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

// answer answers with a document.
func answer(w http.ResponseWriter, document any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(document)
}

// refusal is an error as a server words it. Its code begins with the status.
type refusal struct {
	Code  int    `json:"code"`
	HTTP  int    `json:"http"`
	Error string `json:"error"`
}

var (
	noPriority  = refusal{40007, 400, "invalid priority parameter"}
	noSince     = refusal{40008, 400, "invalid since parameter"}
	noTopic     = refusal{40009, 400, "invalid topic: path invalid"}
	noFiles     = refusal{40014, 400, "invalid request: attachments not allowed"}
	noActions   = refusal{40018, 400, "invalid request: actions invalid"}
	noJSON      = refusal{40024, 400, "invalid request: request body must be message JSON"}
	noSequence  = refusal{40049, 400, "invalid request: sequence ID invalid"}
	noSignIn    = refusal{40101, 401, "unauthorized"}
	forbidden   = refusal{40301, 403, "forbidden"}
	noPage      = refusal{40401, 404, "page not found"}
	tooLarge    = refusal{41303, 413, "JSON body too large"}
	tooMany     = refusal{42901, 429, "limit reached: too many requests"}
	itsOwnFault = refusal{50001, 500, "internal server error"}
)

func (r refusal) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.HTTP)
	_ = json.NewEncoder(w).Encode(r)
}
