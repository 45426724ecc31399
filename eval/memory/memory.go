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
)

// Suite is the subcommand.
func Suite() harness.Suite {
	return harness.Suite{Name: "memory", About: "what is found in long conversations, beside a plain full text index", Usage: usage,
		Options: func() harness.Options { return &options{} }}
}

// options are the command line of the suite.
type options struct {
	path     string
	only     string
	together bool
	strict   bool
}

// Flags implements harness.Options.
func (o *options) Flags(flags *flag.FlagSet) {
	flags.StringVar(&o.only, "only", "", "")
	flags.BoolVar(&o.together, "together", false, "")
	flags.BoolVar(&o.strict, "strict", false, "")
}

// Check implements harness.Options.
func (o *options) Check(path string) error {
	if o.path = path; path == "" {
		return errors.New("the path of the conversations is missing")
	}
	return nil
}

// Run implements harness.Options.
func (o *options) Run(ctx context.Context, _ harness.Call) (harness.Report, error) {
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
	stored := func(c conversation) []conversation { return []conversation{c} }
	if o.together {
		stored = func(conversation) []conversation { return all }
	}
	found := figures{Together: o.together}
	for _, name := range []string{"plain", "ours"} {
		of, err := measure(ctx, name, chosen, stored)
		if err != nil {
			return harness.Report{}, err
		}
		found.Rankings = append(found.Rankings, of)
	}
	report := harness.Report{Figures: found, Template: table}
	if o.strict {
		report.Missed = found.under()
	}
	return report, nil
}

// figures are what the suite prints.
type figures struct {
	Together bool      `json:"together"`
	Rankings []ranking `json:"rankings"`
}

// ranking is how one way to rank did.
type ranking struct {
	Name       string  `json:"name"`
	All        share   `json:"all"`
	Categories []share `json:"categories"`
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

func measure(ctx context.Context, name string, chosen []conversation, stored func(conversation) []conversation) (of ranking, err error) {
	sums := make([]share, len(categories))
	for _, c := range chosen {
		var r ranker = ours{recall.New()}
		if name == "plain" {
			if r, err = openPlain(ctx); err != nil {
				return of, err
			}
		}
		number := map[string]int{}
		var told []turn
		for _, other := range stored(c) {
			for _, t := range other.turns {
				if other.name == c.name {
					number[t.name] = len(told)
				}
				if err := r.add(ctx, len(told), t); err != nil {
					return of, errors.Join(err, r.close())
				}
				told = append(told, t)
			}
		}
		for _, q := range c.questions {
			turns, err := r.turns(ctx, q.text, 10)
			var sessions []string
			if err == nil {
				sessions, err = r.sessions(ctx, q.text, 5)
			}
			if err != nil {
				return of, errors.Join(err, r.close())
			}
			s := share{Questions: 1}
			right := map[string]bool{}
			for _, e := range q.evidence {
				n := number[e]
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
		if err := r.close(); err != nil {
			return of, err
		}
	}
	of.Name = name
	for i, s := range sums {
		of.All.add(s)
		if s.Questions > 0 {
			s.Category = categories[i]
			of.Categories = append(of.Categories, s.mean())
		}
	}
	of.All = of.All.mean()
	return of, nil
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
	plain, ours := f.Rankings[0].All, f.Rankings[1].All
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
