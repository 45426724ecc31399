// Command subconsciousctl asks and steers a running daemon. It stores nothing;
// all but a few commands are thin over api/client. One file holds the commands of a noun.
package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var shown atomic.Pointer[term.State] // of the terminal, while it shows nothing
	code := run(ctx, process{
		args:   os.Args[1:],
		stdout: os.Stdout,
		stderr: os.Stderr,
		env:    os.LookupEnv,
		now:    time.Now,
		zone:   time.Local,
		columns: func() int {
			columns, _, err := term.GetSize(int(os.Stdout.Fd()))
			if err != nil {
				return 0
			}
			return columns
		},
		outTerminal: isatty.IsTerminal(os.Stdout.Fd()),
		errTerminal: isatty.IsTerminal(os.Stderr.Fd()),
		stdin:       os.Stdin,
		inTerminal:  isatty.IsTerminal(os.Stdin.Fd()),
		secret: func() (string, error) {
			state, err := term.GetState(int(os.Stdin.Fd()))
			if err != nil {
				return "", err
			}
			shown.Store(state)
			text, err := term.ReadPassword(int(os.Stdin.Fd()))
			return string(text), err
		},
	})
	stop()
	if state := shown.Load(); state != nil {
		// Ctrl-C may have come while nothing was shown.
		_ = term.Restore(int(os.Stdin.Fd()), state)
	}
	os.Exit(code)
}
