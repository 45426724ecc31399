package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

func newDoctor(a *app) *cobra.Command {
	var live, send bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "examine the installation, and say what to do about each fault",
		Long: `Examines the configuration, the state folder, the database, this machine, the
mail accounts, the models, the channels over which you are told and the actions,
and says for each fault what to do. The daemon need not run. Mail accounts are
signed in to, and nothing is changed there. No remote model is asked anything
unless --live is given, which costs what a small question costs; no message is
sent unless --send is given, and no action is run. Exits with 1 if something is
broken, and with 4 if something works less well than it should.`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), live, send) },
	}
	cmd.Flags().BoolVar(&live, "live", false, "ask every model a question")
	cmd.Flags().BoolVar(&send, "send", false, "send a test message over every channel")
	return cmd
}

func (a *app) doctor(ctx context.Context, live, send bool) error {
	config, place, err := a.load()
	var wrong setup.Errors
	if err != nil && !errors.As(err, &wrong) {
		return err
	}
	options := doctor.Options{File: place.File, Exists: place.Exists, Config: config, Wrong: err, Live: live, Send: send, Env: a.env, Now: a.now}
	if options.StateDir, err = a.findStateDir(); err != nil {
		return err
	}
	daemon, err := a.daemon()
	if err != nil {
		return err
	}
	options.Daemon = examined{daemon}
	findings := func() []doctor.Finding {
		defer a.spin("examining")()
		return doctor.Examine(ctx, options)
	}()
	if err := a.print(findings, func(v screen.View) string { return screen.Doctor(v, findings) }); err != nil {
		return err
	}
	switch doctor.Worst(findings) {
	case doctor.Broken:
		return &silentError{exitFailed}
	case doctor.Degraded:
		return errDegraded
	}
	return nil
}

// examined is the daemon as the doctor sees it.
type examined struct{ client *client.Client }

var _ doctor.Daemon = examined{}

func (e examined) Status(ctx context.Context) (api.Status, error) {
	return client.Ask(ctx, e.client, api.GetStatus, api.Nothing{})
}

func (e examined) TestModels(ctx context.Context, who string) ([]api.ModelTest, error) {
	return client.Ask(ctx, e.client, api.PostModelTest, api.ModelTestRequest{Who: who})
}
