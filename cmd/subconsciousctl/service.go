package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/service"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// serviceCommands have the system keep the daemon running, and show its log.
func (a *app) serviceCommands() map[string]command {
	var force, plan bool
	var back string
	query := service.LogQuery{Last: 100}
	return map[string]command{
		"service": {},
		"service install": {flags: map[string]any{"force": &force, "print": &plan}, run: func(cmd *cobra.Command, _ []string) error {
			return a.install(cmd, force, plan)
		}},
		"service uninstall": {flags: map[string]any{"force": &force}, run: func(cmd *cobra.Command, _ []string) error { return a.uninstall(cmd, force) }},
		"service status":    {run: func(cmd *cobra.Command, _ []string) error { return a.serviceStatus(cmd) }},
		"logs": {flags: map[string]any{"follow": &query.Follow, "since": &back, "lines": &query.Last}, run: func(cmd *cobra.Command, _ []string) error {
			return a.logs(cmd, query, back)
		}},
	}
}

// service is the daemon beside this command as a service, with the configuration
// and the state folder that count here.
func (a *app) service(cmd *cobra.Command, force bool) (*service.Service, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	place, err := a.configPlace()
	if err == nil {
		err = place.known()
	}
	if err != nil {
		return nil, err
	}
	state, err := a.findStateDir()
	if err != nil {
		return nil, err
	}
	argv := []string{filepath.Join(filepath.Dir(program), "subconsciousd"), "--config", place.File}
	if dir, _ := a.env(stateDirVariable); cmp.Or(a.stateDir, dir) != "" {
		argv = append(argv, "--state-dir", state)
	}
	return service.New(service.Options{
		System: cmp.Or(a.system, runtime.GOOS), Env: a.env, Command: argv, Kept: []string{place.File, state}, Runs: a.daemonRuns, Force: force, Now: a.now(), Zone: a.zone,
		Completion: func(shell string) (string, error) {
			var script bytes.Buffer
			err := writeCompletion(&script, cmd.Root(), shell)
			return script.String(), err
		},
	})
}

func (a *app) install(cmd *cobra.Command, force, plan bool) error {
	s, err := a.service(cmd, force)
	if err != nil {
		return err
	}
	if plan {
		would, err := s.Plan(cmd.Context())
		if err != nil {
			return err
		}
		return a.print(would, would.String)
	}
	if err := a.startable(s.Command); err != nil {
		return err
	}
	defer a.spin("starting the service")()
	return a.shown(s.Install(cmd.Context()))
}

// startable refuses what the service could not start with: it would fail again and
// again, where nobody looks.
func (a *app) startable(argv []string) error {
	if _, err := os.Stat(argv[0]); err != nil {
		return api.Errorf(api.CodeNotFound, "put both commands into one folder: make install", "there is no subconsciousd beside this command: %v", err)
	}
	place, file, err := a.usedConfig()
	if err != nil {
		return err
	}
	if !place.Exists {
		return api.Errorf(api.CodeNotFound, "make one: subconsciousctl init", "there is no configuration at %s", place.File)
	}
	wrong := slices.DeleteFunc(setup.Check(file, a.env), func(e *setup.Error) bool { return e.Code.Usable() })
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

func (a *app) uninstall(cmd *cobra.Command, force bool) error {
	s, err := a.service(cmd, force)
	if err != nil {
		return err
	}
	return a.shown(s.Uninstall(cmd.Context()))
}

func (a *app) serviceStatus(cmd *cobra.Command) error {
	s, err := a.service(cmd, false)
	if err != nil {
		return err
	}
	return a.shown(s.Status(cmd.Context()))
}

// shown shows what was done and found, also before an error, and ends with 4 where
// the service is not well.
func (a *app) shown(found []doctor.Finding, err error) error {
	if len(found) > 0 {
		err = errors.Join(err, a.show(found, "Service"))
	}
	return cmp.Or(err, degraded(doctor.Worst(found) != doctor.OK))
}

func (a *app) logs(cmd *cobra.Command, query service.LogQuery, back string) error {
	if query.Last < 1 {
		return &usageError{err: errors.New("--lines takes a number of 1 or more"), next: "see subconsciousctl logs --help"}
	}
	if back != "" {
		var ok bool
		if query.Since, ok = screen.Since(a.view(), back); !ok {
			return unsince(back)
		}
		if !cmd.Flags().Changed("lines") {
			query.Last = 0
		}
	}
	s, err := a.service(cmd, false)
	if err != nil {
		return err
	}
	return s.Logs(cmd.Context(), query, func(line []byte) error {
		switch {
		case !a.json:
			return a.write(service.Text(line))
		case json.Valid(line):
			return a.write(string(line) + "\n")
		}
		text, err := json.Marshal(map[string]string{"msg": string(line)})
		if err != nil {
			return fmt.Errorf("write a line of the log: %w", err)
		}
		return a.write(string(text) + "\n")
	})
}
