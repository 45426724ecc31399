package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

func newNotify(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "notify",
		Short: "list, test, renew and try out the channels over which you are told",
		Args:  a.unknownCommand,
		RunE:  help,
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
			return show(cmd.Context(), a, "asking", put(api.GetChannels, api.Nothing{}), screen.Channels)
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
		ValidArgsFunction: a.offer(channels),
		RunE: func(cmd *cobra.Command, args []string) error {
			channel := ""
			if len(args) == 1 {
				channel = args[0]
			}
			tests, err := ask(cmd.Context(), a, "sending", put(api.PostChannelTest, api.ChannelTestRequest{Channel: channel}))
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

// channels asks for the ids of channels.
func channels(ctx context.Context, daemon *client.Client) (all []entry, err error) {
	channels, err := client.Ask(ctx, daemon, api.GetChannels, api.Nothing{})
	for _, c := range channels {
		all = append(all, nameEntry(c.ID, c.Kind))
	}
	return all, err
}

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
		ValidArgsFunction: a.offer(channels),
		RunE: func(cmd *cobra.Command, args []string) error {
			return show(cmd.Context(), a, "renewing", put(api.PostChannelRenew, api.ChannelRenewal{Channel: args[0]}), screen.Renewed)
		},
	}
}

// fakeTopic is the topic that the stand-in suggests.
const fakeTopic = "mind"

func newNotifyFake(a *app) *cobra.Command {
	var listen string
	var faults []string
	cmd := &cobra.Command{
		Use:   "fake",
		Short: "serve a stand-in for an ntfy server, to see what your phone would",
		Long: `Serves a stand-in for an ntfy server on this machine until Ctrl-C, and shows
each message that it takes, with the commands that press its buttons: to see
what your phone would, or what becomes of a fault. It keeps messages in memory
alone and sends nothing anywhere.

Faults, each every time (NAME), or once, with the third message say (NAME@3):
` + wrappedFaults(),
		Example: "  subconsciousctl notify fake --listen 127.0.0.1:8099 --fault cut-after@1",
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.fakeChannel(cmd.Context(), listen, faults)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "the `ADDRESS` to listen on; port 0 takes a free one")
	cmd.Flags().StringArrayVar(&faults, "fault", nil, "what goes wrong, by `NAME`; may be given again")
	completeFrom(cmd, "fault", faultNames())
	return cmd
}

// fakeChannel serves until the context ends.
func (a *app) fakeChannel(ctx context.Context, listen string, faults []string) error {
	if host, _, err := net.SplitHostPort(listen); err != nil || host == "" {
		return &usageError{err: fmt.Errorf("--listen: %q is not an address with a port", listen), next: "write it as 127.0.0.1:8099"}
	}
	log := &messageLog{app: a}
	options := ntfytest.Options{Seen: log.seen}
	for _, text := range faults {
		trouble, err := parseFault(text)
		if err != nil {
			return &usageError{err: err, next: "see subconsciousctl notify fake --help"}
		}
		options.Troubles = append(options.Troubles, trouble)
	}
	// What is seen waits until the address is out.
	log.mu.Lock()
	server, err := ntfytest.Listen(listen, options)
	if err != nil {
		log.mu.Unlock()
		return err
	}
	defer server.Close()
	ready := struct {
		URL    string `json:"url"`
		Topic  string `json:"topic"`
		Config string `json:"config"`
	}{server.URL(), fakeTopic, fmt.Sprintf("notify:\n  - id: fake\n    ntfy: {url: %q, topic: %s}\n", server.URL(), fakeTopic)}
	err = a.print(ready, func(v screen.View) string { return screen.ReadyChannel(v, ready.URL, ready.Config) })
	log.mu.Unlock()
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// messageLog shows each message, one after the other.
type messageLog struct {
	mu  sync.Mutex
	app *app
}

func (l *messageLog) seen(m ntfytest.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A terminal that cannot be written to shows no messages.
	if l.app.json {
		_ = json.NewEncoder(l.app.stdout).Encode(m)
		return
	}
	pushed := screen.Pushed{At: l.app.now(), Topic: m.Topic, Title: m.Title, Text: m.Message, Priority: m.Priority}
	for _, b := range m.Actions {
		if b.Action == "http" {
			pushed.Buttons = append(pushed.Buttons, screen.Button{Label: b.Label, Press: "curl -d " + shellWord(b.Body) + " " + shellWord(b.URL)})
		}
	}
	_, _ = io.WriteString(l.app.stdout, screen.Push(l.app.view(), pushed))
}

// shellWord is text as one word of a shell.
func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// parseFault reads NAME or NAME@N.
func parseFault(text string) (ntfytest.Trouble, error) {
	name, number, once := strings.Cut(text, "@")
	trouble := ntfytest.Trouble{Fault: ntfytest.Fault(name), Use: ntfytest.Publish}
	if !slices.Contains(ntfytest.Faults(), trouble.Fault) {
		return trouble, fmt.Errorf("--fault: there is no fault %q; there are %s", name, strings.Join(faultNames(), ", "))
	}
	if trouble.Fault == ntfytest.Silent || trouble.Fault == ntfytest.Short {
		trouble.Use = ntfytest.Stream
	}
	if !once {
		return trouble, nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return trouble, fmt.Errorf("--fault: %q is not the number of a message", number)
	}
	trouble.Skip, trouble.Times = n-1, 1
	return trouble, nil
}

func faultNames() []string {
	var names []string
	for _, fault := range ntfytest.Faults() {
		names = append(names, string(fault))
	}
	return names
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
