package screen

import (
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
)

// Missed traces what should have been told, station by station, and says whether
// it was counted, as was asked for or not.
func Missed(view View, t api.Trace, teach bool) string {
	const most = 4
	p := newPage(view)
	p.wrapped("", bold, "“"+clean(t.Text)+"”")
	if len(t.Candidates) > 0 {
		p.heading("What it could be")
	}
	for i, cited := range t.Candidates[:min(most, len(t.Candidates))] {
		o := cited.Observation
		mark, more := "  ", []string{p.relative(o.At), "by " + senseName(o)}
		if i == 0 {
			mark, more = "→ ", append(more, "this one is traced")
		}
		title := clean(o.Title)
		if cited.Missing {
			title, more = clean(cited.Citation)+": its text was deleted by age", nil
		}
		p.wrapped("  "+mark+pad(p.clock(o.At), 13), plain, title)
		if len(more) > 0 {
			p.wrapped(strings.Repeat(" ", 17), dim, strings.Join(more, " · "))
		}
	}
	if len(t.Steps) > 0 {
		p.heading("Which way it went")
	}
	column := 0
	for _, s := range t.Steps {
		column = max(column, min(cells(clean(s.Stage)), 10))
	}
	for _, s := range t.Steps {
		p.station(s, column)
	}
	p.heading("Where it ended")
	p.wrapped("  ", plain, sentence(t.Verdict))
	if t.Proposal != "" {
		p.heading("What would have caught it")
		for line := range strings.Lines(Lines(t.Proposal)) {
			p.wrapped("  ", plain, strings.TrimSpace(line))
		}
	}
	switch {
	case t.Counted:
		p.line()
		p.wrapped("", plain, "Counted as missed: things of its sort weigh more from the next tick on.")
	case teach:
		p.line()
		p.wrapped("", plain, "Not counted as missed: it was not seen, it reached you, or an agent said so (from a script of your own: --as-me).")
	case t.Missed:
		p.line()
		p.wrapped("", plain, "Nothing was counted. With --teach things of its sort weigh more.")
	}
	if t.Incident != "" {
		p.line()
		p.wrapped("", plain, "More: subconsciousctl why "+clean(string(t.Incident)))
	}
	return p.String()
}

// station writes one step of a trace.
func (p *page) station(s api.TraceStep, column int) {
	mark, colour := "✓", green
	if !s.OK {
		mark, colour = "✗", red
	}
	words := clean(s.Text)
	var where []string
	// Who it was is said once.
	if who := clean(s.Who); who != "" && !strings.Contains(words, who) {
		where = append(where, who)
	}
	if s.Tick > 0 && !strings.Contains(words, fmt.Sprintf("tick %d", s.Tick)) {
		where = append(where, fmt.Sprintf("tick %d", s.Tick))
	}
	if !s.At.IsZero() {
		where = append(where, p.clock(s.At))
	}
	if len(where) > 0 {
		words += " (" + strings.Join(where, ", ") + ")"
	}
	p.marked("  ", colour, mark, " "+pad(clean(s.Stage), column)+"  ", 4+column+2, plain, words)
}
