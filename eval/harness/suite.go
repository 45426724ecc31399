// Package harness is what the suites of eval share: the command line of a
// suite, the world that a daemon is played in, and the figures that are printed
// of it.
//
// It stores nothing but the temporary folder of a world, which Close removes.
package harness

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Suite is one subcommand.
type Suite struct {
	Name, About string
	Usage       string // what --help prints
	// Options returns the defaults of the suite's options.
	Options func() Options
}

// Options are the command line of a suite, and what it does with it.
type Options interface {
	// Flags declares the flags that fill the options. Every suite has --json besides.
	Flags(flags *flag.FlagSet)
	// Check says what is wrong with the options and the path; the path is "" where
	// none was given.
	Check(path string) error
	// Run measures.
	Run(ctx context.Context, call Call) (Report, error)
}

// Call is how a suite was called.
type Call struct {
	Args           []string
	Stdout, Stderr io.Writer
}

// Report is what a suite found. Figures are printed as JSON, or Template is
// filled with them; nil prints nothing.
type Report struct {
	Figures  any
	Template string
	// Missed is why the command fails although it has figures.
	Missed error
}

// UsageError is a wrong command line. It is reported with the command that shows the
// help.
type UsageError struct {
	Suite string
	Err   error
}

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// Run carries out the suite with the arguments of a call.
func (s Suite) Run(ctx context.Context, call Call) error {
	options, asJSON, help, err := s.Parse(call.Args)
	switch {
	case err != nil:
		return UsageError{s.Name, err}
	case help:
		_, err := io.WriteString(call.Stdout, s.Usage)
		return err
	}
	report, err := options.Run(ctx, call)
	if err != nil || report.Figures == nil {
		return err
	}
	if !asJSON {
		_, err = io.WriteString(call.Stdout, Text(report.Template, report.Figures))
		return errors.Join(err, report.Missed)
	}
	encoder := json.NewEncoder(call.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return errors.Join(encoder.Encode(report.Figures), report.Missed)
}

// Parse reads the arguments of a suite: flags may stand before the path and
// after it.
func (s Suite) Parse(args []string) (options Options, asJSON, help bool, err error) {
	options = s.Options()
	flags := flag.NewFlagSet(s.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&asJSON, "json", false, "")
	options.Flags(flags)
	for path := ""; ; {
		err := flags.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			return options, asJSON, true, nil
		case err != nil:
			return options, asJSON, false, err
		case flags.NArg() == 0:
			return options, asJSON, false, options.Check(path)
		case path != "":
			return options, asJSON, false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
		}
		path, args = flags.Arg(0), flags.Args()[1:]
	}
}

// Names has a flag fill a list of names, separated by commas.
func Names(flags *flag.FlagSet, name string, list *[]string) {
	flags.Func(name, "", func(text string) error {
		*list = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	})
}

// Within is an error where the value of a flag is not between two numbers.
func Within(flag string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("--%s is %d; it takes %d to %d", flag, n, least, most)
	}
	return nil
}

// OneOf is an error where a flag has none of the values that it takes.
func OneOf(flag, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	last := len(values) - 1
	return fmt.Errorf("--%s is %q; it takes %s", flag, value, strings.Join(values[:last], ", ")+" or "+values[last])
}

// ReadFile reads a file of at most so many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // nothing was written
	data, err := Read(file, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// Read reads all there is; more than so many bytes are an error.
func Read(from io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("it is larger than %d MB", most>>20)
	}
	return data, err
}
