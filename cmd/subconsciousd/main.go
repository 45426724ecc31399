// Command subconsciousd is the daemon: one mind that thinks every few minutes
// about what changed on this machine.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes, the same for both commands as far as they apply.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `subconsciousd keeps a mind running: it looks at this machine, thinks, and keeps
what matters in a small file.

Usage:
  subconsciousd [--config FILE] [--state-dir DIR]
  subconsciousd --demo
  subconsciousd --once [--config FILE] [--state-dir DIR]
  subconsciousd --version
  subconsciousd eval SUITE    (measure the daemon; see eval --help)

  --config FILE     read this configuration (default: SUBCONSCIOUS_CONFIG, else
                    ~/.config/subconscious/config.yaml where it exists; without
                    one the machine's health alone is watched)
  --state-dir DIR   keep the mind in this folder, whatever the configuration says
  --demo            show a mind at work over sample files, in a fresh folder
  --once            think one tick, print its report as JSON, and end
  --version         print the version and end

It ends cleanly on Ctrl-C or SIGTERM, and takes up its configuration when that
changes, and on SIGHUP. Look inside with: subconsciousctl status
Exit codes: 0 fine, 1 failed, 2 usage.
`
