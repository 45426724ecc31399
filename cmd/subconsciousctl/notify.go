package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

func newNotify(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "notify",
		Short: "list, test, renew and try out the channels over which you are told",
		Args:  a.unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(newNotifyList(a), newNotifyTest(a), newNotifyRenew(a), newNotifyFake(a))
	return group
}

func newNotifyList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the channels, and how each fares",
		Args:  takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			channels, err := ask(cmd.Context(), a, "asking", func(ctx context.Context, daemon *client.Client) ([]api.ChannelStatus, error) {
				return daemon.Channels(ctx)
			})
			if err != nil {
				return err
			}
			return a.print(channels, func(v screen.View) string { return screen.Channels(v, channels) })
		},
	}
}

func newNotifyTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test [CHANNEL]",
		Short: "send a test message over each channel, and show what became of it",
		Long: `Sends a test message over one channel, or over each, and waits for what becomes
of it. It does not count as a notification of the day, and quiet hours do not
hold it. Exits with 1 if none arrived.`,
		Args:              takes(0, 1),
		ValidArgsFunction: a.completeChannels,
		RunE: func(cmd *cobra.Command, args []string) error {
			channel := ""
			if len(args) == 1 {
				channel = args[0]
			}
			tests, err := ask(cmd.Context(), a, "sending", func(ctx context.Context, daemon *client.Client) ([]api.Delivery, error) {
				return daemon.TestChannels(ctx, channel)
			})
			if err != nil {
				return err
			}
			if err := a.print(tests, func(v screen.View) string { return screen.NotifyTests(v, tests) }); err != nil {
				return err
			}
			if !slices.ContainsFunc(tests, screen.Arrived) {
				return &silentError{exitFailed}
			}
			return nil
		},
	}
}

// completeChannels offers the ids of channels to the shell.
func (a *app) completeChannels(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(cmd, begun, func(ctx context.Context, daemon *client.Client) ([]entry, error) {
		channels, err := daemon.Channels(ctx)
		var all []entry
		for _, c := range channels {
			all = append(all, nameEntry(c.ID, c.Kind))
		}
		return all, err
	})
}
