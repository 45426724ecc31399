package api

import (
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// command is the request as of now, which is its At; By, ID and the key of the
// incident are left to the mind.
func (r CommandRequest) command(now time.Time) (subconscious.Command, error) {
	if err := firstError(checkAs(r.As), r.allowed()); err != nil {
		return subconscious.Command{}, err
	}
	command := subconscious.Command{At: now, Kind: r.Kind, Entry: r.Entry, IncidentID: r.Incident, Thread: r.Thread,
		Text: strings.TrimSpace(subconscious.Printable(r.Text)), Forever: r.Forever, Feedback: r.Feedback}
	if r.Kind == subconscious.CommandNote && command.Text == "" {
		return subconscious.Command{}, badRequest("write what it should know", "text: the note is empty")
	}
	var err error
	if command.Until, err = r.later(now); err != nil {
		return subconscious.Command{}, err
	}
	return command, nil
}

// personal: answers are the person's alone.
func (r *CommandRequest) personal() bool {
	return r.Kind != subconscious.CommandNote && r.Kind != subconscious.CommandFocus
}

// allowed refuses what a command of that kind lacks, and what it does not take.
func (r CommandRequest) allowed() error {
	switch r.Kind {
	case subconscious.CommandClose, subconscious.CommandDismiss:
		return firstError(r.checkSubject(), r.only("subject", "forever"))
	case subconscious.CommandConfirm:
		return firstError(checkName("entry", "entry", string(r.Entry)), r.only("entry"), mayVouch(r.As, "to confirm"))
	case subconscious.CommandAck:
		return firstError(r.checkSubject(), r.only("subject", "feedback"), r.checkFeedback())
	case subconscious.CommandSnooze, subconscious.CommandRemind:
		return firstError(r.checkSubject(), r.only("subject", "later"))
	case subconscious.CommandFocus:
		return firstError(checkName("thread", "thread", string(r.Thread)), r.only("thread", "text"), checkText(elsewhere, "text", r.Text, MaxHint))
	case subconscious.CommandNote:
		return firstError(r.only("text"), checkText(elsewhere, "text", r.Text, MaxNote))
	default:
		return badRequest("use ack, dismiss, snooze, remind, close, confirm, focus or note", "kind: %q is not a command", clip(string(r.Kind)))
	}
}

// only refuses the fields that are set and not among those taken. "subject" is
// the entry or the incident, "later" is until or for.
func (r CommandRequest) only(taken ...string) error {
	for _, field := range []struct {
		name, group string
		set         bool
	}{
		{"entry", "subject", r.Entry != ""},
		{"incident", "subject", r.Incident != ""},
		{"thread", "", r.Thread != ""},
		{"text", "", r.Text != ""},
		{"forever", "", r.Forever},
		{"feedback", "", r.Feedback != ""},
		{"until", "later", r.Until != ""},
		{"for", "later", r.For != ""},
	} {
		if field.set && !slices.Contains(taken, field.name) && !slices.Contains(taken, field.group) {
			return badRequest("leave it out", "%s: %s does not take it", field.name, r.Kind)
		}
	}
	return nil
}

// checkSubject wants an entry or an incident, and not both.
func (r CommandRequest) checkSubject() error {
	switch {
	case r.Entry == "" && r.Incident == "":
		return badRequest("take an id from `subconsciousctl inbox` or `subconsciousctl status`", "incident: %s needs an incident or an entry", r.Kind)
	case r.Entry != "" && r.Incident != "":
		return badRequest("name one of them", "incident: there is an entry beside it")
	case r.Entry != "":
		return checkName("entry", "entry", string(r.Entry))
	}
	return checkName("incident", "incident", string(r.Incident))
}

func (r CommandRequest) checkFeedback() error {
	switch r.Feedback {
	case "", subconscious.Useful, subconscious.NotUseful:
		return nil
	}
	return badRequest("use useful or not_useful, or leave it out", "feedback: %q is not a word for it", clip(string(r.Feedback)))
}

// later reads when snooze and remind let the incident speak again; zero where
// a snooze leaves that to the mind.
func (r CommandRequest) later(now time.Time) (time.Time, error) {
	var until time.Time
	field := "until"
	switch {
	case r.Until != "" && r.For != "":
		return time.Time{}, badRequest("say one of them", "until: there is a for beside it")
	case r.Until != "":
		var err error
		if until, err = time.Parse(time.RFC3339, r.Until); err != nil {
			return time.Time{}, badRequest(`write it like "2026-03-14T08:00:00Z"`, "until: %q is not a time", clip(r.Until))
		}
	case r.For != "":
		length, err := time.ParseDuration(r.For)
		if err != nil {
			return time.Time{}, badRequest(`write it with its unit, like "90m" or "2h"`, "for: %q is not a length of time", clip(r.For))
		}
		if length > MaxLater {
			return time.Time{}, tooLate("for", r.For)
		}
		field, until = "for", now.Add(length)
	case r.Kind == subconscious.CommandRemind:
		return time.Time{}, badRequest("say for how long, or until when", "until: a reminder needs a time")
	default:
		return time.Time{}, nil
	}
	switch {
	case !until.After(now):
		return time.Time{}, badRequest("name a time that is still ahead", "%s: %s is past", field, clip(r.Until+r.For))
	case until.After(now.Add(MaxLater)):
		return time.Time{}, tooLate(field, r.Until+r.For)
	}
	return until.In(now.Location()), nil
}

func tooLate(field, text string) error {
	return badRequest("choose less, and ask again then", "%s: %s is more than 366 days ahead", field, clip(text))
}
