package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// inboxCommands show what is told, and answer it.
func (a *app) inboxCommands() map[string]command {
	query := api.InboxQuery{Limit: api.DefaultPage}
	ack := api.CommandRequest{Kind: subconscious.CommandAck}
	dismiss := api.CommandRequest{Kind: subconscious.CommandDismiss}
	snooze := api.CommandRequest{Kind: subconscious.CommandSnooze}
	remind := api.CommandRequest{Kind: subconscious.CommandRemind}
	var useful, notUseful bool
	var length, until string
	about := a.offer(incidents().and(entries()))
	return map[string]command{
		"inbox": {flags: map[string]any{"all": &query.All, "before": &query.Before, "limit": &query.Limit},
			run: asking(a, "asking", api.GetInbox, &query, "Inbox")},
		"ack": {offer: about, flags: map[string]any{"useful": &useful, "not-useful": &notUseful}, run: a.answer(&ack, func(c call) error {
			switch {
			case useful && notUseful:
				return &usageError{err: errors.New("it cannot be both useful and not useful"), next: "usage: " + c.cmd.UseLine()}
			case useful:
				ack.Feedback = subconscious.Useful
			case notUseful:
				ack.Feedback = subconscious.NotUseful
			}
			return nil
		})},
		"dismiss": {offer: about, flags: map[string]any{"forever": &dismiss.Forever}, run: a.answer(&dismiss, func(call) error { return nil })},
		"snooze": {offer: about, flags: map[string]any{"for": &length, "until": &until}, run: a.answer(&snooze, func(c call) (err error) {
			flag, text := "", strings.Join(c.args[1:], " ")
			for name, value := range map[string]string{"--for ": length, "--until ": until} {
				switch {
				case value == "":
				case text != "":
					return &usageError{err: errors.New("WHEN, --for and --until say the same in several ways"), next: "give one of them"}
				default:
					flag, text = name, value
				}
			}
			if text != "" {
				snooze.Until, err = a.when(flag, text, true)
			}
			return err
		})},
		"remind": {offer: about, run: a.answer(&remind, func(c call) (err error) {
			remind.Until, err = a.when("", strings.Join(c.args[1:], " "), false)
			return err
		})},
	}
}

// when reads a time that is still ahead, in the mind's time zone; flag stands
// before what is wrong.
func (a *app) when(flag, text string, roll bool) (string, error) {
	at, err := screen.When(a.view(), text, roll)
	var unclear *screen.Unclear
	if errors.As(err, &unclear) {
		err = &usageError{err: fmt.Errorf("%s%w", flag, err), next: unclear.Next}
	}
	return at.Format(time.RFC3339), err
}

// answer is the work of a command that answers the incident or the entry that
// its first argument names. It is filled in once that was asked for: only then is
// the mind's time zone known.
func (a *app) answer(request *api.CommandRequest, fill func(call) error) work {
	return filling(a, "asking", api.PostCommand, request, func(ctx context.Context, c call) error {
		about, err := findSubject(ctx, c.Client, c.args[0])
		if err != nil {
			return err
		}
		request.Incident, request.Entry = about.incident, about.entry
		return fill(c)
	}, "Answer")
}
