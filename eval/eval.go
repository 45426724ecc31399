// Package eval measures the daemon: the suites behind `subconsciousd eval`, a
// package each. A suite takes labelled data as a path, or makes a world of its
// own in a temporary folder. It keeps nothing, and prints figures that can be
// compared from one version to the next.
//
// cmd/subconsciousd calls Run; nothing else does.
package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/eval/attack"
	"github.com/subconsciousd/subconsciousd/eval/days"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/eval/letters"
	"github.com/subconsciousd/subconsciousd/eval/mail"
	"github.com/subconsciousd/subconsciousd/eval/memory"
	"github.com/subconsciousd/subconsciousd/eval/redaction"
	"github.com/subconsciousd/subconsciousd/eval/rumination"
)

// Exit codes, as those of the commands.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// suites are all of them, in the order in which they are listed.
func suites() []harness.Suite {
	return []harness.Suite{attack.Suite(), days.Suite(), letters.Suite(), mail.Suite(), memory.Suite(), redaction.Suite(), rumination.Suite()}
}

// Run carries out `eval args…` and returns the exit code of the process.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := run(ctx, args, harness.Call{Stdout: stdout, Stderr: stderr})
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "subconsciousd: eval: %v\n", err)
	var wrong harness.UsageError
	if !errors.As(err, &wrong) {
		return exitFailed
	}
	fmt.Fprintf(stderr, "run `%s` for what it takes\n", strings.Join(strings.Fields("subconsciousd eval "+wrong.Suite+" --help"), " "))
	return exitUsage
}

func run(ctx context.Context, args []string, call harness.Call) error {
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		_, err := io.WriteString(call.Stdout, usage())
		return err
	}
	for _, s := range suites() {
		if s.Name == args[0] {
			call.Args = args[1:]
			return s.Run(ctx, call)
		}
	}
	return harness.UsageError{Err: fmt.Errorf("there is no suite %q", args[0])}
}

func usage() string {
	var b strings.Builder
	b.WriteString("subconsciousd eval measures the daemon.\n\nUsage:\n  subconsciousd eval SUITE [options]\n\nSuites:\n")
	for _, s := range suites() {
		fmt.Fprintf(&b, "  %-12s %s\n", s.Name, s.About)
	}
	b.WriteString("\nEach suite tells what it takes: subconsciousd eval SUITE --help\nExit codes: 0 fine, 1 failed, 2 usage.\n")
	return b.String()
}
