package screen

import (
	"fmt"

	"github.com/subconsciousd/subconsciousd/api"
)

// toTell says on the one screen how much waits to be told, and the most
// important of it.
func (p *page) toTell(s api.Status) {
	const most = 3
	waiting := max(len(s.Waiting), s.Incidents.Held)
	words := "nothing waits"
	switch {
	case waiting == 1:
		words = "1 incident waits"
	case waiting > 1:
		words = fmt.Sprintf("%d incidents wait", waiting)
	}
	if n := s.Incidents.Proposals; n > 0 {
		words += ", " + number(n, "proposal")
	}
	p.labelled("to tell", words)
	indent := "  " + pad("", label)
	for _, i := range s.Waiting[:min(most, len(s.Waiting))] {
		mark, colour := severityMark(i.Severity)
		p.marked(indent, colour, mark, " ", cells(indent)+2, plain, clean(i.Summary)+" ("+clean(string(i.ID))+": "+p.heldShort(i)+")")
	}
	if waiting > most {
		p.line(indent, p.in(dim, truncate(fmt.Sprintf("and %d more: subconsciousctl inbox", waiting-most), p.Width-cells(indent))))
	}
}

// heldShort says in a few words why an incident waits.
func (p *page) heldShort(i api.InboxIncident) string {
	until := ""
	if i.Until.After(p.At) {
		until = p.clock(i.Until)
	}
	switch {
	case i.Held == "digest" && until != "":
		return "for the digest, " + until
	case until != "":
		return whyHeld(i, i.Held) + ", until " + until
	}
	return whyHeld(i, i.Held)
}
