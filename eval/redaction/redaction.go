// Package redaction measures what is taken out of text, on files in which
// somebody labelled the secrets.
package redaction

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"

	"github.com/subconsciousd/subconsciousd/eval/harness"
)

var (
	//go:embed usage.txt
	usage string
	//go:embed figures.tmpl
	table string
)

// Suite is the subcommand.
func Suite() harness.Suite {
	return harness.Suite{Name: "redaction", About: "how many labelled secrets are taken out of text, and what else is", Usage: usage,
		Options: func() harness.Options { return &options{} }}
}

// options are the command line of the suite.
type options struct {
	path, half string
	strict     bool
	misses     int
}

// Flags implements harness.Options.
func (o *options) Flags(flags *flag.FlagSet) {
	flags.StringVar(&o.half, "half", "all", "")
	flags.BoolVar(&o.strict, "strict", false, "")
	flags.IntVar(&o.misses, "misses", 0, "")
}

// Check implements harness.Options.
func (o *options) Check(path string) error {
	switch o.path = path; {
	case path == "":
		return errors.New("the path of the labelled files is missing")
	case o.misses < 0:
		return fmt.Errorf("--misses is %d; it takes a number from 0 up", o.misses)
	case o.misses > 0 && o.half != "tuning":
		return errors.New("--misses lists cases of the tuning half alone; add --half tuning")
	}
	return harness.OneOf("half", o.half, "tuning", "other", "all")
}

// Run implements harness.Options.
func (o *options) Run(ctx context.Context, _ harness.Call) (harness.Report, error) {
	set, err := openSamples(ctx, o.path)
	if err != nil {
		return harness.Report{}, err
	}
	found, err := measure(ctx, set, o)
	report := harness.Report{Figures: found, Template: table}
	if o.strict {
		report.Missed = found.under()
	}
	return report, err
}

// under says which figures are under the aims.
func (f figures) under() (err error) {
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
