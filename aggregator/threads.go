package aggregator

import (
	"cmp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// byPerson marks a focus hint that the person gave.
	byPerson = "person"
	// findingsKept is how many of a thread's ticks are remembered, and
	// journalKept how many characters of what it notes for itself.
	findingsKept = 3
	journalKept  = 280
)

// threads brings what is kept of each thread up to date.
func (m *merge) threads() {
	for _, run := range m.in.Runs {
		t := m.state.Threads[run.Thread]
		m.setHealth(&t, run)
		m.setPressure(&t, run)
		if run.Outcome == Thought {
			ids := append([]subconscious.EntryID{}, m.accepted[run.Thread]...)
			slices.Sort(ids)
			t.LastFindings = slices.Insert(slices.Clone(t.LastFindings), 0, ids)
			t.LastFindings = t.LastFindings[:min(len(t.LastFindings), findingsKept)]
			if i := slices.IndexFunc(m.in.Thoughts, func(x subconscious.Thought) bool { return x.Thread == run.Thread }); i >= 0 {
				t.Journal = cut(subconscious.Printable(m.in.Thoughts[i].Journal), journalKept)
			}
		}
		if m.in.Kind.Decays() {
			m.setFocus(run.Thread, &t)
		}
		m.state.Threads[run.Thread] = t
	}
}

// Health of a thread.
const (
	healthy = "ok"
	failed  = "failed"
)

func (m *merge) setHealth(t *subconscious.ThreadState, run Run) {
	health := healthy
	if run.Outcome == Failed {
		health = failed
	}
	if run.Outcome != Thought && run.Outcome != Failed && t.Health != "" {
		return // a thread that was not asked keeps its health
	}
	if t.Health != health {
		t.Health, t.Since = health, m.in.At
	}
	t.Error = cut(subconscious.Printable(run.Error), journalKept)
}

// setPressure raises novelty pressure for a scheduled slot in which a healthy
// thread had nothing, and releases it when a finding is accepted.
func (m *merge) setPressure(t *subconscious.ThreadState, run Run) {
	if run.Outcome == Thought {
		t.Widened = max(t.Widened, run.Level)
	}
	switch {
	case len(m.accepted[run.Thread]) > 0:
		t.NoveltyPressure, t.Widened = 0, 0
	case m.in.Kind.RaisesPressure() && (run.Outcome == Thought || run.Outcome == Unchanged && t.Health != failed):
		t.NoveltyPressure = min(t.NoveltyPressure+1, subconscious.MaxPressure)
	}
}

// setFocus takes a hint from what the other threads flagged, in turn: it begins
// with the thread after the one that gave the last. A hint set by command stands
// until it runs out.
func (m *merge) setFocus(thread subconscious.ThreadName, t *subconscious.ThreadState) {
	if m.in.At.Before(t.FocusUntil) {
		return
	}
	var others []subconscious.ThreadName
	for _, run := range m.in.Runs {
		if run.Thread != thread {
			others = append(others, run.Thread)
		}
	}
	next := 0
	if len(others) > 0 {
		next = int(uint64(m.state.TickCount) % uint64(len(others)))
	}
	if last := slices.Index(others, subconscious.ThreadName(t.FocusSource)); last >= 0 {
		next = last + 1
	}
	t.FocusHint, t.FocusSource, t.FocusUntil = "", "", time.Time{}
	for i := range others {
		source := others[(next+i)%len(others)]
		if hint := m.flagged(source, thread); hint != "" {
			t.FocusHint, t.FocusSource = hint, string(source)
			return
		}
	}
}

// flagged is what source has to say to thread: its own hint, else the most
// important entry that it found. Never what the person closed.
func (m *merge) flagged(source, thread subconscious.ThreadName) string {
	for _, t := range m.in.Thoughts {
		if t.Thread == source && t.Focus != nil && t.Focus.Thread == thread {
			if hint := subconscious.Summary(t.Focus.Hint); hint != "" && !m.closedBefore(hint) {
				return hint
			}
		}
	}
	var top *item
	for _, it := range m.entries {
		if it.gone || it.parked || it.Over || !slices.Contains(it.Sources, source) || slices.Contains(it.Sources, thread) || m.ofClosed(it) {
			continue
		}
		if top == nil || cmp.Or(cmp.Compare(it.Importance, top.Importance), cmp.Compare(it.Strength, top.Strength), cmp.Compare(top.ID, it.ID)) > 0 {
			top = it
		}
	}
	if top == nil {
		return ""
	}
	return top.Summary
}

// closedBefore reports whether a hint speaks of something that the person
// closed: it shares two distinctive words with it, or its only one.
func (m *merge) closedBefore(hint string) bool {
	words := subconscious.Terms(hint)
	return slices.ContainsFunc(m.state.Closed, func(c subconscious.ClosedIncident) bool {
		terms := subconscious.Terms(c.Summary)
		shared := 0
		for _, word := range words {
			if slices.Contains(terms, word) {
				shared++
			}
		}
		return shared >= min(2, max(len(terms), 1))
	})
}

// ofClosed reports whether an entry is a pattern in, or a connection with,
// something that the person closed.
func (m *merge) ofClosed(it *item) bool {
	return slices.ContainsFunc(m.state.Closed, func(c subconscious.ClosedIncident) bool {
		return it.Incident == subconscious.PatternKey(c.Incident) || it.Incident.Pairs(c.Incident)
	})
}

// cut shortens text to at most n characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}
