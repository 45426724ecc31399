package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/eval"
	"github.com/subconsciousd/subconsciousd/internal/unseen"
)

// flags are what the command line asks for.
type flags struct {
	config, stateDir    string
	demo, once, version bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "eval" {
		return eval.Run(ctx, args[1:], stdout, stderr)
	}
	f, code, done := parse(args, stdout, stderr)
	if done {
		return code
	}
	var err error
	switch {
	case f.version:
		_, err = fmt.Fprintln(stdout, "subconsciousd", api.BuildVersion())
	case f.demo:
		err = daemon.RunDemo(ctx, daemon.DemoOptions{Out: stdout, Log: stderr, Version: api.BuildVersion(), StateDir: f.stateDir})
	default:
		err = serve(ctx, f, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "subconsciousd: %s\n", unseen.Shown(err.Error()))
		return exitFailed
	}
	return exitOK
}

// parse reads the flags; done means that there is nothing more to do.
func parse(args []string, stdout, stderr io.Writer) (f flags, code int, done bool) {
	set := flag.NewFlagSet("subconsciousd", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.config, "config", "", "")
	set.StringVar(&f.stateDir, "state-dir", "", "")
	set.BoolVar(&f.demo, "demo", false, "")
	set.BoolVar(&f.once, "once", false, "")
	set.BoolVar(&f.version, "version", false, "")
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, _ = io.WriteString(stdout, usage)
		return f, exitOK, true
	case err != nil:
	case set.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", set.Arg(0))
	case f.demo && (f.config != "" || f.once):
		err = errors.New("--demo brings its own configuration; leave --config and --once out")
	}
	if err != nil {
		fmt.Fprintf(stderr, "subconsciousd: %s\nrun `subconsciousd --help` for what it takes\n", unseen.Shown(err.Error()))
		return f, exitUsage, true
	}
	return f, exitOK, false
}

// serve runs the mind of the configuration, or one tick of it.
func serve(ctx context.Context, f flags, stdout, stderr io.Writer) error {
	if err := daemon.Conceal(); err != nil {
		return err
	}
	source := &daemon.Source{Path: f.config, StateDir: f.stateDir, Version: api.BuildVersion(), Log: stderr, Env: os.LookupEnv}
	options, err := source.Load()
	if err != nil {
		return err
	}
	if f.once {
		return daemon.RunOnce(ctx, options, stdout)
	}
	d, err := daemon.New(options)
	if err != nil {
		return err
	}
	return d.Run(ctx)
}
