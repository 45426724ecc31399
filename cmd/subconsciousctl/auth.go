package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/setup/signin"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newAuth(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "auth",
		Short: "sign in to mail accounts by the browser",
		Long: `Signs in to mail accounts that have an oauth in the configuration, and keeps the
sign-in in the state folder, in a file that you alone can read. The daemon may run
or not; it renews the sign-in by itself.`,
		Args: a.unknownCommand,
		RunE: help,
	}
	group.AddCommand(newAuthMail(a), newAuthStatus(a), newAuthForget(a))
	return group
}

func newAuthMail(a *app) *cobra.Command {
	var request signin.Request
	var noBrowser bool
	cmd := &cobra.Command{
		Use:   "mail [ID]",
		Short: "sign in to a mail account; without an ID, list the accounts",
		Long: `Opens the provider's page in a browser, waits on this machine for the answer, at
most 5 minutes, keeps the sign-in, and tries the account. Where the browser is on
another machine, --paste takes the address at which it ended instead.

Exits with 4 if the sign-in is kept and the mail server does not let it in.`,
		Example: `  subconsciousctl auth mail work
  subconsciousctl auth mail work --paste
  subconsciousctl auth mail work --no-browser --port 8085`,
		Args:              takes(0, 1),
		ValidArgsFunction: a.completeSignIns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.authStatus()
			}
			request.ID = args[0]
			return a.authMail(cmd.Context(), request, noBrowser)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&request.Paste, "paste", false, "take the address at which the browser ended, from the input")
	flags.BoolVar(&noBrowser, "no-browser", false, "open no browser; print the address")
	flags.IntVar(&request.Port, "port", 0, "wait for the browser at this `PORT` of 127.0.0.1 (default: any that is free)")
	flags.BoolVar(&request.Unchecked, "no-test", false, "do not try the account afterwards")
	return cmd
}

func newAuthStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "say how each mail account is signed in to",
		Long: `Says how each mail account is signed in to, as far as files tell; nobody is asked.
subconsciousctl doctor tries them. Exits with 4 if one is not signed in.`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error { return a.authStatus() },
	}
}

func newAuthForget(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "forget",
		Short: "remove a sign-in",
		Args:  a.unknownCommand,
		RunE:  help,
	}
	group.AddCommand(&cobra.Command{
		Use:   "mail ID",
		Short: "remove the sign-in of a mail account",
		Long: `Removes the sign-in of a mail account from the state folder. The provider lists it
among the programs with access to your account until you take it back there.`,
		Args:              takes(1, 1),
		Annotations:       map[string]string{needs: "the id of an account"},
		ValidArgsFunction: a.completeSignIns,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.authForget(cmd.Context(), args[0]) },
	})
	return group
}

// signIns is where accounts are configured, and their sign-ins kept.
func (a *app) signIns() (signin.Place, error) {
	config, _, err := a.load()
	if err != nil {
		return signin.Place{}, err
	}
	dir, err := a.findStateDir()
	if err != nil {
		return signin.Place{}, err
	}
	return signin.Place{Config: config, StateDir: dir, Env: a.env, Now: a.now}, nil
}

func (a *app) authStatus() error {
	place, err := a.signIns()
	if err != nil {
		return err
	}
	accounts := signin.Accounts(place)
	if err := a.print(accounts, func(v screen.View) string { return screen.Accounts(v, accounts) }); err != nil {
		return err
	}
	if slices.ContainsFunc(accounts, func(one signin.Account) bool { return one.State == signin.SignedOut || one.State == signin.Broken }) {
		return errDegraded
	}
	return nil
}

func (a *app) authMail(ctx context.Context, request signin.Request, noBrowser bool) error {
	if request.Port < 0 || request.Port > 65535 {
		return &usageError{err: fmt.Errorf("--port: %d is none", request.Port), next: "use 1024 to 65535"}
	}
	if request.Paste && a.stdin == nil {
		return &usageError{err: errors.New("there is no input to paste to"), next: "run it in a terminal"}
	}
	place, err := a.signIns()
	if err != nil {
		return err
	}
	if !noBrowser {
		request.Open = a.openBrowser
	}
	remote, _ := a.env("SSH_CONNECTION")
	request.Remote = remote != ""
	outcome, err := signin.Run(ctx, place, request, &terminal{app: a})
	if errors.Is(err, context.Canceled) {
		return errors.New("left before the end; nothing was changed")
	}
	if err != nil {
		return knownSignIn(err)
	}
	if a.json {
		if err := a.print(outcome, nil); err != nil {
			return err
		}
	}
	if outcome.Problem != "" {
		return errDegraded
	}
	return nil
}

func (a *app) authForget(ctx context.Context, id string) error {
	place, err := a.signIns()
	if err != nil {
		return err
	}
	was, err := signin.Forget(ctx, place, id)
	if err != nil {
		return knownSignIn(err)
	}
	answer := struct {
		ID        string `json:"id"`
		Forgotten bool   `json:"forgotten"`
	}{id, was}
	return a.print(answer, func(v screen.View) string { return screen.SignInForgotten(v, id, was) })
}

// knownSignIn gives an account that is not there its exit code.
func knownSignIn(err error) error {
	if unknown, ok := errors.AsType[*signin.UnknownError](err); ok {
		return &api.Error{Code: api.CodeNotFound, Text: unknown.Text, Next: unknown.Next}
	}
	return err
}

// completeSignIns offers the ids of accounts that are signed in to by the
// browser to the shell.
func (a *app) completeSignIns(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	place, err := a.signIns()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	for _, one := range signin.Accounts(place) {
		if one.State != signin.Password && strings.HasPrefix(one.ID, begun) {
			offers = append(offers, one.ID+"\t"+subconscious.Printable(one.User+" at "+one.Provider+", "+one.State))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// openBrowser shows an address in a browser, where there is one: that of
// $BROWSER, or the desktop's. It does not wait for it.
func (a *app) openBrowser(address string) error {
	var words []string
	named, _ := a.env("BROWSER")
	display, _ := a.env("DISPLAY")
	wayland, _ := a.env("WAYLAND_DISPLAY")
	switch first, _, _ := strings.Cut(named, ":"); {
	case strings.TrimSpace(first) != "":
		words = strings.Fields(first)
	case runtime.GOOS == "darwin":
		words = []string{"open"}
	case display+wayland != "":
		words = []string{"xdg-open"}
	default:
		return errors.New("there is no browser here")
	}
	if i := slices.Index(words, "%s"); i > 0 {
		words[i] = address
	} else {
		words = append(words, address)
	}
	command := exec.Command(words[0], words[1:]...) // it outlives this one
	if err := command.Start(); err != nil {
		return fmt.Errorf("open a browser: %w", err)
	}
	return command.Process.Release()
}
