package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `subconsciousctl asks and steers a running subconsciousd.

Without options it speaks to the daemon whose state folder is
~/.local/state/subconscious. Entries and incidents may be named by the first
letters of their ids.

` + exitTable

// newRoot puts all commands together.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:               "subconsciousctl",
		Short:             "ask and steer a running subconsciousd",
		Long:              rootHelp,
		Args:              a.unknownCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	flags := root.PersistentFlags()
	flags.BoolVar(&a.json, "json", false, "print JSON")
	flags.BoolVar(&a.noColour, "no-color", false, "print no colours (also NO_COLOR)")
	flags.StringVar(&a.stateDir, "state-dir", "", "the daemon's state `DIR` (also "+stateDirVariable+")")
	flags.StringVar(&a.config, "config", "", "the daemon's configuration `FILE` (also "+configVariable+")")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err: err, next: "see " + cmd.CommandPath() + " --help"}
	})
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"look", "Look:", []*cobra.Command{newStatus(a), newInbox(a), newProposals(a), newWhy(a), newMissed(a), newReport(a), newTicks(a)}},
		{"answer", "Answer what you are told:", []*cobra.Command{newAck(a), newDismiss(a), newSnooze(a), newRemind(a), newApprove(a), newReject(a), newUndo(a), newCalibration(a)}},
		{"steer", "Steer:", []*cobra.Command{newTick(a), newNote(a), newClose(a), newConfirm(a), newFocus(a), newPause(a), newResume(a)}},
		{"layers", "Memory and conversations:", []*cobra.Command{newMemory(a), newMessages(a)}},
		{"setup", "Set up:", []*cobra.Command{newInit(a), newDoctor(a), newAuth(a), newConfig(a), newModels(a), newPrompts(a), newNotify(a), newCompletion(a), newVersion(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, command := range g.commands {
			command.GroupID = g.id
			root.AddCommand(command)
		}
	}
	root.SetHelpCommandGroupID("setup")
	return root
}

// suggestWithin is how many letters a command may differ by from what was meant.
const suggestWithin = 2

// unknownCommand refuses words that are no command.
func (a *app) unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	next := "see " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = suggestWithin
	if meant := cmd.SuggestionsFor(args[0]); len(meant) > 0 {
		next = "did you mean " + strings.Join(meant, " or ") + "?"
	}
	return &usageError{err: fmt.Errorf("there is no command %q", args[0]), next: next}
}

// takes checks the number of arguments; most below 0 means any number.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		next := "usage: " + cmd.UseLine()
		switch {
		case len(args) < least:
			return &usageError{err: errors.New(cmd.Name() + " needs " + cmd.Annotations[needs]), next: next}
		case most >= 0 && len(args) > most:
			return &usageError{err: fmt.Errorf("%s does not take %q", cmd.Name(), args[most]), next: next}
		}
		return nil
	}
}

// needs is the annotation that names what a command cannot do without.
const needs = "needs"
