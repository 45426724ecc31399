package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newNotifyRenew(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "renew CHANNEL",
		Short: "have the answers of a channel come back over a new reply topic",
		Long: `Makes a new random topic for the answers of a channel's buttons, and listens
there at once: the daemon need not be restarted. Buttons of messages that were
sent before do nothing any more; answer those with ack, snooze, dismiss and
reject. Use it where strangers write to the reply topic.`,
		Args:              takes(1, 1),
		Annotations:       map[string]string{needs: "the name of a channel"},
		ValidArgsFunction: a.completeChannels,
		RunE: func(cmd *cobra.Command, args []string) error {
			renewed, err := ask(cmd.Context(), a, "renewing", func(ctx context.Context, daemon *client.Client) (api.ChannelStatus, error) {
				return daemon.RenewChannel(ctx, args[0])
			})
			if err != nil {
				return err
			}
			return a.print(renewed, func(v screen.View) string { return screen.Renewed(v, renewed) })
		},
	}
}
