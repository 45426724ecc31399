package ntfytest

import (
	"fmt"
	"slices"
	"strings"
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
	// Topic is what it happens to; empty is every topic.
	Topic string
	// Skip is how many requests are spared first.
	Skip int
	// Times is how often it happens; 0 is always.
	Times int
}

func (t Trouble) validate() error {
	if !slices.Contains(Faults(), t.Fault) {
		var names []string
		for _, f := range Faults() {
			names = append(names, string(f))
		}
		return fmt.Errorf("there is no fault %q; there are %s", t.Fault, strings.Join(names, ", "))
	}
	if !slices.Contains([]Use{"", Publish, Stream, Poll}, t.Use) {
		return fmt.Errorf("there is no use %q; there are publish, stream and poll", t.Use)
	}
	if t.Skip < 0 || t.Times < 0 {
		return fmt.Errorf("skip %d and times %d must not be negative", t.Skip, t.Times)
	}
	return nil
}

// SetTroubles has other things go wrong from now on; none end them all. It
// panics at one that there is not.
func (s *Server) SetTroubles(troubles ...Trouble) {
	for _, t := range troubles {
		if err := t.validate(); err != nil {
			panic("ntfytest: " + err.Error())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = slices.Clone(troubles)
}

// fault is what goes wrong with a request; empty for nothing.
func (s *Server) fault(use Use, topic string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.troubles {
		t := &s.troubles[i]
		if t.Use != "" && t.Use != use || t.Topic != "" && t.Topic != topic || t.Times < 0 {
			continue
		}
		if t.Skip > 0 {
			t.Skip--
			return ""
		}
		if t.Times > 0 {
			if t.Times--; t.Times == 0 {
				t.Times = -1 // used up
			}
		}
		return t.Fault
	}
	return ""
}
