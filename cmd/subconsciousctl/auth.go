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
	"github.com/subconsciousd/subconsciousd/setup/signin"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// authCommands sign in to accounts by the browser.
func (a *app) authCommands() map[string]command {
	var request signin.Request
	var noBrowser bool
	commands := map[string]command{"auth status": {run: func(*cobra.Command, []string) error { return a.authStatus() }}}
	for _, kind := range []string{signin.Mail, signin.Google} {
		commands["auth "+kind] = command{offer: a.offerSignIns(kind),
			flags: map[string]any{"paste": &request.Paste, "no-browser": &noBrowser, "port": &request.Port, "no-test": &request.Unchecked},
			run: func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return a.authStatus()
				}
				request.Kind, request.ID = kind, args[0]
				return a.signIn(cmd.Context(), request, noBrowser)
			}}
		commands["auth forget "+kind] = command{offer: a.offerSignIns(kind), run: func(cmd *cobra.Command, args []string) error {
			return a.authForget(cmd.Context(), kind, args[0])
		}}
	}
	return commands
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
	if err := a.show(accounts, "Accounts"); err != nil {
		return err
	}
	return degraded(slices.ContainsFunc(accounts, func(one signin.Account) bool { return one.State == signin.SignedOut || one.State == signin.Broken }))
}

func (a *app) signIn(ctx context.Context, request signin.Request, noBrowser bool) error {
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
	if err := a.outcome(outcome); err != nil {
		return err
	}
	return degraded(outcome.Problem != "")
}

func (a *app) authForget(ctx context.Context, kind, id string) error {
	place, err := a.signIns()
	if err != nil {
		return err
	}
	was, err := signin.Forget(ctx, place, kind, id)
	if err != nil {
		return knownSignIn(err)
	}
	return a.show(struct {
		ID        string `json:"id"`
		Forgotten bool   `json:"forgotten"`
	}{id, was}, "SignInForgotten")
}

// knownSignIn gives an account that is not there its exit code.
func knownSignIn(err error) error {
	if unknown, ok := errors.AsType[*signin.UnknownError](err); ok {
		return &api.Error{Code: api.CodeNotFound, Text: unknown.Text, Next: unknown.Next}
	}
	return err
}

// offerSignIns offers the ids of accounts of a kind that are signed in to by the
// browser to the shell.
func (a *app) offerSignIns(kind string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		place, err := a.signIns()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var offers []string
		for _, one := range signin.Accounts(place) {
			if one.Kind == kind && one.State != signin.Password && strings.HasPrefix(one.ID, begun) {
				offers = append(offers, one.ID+"\t"+subconscious.Printable(one.User+" at "+one.Provider+", "+one.State))
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
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
