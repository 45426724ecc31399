// Package mail delivers a corpus of real messages as the inbox of a fortnight to
// a whole daemon, and tells what it made of them.
package mail

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"strings"

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
	return harness.Suite{Name: "mail", About: "what is made of real messages, delivered as the inbox of a fortnight", Usage: usage,
		Options: func() harness.Options { return &options{} }}
}

// options are the command line of the suite.
type options struct {
	path             string
	parts, addresses []string
	days, sample     int
	seed             uint64
	strict           bool
}

const (
	maxSample  = 1000
	maxPersons = 50 // addresses of an account
)

// Flags implements harness.Options.
func (o *options) Flags(flags *flag.FlagSet) {
	harness.Names(flags, "parts", &o.parts)
	harness.Names(flags, "addresses", &o.addresses)
	flags.IntVar(&o.days, "days", corpusDays, "")
	flags.IntVar(&o.sample, "sample", 0, "")
	flags.Uint64Var(&o.seed, "seed", 1, "")
	flags.BoolVar(&o.strict, "strict", false, "")
}

// Check implements harness.Options.
func (o *options) Check(path string) error {
	if o.path = path; path == "" {
		return errors.New("no path is given; it takes a folder with parts, which are folders of messages")
	}
	for _, address := range o.addresses {
		if at := strings.LastIndexByte(address, '@'); at <= 0 || at == len(address)-1 || strings.ContainsAny(address, "<>\"") {
			return fmt.Errorf("--addresses has %q, which is no mail address", address)
		}
	}
	if len(o.addresses) > maxPersons {
		return fmt.Errorf("--addresses has %d; it takes %d at most", len(o.addresses), maxPersons)
	}
	if err := harness.Within("days", o.days, 1, corpusDays); err != nil {
		return err
	}
	return harness.Within("sample", o.sample, 0, maxSample)
}

// Run implements harness.Options.
func (o *options) Run(ctx context.Context, _ harness.Call) (harness.Report, error) {
	c, err := readCorpus(o.path, o.parts)
	if err != nil {
		return harness.Report{}, err
	}
	if len(o.addresses) == 0 {
		if o.addresses = c.addresses(); len(o.addresses) == 0 {
			return harness.Report{}, errors.New("the messages do not say whom they were delivered to; name the person with --addresses")
		}
	}
	found, err := deliver(ctx, c, o)
	report := harness.Report{Figures: found, Template: table}
	if o.strict {
		report.Missed = harness.Unmet("a reach was missed: ", found.Missed)
	}
	return report, err
}
