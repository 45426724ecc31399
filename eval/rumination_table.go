package eval

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/threads"
)

// nearReach is the share of near-repeats that may be accepted.
const nearReach = 0.05

// reach is what has to be so.
type reach struct {
	words string
	met   bool
}

// reaches are those of the mechanics and of the whole run.
func (f gateFigures) reaches() []reach {
	m, d := f.Model, f.Documents
	all := []reach{
		{fmt.Sprintf("the model is asked and has findings: %d calls, %d findings", m.Calls, f.Mechanics.Returned), m.Calls > 0 && f.Mechanics.Returned > 0},
		{fmt.Sprintf("every call is answered and on record: %d were not answered, %d are on record, %d were billed", m.Unanswered, m.Calls, m.Billed),
			m.Unanswered == 0 && m.Calls == m.Billed},
		{fmt.Sprintf("documents are valid and within limits: %d of %d are not, the first of them: %s", d.Bad, d.Checked, d.First), d.Bad == 0},
		{fmt.Sprintf("ticks end within %.0f s, with all threads: %d did not", f.Time.Within, f.Time.Over+m.FailedThread), f.Time.Over+m.FailedThread == 0},
	}
	if f.Gate == threads.Adaptive {
		all = append(all, reach{fmt.Sprintf("at most %d calls a day with nothing unseen: there were %d", m.Allowed, m.NothingADay), m.NothingADay <= m.Allowed})
	}
	return append(all, f.Mechanics.reaches()...)
}

// reaches are those that a set of rules can meet or miss.
func (f ruleFigures) reaches() []reach {
	return []reach{
		{fmt.Sprintf("at most %s of the findings are accepted near-repeats: %s are", percent(nearReach), percent(f.OfReturned)), f.OfReturned <= nearReach},
		{fmt.Sprintf("at most %s of what is accepted are near-repeats: %s are", percent(nearReach), percent(f.OfAccepted)), f.OfAccepted <= nearReach},
		{fmt.Sprintf("no entry is without evidence: %d are", f.BaselessEntries), f.BaselessEntries == 0},
		{fmt.Sprintf("nothing is told twice: %d are", f.ToldTwice), f.ToldTwice == 0},
		{fmt.Sprintf("nothing is told that rests on nothing: %d are", f.SelfReferential), f.SelfReferential == 0},
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// text is the figures for people.
func (f ruminationFigures) text() string {
	var b strings.Builder
	for i, g := range f.Gates {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "gate %s: %d ticks over a world in which nothing changes, seed %d\n\n", g.Gate, g.Ticks, f.Seed)
		b.WriteString(g.text())
	}
	return b.String()
}

func (f gateFigures) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	row := func(name, mechanics, baseline, reach string) {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", name, mechanics, baseline, reach)
	}
	count := func(name string, mechanics, baseline int, reach string) {
		row(name, fmt.Sprint(mechanics), fmt.Sprint(baseline), reach)
	}
	rules, old := f.Mechanics, f.Baseline
	row("", "mechanics", "baseline", "reach")
	count("findings returned", rules.Returned, old.Returned, "some")
	count("findings accepted", rules.Accepted, old.Accepted, "")
	for _, reason := range aggregator.Reasons() {
		if n := rules.Rejected[string(reason)]; n > 0 {
			row("  rejected: "+string(reason), fmt.Sprint(n), "-", "")
		}
	}
	count("near-repeats accepted", rules.NearRepeats, old.NearRepeats, "")
	row("  of all returned", percent(rules.OfReturned), percent(old.OfReturned), "at most "+percent(nearReach))
	row("  of the accepted", percent(rules.OfAccepted), percent(old.OfAccepted), "at most "+percent(nearReach))
	count("  by their words", rules.NearWords, old.NearWords, "")
	count("  by their evidence", rules.NearEvidence, old.NearEvidence, "")
	count("brought by two threads at once", rules.AtOnce, old.AtOnce, "")
	count("worded as one of another incident", rules.Elsewhere, old.Elsewhere, "")
	count("accepted without evidence", rules.Baseless, old.Baseless, "")
	count("entries without evidence", rules.BaselessEntries, old.BaselessEntries, "0")
	count("told", rules.Told, old.Told, "")
	count("  told twice", rules.ToldTwice, old.ToldTwice, "0")
	count("  told of another incident before", rules.ToldElsewhere, old.ToldElsewhere, "")
	count("  told, resting on nothing", rules.SelfReferential, old.SelfReferential, "0")
	_ = w.Flush()
	b.WriteString("\n")
	b.WriteString(f.wholeText())
	if len(f.Missed) == 0 {
		b.WriteString("  every reach is met\n")
	}
	for _, words := range f.Missed {
		b.WriteString("  MISSED: " + words + "\n")
	}
	return trimmedLines(b.String())
}

// wholeText is about the daemon as a whole.
func (f gateFigures) wholeText() string {
	m, d, t := f.Model, f.Documents, f.Time
	allowed := ""
	if f.Gate == threads.Adaptive {
		allowed = fmt.Sprintf(" (reach: at most %d)", m.Allowed)
	}
	return fmt.Sprintf("  model calls: %d, %.0f a day; with nothing unseen: %d, %d on the worst day%s\n", m.Calls, m.CallsADay, m.Nothing, m.NothingADay, allowed) +
		fmt.Sprintf("  tokens: %.0f in and %.0f out a day; %d on the last day\n", m.InputADay, m.OutputADay, m.LastDay) +
		fmt.Sprintf("  findings by reflex among them: %d; calls not answered: %d; threads failed: %d\n", m.ByReflex, m.Unanswered, m.FailedThread) +
		fmt.Sprintf("  documents not valid or over a limit: %d of %d (reach: 0); the largest has %d tokens\n", d.Bad, d.Checked, d.MostToken) +
		fmt.Sprintf("  ticks over their deadline of %.0f s: %d (reach: 0); a tick takes %.1f ms, %.1f ms at the 99th of 100, %.1f ms at worst\n",
			t.Within, t.Over, t.Median, t.P99, t.Worst)
}

// trimmedLines takes the blanks off the ends of lines.
func trimmedLines(text string) string {
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \n") + "\n"
	}
	return strings.Join(lines, "")
}
