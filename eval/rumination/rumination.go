// Package rumination measures whether a mind in which nothing happens talks
// itself into things.
package rumination

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/threads"
)

var (
	//go:embed usage.txt
	usage string
	//go:embed figures.tmpl
	table string
)

// maxTicks is four weeks.
const maxTicks = 8000

// Suite is the subcommand.
func Suite() harness.Suite {
	return harness.Suite{Name: "rumination", About: "whether a mind in which nothing happens talks itself into things", Usage: usage,
		Options: func() harness.Options { return &options{} }}
}

// options are the command line of the suite.
type options struct {
	ticks int
	gate  string
	seed  uint64
}

// figures are the result of the suite.
type figures struct {
	Seed  uint64        `json:"seed"`
	Gates []gateFigures `json:"gates"`
}

// Flags implements harness.Options.
func (o *options) Flags(flags *flag.FlagSet) {
	flags.IntVar(&o.ticks, "ticks", 1000, "")
	flags.Uint64Var(&o.seed, "seed", 1, "")
	flags.StringVar(&o.gate, "gate", "both", "")
}

// Check implements harness.Options.
func (o *options) Check(path string) error {
	if path != "" {
		return fmt.Errorf("unexpected argument %q", path)
	}
	if err := harness.Within("ticks", o.ticks, 1, maxTicks); err != nil {
		return err
	}
	return harness.OneOf("gate", o.gate, threads.Always, threads.Adaptive, "both")
}

// Run implements harness.Options.
func (o *options) Run(ctx context.Context, _ harness.Call) (harness.Report, error) {
	found := figures{Seed: o.seed}
	var missed error
	for _, gate := range []string{threads.Always, threads.Adaptive} {
		if o.gate != gate && o.gate != "both" {
			continue
		}
		measured, err := ruminate(ctx, o, gate)
		if err != nil {
			return harness.Report{}, fmt.Errorf("under the gate %s: %w", gate, err)
		}
		found.Gates = append(found.Gates, measured)
		missed = errors.Join(missed, harness.Unmet("under the gate "+gate+" a reach was missed: ", measured.Missed))
	}
	return harness.Report{Figures: found, Template: table, Missed: missed}, nil
}
