package eval

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// What is to be reached, with rules alone as with any model.
const (
	recallReach    = 0.85
	precisionReach = 0.8
	delayReach     = 1
)

func (s daysFigures) reaches() []reach {
	return []reach{
		{fmt.Sprintf("recall of needles is at least %.2f: %d of %d were told in time", recallReach, s.Told, s.Needles), s.Recall == nil || *s.Recall >= recallReach},
		{fmt.Sprintf("precision of pushes is at least %.2f: %d of %d were wanted", precisionReach, s.Right, s.Pushes), s.Precision == nil || *s.Precision >= precisionReach},
		{fmt.Sprintf("the median delay is at most %d tick", delayReach), s.Median == nil || *s.Median <= delayReach},
		{fmt.Sprintf("nothing is told twice: %d pushes are repeats", s.Repeats), s.Repeats == 0},
		{fmt.Sprintf("no trap is told: %d of %d are", s.Sprung, s.Traps), s.Sprung == 0},
		{fmt.Sprintf("quiet days are silent: %d of %d are", s.Silent, s.Quiet), s.Silent == s.Quiet},
	}
}

// daysResult is the result of the suite.
type daysResult struct {
	Models string        `json:"models"`
	Sets   []daysFigures `json:"sets"`
	Days   []dayFigures  `json:"days"`
}

// text is the figures for people.
func (r daysResult) text(verbose bool) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "set\tday\tneedles told\tpushes wanted\tdigest items\trepeats\tmessages\n")
	for _, f := range r.Days {
		quiet := ""
		if f.Quiet {
			quiet = ", quiet"
		}
		fmt.Fprintf(w, "%s\t%s%s\t%d of %d\t%d of %d\t%d\t%d\t%d\n", f.Set, f.Name, quiet, f.Told, f.Needles, f.Right, f.Pushes, f.Items, f.Repeats, f.Messages)
	}
	_ = w.Flush()
	for _, s := range r.Sets {
		b.WriteString("\n" + s.text())
	}
	for _, f := range r.Days {
		b.WriteString(f.text(verbose))
	}
	return trimmedLines(b.String())
}

// text is one set.
func (s daysFigures) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "set %s: %d scripts of %d days\n\n", s.Set, s.Scripts, s.Days)
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	row := func(name, value, reach string) { fmt.Fprintf(w, "  %s\t%s\t%s\n", name, value, reach) }
	row("recall of needles", orNone(s.Recall, "%.3f")+fmt.Sprintf(" (%d of %d)", s.Told, s.Needles), fmt.Sprintf("at least %.2f", recallReach))
	row("precision of pushes", orNone(s.Precision, "%.3f")+fmt.Sprintf(" (%d of %d)", s.Right, s.Pushes), fmt.Sprintf("at least %.2f", precisionReach))
	row("  of items of digests", fmt.Sprintf("%d of %d", s.ItemsRight, s.Items), "")
	row("delay in ticks, median", orNone(s.Median, "%d")+fmt.Sprintf(" (of %d)", s.Delays), fmt.Sprintf("at most %d", delayReach))
	row("  90th of 100", orNone(s.P90, "%d"), "")
	row("repeats", fmt.Sprint(s.Repeats), "0")
	row("traps told", fmt.Sprintf("%d of %d", s.Sprung, s.Traps), "0")
	row("messages a day", fmt.Sprintf("%.2f", s.PushesADay), "")
	row("quiet days that were silent", fmt.Sprintf("%d of %d", s.Silent, s.Quiet), "all")
	row("models", fmt.Sprintf("%d calls, %d tokens, $%.4f", s.Calls, s.Tokens, s.Cost), "")
	_ = w.Flush()
	for _, words := range s.Missed {
		b.WriteString("  MISSED: " + words + "\n")
	}
	return b.String()
}

func orNone[T any](value *T, format string) string {
	if value == nil {
		return "none"
	}
	return fmt.Sprintf(format, *value)
}

// text says what went wrong on a day; with verbose also why, and what went
// right.
func (f dayFigures) text(verbose bool) string {
	var b strings.Builder
	for _, m := range f.Missed {
		fmt.Fprintf(&b, "  missed: %s, by %s%s\n", m.Label, m.By.Format("02 15:04"), told(m.Told))
		if verbose {
			fmt.Fprintf(&b, "    because: %s\n", m.Because)
			for _, line := range m.Decided {
				fmt.Fprintf(&b, "    %s\n", line)
			}
			if len(m.Decided) == 0 {
				b.WriteString("    nobody asked that it be told\n")
			}
		}
	}
	for _, v := range f.Verdicts {
		wrong := !(v.Is == dayNeedle || v.Is == dayWorth) || v.Repeat || v.Late
		if !wrong && !verbose {
			continue
		}
		fmt.Fprintf(&b, "  %s: %s %s %q\n", v.words(), v.At.Format("02 15:04"), v.Kind, strings.ReplaceAll(v.Words, "\n", " | "))
		if verbose {
			fmt.Fprintf(&b, "    why %s: %s\n    about: %s\n", v.Incident, v.Why, strings.Join(v.Keys, ", "))
		}
	}
	for _, line := range f.Unanswered {
		if verbose {
			fmt.Fprintf(&b, "  unanswered: %s\n", line)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s (%s)\n", f.Name, f.Title) + b.String()
}

func told(at time.Time) string {
	if at.IsZero() {
		return ", was never told"
	}
	return ", was told at " + at.Format("02 15:04")
}

// words say what a push was.
func (v dayVerdict) words() string {
	text := string(v.Is)
	if v.Label != "" {
		text += " " + v.Label
	}
	if v.Repeat {
		text = "repeat of " + text
	}
	if v.Late {
		text = "late " + text
	}
	return text
}
