package aggregator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// closedKept is how many closed incidents are remembered by their summary.
const closedKept = 10

// command carries out what the person and deliberations ask for, in order.
func (m *merge) command() {
	for _, c := range m.in.Commands {
		m.changes.Done[c.ID] = m.obey(c)
	}
	m.follow()
}

func (m *merge) obey(c subconscious.Command) string {
	switch c.Kind {
	case subconscious.CommandClose, subconscious.CommandDismiss:
		return m.closeIncident(c)
	case subconscious.CommandConfirm:
		return m.confirm(c)
	case subconscious.CommandFocus:
		return m.focus(c)
	case subconscious.CommandNote:
		return "noted: it is an observation of this tick"
	}
	return fmt.Sprintf("refused: there is no command %q", c.Kind)
}

// target finds the entry that a command means.
func (m *merge) target(c subconscious.Command) *item {
	for _, it := range m.entries {
		if !it.gone && (c.Entry != "" && it.ID == c.Entry || c.Entry == "" && c.Incident != "" && it.Incident == c.Incident) {
			return it
		}
	}
	return nil
}

func (m *merge) closeIncident(c subconscious.Command) string {
	it := m.target(c)
	key := c.Incident
	if it != nil {
		key = it.Incident
	}
	if _, known := m.incidents[key]; it == nil && !known {
		return fmt.Sprintf("nothing to close: %s has faded already", meant(c))
	}
	summary := m.close(key, it, c)
	if it != nil {
		it.gone = true
		m.change(it, Closed, "closed by "+c.By)
	}
	return "closed: " + summary
}

func (m *merge) confirm(c subconscious.Command) string {
	it := m.target(c)
	if it == nil {
		return fmt.Sprintf("nothing to confirm: %s has faded already", meant(c))
	}
	m.incident(it.Incident).Confirmed = true
	it.Importance = max(it.Importance, m.in.Rules.InsightImportance)
	m.change(it, Confirmed, "confirmed by "+c.By)
	if it.List == subconscious.ActiveThreads && it.Stands() {
		return "confirmed: " + it.Summary + "; it stays where it is while it stands"
	}
	return "confirmed: " + it.Summary
}

func (m *merge) focus(c subconscious.Command) string {
	t, known := m.state.Threads[c.Thread]
	if !known && !slices.ContainsFunc(m.in.Runs, func(run Run) bool { return run.Thread == c.Thread }) {
		return fmt.Sprintf("refused: there is no thread %q", c.Thread)
	}
	hint := subconscious.Summary(c.Text)
	if hint == "" {
		t.FocusHint, t.FocusSource, t.FocusUntil = "", "", time.Time{}
		m.state.Threads[c.Thread] = t
		return fmt.Sprintf("%s follows its own hints again", c.Thread)
	}
	t.FocusHint, t.FocusSource, t.FocusUntil = hint, cmp.Or(c.By, byPerson), m.in.At.Add(m.in.Rules.FocusFor)
	m.state.Threads[c.Thread] = t
	return fmt.Sprintf("%s looks at: %s", c.Thread, hint)
}

// meant is what a command names.
func meant(c subconscious.Command) string {
	if c.Entry != "" {
		return string(c.Entry)
	}
	return string(c.Incident)
}
