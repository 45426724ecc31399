package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

func (a *app) doctorCommands() map[string]command {
	var live, send bool
	return map[string]command{"doctor": {flags: map[string]any{"live": &live, "send": &send},
		run: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd, live, send) }}}
}

func (a *app) doctor(cmd *cobra.Command, live, send bool) error {
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
	if service, err := a.service(cmd, false); err == nil { // where services are is not known without a home
		options.Service = service.Examine
	}
	findings := func() []doctor.Finding {
		defer a.spin("examining")()
		return doctor.Examine(cmd.Context(), options)
	}()
	if err := a.show(findings, "Doctor"); err != nil {
		return err
	}
	worst := doctor.Worst(findings)
	return cmp.Or(ended(worst == doctor.Broken, exitFailed), degraded(worst == doctor.Degraded))
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
