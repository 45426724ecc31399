package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	_ "embed"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
)

// commandWords is what every command is called, takes, and says of itself. A
// section begins with "== ", the command and its arguments; below stand its
// short help, what it cannot do without ("needs") with an example of an id
// ("like"), and its flags. Paragraphs of its help follow. "=== " begins a group.
//
//go:embed commands.txt
var commandWords string

// command is what a command of commandWords does.
type command struct {
	// flags are where the values of flags go, and what they are by default.
	flags map[string]any
	// values complete the values of flags.
	values map[string]cobra.CompletionFunc
	// offer completes the first argument, or it is one of only.
	offer cobra.CompletionFunc
	only  []string
	// tables stand for each %s of its help.
	tables func() []any
	// run is nil for a command that only groups others.
	run work
}

// Keys of annotations: what a command cannot do without, and an example of it.
const (
	needs = "needs"
	like  = "like"
)

// commands are what all commands do, by the words by which they are called.
func (a *app) commands() map[string]command {
	all := map[string]command{"subconsciousctl": {flags: map[string]any{
		"json": &a.json, "as-me": &a.asMe, "no-color": &a.noColour, "state-dir": &a.stateDir, "config": &a.config,
	}}}
	for _, noun := range []func() map[string]command{
		a.mindCommands, a.entryCommands, a.inboxCommands, a.proposalCommands, a.runCommands, a.tickCommands, a.whyCommands, a.calibrationCommands, a.memoryCommands,
		a.messageCommands, a.initCommands, a.doctorCommands, a.authCommands, a.configCommands, a.modelCommands, a.promptCommands, a.notifyCommands, a.sourceCommands,
		a.serviceCommands, a.eventCommands,
		a.backupCommands,
	} {
		maps.Copy(all, noun())
	}
	return all
}

// newRoot puts all commands together.
func newRoot(a *app) *cobra.Command {
	all := a.commands()
	built := map[string]*cobra.Command{}
	var root *cobra.Command
	group := ""
	for _, section := range strings.Split("\n"+commandWords, "\n== ")[1:] {
		section, next, begins := strings.Cut(section, "\n=== ")
		path, cmd := newCommand(section, all, a.args)
		built[path] = cmd
		parent, ok := built[strings.TrimSuffix(path, " "+cmd.Name())]
		switch {
		case root == nil:
			root = cmd
		case !ok || parent == cmd:
			cmd.GroupID = group
			root.AddCommand(cmd)
		default:
			parent.Args = a.unknownCommand
			parent.AddCommand(cmd)
		}
		if begins {
			group = strings.TrimSpace(next)
			root.AddGroup(&cobra.Group{ID: group, Title: group})
		}
	}
	root.Args, root.SilenceUsage, root.SilenceErrors = a.unknownCommand, true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommandGroupID(group)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err: ofFlags(err), next: "see " + cmd.CommandPath() + " --help"}
	})
	return root
}

// newCommand makes the command of a section of commandWords, and returns the words
// by which it is called. Without these words in the arguments it is not what is
// run, and no more than named.
func newCommand(section string, all map[string]command, args []string) (string, *cobra.Command) {
	about, long, _ := strings.Cut(section, "\n\n")
	long, example, _ := strings.Cut("\n"+long, "\nExamples:\n")
	lines := strings.Split(strings.TrimSpace(about), "\n")
	words := strings.Fields(lines[0])
	n := 1
	for n < len(words) && strings.Trim(words[n], "abcdefghijklmnopqrstuvwxyz") == "" {
		n++
	}
	path := strings.Join(words[:n], " ")
	does := all[path]
	cmd := &cobra.Command{Use: strings.Join(words[n-1:], " "), Short: lines[1], Example: strings.TrimRight(example, "\n"),
		Args: takes(words[n:]), ValidArgs: does.only, ValidArgsFunction: does.offer, RunE: does.start, Annotations: map[string]string{}}
	elsewhere := func(word string) bool { return !slices.Contains(args, word) }
	if args != nil && path != "subconsciousctl" && slices.ContainsFunc(words[:n], elsewhere) {
		return path, cmd
	}
	if cmd.Long = strings.TrimSpace(long); does.tables != nil {
		cmd.Long = fmt.Sprintf(cmd.Long, does.tables()...)
	}
	if n < len(words) && strings.HasSuffix(words[n], "…") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, line := range lines[2:] {
		key, value, _ := strings.Cut(line, ": ")
		if flag, ok := strings.CutPrefix(key, "--"); ok {
			flag, short, _ := strings.Cut(flag, " -")
			addFlag(cmd, path, flag, short, value, does.flags[flag])
		} else {
			cmd.Annotations[key] = value
		}
	}
	for flag, complete := range does.values {
		_ = cmd.RegisterFlagCompletionFunc(flag, complete) // it was added above
	}
	return path, cmd
}

// addFlag gives a command a flag, with a letter that is short for it or "", and the
// whole program those of its first section.
func addFlag(cmd *cobra.Command, path, name, short, usage string, to any) {
	flags := cmd.Flags()
	if path == "subconsciousctl" {
		flags = cmd.PersistentFlags()
	}
	switch to := to.(type) {
	case *bool:
		flags.BoolVarP(to, name, short, *to, usage)
	case *string:
		flags.StringVarP(to, name, short, *to, usage)
	case *[]string:
		flags.StringArrayVarP(to, name, short, *to, usage)
	case *int:
		flags.IntVarP(to, name, short, *to, usage)
	case *int64:
		flags.Int64VarP(to, name, short, *to, usage)
	case *uint64:
		flags.Uint64VarP(to, name, short, *to, usage)
	}
}

// start runs the command, unless a page is asked for that there cannot be.
func (c command) start(cmd *cobra.Command, args []string) error {
	next := "see " + cmd.CommandPath() + " --help"
	if limit, ok := c.flags["limit"].(*int); ok && (*limit < 1 || *limit > api.MaxPage) {
		return &usageError{err: fmt.Errorf("--limit takes 1 to %d", api.MaxPage), next: next}
	}
	if before, ok := c.flags["before"].(*int64); ok && *before < 0 {
		return &usageError{err: errors.New("--before takes a number of 1 or more"), next: next}
	}
	if c.run == nil {
		return cmd.Help()
	}
	return c.run(cmd, args)
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

// takes checks arguments against those that the help names: in brackets what
// may be left out, with "…" what may be many words. Of a command with an example
// of an id the first is an id or its beginning: it is there, and no longer than any.
func takes(names []string) cobra.PositionalArgs {
	optional := func(name string) bool { return name[0] == '[' }
	least := len(slices.DeleteFunc(slices.Clone(names), optional))
	endless := strings.Contains(strings.Join(names, ""), "…")
	return func(cmd *cobra.Command, args []string) error {
		needed, example, next := cmd.Annotations[needs], cmd.Annotations[like], "usage: "+cmd.UseLine()
		switch {
		case len(args) < least:
			return &usageError{err: errors.New(cmd.Name() + " needs " + needed), next: next}
		case !endless && len(args) > len(names):
			return &usageError{err: fmt.Errorf("%s does not take %q", cmd.Name(), args[len(names)]), next: next}
		case example == "" || len(args) == 0:
			return nil
		case strings.TrimSpace(args[0]) == "":
			return &usageError{err: fmt.Errorf("%s needs %s, and what is given is empty", cmd.Name(), needed),
				next: "write it out, for example: " + strings.Join(append([]string{cmd.CommandPath(), example}, args[1:]...), " ")}
		}
		what, _, _ := strings.Cut(needed, ", and ")
		return bounded(what, args[0], api.MaxID)
	}
}

// said is the text that a command's arguments make: it is there, and not too long.
func said(cmd *cobra.Command, args []string, empty, what string, most int) (string, error) {
	text := strings.TrimSpace(strings.Join(args, " "))
	if text == "" {
		return "", &usageError{err: errors.New(empty), next: "usage: " + cmd.UseLine()}
	}
	if !utf8.ValidString(text) {
		return "", &usageError{err: errors.New(what + " is not UTF-8"), next: "convert it, with iconv say"}
	}
	return text, bounded(what, text, most)
}

// searched are the words to search for.
func searched(cmd *cobra.Command, args []string) (string, error) {
	return said(cmd, args, "there are no words to search for", "the text to search for", api.MaxWords)
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

// oneOf completes from a list that is known.
func oneOf(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// argument is the first argument, or "".
func argument(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
