package eval

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

const redactionUsage = `subconsciousd eval redaction measures what is taken out of text before it is
stored, logged or sent, on files in which somebody labelled the secrets.

Usage:
  subconsciousd eval redaction PATH [--half tuning|other|all] [--strict] [--json] [--misses N]

  PATH          a folder, or a .tar.gz of one (or the folder in which that lies
                alone), with labels.json inside: a list of {path, rule, value, line, s, e, sev, conf}; line counts from 1, s
                and e are the characters of the line where the secret begins and
                ends
  --half HALF   tuning: files whose path has a SHA-256 that begins with an even
                byte, for tuning rules on; other: the rest, to be measured and
                never looked at; all: both (default)
  --strict      end with code 1 where strong recall is under 0.90, recall under
                0.80 or precision under 0.85
  --json        print the figures as JSON
  --misses N    list up to N labels that were missed and N wrong hits, with their
                text; the tuning half alone can be looked at

What is counted: places that are labelled, each once, however many labels it has;
the lines of one PEM block are one place. A place is found where one hit covers 80
percent of it. A hit is right where it covers 80 percent of a place, or lies within
one by 80 percent. Labels of UUIDs, buckets, domains, client ids and app ids are
left out: they count neither way, and neither do hits on them. A place is strong
where one of its labels has the confidence "strong".
Recall is averaged over the files with places (for strong recall: with strong
ones), precision over the files with hits that count. Files without a label are not
read: nobody said what is in them.
`

// redactionOptions are the command line of the suite.
type redactionOptions struct {
	path, half     string
	strict, asJSON bool
	misses         int
}

func runRedaction(ctx context.Context, options redactionOptions, _ []string, stdout, _ io.Writer) error {
	set, err := openSamples(ctx, options.path)
	if err != nil {
		return err
	}
	figures, err := measureRedaction(ctx, set, options)
	if err != nil {
		return err
	}
	err = show(stdout, options.asJSON, figures, figures.text())
	if options.strict {
		err = errors.Join(err, figures.under())
	}
	return err
}

// under says which figures are under the aims.
func (f redactionFigures) under() (err error) {
	for _, aim := range []struct {
		name         string
		value, least float64
	}{{"strong recall", f.Strong.Recall, 0.90}, {"recall", f.All.Recall, 0.80}, {"precision", f.Precision.Value, 0.85}} {
		if aim.value < aim.least {
			err = errors.Join(err, fmt.Errorf("%s is %.3f, and has to be %.2f", aim.name, aim.value, aim.least))
		}
	}
	return err
}

// parseRedaction reads options before and after the path.
func parseRedaction(args []string) (options redactionOptions, help bool, err error) {
	flags := flag.NewFlagSet("redaction", flag.ContinueOnError)
	flags.StringVar(&options.half, "half", "all", "")
	flags.BoolVar(&options.strict, "strict", false, "")
	flags.BoolVar(&options.asJSON, "json", false, "")
	flags.IntVar(&options.misses, "misses", 0, "")
	if options.path, help, err = parsePath(flags, args); help || err != nil {
		return options, help, err
	}
	switch {
	case options.path == "":
		return options, false, errors.New("the path of the labelled files is missing")
	case !slices.Contains([]string{"tuning", "other", "all"}, options.half):
		return options, false, fmt.Errorf("--half is %q; it takes tuning, other or all", options.half)
	case options.misses < 0:
		return options, false, fmt.Errorf("--misses is %d; it takes a number from 0 up", options.misses)
	case options.misses > 0 && options.half != "tuning":
		return options, false, errors.New("--misses lists cases of the tuning half alone; add --half tuning")
	}
	return options, false, nil
}

// text is the figures for people.
func (f redactionFigures) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s half: %d files, %d labelled places\n\n", f.Half, f.Files, f.All.Places)
	line := func(name string, value float64, files, hits, of int) {
		fmt.Fprintf(&b, "%-15s %.3f   mean of %d files; %d of %d in all\n", name, value, files, hits, of)
	}
	line("strong recall", f.Strong.Recall, f.Strong.Files, f.Strong.Found, f.Strong.Places)
	line("recall", f.All.Recall, f.All.Files, f.All.Found, f.All.Places)
	line("precision", f.Precision.Value, f.Precision.Files, f.Precision.Right, f.Precision.Hits)
	fmt.Fprintf(&b, "%-15s %.4f ms/KB\n", "time", f.MillisPerKB)
	if len(f.LeftOut) > 0 {
		var rules []string
		for _, r := range f.LeftOut {
			rules = append(rules, fmt.Sprintf("%s (%d)", r.Rule, r.Labels))
		}
		fmt.Fprintf(&b, "\nleft out: labels of the rules %s\n", strings.Join(rules, ", "))
	}
	if f.Nowhere > 0 {
		fmt.Fprintf(&b, "\nnot counted: %d labels that point outside of their file\n", f.Nowhere)
	}
	list := func(title string, cases []redactionCase) {
		if len(cases) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s:\n", title)
		for _, c := range cases {
			fmt.Fprintf(&b, "  %s:%d  %s  %q in %q\n", c.Path, c.Line, c.Rule, c.Text, c.Around)
		}
	}
	list("missed", f.Missed)
	list("wrong hits", f.Wrong)
	return b.String()
}
