package aggregator

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// citationsRead is how many of a finding's citations are read at all, and
	// citationsKept how many different ones are taken.
	citationsRead = 64
	citationsKept = 16
)

// cited is one citation that was shown to the thread.
type cited struct {
	subconscious.Citation
	evidence *subconscious.Evidence
	// change is the cited change of the observation.
	change   subconscious.Occurrence
	fresh    bool // new to the thread
	recorded bool // the incident had counted it, or a later change of the same
	belongs  bool // to the incident, by key or link
	muted    bool // the person closed the incident that it is of
	identity *identity
}

// counts reports whether a citation is evidence that is new to its incident:
// it belongs to it, was not counted, and does not say that it is gone.
func (x *cited) counts() bool {
	return x.belongs && !x.recorded && x.change.Change != subconscious.Gone
}

// isNews reports whether a citation counts and is new to the thread as well: to
// repeat what a thread was shown before brings nothing.
func (x *cited) isNews() bool { return x.fresh && x.counts() && !x.muted }

// who is the identity of what is cited, worked out once.
func (x *cited) who() *identity {
	if x.identity == nil {
		x.identity = identify(&x.evidence.Latest, x.Ref)
	}
	return x.identity
}

func (x *cited) key() subconscious.IncidentKey { return x.who().key }

// citations returns what a finding cites in the form of a citation, and the
// rest, in their order.
func citations(f subconscious.Finding) (good []subconscious.Citation, other []string) {
	for _, text := range f.Evidence[:min(len(f.Evidence), citationsRead)] {
		c, ok := subconscious.ParseCitation(text)
		switch {
		case !ok:
			other = append(other, text)
		case len(good) < citationsKept && !slices.Contains(good, c):
			good = append(good, c)
		}
	}
	return good, other
}

// lookUp resolves a citation to evidence that the thread was shown.
func (m *merge) lookUp(thread subconscious.ThreadName, citation subconscious.Citation) (cited, bool) {
	evidence, ok := m.evidence[citation.Ref]
	if !ok || !slices.Contains(evidence.ShownTo, thread) {
		return cited{}, false
	}
	latest := &evidence.Latest
	x := cited{Citation: citation, evidence: evidence}
	if x.Seq == 0 || x.Seq == latest.Seq {
		x.Seq = latest.Seq
		x.change = subconscious.Occurrence{Seq: latest.Seq, At: latest.At, Change: latest.Change, Severity: latest.Severity}
		x.fresh = slices.Contains(evidence.NewTo, thread)
		return x, true
	}
	for _, o := range evidence.Occurrences {
		if o.Seq == x.Seq {
			x.change = o
			return x, true
		}
	}
	return cited{}, false
}

// ourWords reports whether a citation names something the daemon itself wrote.
func (m *merge) ourWords(text string) bool {
	id := subconscious.EntryID(strings.TrimSpace(text))
	if _, ok := m.in.State.Entry(id); ok {
		return true
	}
	return slices.ContainsFunc([]string{"subconscious", "journal", "entry", "thought", "memory"}, func(prefix string) bool {
		return len(id) >= len(prefix) && strings.EqualFold(string(id[:len(prefix)]), prefix)
	})
}
