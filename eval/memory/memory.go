// Package memory measures what is found in long conversations that somebody asked
// questions of, beside the plain full text index that every database has.
package memory

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/internal/recall"
)

var (
	//go:embed usage.txt
	usage string
	//go:embed figures.tmpl
	table string
	//go:embed scale.tmpl
	scaleTable string
)

// Suite is the subcommand.
func Suite() harness.Suite {
	return harness.Suite{Name: "memory", About: "what is found in long conversations, beside a plain full text index", Usage: usage,
		Options: func() harness.Options { return &options{} }}
}

// options are the command line of the suite.
type options struct {
	path   string
	only   string
	among  int
	strict bool
	sizes  []int
	beside string
}

// Flags implements harness.Options.
func (o *options) Flags(flags *flag.FlagSet) {
	flags.StringVar(&o.only, "only", "", "")
	flags.IntVar(&o.among, "among", 0, "")
	flags.BoolVar(&o.strict, "strict", false, "")
	flags.StringVar(&o.beside, "beside", "", "")
	flags.Func("scale", "", func(list string) error {
		for size := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(size)
			if err != nil || n < len(needles)+1 || n > mostOthers {
				return fmt.Errorf("take %d to %d, with commas between", len(needles)+1, mostOthers)
			}
			o.sizes = append(o.sizes, n)
		}
		return nil
	})
}

// mostOthers is as many as a lane of the memory holds.
const mostOthers = 300_000

// Check implements harness.Options.
func (o *options) Check(path string) error {
	switch o.path = path; {
	case path == "" && len(o.sizes) == 0:
		return errors.New("the path of the conversations, or --scale, is missing")
	case path != "" && len(o.sizes) > 0:
		return errors.New("--scale makes its own records: leave the path out")
	case o.beside != "" && len(o.sizes) == 0:
		return errors.New("--beside goes with --scale: what is measured beside --scale 10000?")
	case o.among < 0 || o.among > mostOthers:
		return fmt.Errorf("--among %d: take 0 to %d", o.among, mostOthers)
	}
	return nil
}

// Run implements harness.Options.
func (o *options) Run(ctx context.Context, _ harness.Call) (harness.Report, error) {
	if len(o.sizes) > 0 {
		lines, err := o.scale(ctx)
		return harness.Report{Figures: lines, Template: scaleTable}, err
	}
	all, err := load(o.path)
	if err != nil {
		return harness.Report{}, err
	}
	var chosen []conversation
	for _, c := range all {
		if o.only == "" || slices.Contains(strings.Split(o.only, ","), strings.TrimPrefix(c.name, "conv-")) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return harness.Report{}, fmt.Errorf("--only %s: there is no such conversation in %s", o.only, o.path)
	}
	found, err := o.measure(ctx, all, chosen)
	if err != nil {
		return harness.Report{}, err
	}
	report := harness.Report{Figures: found, Template: table}
	if o.strict {
		report.Missed = found.under()
	}
	return report, nil
}

// measure asks of each conversation by itself, of all together, and among others; and of
// each by itself with a part of the ranking left out.
func (o *options) measure(ctx context.Context, all, chosen []conversation) (found figures, err error) {
	alone := func(open func() (ranker, error), name string) (of ranking, err error) {
		of.Name = name
		sums := newSums()
		for _, c := range chosen {
			if err := ask(ctx, open, sums, nil, []conversation{c}, []conversation{c}); err != nil {
				return of, err
			}
		}
		sums.into(&of)
		return of, nil
	}
	var made []turn
	if o.among > 0 {
		var texts []string
		for _, c := range all {
			for _, t := range c.turns {
				texts = append(texts, t.text)
			}
		}
		for other := newOthers(texts...); len(made) < o.among; {
			made = append(made, other.turn(len(made)))
		}
	}
	kinds := []struct {
		name string
		open func() (ranker, error)
	}{{"plain", func() (ranker, error) { return openPlain(ctx) }}, {"ours", func() (ranker, error) { return ours{recall.New()}, nil }}}
	for _, name := range []string{"each conversation by itself", "one store with all conversations", fmt.Sprintf("the same among %d other records", o.among)} {
		in := stored{Name: name}
		for _, kind := range kinds {
			var of ranking
			if len(found.Stores) == 0 {
				of, err = alone(kind.open, kind.name)
			} else {
				of.Name = kind.name
				sums := newSums()
				others := made
				if len(found.Stores) == 1 {
					others = nil
				}
				err = ask(ctx, kind.open, sums, others, all, chosen)
				sums.into(&of)
			}
			if err != nil {
				return found, err
			}
			if len(found.Stores) > 0 {
				first := found.Stores[0].Rankings[len(in.Rankings)].All
				of.Loss = &share{At5: first.At5 - of.All.At5, At10: first.At10 - of.All.At10, Session1: first.Session1 - of.All.Session1, Session5: first.Session5 - of.All.Session5}
			}
			in.Rankings = append(in.Rankings, of)
		}
		if found.Stores = append(found.Stores, in); len(found.Stores) == 2 && o.among == 0 {
			break
		}
	}
	for _, part := range []struct {
		name  string
		leave func(*recall.Weights)
	}{
		{"what stands beside", func(w *recall.Weights) { w.Beside = 0 }}, {"what stands beyond", func(w *recall.Weights) { w.Beyond = 0 }},
		{"the question before", func(w *recall.Weights) { w.Answered = 0 }}, {"who is named", func(w *recall.Weights) { w.Named = 0 }},
		{"dates in the question", func(w *recall.Weights) { w.Dated = 0 }}, {"the session", func(w *recall.Weights) { w.Session = 0 }},
		{"all of these", func(w *recall.Weights) { *w = recall.Weights{} }},
	} {
		w := recall.Standard()
		part.leave(&w)
		of, err := alone(func() (ranker, error) { return ours{recall.NewWith(w)}, nil }, part.name)
		if err != nil {
			return found, err
		}
		of.All.Category = part.name
		found.Without = append(found.Without, of.All)
	}
	return found, nil
}

// figures are what the suite prints: of each store, and of each conversation by itself
// without a part of the ranking.
type figures struct {
	Stores  []stored `json:"stores"`
	Without []share  `json:"without"`
}

// stored is what was found of turns that stood in one store.
type stored struct {
	Name     string    `json:"name"`
	Rankings []ranking `json:"rankings"`
}

// ranking is how one way to rank did.
type ranking struct {
	Name       string  `json:"name"`
	All        share   `json:"all"`
	Categories []share `json:"categories"`
	Loss       *share  `json:"loss,omitempty"` // against each conversation by itself
}

// share is what was found of the evidence of some questions, on average: among the
// first five and ten turns, and whether the best session, and one of the best five,
// holds some of it.
type share struct {
	Category  string  `json:"category,omitempty"`
	Questions int     `json:"questions"`
	At5       float64 `json:"at5"`
	At10      float64 `json:"at10"`
	Session1  float64 `json:"session1"`
	Session5  float64 `json:"session5"`
}

// categories are the kinds of questions, by their numbers.
var categories = []string{"", "several turns", "when", "open", "one turn", "misleading"}

// sums are of the questions of each category.
type sums []share

func newSums() sums { return make(sums, len(categories)) }

func (sums sums) into(of *ranking) {
	for i, s := range sums {
		of.All.add(s)
		if s.Questions > 0 {
			s.Category = categories[i]
			of.Categories = append(of.Categories, s.mean())
		}
	}
	of.All = of.All.mean()
}

// ask puts the turns of conversations and others in one store, and asks what is asked of
// the chosen ones.
func ask(ctx context.Context, open func() (ranker, error), sums sums, others []turn, all, chosen []conversation) (err error) {
	r, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	told := slices.Clone(others)
	number := map[string]int{}
	for _, c := range all {
		for _, t := range c.turns {
			number[c.name+t.name] = len(told)
			told = append(told, t)
		}
	}
	if err := r.add(ctx, told); err != nil {
		return err
	}
	for _, c := range chosen {
		for _, q := range c.questions {
			turns, sessions, err := r.ask(ctx, q.text, c.turns[len(c.turns)-1].said)
			if err != nil {
				return err
			}
			s := share{Questions: 1}
			right := map[string]bool{}
			for _, e := range q.evidence {
				n := number[c.name+e]
				right[told[n].session] = true
				if at := slices.Index(turns, n); at >= 0 {
					s.At10 += 1 / float64(len(q.evidence))
					if at < 5 {
						s.At5 += 1 / float64(len(q.evidence))
					}
				}
			}
			for i, session := range sessions {
				if right[session] {
					s.Session5 = 1
					if i == 0 {
						s.Session1 = 1
					}
				}
			}
			kind := q.category
			if kind < 1 || kind >= len(categories) {
				kind = 0
			}
			sums[kind].add(s)
		}
	}
	return nil
}

func (s *share) add(o share) {
	s.Questions += o.Questions
	s.At5, s.At10, s.Session1, s.Session5 = s.At5+o.At5, s.At10+o.At10, s.Session1+o.Session1, s.Session5+o.Session5
}

func (s share) mean() share {
	n := float64(s.Questions)
	s.At5, s.At10, s.Session1, s.Session5 = s.At5/n, s.At10/n, s.Session1/n, s.Session5/n
	return s
}

// under says which figures are under the aims.
func (f figures) under() (err error) {
	plain, ours := f.Stores[0].Rankings[0].All, f.Stores[0].Rankings[1].All
	for _, aim := range []struct {
		name         string
		value, least float64
	}{
		{"what is found in ten, above plain", ours.At10 - plain.At10, 0.12}, {"what is found in five, above plain", ours.At5 - plain.At5, 0.11},
		{"the right session first", ours.Session1, 0.74}, {"the right session within five", ours.Session5, 0.91},
	} {
		if aim.value < aim.least {
			err = errors.Join(err, fmt.Errorf("%s is %.3f, and has to be %.2f", aim.name, aim.value, aim.least))
		}
	}
	return err
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
