package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newInbox(a *app) *cobra.Command {
	var query api.InboxQuery
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "show what waits to be told, and what was told and not answered",
		Long: `Shows the incidents of which somebody asks that you be told: those that wait,
with what for and until when, and those that were told and not answered, with
how they were delivered. With --all also those that are over.`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(cmd, query.Limit); err != nil {
				return err
			}
			return show(cmd.Context(), a, "asking", put(api.GetInbox, query),
				func(v screen.View, inbox api.Inbox) string { return screen.Inbox(v, inbox, query) })
		},
	}
	cmd.Flags().BoolVar(&query.All, "all", false, "those that are over too")
	pageFlags(cmd, &query.Before, &query.Limit)
	return cmd
}

func newAck(a *app) *cobra.Command {
	var useful, notUseful bool
	cmd := &cobra.Command{
		Use:   "ack ID",
		Short: "say that you heard, and whether it was of use",
		Long: `Answers an incident. It is told again only if it changes in a way that matters:
if it gets worse, its time comes near, its status changes or somebody joins.
With --useful or --not-useful it is learnt from for things of its sort.`,
		Example:           "  subconsciousctl ack i-disk-1a0 --useful",
		Args:              takesID(1, 1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds},
		ValidArgsFunction: a.offer(subjects),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := api.CommandRequest{Kind: subconscious.CommandAck}
			switch {
			case useful && notUseful:
				return &usageError{err: errors.New("it cannot be both useful and not useful"), next: "usage: " + cmd.UseLine()}
			case useful:
				request.Feedback = subconscious.Useful
			case notUseful:
				request.Feedback = subconscious.NotUseful
			}
			return a.answer(cmd.Context(), args[0], func(screen.View) (api.CommandRequest, error) { return request, nil })
		},
	}
	cmd.Flags().BoolVar(&useful, "useful", false, "it was good to be told")
	cmd.Flags().BoolVar(&notUseful, "not-useful", false, "it was not")
	return cmd
}

func newDismiss(a *app) *cobra.Command {
	var forever bool
	cmd := &cobra.Command{
		Use:   "dismiss ID",
		Short: "be told no more of an incident, unless it gets worse or comes anew",
		Long: `Dismisses an incident. It is told again only if it gets worse than it was, or
was all over and appears anew; with --forever it never is. That it was not
wanted is learnt from for things of its sort.`,
		Args:              takesID(1, 1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds},
		ValidArgsFunction: a.offer(subjects),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.answer(cmd.Context(), args[0], func(screen.View) (api.CommandRequest, error) {
				return api.CommandRequest{Kind: subconscious.CommandDismiss, Forever: forever}, nil
			})
		},
	}
	cmd.Flags().BoolVar(&forever, "forever", false, "whatever happens")
	return cmd
}

func newSnooze(a *app) *cobra.Command {
	var length, until string
	cmd := &cobra.Command{
		Use:   "snooze ID [WHEN…]",
		Short: "hear of an incident later, if it still stands then",
		Long: `Puts an incident off. Without WHEN it comes again in 3 hours or when quiet hours
end, whichever is later. What is over by then is not told.

` + whenHelp + `
A time of the day that is past means tomorrow's.`,
		Example: `  subconsciousctl snooze i-disk-1a0 2h
  subconsciousctl snooze i-disk-1a0 tomorrow 9:00`,
		Args:              takesID(1, -1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds},
		ValidArgsFunction: a.offer(subjects),
		RunE: func(cmd *cobra.Command, args []string) error {
			flag, text := "", strings.Join(args[1:], " ")
			for name, value := range map[string]string{"--for ": length, "--until ": until} {
				switch {
				case value == "":
				case text != "":
					return &usageError{err: errors.New("WHEN, --for and --until say the same in several ways"), next: "give one of them"}
				default:
					flag, text = name, value
				}
			}
			return a.answer(cmd.Context(), args[0], func(v screen.View) (api.CommandRequest, error) {
				request := api.CommandRequest{Kind: subconscious.CommandSnooze}
				if text == "" {
					return request, nil
				}
				at, err := when(v, flag, text, true)
				request.Until = at.Format(time.RFC3339)
				return request, err
			})
		},
	}
	cmd.Flags().StringVar(&length, "for", "", "the same as `WHEN`: 30m, 3h, 2d")
	cmd.Flags().StringVar(&until, "until", "", "the same as `WHEN`: 08:00, fri 9:00, 2026-11-23T08:00")
	return cmd
}

// whenHelp says how a time is written, for snooze and remind.
const whenHelp = `WHEN is a length of time (2h, 3d, 1w), a time of the day (18:00, 6pm), a day
(tomorrow, fri, 2026-11-23; at 9:00), or a day and a time (tomorrow 18:00,
fri 8:00, 2026-11-23 08:00), in the mind's time zone.`

func newRemind(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remind ID WHEN…",
		Short: "be told of an incident again at a time, whatever becomes of it",
		Long:  "Sets a reminder of an incident.\n\n" + whenHelp,
		Example: `  subconsciousctl remind i-disk-1a0 2h
  subconsciousctl remind i-disk-1a0 tomorrow 9:00`,
		Args:              takesID(2, -1, "i-disk-1a0"),
		Annotations:       map[string]string{needs: subjectNeeds + ", and a time"},
		ValidArgsFunction: a.offer(subjects),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.answer(cmd.Context(), args[0], func(v screen.View) (api.CommandRequest, error) {
				at, err := when(v, "", strings.Join(args[1:], " "), false)
				return api.CommandRequest{Kind: subconscious.CommandRemind, Until: at.Format(time.RFC3339)}, err
			})
		},
	}
}

// when reads a time that is still ahead; flag stands before what is wrong.
func when(v screen.View, flag, text string, roll bool) (time.Time, error) {
	at, err := screen.When(v, text, roll)
	var unclear *screen.Unclear
	if errors.As(err, &unclear) {
		return time.Time{}, &usageError{err: fmt.Errorf("%s%w", flag, err), next: unclear.Next}
	}
	return at, err
}

// subject is what a command is about: an incident, or an entry.
type subject struct {
	incident subconscious.IncidentID
	entry    subconscious.EntryID
}

// incidentSign is how the id of every incident begins.
const incidentSign = "i-"

// subjectNeeds is what a command about an incident cannot do without.
const subjectNeeds = "the id of an incident or an entry"

// incidents asks for the newest incidents, those that are over among them.
func incidents(ctx context.Context, daemon *client.Client) ([]entry, error) {
	inbox, err := client.Ask(ctx, daemon, api.GetInbox, api.InboxQuery{All: true, Limit: api.MaxPage})
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, i := range inbox.Incidents {
		all = append(all, nameEntry(string(i.ID), i.Summary))
	}
	return all, nil
}

// resolveSubject finds the incident or the entry whose id begins so. What is not
// shown is handed on as it is: the daemon also knows older ones.
func resolveSubject(ctx context.Context, daemon *client.Client, text string) (subject, error) {
	var told []entry
	if strings.HasPrefix(text, incidentSign) || text == incidentSign[:1] {
		var err error
		if told, err = incidents(ctx, daemon); err != nil {
			return subject{}, err
		}
	}
	listed, err := entries(ctx, daemon)
	if err != nil {
		return subject{}, err
	}
	id, err := pick(append(told, listed...), text)
	if err != nil {
		return subject{}, err
	}
	if strings.HasPrefix(string(id), incidentSign) && !has(listed, id) {
		return subject{incident: subconscious.IncidentID(id)}, nil
	}
	return subject{entry: id}, nil
}

func has(all []entry, id subconscious.EntryID) bool {
	for _, e := range all {
		if e.id == id {
			return true
		}
	}
	return false
}

// subjects asks for incidents and entries.
func subjects(ctx context.Context, daemon *client.Client) (all []entry, err error) {
	told, err := incidents(ctx, daemon)
	if err != nil {
		return nil, err
	}
	listed, err := entries(ctx, daemon)
	return append(told, listed...), err
}

// answer sends one answer to an incident and says what will come of it. The request
// is asked for once the mind's time zone is known.
func (a *app) answer(ctx context.Context, id string, request func(screen.View) (api.CommandRequest, error)) error {
	return show(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.CommandResult, error) {
		about, err := resolveSubject(ctx, daemon, id)
		if err != nil {
			return api.CommandResult{}, err
		}
		command, err := request(a.view())
		if err != nil {
			return api.CommandResult{}, err
		}
		command.Incident, command.Entry = about.incident, about.entry
		return client.Ask(ctx, daemon, api.PostCommand, command)
	}, screen.Answer)
}
