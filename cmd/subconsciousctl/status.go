package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "show on one screen what is on its mind, and whether it is well",
		Args:  takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := ask(cmd.Context(), a, "asking", put(api.GetStatus, api.Nothing{}))
			if err != nil {
				return err
			}
			if err := a.print(status, func(v screen.View) string { return screen.Status(v, status) }); err != nil {
				return err
			}
			if len(screen.Degraded(status)) > 0 {
				return errDegraded
			}
			return nil
		},
	}
}

// versions is what version prints.
type versions struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"`
	// Daemon is empty where none answers.
	Daemon string `json:"daemon,omitempty"`
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "show the version of this command, and of the daemon if one runs",
		Args:  takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versions{Version: api.BuildVersion(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
			_, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (struct{}, error) {
				_, err := client.Ask(ctx, daemon, api.GetHealth, api.Nothing{})
				v.Daemon = daemon.DaemonVersion()
				return struct{}{}, err
			})
			// A daemon that does not run, or is not well, has no say in this.
			var unreachable *client.Unreachable
			var problem *api.Problem
			if err != nil && !errors.As(err, &unreachable) && !errors.As(err, &problem) {
				return err
			}
			return a.print(v, func(screen.View) string { return v.String() })
		},
	}
}

// String is what people read.
func (v versions) String() string {
	text := fmt.Sprintf("subconsciousctl %s (%s, %s)\n", v.Version, v.Go, v.System)
	if v.Daemon == "" {
		return text + "subconsciousd   not running\n"
	}
	return text + fmt.Sprintf("subconsciousd   %s\n", v.Daemon)
}

func newPause(a *app) *cobra.Command {
	var length string
	cmd := &cobra.Command{
		Use:     "pause",
		Short:   "stop thinking, for a while or until resumed",
		Example: "  subconsciousctl pause --for 2h",
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			span, err := parseLength(length)
			if err != nil {
				return err
			}
			var body api.PauseBody
			if span != 0 {
				body.For = span.String()
			}
			return show(cmd.Context(), a, "asking", put(api.PostPause, body), screen.Pause)
		},
	}
	cmd.Flags().StringVar(&length, "for", "", "for so `LONG`: 30m, 2h, 3d")
	return cmd
}

// parseLength reads a length of time; days are allowed, and "" is 0.
func parseLength(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	length, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		// One day more than the most is refused below; more might overflow.
		length = time.Duration(min(n, int(api.MaxPause/(24*time.Hour))+1)) * 24 * time.Hour
	}
	if err != nil || length <= 0 || length > api.MaxPause {
		return 0, &usageError{err: fmt.Errorf("--for %q is not a length of time up to 366 days", text), next: "write 30m, 2h or 3d"}
	}
	return length, nil
}

func newResume(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "think again after a pause",
		Args:  takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.Context(), a, "asking", put(api.PostResume, api.Nothing{}), screen.Pause)
		},
	}
}
