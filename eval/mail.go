package eval

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

const mailUsage = `subconsciousd eval mail delivers a corpus of real messages as the inbox of a
fortnight to a whole daemon, and tells what it made of them: what it takes for
asking something of the person, what it noticed and told, and what that cost.

Usage:
  subconsciousd eval mail PATH [--parts NAME,…] [--addresses ADDRESS,…]
                          [--days N] [--sample N] [--seed N] [--strict] [--json]

PATH is a folder with a folder for each part, and in it a file for each message,
as it was received. Parts with "spam" in their name are spam. Files that end in
.json say something about messages, and are passed over; so are files without a
header, which are counted.

  --parts NAMES        the parts that are read; without it all of them
  --addresses LIST     who the person is; without it those that the messages
                       say they were delivered to
  --days N             over how many days they come (default 14)
  --sample N           print N findings for judging by hand, drawn with --seed
  --seed N             draws others (default 1)
  --strict             end with code 1 where a reach is missed
  --json               print the figures as JSON

The messages come in the order of their dates, evenly over the days in the middle
of them. Rules alone think. It plays in a temporary folder, which it removes, and
asks nobody outside of this process.
`

// mailOptions are the command line of the suite.
type mailOptions struct {
	path             string
	parts, addresses []string
	days, sample     int
	seed             uint64
	strict, asJSON   bool
}

func runMail(ctx context.Context, options mailOptions, _ []string, stdout, _ io.Writer) error {
	corpus, err := readCorpus(options.path, options.parts)
	if err != nil {
		return err
	}
	if len(options.addresses) == 0 {
		if options.addresses = corpus.addresses(); len(options.addresses) == 0 {
			return errors.New("the messages do not say whom they were delivered to; name the person with --addresses")
		}
	}
	figures, err := deliverCorpus(ctx, corpus, options)
	if err != nil {
		return err
	}
	err = show(stdout, options.asJSON, figures, figures.text())
	if options.strict {
		for _, words := range figures.Missed {
			err = errors.Join(err, fmt.Errorf("a reach was missed: %s", words))
		}
	}
	return err
}

func parseMail(args []string) (options mailOptions, help bool, err error) {
	flags := flag.NewFlagSet("mail", flag.ContinueOnError)
	list := func(to *[]string) func(string) error {
		return func(text string) error {
			*to = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
			return nil
		}
	}
	flags.Func("parts", "", list(&options.parts))
	flags.Func("addresses", "", list(&options.addresses))
	flags.IntVar(&options.days, "days", corpusDays, "")
	flags.IntVar(&options.sample, "sample", 0, "")
	flags.Uint64Var(&options.seed, "seed", 1, "")
	flags.BoolVar(&options.strict, "strict", false, "")
	flags.BoolVar(&options.asJSON, "json", false, "")
	if options.path, help, err = parsePath(flags, args); help || err != nil {
		return options, help, err
	}
	switch {
	case options.path == "":
		return options, false, errors.New("no path is given; it takes a folder with parts, which are folders of messages")
	case options.days < 1 || options.days > corpusDays:
		return options, false, fmt.Errorf("--days is %d; it takes 1 to %d", options.days, corpusDays)
	case options.sample < 0 || options.sample > maxSample:
		return options, false, fmt.Errorf("--sample is %d; it takes 0 to %d", options.sample, maxSample)
	}
	for _, address := range options.addresses {
		if at := strings.LastIndexByte(address, '@'); at <= 0 || at == len(address)-1 || strings.ContainsAny(address, "<>\"") {
			return options, false, fmt.Errorf("--addresses has %q, which is no mail address", address)
		}
	}
	if len(options.addresses) > maxPersons {
		return options, false, fmt.Errorf("--addresses has %d; it takes %d at most", len(options.addresses), maxPersons)
	}
	return options, false, nil
}

const (
	maxSample  = 1000
	maxPersons = 50 // addresses of an account
)
