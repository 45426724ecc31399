package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/setup/initial"
)

func (a *app) initCommands() map[string]command {
	var o initial.Options
	m := &o.Mail
	return map[string]command{"init": {
		flags: map[string]any{
			"preset": &o.Preset, "key-env": &o.KeyEnv, "key-file": &o.KeyFile, "notes": &o.Notes, "files": &o.Files, "ics": &o.ICS,
			"mail-address": &m.Address, "mail-host": &m.Host, "mail-port": &m.Port, "mail-security": (*string)(&m.Security), "mail-ca-file": &m.CAFile,
			"mail-user": &m.User, "mail-password-env": &m.Password.Env, "mail-password-file": &m.Password.File, "mail-password-keyring": &m.Password.Keyring,
			"mail-oauth": &m.Client.Provider, "mail-client-id": &m.Client.ClientID, "mail-client-secret-file": &m.Client.Secret.File,
			"ntfy-url": &o.Ntfy.URL, "ntfy-topic": &o.Ntfy.Topic, "ntfy-token-env": &o.Ntfy.Token.Env, "ntfy-token-file": &o.Ntfy.Token.File,
			"desktop": &o.Desktop, "no-push": &o.Offline, "quiet": &o.Quiet, "yes": &o.Agree, "no-test": &o.Unchecked,
		},
		values: map[string]cobra.CompletionFunc{
			"preset": oneOf(initial.Presets()...), "mail-oauth": oneOf("google", "microsoft"), "mail-security": oneOf("tls", "starttls", "none"),
		},
		run: func(cmd *cobra.Command, _ []string) error { return a.init(cmd.Context(), o) },
	}}
}

// daemonWithin is how long init looks whether a daemon runs.
const daemonWithin = 2 * time.Second

func (a *app) init(ctx context.Context, options initial.Options) error {
	place, err := a.configPlace()
	if err == nil {
		err = place.known()
	}
	if err != nil {
		return err
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
	if err := a.outcome(outcome); err != nil {
		return err
	}
	return degraded(len(outcome.Missing)+len(outcome.Failed) > 0)
}

// daemonRuns reports whether a daemon answers.
func (a *app) daemonRuns(ctx context.Context) bool {
	daemon, err := a.daemon()
	if err != nil {
		return false
	}
	ctx, done := context.WithTimeout(ctx, daemonWithin)
	defer done()
	_, err = put(api.GetStatus, api.Nothing{})(ctx, daemon)
	return err == nil
}
