package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
)

const rootHelp = `subconsciousctl asks and steers a running subconsciousd.

Without options it speaks to the daemon whose state folder is
~/.local/state/subconscious. Entries and incidents may be named by the first
letters of their ids.

Where the input is no terminal, as in a script or where an agent runs it, what is
said (notes, answers, messages, memories) counts as an agent's word: it is kept
apart from yours and nothing is learnt from it. --as-me makes it yours.

` + exitTable

// newRoot puts all commands together.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:               "subconsciousctl",
		Short:             "ask and steer a running subconsciousd",
		Long:              rootHelp,
		Args:              a.unknownCommand,
		RunE:              help,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	flags := root.PersistentFlags()
	flags.BoolVar(&a.json, "json", false, "print JSON")
	flags.BoolVar(&a.asMe, "as-me", false, "what is said counts as your own word, though no terminal is there")
	flags.BoolVar(&a.noColour, "no-color", false, "print no colours (also NO_COLOR)")
	flags.StringVar(&a.stateDir, "state-dir", "", "the daemon's state `DIR` (also "+stateDirVariable+")")
	flags.StringVar(&a.config, "config", "", "the daemon's configuration `FILE` (also "+configVariable+")")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err: ofFlags(err), next: "see " + cmd.CommandPath() + " --help"}
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

// takesID is takes, of which the first argument is the id of something, or the
// beginning of one: it is there, and no longer than any. Like is such an id.
func takesID(least, most int, like string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := takes(least, most)(cmd, args); err != nil || len(args) == 0 {
			return err
		}
		if strings.TrimSpace(args[0]) == "" {
			return &usageError{err: fmt.Errorf("%s needs %s, and what is given is empty", cmd.Name(), cmd.Annotations[needs]),
				next: "write it out, for example: " + strings.Join(append([]string{cmd.CommandPath(), like}, args[1:]...), " ")}
		}
		what, _, _ := strings.Cut(cmd.Annotations[needs], ", and ")
		return bounded(what, args[0], api.MaxID)
	}
}

// said is the text that a command's arguments make: it is there, and not too long.
func said(cmd *cobra.Command, args []string, empty, what string, most int) (string, error) {
	text := strings.TrimSpace(strings.Join(args, " "))
	if text == "" {
		return "", &usageError{err: errors.New(empty), next: "usage: " + cmd.UseLine()}
	}
	return text, bounded(what, text, most)
}

// bounded refuses a text of more than most bytes.
func bounded(what, text string, most int) error {
	if len(text) <= most {
		return nil
	}
	return &usageError{err: fmt.Errorf("%s is %d bytes long, and at most %d are taken", what, len(text), most), next: "make it shorter"}
}

// ofFlags says what is wrong with an option in words that name no function of Go.
func ofFlags(err error) error {
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return err
	}
	wants := "it takes a number"
	switch {
	case number.Func == "ParseBool":
		wants = "it takes true or false"
	case errors.Is(number, strconv.ErrRange):
		wants = "the number is too large"
	}
	return errors.New(strings.ReplaceAll(err.Error(), number.Error(), wants))
}

// needs is the annotation that names what a command cannot do without.
const needs = "needs"

// pageFlags gives a command the flags of a list that is read page by page.
func pageFlags(cmd *cobra.Command, before *string, limit *int) {
	limitFlag(cmd, limit)
	cmd.Flags().StringVar(before, "before", "", "those before this `MARK`, which the page before names")
}

func limitFlag(cmd *cobra.Command, limit *int) {
	cmd.Flags().IntVar(limit, "limit", api.DefaultPage, "at most `N` of them, up to 100")
}

// checkLimit refuses what no page can have.
func checkLimit(cmd *cobra.Command, limit int) error {
	if limit >= 1 && limit <= api.MaxPage {
		return nil
	}
	return &usageError{err: fmt.Errorf("--limit takes 1 to %d", api.MaxPage), next: "see " + cmd.CommandPath() + " --help"}
}

// offer offers a list to the shell for the first argument alone.
func (a *app) offer(list func(context.Context, *client.Client) ([]entry, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.complete(cmd, begun, list)
	}
}

// completeFrom completes the values of a flag, which the command has, from a
// list.
func completeFrom(cmd *cobra.Command, flag string, values []string) {
	// That the flag is not known cannot be.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func newCompletion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "print a script that completes commands, entries and threads",
		Long: `Prints a completion script for a shell:

  bash  subconsciousctl completion bash >~/.local/share/bash-completion/completions/subconsciousctl
  zsh   subconsciousctl completion zsh >"${fpath[1]}/_subconsciousctl"
  fish  subconsciousctl completion fish >~/.config/fish/completions/subconsciousctl.fish`,
		Args:        takes(1, 1),
		Annotations: map[string]string{needs: "the name of a shell"},
		ValidArgs:   []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			}
			return &usageError{err: fmt.Errorf("there is no completion for %q", args[0]), next: "use bash, zsh or fish"}
		},
	}
}

// help is what a command does that only groups others.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }
