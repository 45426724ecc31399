package screen

import (
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// filled are the parts that are not empty.
func filled(parts ...string) []string {
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

func (p *page) waitsUntil(expires time.Time) string {
	if !expires.After(p.At) {
		return "its time is over"
	}
	return "waits until " + p.clock(expires) + " (" + p.relative(expires) + ")"
}

// shownStyle draws the eye to the words of others.
func shownStyle(shown []string) style {
	if slices.ContainsFunc(shown, func(trust string) bool { return trust != "owner" && trust != "machine" }) {
		return yellow
	}
	return plain
}

// decisionLines says on the one screen what waits for the person's word.
func (p *page) decisionLines(proposed []api.ProposalStatus) {
	first := "  " + pad("to decide", label)
	for _, in := range proposed {
		words := clean(in.Action)
		if reason := clean(in.Reason); reason != "" {
			words += ": " + reason
		}
		p.marked(first, yellow, "?", " ", cells(first)+2, plain, words+" ("+clean(in.ID)+", "+p.waitsUntil(in.Expires)+")")
		next := "subconsciousctl approve " + clean(in.ID) + ", or reject"
		if problem := clean(in.Problem); problem != "" {
			next = problem + ": subconsciousctl reject " + clean(in.ID)
		}
		p.wrapped(strings.Repeat(" ", cells(first))+"→ ", plain, next)
		first = "  " + pad("", label)
	}
}
