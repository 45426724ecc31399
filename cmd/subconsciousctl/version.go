package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

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
				err := daemon.Health(ctx)
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
