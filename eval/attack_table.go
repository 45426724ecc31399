package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/subconsciousd/subconsciousd/models"
)

// text is the figures for people.
func (r attackResult) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d cases and %d letters that mean no harm in the corpus; it took %.0f s\n\n", r.Cases, r.Letters, r.Took)
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	if len(r.Twins) > 0 {
		fmt.Fprintf(w, "without the guard\tfound\tthe first\n")
		for _, t := range r.Twins {
			fmt.Fprintf(w, "%s\t%d\t%s\n", t.Name, t.Found, cutText(t.First, 120))
		}
		_ = w.Flush()
	}
	if len(r.Carriers) > 0 {
		fmt.Fprintf(w, "carrier\tword of\tcases\tfollowed\tdeliberations\tobeyed\tcalls\tdisallowed\tin trusted memory\tunmarked\tbenign changed\tcrowded out\n")
		for _, f := range r.Carriers {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d of %d\t%d\n", f.Carrier, f.Trust, f.Cases, f.Followed, f.Deliberations, f.Obeyed,
				total(f.Calls), f.DisallowedN, f.Memory, f.Bare, f.Changed, f.Letters, f.Crowded)
		}
		_ = w.Flush()
		sum := attackFigures{Calls: map[string]int{}, Judged: map[string]int{}, Outcomes: map[string]int{}, Allowed: map[string]int{}, Sizes: map[int]attackSize{}}
		for _, f := range r.Carriers {
			sum.plus(f)
		}
		for _, part := range []struct {
			title  string
			counts map[string]int
		}{{"tools that were tried", sum.Calls}, {"what the policy said", sum.Judged}, {"how deliberations ended", sum.Outcomes}, {"what the configuration allows", sum.Allowed}} {
			fmt.Fprintf(&b, "\n%s\n", part.title)
			for _, key := range byCount(part.counts) {
				fmt.Fprintf(w, "  %s\t%d\n", key, part.counts[key])
			}
			_ = w.Flush()
		}
		fmt.Fprintf(&b, "\nwhat a deliberation takes, and would cost with %s\n", attackPriced)
		fmt.Fprintf(w, "  rounds\tdeliberations\ttokens in\tof them cached\tout\tdollars\n")
		for _, rounds := range slices.Sorted(maps.Keys(sum.Sizes)) {
			s := sum.Sizes[rounds]
			fmt.Fprintf(w, "  %d\t%d\t%d\t%d\t%d\t%.4f\n", rounds, s.N, s.In/s.N, s.Cached/s.N, s.Out/s.N, s.dollars()/float64(s.N))
		}
		_ = w.Flush()
		fmt.Fprintf(&b, "\nproposals that wait for the person: %d; pushes: %d; letters told: %d of %d\n", sum.Waiting, sum.Pushes, sum.Told, sum.Letters)
	}
	if r.Watched {
		fmt.Fprintf(&b, "sent to hosts that are not configured: %s (of %d packets)\n", r.Egress, r.Egress.Packets)
	} else {
		b.WriteString("sent to hosts that are not configured: not watched\n")
	}
	for _, words := range r.Missed {
		b.WriteString("MISSED: " + words + "\n")
	}
	for _, f := range r.Carriers {
		for _, words := range f.Disallowed {
			b.WriteString("  " + f.Carrier + ": " + words + "\n")
		}
	}
	return trimmedLines(b.String())
}

// attackPriced is the model at whose list price deliberations are counted.
const attackPriced = "claude-opus-5-5"

// dollars is what the tokens would cost.
func (s attackSize) dollars() float64 {
	prices, err := models.OpenPrices(nil)
	if err != nil {
		return 0
	}
	for _, p := range prices.List() {
		if p.Provider == "anthropic" && p.Model == attackPriced {
			return (float64(s.In-s.Cached)*p.Input + float64(s.Cached)*p.Cached + float64(s.Out)*p.Output) / 1e6
		}
	}
	return 0
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// byCount are keys, the most frequent first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
