package eval

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/threads"
)

const ruminationUsage = `subconsciousd eval rumination measures whether a mind talks itself into things. A
whole daemon looks at a world in which nothing changes, while its threads ask a
model that always says something, reworded each time, always asks to tell the
person, and rests it on its own words, invented references and what stands.

Usage:
  subconsciousd eval rumination [--ticks N] [--gate GATE] [--seed N] [--json]

  --ticks N    how many ticks, five minutes apart: 1 to 8000 (default 1000)
  --gate GATE  when threads are asked: always, adaptive, or both, one after the
               other (default both)
  --seed N     what the model says depends on it (default 1)
  --json       print the figures as JSON

It runs in a temporary folder, which it removes, and asks nobody outside of this
machine. Beside what the mechanics made of the findings it shows what the rules of
the published ancestor make of the same ones: findings need no evidence, likeness
of words makes an entry stronger, and what is strong is told.

An accepted finding is a near-repeat where 60 percent of the weight of its stems
are in one that was accepted before, or where it brings no evidence that is new to
its incident. It ends with code 1 where a reach is missed.
`

// maxTicks is four weeks.
const maxTicks = 8000

// ruminationOptions are the command line of the suite.
type ruminationOptions struct {
	ticks  int
	gates  []string
	seed   uint64
	asJSON bool
}

func (o ruminationOptions) script() modeltest.Script { return modeltest.Ruminator(o.seed) }

// ruminationFigures are the result of the suite.
type ruminationFigures struct {
	Seed  uint64        `json:"seed"`
	Gates []gateFigures `json:"gates"`
}

func runRumination(ctx context.Context, options ruminationOptions, _ []string, stdout, _ io.Writer) error {
	figures := ruminationFigures{Seed: options.seed}
	var missed []error
	for _, gate := range options.gates {
		measured, err := ruminate(ctx, options, gate)
		if err != nil {
			return fmt.Errorf("under the gate %s: %w", gate, err)
		}
		figures.Gates = append(figures.Gates, measured)
		for _, words := range measured.Missed {
			missed = append(missed, fmt.Errorf("under the gate %s a reach was missed: %s", gate, words))
		}
	}
	err := show(stdout, options.asJSON, figures, figures.text())
	return errors.Join(append(missed, err)...)
}

func parseRumination(args []string) (options ruminationOptions, help bool, err error) {
	flags := flag.NewFlagSet("rumination", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&options.ticks, "ticks", 1000, "")
	flags.Uint64Var(&options.seed, "seed", 1, "")
	flags.BoolVar(&options.asJSON, "json", false, "")
	gate := flags.String("gate", "both", "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return options, true, nil
	} else if err != nil {
		return options, false, err
	}
	switch {
	case flags.NArg() > 0:
		return options, false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case options.ticks < 1 || options.ticks > maxTicks:
		return options, false, fmt.Errorf("--ticks is %d; it takes 1 to %d", options.ticks, maxTicks)
	case *gate == "both":
		options.gates = []string{threads.Always, threads.Adaptive}
	case slices.Contains([]string{threads.Always, threads.Adaptive}, *gate):
		options.gates = []string{*gate}
	default:
		return options, false, fmt.Errorf("--gate is %q; it takes %s", *gate, strings.Join([]string{threads.Always, threads.Adaptive}, ", ")+" or both")
	}
	return options, false, nil
}
