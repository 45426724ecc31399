package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/setup/initial"
)

func newInit(a *app) *cobra.Command {
	var options initial.Options
	cmd := &cobra.Command{
		Use:   "init",
		Short: "ask the way to a working configuration",
		Long: `Looks for keys in the environment, for models on this machine, and for notes and
calendars in their usual places; proposes who could think, what could be looked
at, whose mail could be read and how you could be told; takes keys and passwords
without showing them, tries each part out, sends a first message, and writes the configuration. Nothing is written
before the end, so that it can be left at any question with Ctrl-C. A
configuration that is there is never overwritten: what is missing is added to it,
and you are told what could not be.

With --yes it asks nothing and takes what it proposes, or what the flags say; it
then sends nothing to anybody else's server unless a flag or NTFY_TOPIC names it.
Exits with 4 if a key is missing, a model or a mail server did not answer, a mail
account is to be signed in to, or the first message was not taken.`,
		Example: `  subconsciousctl init
  subconsciousctl init --preset free --key-env ZAI_API_KEY --yes
  subconsciousctl init --notes ~/notes --ics ~/home.ics --ntfy-url https://ntfy.sh --yes
  subconsciousctl init --mail-address me@example.com --mail-password-file ~/keys/mail --yes
  subconsciousctl init --preset four-vendors --key-file groq=~/keys/groq --yes`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.init(cmd.Context(), options) },
	}
	flags := cmd.Flags()
	flags.StringVar(&options.Preset, "preset", "", "who thinks, by `NAME`: reflex, free, four-vendors, local, or a provider that is there")
	flags.StringArrayVar(&options.KeyEnv, "key-env", nil, "the variable that holds a key, as `[PROVIDER=]NAME`; may be given again")
	flags.StringArrayVar(&options.KeyFile, "key-file", nil, "the file that holds a key, as `[PROVIDER=]PATH`; may be given again")
	flags.StringArrayVar(&options.Notes, "notes", nil, "read the notes in the folder `DIR`; may be given again")
	flags.StringArrayVar(&options.Files, "files", nil, "watch the files in the folder `DIR`; may be given again")
	flags.StringArrayVar(&options.ICS, "ics", nil, "read the calendar in the `FILE`; may be given again")
	m := &options.Mail
	flags.StringVar(&m.Address, "mail-address", "", "read the mail of `ADDRESS`")
	flags.StringVar(&m.Host, "mail-host", "", "the `HOST` of its IMAP server; without it the one that is known or found")
	flags.IntVar(&m.Port, "mail-port", 0, "the `PORT` of that server, where it is not the usual one")
	flags.StringVar(&m.Security, "mail-security", "", "how the connection is protected, by `NAME`: tls, starttls, or none on this machine")
	flags.StringVar(&m.CAFile, "mail-ca-file", "", "the authority that signed its certificate, a PEM file at `PATH`")
	flags.StringVar(&m.User, "mail-user", "", "the `NAME` to sign in with, where it is not the address")
	flags.StringVar(&m.PasswordEnv, "mail-password-env", "", "the variable `NAME` that holds the password")
	flags.StringVar(&m.PasswordFile, "mail-password-file", "", "the file at `PATH` that holds the password")
	flags.StringVar(&m.PasswordKeyring, "mail-password-keyring", "", "the keyring's `ENTRY` that holds the password: SERVICE/USER")
	flags.StringVar(&m.OAuth, "mail-oauth", "", "sign in by the browser instead, at the `PROVIDER` google or microsoft")
	flags.StringVar(&m.ClientID, "mail-client-id", "", "as the client of this `ID`")
	flags.StringVar(&m.ClientSecretFile, "mail-client-secret-file", "", "the file at `PATH` that holds the client's secret")
	flags.StringVar(&options.NtfyURL, "ntfy-url", "", "tell me over the ntfy server at `URL`")
	flags.StringVar(&options.NtfyTopic, "ntfy-topic", "", "and over this `TOPIC`; without it one is made that nobody guesses")
	flags.StringVar(&options.NtfyTokenEnv, "ntfy-token-env", "", "the variable `NAME` that holds the server's access token")
	flags.StringVar(&options.NtfyTokenFile, "ntfy-token-file", "", "the file at `PATH` that holds the server's access token")
	flags.BoolVar(&options.Desktop, "desktop", false, "tell me by notifications of this desktop")
	flags.BoolVar(&options.Offline, "no-push", false, "send no first message, and look for no server")
	flags.StringVar(&options.Quiet, "quiet", "", "the quiet `HOURS`: 23:00-08:00, or never")
	flags.BoolVar(&options.Agree, "yes", false, "ask nothing, and take what is proposed")
	flags.BoolVar(&options.Unchecked, "no-test", false, "ask no model and no mail server anything")
	completeFrom(cmd, "preset", initial.Presets())
	completeFrom(cmd, "mail-oauth", []string{"google", "microsoft"})
	completeFrom(cmd, "mail-security", []string{"tls", "starttls", "none"})
	return cmd
}

// daemonLooks is how long init looks whether a daemon runs.
const daemonWithin = 2 * time.Second

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
	ctx, done := context.WithTimeout(ctx, daemonWithin)
	defer done()
	_, err = put(api.GetStatus, api.Nothing{})(ctx, daemon)
	return err == nil
}
