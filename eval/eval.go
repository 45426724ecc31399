// Package eval measures the daemon: the suites behind `subconsciousd eval`. A
// suite takes labelled data as a path, or makes a world of its own in a temporary
// folder. It keeps nothing, and prints figures that can be compared from one
// version to the next.
//
// cmd/subconsciousd calls Run; nothing else does.
package eval

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Exit codes, as those of the commands.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// suite is one subcommand.
type suite struct {
	name, about string
	run         func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

// suites are all of them, in the order in which they are listed.
func suites() []suite {
	return []suite{
		suiteOf("attack", "what models could cause that do whatever a text tells them", attackUsage, parseAttack, runAttack),
		suiteOf("days", "what people are told of days of their lives, and what they would have wanted", daysUsage, parseDays, runDays),
		suiteOf("mail", "what is made of real messages, delivered as the inbox of a fortnight", mailUsage, parseMail, runMail),
		suiteOf("redaction", "how many labelled secrets are taken out of text, and what else is", redactionUsage, parseRedaction, runRedaction),
		suiteOf("rumination", "whether a mind in which nothing happens talks itself into things", ruminationUsage, parseRumination, runRumination),
	}
}

// suiteOf is a suite with options of its own.
func suiteOf[T any](name, about, usage string, parse func([]string) (T, bool, error),
	run func(ctx context.Context, options T, args []string, stdout, stderr io.Writer) error) suite {
	return suite{name, about, func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		options, help, err := parse(args)
		switch {
		case err != nil:
			return usageError{name, err}
		case help:
			_, err := io.WriteString(stdout, usage)
			return err
		}
		return run(ctx, options, args, stdout, stderr)
	}}
}

// show writes figures, as JSON or as text.
func show(out io.Writer, asJSON bool, figures any, text string) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(figures)
	}
	_, err := io.WriteString(out, text)
	return err
}

// usageError is a wrong command line: said with the way to help.
type usageError struct {
	suite string
	err   error
}

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// Run carries out `eval args…` and returns the exit code of the process.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || isHelp(args[0]) {
		if _, err := io.WriteString(stdout, usage()); err != nil {
			return exitFailed
		}
		return exitOK
	}
	if run := suiteNamed(args[0]); run != nil {
		return report(run(ctx, args[1:], stdout, stderr), stderr)
	}
	return report(usageError{"", fmt.Errorf("there is no suite %q", args[0])}, stderr)
}

// suiteNamed runs the suite of that name; nil for none.
func suiteNamed(name string) func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	for _, s := range suites() {
		if s.name == name {
			return s.run
		}
	}
	return nil
}

// report prints an error where there is one, and returns the exit code.
func report(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "subconsciousd: eval: %v\n", err)
	var wrong usageError
	if !errors.As(err, &wrong) {
		return exitFailed
	}
	fmt.Fprintf(stderr, "run `%s` for what it takes\n", strings.Join(strings.Fields("subconsciousd eval "+wrong.suite+" --help"), " "))
	return exitUsage
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

func usage() string {
	var b strings.Builder
	b.WriteString("subconsciousd eval measures the daemon.\n\nUsage:\n  subconsciousd eval SUITE [options]\n\nSuites:\n")
	for _, s := range suites() {
		fmt.Fprintf(&b, "  %-12s %s\n", s.name, s.about)
	}
	b.WriteString("\nEach suite tells what it takes: subconsciousd eval SUITE --help\nExit codes: 0 fine, 1 failed, 2 usage.\n")
	return b.String()
}

// parsePath reads the arguments of a suite that takes one path: flags may stand
// before it and after it. path is "" where none is given.
func parsePath(flags *flag.FlagSet, args []string) (path string, help bool, err error) {
	flags.SetOutput(io.Discard)
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return path, true, nil
		} else if err != nil {
			return path, false, err
		}
		if flags.NArg() == 0 {
			return path, false, nil
		}
		if path != "" {
			return path, false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
		}
		path, args = flags.Arg(0), flags.Args()[1:]
	}
}
