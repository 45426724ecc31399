package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

// mindCommands are about the mind as a whole, and about this program.
func (a *app) mindCommands() map[string]command {
	var length string
	var pause api.PauseBody
	return map[string]command{
		"status": {run: asking(a, "asking", api.GetStatus, &api.Nothing{}, "Status", func(status api.Status) error {
			return degraded(len(screen.Degraded(status)) > 0)
		})},
		"version": {run: func(cmd *cobra.Command, _ []string) error { return a.version(cmd.Context()) }},
		"pause": {flags: map[string]any{"for": &length}, run: filling(a, "asking", api.PostPause, &pause, func(context.Context, call) error {
			span, err := parseLength(length)
			if span != 0 {
				pause.For = span.String()
			}
			return err
		}, "Pause")},
		"resume":     {run: asking(a, "asking", api.PostResume, &api.Nothing{}, "Pause")},
		"completion": {only: []string{"bash", "zsh", "fish"}, run: a.completion},
	}
}

func (a *app) completion(cmd *cobra.Command, args []string) error {
	return writeCompletion(a.stdout, cmd.Root(), args[0])
}

// writeCompletion writes the script that completes the commands in a shell.
func writeCompletion(to io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(to, true)
	case "zsh":
		return root.GenZshCompletion(to)
	case "fish":
		return root.GenFishCompletion(to, true)
	}
	return &usageError{err: fmt.Errorf("there is no completion for %q", shell), next: "use bash, zsh or fish"}
}

// versions is what version prints.
type versions struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"`
	// Daemon is empty where none answers.
	Daemon string `json:"daemon,omitempty"`
}

func (a *app) version(ctx context.Context) error {
	v := versions{Version: api.BuildVersion(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	_, err := ask(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (struct{}, error) {
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
	return a.print(v, v.String)
}

// String is what people read.
func (v versions) String() string {
	text := fmt.Sprintf("subconsciousctl %s (%s, %s)\n", v.Version, v.Go, v.System)
	if v.Daemon == "" {
		return text + "subconsciousd   not running\n"
	}
	return text + fmt.Sprintf("subconsciousd   %s\n", v.Daemon)
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
