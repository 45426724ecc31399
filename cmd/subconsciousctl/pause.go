package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

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
			state, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) (api.PauseState, error) {
				return daemon.Pause(ctx, span)
			})
			if err != nil {
				return err
			}
			return a.print(state, func(v screen.View) string { return screen.Pause(v, state) })
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
