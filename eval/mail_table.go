package eval

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// text is the figures for people.
func (f mailFigures) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d messages (%s), %.1f MB, as the inbox of %s over %d days from %s\n\n", f.Messages, strings.Join(f.Parts, ", "),
		float64(f.Bytes)/(1<<20), f.person(), f.Days, f.From.Format("2006-01-02"))
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "sort\tmessages\task something\tname a day to act\tconfirm an appointment\n")
	for _, g := range f.Groups {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", g.Group, g.Messages, g.share("request"), g.share("deadline"), g.share("appointment"))
	}
	_ = w.Flush()
	b.WriteString("\n")
	row := func(name, value, reach string) { fmt.Fprintf(w, "%s\t%s\t%s\n", name, value, reach) }
	n, of := f.asking()
	row("spam, lists and bulk that count as asking", fmt.Sprintf("%d of %d (%.2f %%)", n, of, 100*float64(n)/float64(max(1, of))), fmt.Sprintf("at most %.0f %%", 100*askingReach))
	row("distinct messages, of them never seen", fmt.Sprintf("%d, %d", f.Distinct, f.Unseen), "0")
	row("ticks at which the sense was blind", fmt.Sprintf("%d of %d", f.Blind, f.Ticks), "0")
	row("read in ms, median and slowest", fmt.Sprintf("%.2f, %.2f (%s)", f.Reading.MedianMS, f.Reading.SlowestMS, f.Reading.Slowest), fmt.Sprintf("at most %d", parseReachMS))
	row("read in MB, largest", fmt.Sprintf("%.2f (%s)", f.Reading.LargestMB, f.Reading.Largest), fmt.Sprintf("at most %d", parseReachMB))
	if len(f.NoMail) > 0 {
		row("files passed over, which have no header", fmt.Sprintf("%d (%s)", len(f.NoMail), f.NoMail[0]), "")
	}
	row("messages that were cut", fmt.Sprint(f.Reading.Cut), "")
	row("single pushes a day", fmt.Sprintf("%.2f", f.Pushes.Single), "")
	row("digests a day, items in them", fmt.Sprintf("%.2f, %.2f", f.Pushes.Digests, f.Pushes.Items), "")
	row("notices a day", fmt.Sprintf("%.2f", f.Pushes.Notices), "")
	row("resident MB, at most", fmt.Sprintf("%.0f, %.0f", f.RSS, f.RSSPeak), fmt.Sprintf("at most %d in the end", memoryReach))
	row("a tick takes", fmt.Sprintf("%.1f ms", f.TickMS), "")
	_ = w.Flush()
	b.WriteString("\n")
	fmt.Fprintf(w, "findings of\tin all\ta day\n")
	for _, r := range f.Findings {
		fmt.Fprintf(w, "%s\t%d\t%.2f\n", r.Rule, r.N, r.ADay)
	}
	_ = w.Flush()
	for _, words := range f.Missed {
		b.WriteString("MISSED: " + words + "\n")
	}
	for i, s := range f.Sample {
		fmt.Fprintf(&b, "\n%d. %s, importance %d, %s\n   %s\n", i+1, s.Rule, s.Importance, s.At.Format("2006-01-02 15:04"), strings.ReplaceAll(s.Summary, "\n", " | "))
		if s.Path != "" {
			fmt.Fprintf(&b, "   %s\n   From: %s\n   Subject: %s\n", s.Path, s.From, s.Subject)
		}
		for _, line := range s.Lines {
			fmt.Fprintf(&b, "   > %s\n", line)
		}
	}
	return trimmedLines(b.String())
}

func (f mailFigures) person() string {
	if len(f.Addresses) == 1 {
		return f.Addresses[0]
	}
	return fmt.Sprintf("%s (and %d more addresses)", f.Addresses[0], len(f.Addresses)-1)
}

// share is how many of a sort became something of a kind.
func (g mailOfGroup) share(kind string) string {
	return fmt.Sprintf("%d (%.1f %%)", g.Kinds[kind], 100*float64(g.Kinds[kind])/float64(max(1, g.Messages)))
}
