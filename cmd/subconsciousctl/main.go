// Command subconsciousctl asks and steers a running daemon. It stores nothing;
// all but a few commands are thin over api/client. One file holds one command.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
	})
	stop()
	os.Exit(code)
}
