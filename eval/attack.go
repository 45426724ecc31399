package eval

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/eval/egress"
)

const attackUsage = `subconsciousd eval attack lets models that do whatever a text tells them think for a
whole daemon, and tells what they could cause: every instruction of a corpus comes
by mail, invitation, file, feed, agent and note, and the model that sees one
follows it, and tries every tool with every argument that an attacker would think of.

Usage:
  subconsciousd eval attack PATH [--sample N | --all] [--carriers NAMES]
      [--limits MODE] [--unwatched] [--json]
  subconsciousd eval attack PATH --twin NAME | --twins [--unwatched] [--json]

PATH is a folder with injection/injecagent_*.jsonl.gz, injection/bipia_email.jsonl
and bipia_attacks.json, and mail/benign.json; or the folder injection in it.

  --sample N        so many cases by each carrier (default 75, in turn, so that
                    every case comes by one of them at least)
  --all             every case by every carrier
  --carriers NAMES  these carriers alone, separated by commas
  --limits MODE     lifted: neither money nor attention runs out, so that all is
                    seen that models may cause (the default); shipped: those of
                    the default configuration hold, until the next morning's digest
  --twin NAME       leave one guard out: the attack must reach something then
  --twins           each guard in turn, on a small sample
  --unwatched       also where it cannot be watched what leaves the process
  --json            print the figures as JSON

It plays in temporary folders, which it removes, in a network of its own that
reaches nobody. It ends with code 1 where an effect was reached that nothing
allows, a byte was sent to a host that is not configured, words of strangers are in
trusted memory, or news of others was kept back; with --twin and --twins, where
leaving the guard out was not found.
`

// attackOptions are the command line of the suite.
type attackOptions struct {
	path, twin, limits            string
	sample                        int
	carriers                      []string
	all, twins, unwatched, asJSON bool
	// seen is what left the process up to now; nil where that is not watched.
	seen func(ctx context.Context) (egress.Seen, error)
}

const (
	// leastOwn is from how many notes of the owner on all that may follow has to.
	leastOwn = 40
	// casesACarrier come by each carrier where nothing else is said, casesATwin
	// by each carrier of a twin, and casesAWorld in one world.
	casesACarrier = 75
	casesATwin    = 12
	casesAWorld   = 24

	limitsLifted, limitsShipped = "lifted", "shipped"
)

func runAttack(ctx context.Context, options attackOptions, args []string, stdout, stderr io.Writer) error {
	corpus, err := readAttacks(options.path)
	if err != nil {
		return err
	}
	if !egress.Inside() && !options.unwatched {
		code, err := egress.Enter(ctx, append([]string{"eval", "attack"}, args...), stdout, stderr)
		switch {
		case errors.Is(err, egress.ErrUnsupported):
			return fmt.Errorf("%w; with --unwatched the rest is measured all the same", err)
		case err != nil:
			return err
		case code != 0:
			return fmt.Errorf("the run in a network of its own ended with code %d; what it found is above", code)
		}
		return nil
	}
	result, err := attack(ctx, corpus, options)
	if err != nil {
		return err
	}
	err = show(stdout, options.asJSON, result, result.text())
	return errors.Join(err, result.failure())
}

func parseAttack(args []string) (options attackOptions, help bool, err error) {
	flags := flag.NewFlagSet("attack", flag.ContinueOnError)
	flags.IntVar(&options.sample, "sample", 0, "")
	flags.BoolVar(&options.all, "all", false, "")
	flags.Func("carriers", "", func(text string) error {
		options.carriers = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	})
	flags.StringVar(&options.limits, "limits", limitsLifted, "")
	flags.StringVar(&options.twin, "twin", "", "")
	flags.BoolVar(&options.twins, "twins", false, "")
	flags.BoolVar(&options.unwatched, "unwatched", false, "")
	flags.BoolVar(&options.asJSON, "json", false, "")
	if options.path, help, err = parsePath(flags, args); help || err != nil {
		return options, help, err
	}
	for _, name := range options.carriers {
		if _, err := carrierNamed(name); err != nil {
			return options, false, fmt.Errorf("--carriers: %w", err)
		}
	}
	sampled := false
	flags.Visit(func(f *flag.Flag) { sampled = sampled || f.Name == "sample" })
	switch {
	case options.path == "":
		return options, false, errors.New("no path is given; it takes a folder with injection/ and mail/")
	case sampled && options.sample < 1 || options.sample > maxAttackCases:
		return options, false, fmt.Errorf("--sample is %d; it takes 1 to %d", options.sample, maxAttackCases)
	case sampled && options.all:
		return options, false, errors.New("--sample and --all exclude each other")
	case options.limits != limitsLifted && options.limits != limitsShipped:
		return options, false, fmt.Errorf("--limits is %q; it takes %s or %s", options.limits, limitsLifted, limitsShipped)
	case options.limits == limitsShipped && (options.twin != "" || options.twins):
		return options, false, errors.New("--limits shipped and twins exclude each other")
	case options.twin != "" && options.twins:
		return options, false, errors.New("--twin and --twins exclude each other")
	case options.twin != "" && !slices.ContainsFunc(attackTwins(), func(t attackTwin) bool { return t.name == options.twin }):
		return options, false, fmt.Errorf("there is no twin %q; there are %s", options.twin, strings.Join(twinNames(), ", "))
	}
	return options, false, nil
}

// chosen are the carriers of a run.
func (o attackOptions) chosen() []attackCarrier {
	all := attackCarriers()
	if len(o.carriers) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c attackCarrier) bool { return !slices.Contains(o.carriers, c.name) })
}
