package screen

import (
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
)

// Calibration is what was learnt from the person's answers.
func Calibration(view View, c api.Calibration) string {
	p := newPage(view)
	if len(c.Scores) == 0 {
		p.wrapped("", plain, "Nothing is learnt yet: it is learnt from what you say to what you are told (ack --useful, ack --not-useful, dismiss), and from what you missed.")
		p.thresholds(c)
		return p.String()
	}
	column := 24
	for _, s := range c.Scores {
		column = max(column, cells(Sort(s)))
	}
	wide := p.Width >= 76
	column = min(column, p.Width-2-calibrationCells)
	if wide {
		p.line(p.in(bold, "  "+pad("sort", column)+"  "+pad("of use", barCells)+"  "+pad("weight", 6)+"  pushed from"))
	}
	for i, s := range c.Scores {
		if i > 0 {
			p.line()
		}
		numbers := bar(usefulShare(s)) + "  " + pad(fmt.Sprintf("×%.2f", s.Weight), 6) + "  " + needWords(s.Needs)
		if wide {
			p.line("  ", pad(Sort(s), column), "  ", numbers)
		} else {
			p.wrapped("  ", plain, Sort(s))
			p.line("    ", numbers)
		}
		p.wrapped("    ", dim, countWords(s)+" · "+p.relative(s.Updated))
	}
	p.thresholds(c)
	p.wrapped("", plain, "Forget a sort: subconsciousctl calibration reset --thread T --source S --kind K")
	return p.String()
}

// calibrationCells is what the numbers of a row take: gaps, bar, weight, need.
const calibrationCells = 2 + barCells + 2 + 6 + 2 + 14

// Sort names the sort of thing that a score is about.
func Sort(s api.ScoreStatus) string {
	var parts []string
	for _, part := range []string{string(s.Thread), s.Source, string(s.Kind)} {
		if part = clean(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

// usefulShare is how many in ten of what was said of a sort were for telling.
func usefulShare(s api.ScoreStatus) int {
	good := s.Useful + s.Missed
	all := good + s.NotUseful + s.Dismissed + s.Ignored
	if all == 0 {
		return 0
	}
	return (good*barCells + all/2) / all
}

func countWords(s api.ScoreStatus) string {
	var parts []string
	for _, c := range []struct {
		n     int
		words string
	}{{s.Useful, "useful"}, {s.NotUseful, "not useful"}, {s.Dismissed, "dismissed"}, {s.Ignored, "without an answer"}, {s.Missed, "missed"}} {
		if c.n > 0 {
			parts = append(parts, thousands(c.n)+" "+c.words)
		}
	}
	if len(parts) == 0 {
		return "nothing said yet"
	}
	return strings.Join(parts, ", ")
}

func needWords(needs int) string {
	if needs > barCells {
		return "never"
	}
	return "importance " + fmt.Sprint(needs)
}

// importance says an importance on its scale.
func importance(n int) string { return fmt.Sprintf("%d of 10", n) }

func (p *page) thresholds(c api.Calibration) {
	p.line()
	p.wrapped("", dim, fmt.Sprintf("What comes to a confidence of %.2f is pushed, from %.2f on it goes into the digest. The weight is what importance is multiplied by; ×1.00 changes nothing.",
		c.PushFrom, c.DigestFrom))
}

// Forgotten is what a reset of the calibration forgot.
type Forgotten struct {
	Forgot []api.ScoreStatus `json:"forgot"`
	api.Calibration
}

// Forgot says what a reset forgot, and what is left.
func Forgot(view View, f Forgotten) string {
	p := newPage(view)
	if len(f.Forgot) == 0 {
		p.wrapped("", plain, "Nothing of that sort was learnt, so nothing is forgotten.")
		return p.String()
	}
	p.wrapped("", bold, "Forgot what was learnt of "+number(len(f.Forgot), "sort")+":")
	for _, s := range f.Forgot {
		p.wrapped("  ", plain, Sort(s)+": "+countWords(s))
	}
	left := "Nothing is left."
	if n := len(f.Scores); n > 0 {
		left = number(n, "sort") + " left: subconsciousctl calibration"
	}
	p.wrapped("", dim, left)
	return p.String()
}
