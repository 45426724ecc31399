// Package letters trains the score of letters on the letters of labelled days,
// and says how well it judges letters of lives that it was not trained on.
package letters

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/subconsciousd/subconsciousd/eval/days"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

var (
	//go:embed usage.txt
	usage string
	//go:embed figures.tmpl
	table string
)

// Suite is the subcommand.
func Suite() harness.Suite {
	return harness.Suite{Name: "letters", About: "how letters are scored, trained on those of labelled days", Usage: usage,
		Options: func() harness.Options { return &options{} }}
}

type options struct {
	path, train, words string
	worst              int
}

// Flags implements harness.Options.
func (o *options) Flags(flags *flag.FlagSet) {
	flags.StringVar(&o.train, "train", "", "")
	flags.StringVar(&o.words, "words", "", "")
	flags.IntVar(&o.worst, "worst", 0, "")
}

// Check implements harness.Options.
func (o *options) Check(path string) error {
	if o.path = path; path == "" {
		return errors.New("no path is given; the days that are shipped are in eval/days")
	}
	if o.words != "" && o.train != "" {
		return errors.New("--words learns from lists of letters and --train from days: give one of them")
	}
	return nil
}

// clutterWeight is what a letter counts that a generator wrote, beside one that
// somebody wrote down.
const clutterWeight = 0.2

// figures are the result.
type figures struct {
	Letters int               `json:"letters"`
	Writers map[string]counts `json:"writers"`
	// ByAuthor are judged by weights trained on all other lives, ByLanguage by those
	// trained on the lives of all other languages. A life is one file of one author.
	ByAuthor   validation `json:"by_author"`
	ByLanguage validation `json:"by_language"`
	Weights    []weight   `json:"weights"`
	Missed     []judged   `json:"missed,omitempty"`
	Raised     []judged   `json:"raised,omitempty"`
}

type counts struct{ Needles, Worth, Other int }

type weight struct {
	Name   string `json:"name"`
	Weight int    `json:"weight"`
}

type validation struct {
	Area   float64            `json:"area_under_curve"`
	Recall map[string]float64 `json:"recall_at_precision_085"` // by who wrote
	// Parts are the lives, or the languages, that were left out in turn.
	Parts   map[string]part `json:"parts"`
	Bins    []bin           `json:"calibration"`
	Told    int             `json:"told_at_65"`
	Right   int             `json:"right_at_65"`
	Found   int             `json:"needles_at_65"`
	Needles int             `json:"needles"`
}

// part are the letters of one life or of one language.
type part struct {
	Letters int     `json:"letters"`
	Needles int     `json:"needles"`
	Area    float64 `json:"area_under_curve"`
	Recall  float64 `json:"recall_at_precision_085"`
}

// bin are letters whose chance lies in one tenth, each counted by what it costs
// to judge it wrongly.
type bin struct {
	From    float64 `json:"from"`
	Letters int     `json:"letters"`
	Chance  float64 `json:"chance"`
	Wanted  float64 `json:"wanted"`
}

type judged struct {
	Letter  string   `json:"letter"`
	Writer  string   `json:"writer"`
	Chance  float64  `json:"chance"`
	Subject string   `json:"subject"`
	Reasons []string `json:"reasons"`
}

// Run implements harness.Options.
func (o *options) Run(ctx context.Context, _ harness.Call) (harness.Report, error) {
	if o.words != "" {
		return learnWords(o.path, o.words)
	}
	labelled, err := days.Letters(ctx, o.path, "tune")
	if err != nil {
		return harness.Report{}, err
	}
	samples, f := collect(labelled), figures{Letters: len(labelled), Writers: map[string]counts{}}
	var within []limits
	for _, feature := range score.Letters.Features {
		l := limits{math.Inf(-1), math.Inf(1)}
		if feature.Sign > 0 {
			l.least = 0
		} else if feature.Sign < 0 {
			l.most = 0
		}
		if most, bounded := score.Letters.Most[feature.Name]; bounded {
			l.most = float64(most) / 100
		}
		within = append(within, l)
	}
	for _, l := range labelled {
		c := f.Writers[l.Writer]
		switch {
		case l.Needle:
			c.Needles++
		case l.Worth:
			c.Worth++
		default:
			c.Other++
		}
		f.Writers[l.Writer] = c
	}
	author, language := func(s sample) string { return s.Group }, func(s sample) string { return s.Language }
	byAuthor := crossValidate(samples, within, ridge, author)
	f.ByAuthor, f.ByLanguage = validate(byAuthor, author), validate(crossValidate(samples, within, ridge, language), language)
	m := train(samples, within, ridge)
	t := &score.Table[score.Letter]{Features: score.Letters.Features, Weights: m.weights, Bias: m.bias}
	for i, feature := range t.Features {
		f.Weights = append(f.Weights, weight{feature.Name, m.weights[i]})
	}
	slices.SortStableFunc(f.Weights, func(a, b weight) int { return cmp.Compare(b.Weight, a.Weight) })
	f.Missed, f.Raised = worst(byAuthor, t, o.worst)
	report := harness.Report{Figures: f, Template: table}
	if o.train != "" {
		if err := os.WriteFile(o.train, []byte(t.Text()), 0o644); err != nil {
			return report, fmt.Errorf("write the weights: %w", err)
		}
	}
	return report, nil
}

// collect makes samples of letters.
func collect(labelled []days.Labelled) (all []sample) {
	for n, l := range labelled {
		s := sample{Name: fmt.Sprintf("%s/%s/%06d", l.Day, l.Mail, n), Group: l.Day, Language: l.Language, Writer: l.Writer, Weight: 1, labelled: l}
		for _, f := range score.Letters.Features {
			s.X = append(s.X, f.Of(l.Letter))
		}
		switch {
		case l.Needle:
			s.Want = 1
		case l.Worth:
			s.Want = 0.5
		}
		if l.Mail == "" {
			s.Weight = clutterWeight
		}
		all = append(all, s)
	}
	return all
}

// pushFrom is the chance from which on a letter is pushed.
const pushFrom = 0.65

// automatic are letters of machines and lists, with which clutter is counted: a
// needle among them has to be found in all of it.
const automatic = "automatic letters"

func validate(all []held, group func(sample) string) validation {
	v := validation{Area: harness.Round(area(all), 3), Recall: map[string]float64{}, Parts: map[string]part{}}
	writers, groups := map[string][]held{"all": all}, map[string][]held{}
	for _, h := range all {
		writer := h.Writer
		if h.labelled.Mail == "" {
			writer = automatic
		}
		writers[writer], groups[group(h.sample)] = append(writers[writer], h), append(groups[group(h.sample)], h)
		if h.Want == 1 {
			v.Needles++
		}
		if h.P >= pushFrom {
			v.Told++
			if h.Want > 0 {
				v.Right++
			}
			if h.Want == 1 {
				v.Found++
			}
		}
	}
	for writer, own := range writers {
		if slices.ContainsFunc(own, func(h held) bool { return h.Want == 1 }) {
			v.Recall[writer] = harness.Round(recallAt(own, 0.85), 3)
		}
	}
	for name, own := range groups {
		p := part{Letters: len(own), Area: harness.Round(area(own), 3), Recall: harness.Round(recallAt(own, 0.85), 3)}
		for _, h := range own {
			if h.Want == 1 {
				p.Needles++
			}
		}
		v.Parts[name] = p
	}
	for tenth := range 10 {
		b, n := bin{From: float64(tenth) / 10}, 0.0
		for _, h := range all {
			if int(h.P*10) == tenth {
				b.Letters++
				b.Chance += cost(h.sample) * h.P
				b.Wanted += cost(h.sample) * h.Want
				n += cost(h.sample)
			}
		}
		if n > 0 {
			b.Chance, b.Wanted = harness.Round(b.Chance/n, 2), harness.Round(b.Wanted/n, 2)
		}
		v.Bins = append(v.Bins, b)
	}
	return v
}

// worst are the needles judged lowest and the noise judged highest.
func worst(all []held, t *score.Table[score.Letter], n int) (missed, raised []judged) {
	say := func(h held) judged {
		return judged{h.labelled.Day + " " + h.labelled.Mail, h.Writer, harness.Round(h.P, 2), h.labelled.Subject, t.Judge(h.labelled.Letter, 0).Reasons}
	}
	for _, h := range all {
		if h.Want == 0 && len(raised) < n {
			raised = append(raised, say(h))
		}
	}
	for _, h := range slices.Backward(all) {
		if h.Want == 1 && len(missed) < n {
			missed = append(missed, say(h))
		}
	}
	return missed, raised
}
