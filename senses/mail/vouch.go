package mail

import (
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/subconsciousd/subconsciousd/senses/mail/message"
)

// What a server found of a sender's address stands in the header
// Authentication-Results (RFC 8601), under the server's own name, its authserv-id.
// Whoever sends can write the same there, with any name. So one server alone is
// believed: the one that the configuration names, or else the one that is learnt,
// and only where its word stands above that of all others. Until one is known
// every sender is unproven, and is taken for who the address says.

const (
	// learntAfter is after how many messages in a row, of learntADay a day at most,
	// the server that stands on top of them is believed.
	learntAfter, learntADay = 20, 7
)

// learnt is the server whose word is believed where none is configured. It is
// part of the cursor, so that a tick that is played again believes the same one.
type learnt struct {
	Server string `json:"server,omitempty"` // the domain that it registered; "": none
	// Next stood on top of the last Run messages; Today of them are counted on Day.
	Next  string `json:"next,omitempty"`
	Run   int    `json:"run,omitempty"`
	Day   uint32 `json:"day,omitempty"`
	Today int    `json:"today,omitempty"`
}

// learn counts who stands on top of a message: a server of the same domain as the
// last one that the message came through, or above that one. A single message
// without begins the count anew, so that where the server adds nothing, no flood
// of forgeries among honest mail teaches another.
func (l *learnt) learn(m message.Message, day uint32) {
	top := ""
	if results, house := resultsOf(m, ""); len(results) > 0 && (results[0].above || domain(results[0].server) == house) {
		top = domain(results[0].server)
	}
	switch {
	case top == l.Server:
		l.Next, l.Run = "", 0
		return
	case top != l.Next || l.Run == 0:
		l.Next, l.Run = top, 0
	}
	if day > l.Day {
		l.Day, l.Today = day, 0
	}
	if l.Today++; l.Today > learntADay {
		return
	}
	if l.Run++; l.Run >= learntAfter {
		l.Server, l.Next, l.Run = top, "", 0
	}
}

// vouches is the server that is believed, "" for none.
func (l *collect) vouches() string {
	if l.config.AuthservID != "" {
		return strings.ToLower(l.config.AuthservID)
	}
	return l.state.Learnt.Server
}

// proof is what the server that is believed found: that the message comes from its
// sender's address, or that it does not; neither is unknown.
func proof(m message.Message, server string) (passed, failed bool) {
	results, _ := resultsOf(m, server)
	decided := server == ""
	for _, r := range results {
		if server == "" || !of(r.server, server) {
			break // what stands below another's word may have come with the message
		}
		failed = failed || r.failed
		if !decided {
			passed, decided = r.passed, r.says
		}
	}
	return passed && !failed, failed
}

// of reports whether a server is the one of that name, or one of its house.
func of(server, name string) bool { return server == name || strings.HasSuffix(server, "."+name) }

// results are what one server found.
type results struct {
	server string
	// above: it stands above all servers that have a public name.
	above bool
	// says: it says anything of the sender; passed and failed are what.
	says, passed, failed bool
}

// resultsOf are the results on top of a message, down to the first server that is
// neither of the house that it came to last nor the one that is asked for.
func resultsOf(m message.Message, server string) (all []results, house string) {
	for _, mark := range m.Trace {
		if !mark.Results {
			switch by := receiver(mark.Text); {
			case by == "":
			case house == "" || server != "" && of(by, server):
				house = domain(by)
			case domain(by) != house:
				return all, house
			}
			continue
		}
		r := readResults(mark.Text, m.From.Addr)
		r.above = house == ""
		all = append(all, r)
	}
	return all, house
}

// receiver is the public name of the server that took a message in, by its field
// Received; "" where it is one of within a house. The name before the last "by"
// that is no comment is the sender's to choose.
func receiver(field string) string {
	words := strings.Fields(strings.ToLower(uncommented(field)))
	for i, word := range slices.Backward(words) {
		if word != "by" || i+1 == len(words) {
			continue
		}
		name := strings.Trim(words[i+1], ";[]")
		suffix, listed := publicsuffix.PublicSuffix(name)
		if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") || !listed && !strings.Contains(suffix, ".") {
			return ""
		}
		return name
	}
	return ""
}

// readResults reads one header. A signature or an envelope that passed counts
// where it is of the sender's domain, as DMARC has it, for not everybody has a
// policy.
func readResults(field, from string) (r results) {
	for i, part := range strings.Split(strings.ToLower(uncommented(field)), ";") {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		if i == 0 {
			if !strings.Contains(part, "=") { // some servers give no name
				r.server = words[0]
			}
			continue
		}
		method, result, _ := strings.Cut(words[0], "=")
		aligned := func(property string, without bool) bool {
			for _, word := range words[1:] {
				if value, ok := strings.CutPrefix(word, property+"="); ok {
					return domain(value) == domain(from)
				}
			}
			return without
		}
		switch method {
		case "dmarc":
			r.says = true
			r.passed = r.passed || result == "pass" && aligned("header.from", true)
			r.failed = r.failed || slices.Contains([]string{"fail", "quarantine", "reject"}, result)
		case "dkim":
			r.says = true
			r.passed = r.passed || result == "pass" && (aligned("header.d", false) || aligned("header.i", false))
		case "spf":
			r.says = true
			r.passed = r.passed || result == "pass" && aligned("smtp.mailfrom", false)
		}
	}
	return r
}

// uncommented is a field without its comments and what it quotes, in comments as
// well, for both may hold words of the sender's.
func uncommented(field string) string {
	var b strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(field); i++ {
		switch c := field[i]; {
		case c == '\\' && (quoted || depth > 0):
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			if depth--; depth == 0 {
				b.WriteByte(' ')
			}
		case depth == 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}
