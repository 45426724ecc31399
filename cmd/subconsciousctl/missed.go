package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newMissed(a *app) *cobra.Command {
	var teach bool
	command := &cobra.Command{
		Use:   "missed TEXT…",
		Short: "say what you should have been told, and see where it was let pass",
		Long: `Finds the observation that you mean, and traces it: whether a sense brought it,
a thread was shown it and found it worth a finding, the mechanics kept it, and
what the gate decided. Says which change would have caught it. That changes
nothing; with --teach things of its sort count for more from then on, where it
was seen and did not reach you.`,
		Example: `  subconsciousctl missed "the invoice of the fair was due on Friday"
  subconsciousctl missed --teach "the invoice of the fair was due on Friday"`,
		Args:              takes(1, -1),
		Annotations:       map[string]string{needs: "words"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return &usageError{err: errors.New("what was missed is empty"), next: "usage: " + cmd.UseLine()}
			}
			if err := bounded("the account of what was missed", text, api.MaxMissed); err != nil {
				return err
			}
			trace, err := ask(cmd.Context(), a, "tracing", func(ctx context.Context, daemon *client.Client) (api.Trace, error) {
				return daemon.Missed(ctx, api.MissedRequest{Text: text, Teach: teach})
			})
			if err != nil {
				return err
			}
			return a.print(trace, func(v screen.View) string { return screen.Missed(v, trace, teach) })
		},
	}
	command.Flags().BoolVar(&teach, "teach", false, "count it as missed, so that such things weigh more")
	return command
}
