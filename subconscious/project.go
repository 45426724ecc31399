package subconscious

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	// historyShown is how many of the kept escalations are published.
	historyShown = 5
	// evidenceShown is how many references an entry or an escalation publishes.
	evidenceShown = 2
	// findingsShown is how many ticks of a thread's findings are published.
	findingsShown = 3
)

// Project returns the document of a state, compact JSON of at most maxTokens,
// by EstimateTokens and by what its texts are made of. Over that the projection
// is trimmed, never the state: the history, the last findings, second
// references, times of creation, then entries in prune order; and where nothing
// else is left, focus hints and threads.
func Project(s State, maxTokens int) ([]byte, error) {
	doc := s.Document()
	steps := []func(*Document) bool{trimHistory, trimFindings, trimReferences, trimCreated, s.trimEntry, trimHints, trimThread}
	for {
		out, err := encode(doc)
		if err != nil {
			return nil, fmt.Errorf("project state of tick %d: %w", s.TickCount, err)
		}
		if doc.tokens(len(out)) <= maxTokens {
			return out, nil
		}
		for len(steps) > 0 && !steps[0](&doc) {
			steps = steps[1:]
		}
		if len(steps) == 0 {
			return nil, fmt.Errorf("project state of tick %d: %d bytes remain of an empty document, over %d tokens",
				s.TickCount, len(out), maxTokens)
		}
	}
}

// encode writes compact JSON in which <, > and & are themselves: the document
// is read by people and models, and by no browser as HTML.
func encode(doc Document) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Document returns the untrimmed projection of a state. Whatever the state
// holds, what is shown keeps the limits of the document.
func (s State) Document() Document {
	doc := Document{
		Version:           SchemaVersion,
		TickCount:         s.TickCount,
		LastTick:          shownTime(s.LastTick),
		EscalationHistory: []EscalationRecord{},
		ThreadState:       map[ThreadName]DocumentThread{},
	}
	for _, list := range Lists() {
		entries := s.In(list)
		byStrength(entries)
		entries = entries[:min(len(entries), published[list])]
		shown := make([]DocumentEntry, 0, len(entries))
		for _, e := range entries {
			shown = append(shown, e.Document())
		}
		*doc.In(list) = shown
	}
	for _, record := range s.History[max(0, len(s.History)-historyShown):] {
		doc.EscalationHistory = append(doc.EscalationHistory, record.document())
	}
	for name, t := range s.Threads {
		doc.ThreadState[name] = t.document()
	}
	return doc
}

// document leaves out what would break the limits of the document.
func (r EscalationRecord) document() EscalationRecord {
	if len(r.Deliberation) > deliberationBytes {
		r.Deliberation = ""
	}
	r.Cost = max(r.Cost, 0)
	var cited []string
	for _, text := range r.Cited {
		if _, ok := ParseCitation(text); ok && strings.TrimSpace(text) == text && len(cited) < evidenceShown {
			cited = append(cited, text)
		}
	}
	r.Cited = cited
	return r
}

func (t ThreadState) document() DocumentThread {
	d := DocumentThread{
		LastFindings:    [][]EntryID{},
		NoveltyPressure: min(max(t.NoveltyPressure, 0), MaxPressure),
		FocusHint:       Summary(t.FocusHint),
		Health:          cmp.Or(t.Health, "ok"),
	}
	for _, ids := range t.LastFindings[:min(len(t.LastFindings), findingsShown)] {
		d.LastFindings = append(d.LastFindings, append([]EntryID{}, ids...))
	}
	return d
}

// Document is the entry as it is published.
func (e Entry) Document() DocumentEntry {
	d := DocumentEntry{
		ID: e.ID, Summary: cmp.Or(Summary(e.Summary), string(e.ID)), Strength: min(max(e.Strength, 0), MaxStrength), Kind: e.Kind,
		Created: shownTime(e.Created), LastSeen: shownTime(e.LastSeen), Due: shownTime(e.Due), Over: e.Over,
		Evidence: make([]string, 0, evidenceShown),
	}
	for _, h := range e.Evidence {
		if ref := string(h.Ref); len(d.Evidence) < evidenceShown && !slices.Contains(d.Evidence, ref) {
			d.Evidence = append(d.Evidence, ref)
		}
	}
	return d
}

// shownTime is a time as it is published, to the second; the zero time for one
// that JSON cannot hold.
func shownTime(t time.Time) time.Time {
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.Truncate(time.Second)
}

// In are the entries of a list.
func (d *Document) In(list List) *[]DocumentEntry {
	switch list {
	case ActiveThreads:
		return &d.ActiveThreads
	case Patterns:
		return &d.Patterns
	case Hunches:
		return &d.Hunches
	}
	return &d.Insights
}

// The trim steps each take one thing away and report whether there was one.

func trimHistory(d *Document) bool {
	if len(d.EscalationHistory) == 0 {
		return false
	}
	d.EscalationHistory = d.EscalationHistory[1:]
	return true
}

func trimFindings(d *Document) bool {
	trimmed := false
	for name, t := range d.ThreadState {
		if len(t.LastFindings) > 0 {
			t.LastFindings, trimmed = [][]EntryID{}, true
			d.ThreadState[name] = t
		}
	}
	return trimmed
}

func trimReferences(d *Document) bool {
	return d.eachEntry(func(e *DocumentEntry) bool {
		if len(e.Evidence) < 2 {
			return false
		}
		e.Evidence = e.Evidence[:1]
		return true
	})
}

func trimCreated(d *Document) bool {
	return d.eachEntry(func(e *DocumentEntry) bool {
		had := !e.Created.IsZero()
		e.Created = time.Time{}
		return had
	})
}

func (d *Document) eachEntry(trim func(*DocumentEntry) bool) bool {
	trimmed := false
	for _, list := range Lists() {
		entries := *d.In(list)
		for i := range entries {
			trimmed = trim(&entries[i]) || trimmed
		}
	}
	return trimmed
}

// trimEntry drops the one shown entry that goes first in prune order.
func (s State) trimEntry(d *Document) bool {
	var first *Entry
	for i := range s.Entries {
		e := &s.Entries[i]
		shown := slices.ContainsFunc(*d.In(e.List), func(x DocumentEntry) bool { return x.ID == e.ID })
		if shown && (first == nil || PruneOrder(*e, *first, s.LastTick) < 0) {
			first = e
		}
	}
	if first == nil {
		return false
	}
	list := d.In(first.List)
	*list = slices.DeleteFunc(*list, func(x DocumentEntry) bool { return x.ID == first.ID })
	return true
}

func trimHints(d *Document) bool {
	trimmed := false
	for name, t := range d.ThreadState {
		if t.FocusHint != "" {
			t.FocusHint, trimmed = "", true
			d.ThreadState[name] = t
		}
	}
	return trimmed
}

// trimThread drops the last thread by name.
func trimThread(d *Document) bool {
	if len(d.ThreadState) == 0 {
		return false
	}
	delete(d.ThreadState, slices.Max(slices.Collect(maps.Keys(d.ThreadState))))
	return true
}
