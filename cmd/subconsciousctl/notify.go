package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
)

// notifyCommands show and try the channels over which the person is told.
func (a *app) notifyCommands() map[string]command {
	var test api.ChannelTestRequest
	var renewal api.ChannelRenewal
	listen := "127.0.0.1:0"
	var faults []string
	return map[string]command{
		"notify list": {run: asking(a, "asking", api.GetChannels, &api.Nothing{}, "Channels")},
		"notify test": {offer: a.offer(channels()), run: filling(a, "sending", api.PostChannelTest, &test, func(_ context.Context, c call) error {
			test.Channel = argument(c.args)
			return nil
		}, "NotifyTests", func(tests []api.Delivery) error {
			return ended(!slices.ContainsFunc(tests, func(d api.Delivery) bool { return d.State == "sent" }), exitFailed)
		})},
		"notify renew": {offer: a.offer(channels()), run: filling(a, "renewing", api.PostChannelRenew, &renewal, func(_ context.Context, c call) error {
			renewal.Channel = c.args[0]
			return nil
		}, "Renewed")},
		"notify fake": {
			flags:  map[string]any{"listen": &listen, "fault": &faults},
			values: map[string]cobra.CompletionFunc{"fault": oneOf(faultNames()...)},
			tables: func() []any { return []any{wrappedFaults()} },
			run:    func(cmd *cobra.Command, _ []string) error { return a.fakeChannel(cmd.Context(), listen, faults) },
		},
	}
}

// channels asks for the ids of channels.
func channels() list {
	return listed(api.GetChannels, api.Nothing{}, func(all []api.ChannelStatus) []named {
		return names(all, func(c api.ChannelStatus) named { return named{c.ID, c.Kind} })
	})
}

// wrappedFaults lists the faults in lines for a help text.
func wrappedFaults() string {
	const perLine = 7
	var b strings.Builder
	for names := range slices.Chunk(faultNames(), perLine) {
		b.WriteString("  " + strings.Join(names, ", ") + "\n")
	}
	return b.String()
}
