package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/setup/initial"
)

func newInit(a *app) *cobra.Command {
	var options initial.Options
	cmd := &cobra.Command{
		Use:   "init",
		Short: "ask the way to a working configuration",
		Long: `Looks for keys in the environment and for models on this machine, proposes who
could think, takes keys without showing them, tries each model out, says what a
day costs, and writes the configuration. Nothing is written before the end, so
that it can be left at any question with Ctrl-C. A configuration that is there is
never overwritten: it is added to where it has no models yet, else you are told
what to change.

With --yes it asks nothing and takes what it proposes, or what the flags say.
Exits with 4 if a key is missing or a model did not answer.`,
		Example: `  subconsciousctl init
  subconsciousctl init --preset free --key-env ZAI_API_KEY --yes
  subconsciousctl init --preset four-vendors --key-file groq=~/keys/groq --yes`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.init(cmd.Context(), options) },
	}
	flags := cmd.Flags()
	flags.StringVar(&options.Preset, "preset", "", "who thinks, by `NAME`: reflex, free, four-vendors, local, or a provider that is there")
	flags.StringArrayVar(&options.KeyEnv, "key-env", nil, "the variable that holds a key, as `[PROVIDER=]NAME`; may be given again")
	flags.StringArrayVar(&options.KeyFile, "key-file", nil, "the file that holds a key, as `[PROVIDER=]PATH`; may be given again")
	flags.BoolVar(&options.Agree, "yes", false, "ask nothing, and take what is proposed")
	flags.BoolVar(&options.Unchecked, "no-test", false, "ask no model anything")
	completeFrom(cmd, "preset", initial.Presets())
	return cmd
}

// daemonLooks is how long init looks whether a daemon runs.
const daemonLooks = 2 * time.Second

func (a *app) init(ctx context.Context, options initial.Options) error {
	place, err := a.configPlace()
	if err != nil {
		return err
	}
	if place.File == "" {
		return &usageError{err: errors.New("HOME is not set, so there is no usual place"), next: "name the file with --config FILE"}
	}
	if !options.Agree && (!a.inTerminal || a.json) {
		return &usageError{err: errors.New("nobody can be asked here"), next: "say --yes, and what you want: subconsciousctl init --preset free --key-env ZAI_API_KEY --yes"}
	}
	options.File, options.Env, options.Now = place.File, a.env, time.Now
	options.DaemonRuns = a.daemonRuns(ctx)
	outcome, err := initial.Run(ctx, options, &terminal{app: a})
	if wrong, ok := errors.AsType[*initial.Mistake](err); ok {
		return &usageError{err: wrong, next: "see subconsciousctl init --help"}
	}
	if err != nil {
		return err
	}
	if a.json {
		if err := a.print(outcome, nil); err != nil {
			return err
		}
	}
	if len(outcome.Missing)+len(outcome.Failed) > 0 {
		return errDegraded
	}
	return nil
}

// daemonRuns reports whether a daemon answers.
func (a *app) daemonRuns(ctx context.Context) bool {
	daemon, err := a.daemon()
	if err != nil {
		return false
	}
	ctx, done := context.WithTimeout(ctx, daemonLooks)
	defer done()
	_, err = daemon.Status(ctx)
	return err == nil
}
