package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/setup"
)

// deliberation is the name of the template that is of no thread.
const deliberation = "deliberation"

func newPrompts(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "prompts",
		Short: "show the prompts of the threads and of deliberations, and what you changed",
		Long: `The prompts are templates. A file NAME.md in the folder "prompts" beside the
configuration takes the place of the shipped one of that name.`,
		Args: a.unknownCommand,
		RunE: help,
	}
	group.AddCommand(newPromptsShow(a), newPromptsDiff(a), newPromptsRender(a))
	return group
}

// promptTemplate is a template as it is printed with --json.
type promptTemplate struct {
	Name string `json:"name"`
	// Path of the file that overrides it; empty for the shipped one.
	Path string `json:"path,omitempty"`
	// Text is the one in use, unless the shipped one was asked for.
	Text string `json:"text"`
}

func newPromptsShow(a *app) *cobra.Command {
	var shipped bool
	cmd := &cobra.Command{
		Use:         "show THREAD",
		Short:       "print the template in use",
		Long:        "Prints the template in use, ready to be changed and put beside the configuration.",
		Example:     "  subconsciousctl prompts show watcher >~/.config/subconscious/prompts/watcher.md",
		Args:        takes(1, 1),
		Annotations: map[string]string{needs: "the name of a thread, deliberation or shared"},
		ValidArgs:   (*prompts.Set)(nil).Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.promptsDir()
			if err != nil {
				return err
			}
			if shipped {
				dir = ""
			}
			set, err := prompts.Open(dir)
			if err != nil {
				return err
			}
			source, ok := set.Source(args[0])
			if !ok {
				return unknownPrompt(args[0], set)
			}
			template := promptTemplate{Name: args[0], Path: source.Path, Text: source.Text}
			if a.json {
				return a.print(template, nil)
			}
			text := source.Text
			if a.outTerminal {
				text = screen.Lines(text)
			}
			return a.raw([]byte(text))
		},
	}
	cmd.Flags().BoolVar(&shipped, "shipped", false, "the one that is built in, whatever is in use")
	return cmd
}

func unknownPrompt(name string, set *prompts.Set) error {
	return api.Errorf(api.CodeNotFound, "there are "+strings.Join(set.Names(), ", "), "there is no prompt %q", name)
}

// promptsDir is where templates override the shipped ones.
func (a *app) promptsDir() (string, error) {
	place, err := a.configPlace()
	return setup.PromptsDir(place.File), err
}

// promptDiff is how one template in use differs from the shipped one.
type promptDiff struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff,omitempty"`
}

func newPromptsDiff(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "diff [THREAD]",
		Short:     "show what you changed of the shipped templates",
		Args:      takes(0, 1),
		ValidArgs: (*prompts.Set)(nil).Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			// The set of shipped ones: one's own may be broken, which is a
			// reason to look at the difference.
			set, err := prompts.Open("")
			if err != nil {
				return err
			}
			names := set.Names()
			if len(args) == 1 {
				if !slices.Contains(names, args[0]) {
					return unknownPrompt(args[0], set)
				}
				names = args
			}
			diffs := make([]promptDiff, 0, len(names))
			for _, name := range names {
				d, err := a.promptDiff(set, name)
				if err != nil {
					return err
				}
				diffs = append(diffs, d)
			}
			if err := a.print(diffs, func(v screen.View) string { return diffWords(v, diffs) }); err != nil {
				return err
			}
			dir, err := a.promptsDir()
			if err != nil {
				return err
			}
			if _, err := prompts.Open(dir); setup.Distrust(dir, err) != nil { // which no difference shows
				return err
			}
			return nil
		},
	}
}

func (a *app) promptDiff(set *prompts.Set, name string) (promptDiff, error) {
	dir, err := a.promptsDir()
	if err != nil || dir == "" {
		return promptDiff{Name: name}, err
	}
	path := filepath.Join(dir, name+".md")
	own, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return promptDiff{Name: name}, nil
	}
	if err != nil {
		return promptDiff{}, fmt.Errorf("read a template: %w", err)
	}
	shipped, _ := set.Embedded(name)
	changed := diff.Diff("shipped/"+name+".md", []byte(shipped), path, own)
	return promptDiff{Name: name, Path: path, Changed: changed != nil, Diff: string(changed)}, nil
}

func diffWords(v screen.View, diffs []promptDiff) string {
	var b strings.Builder
	for _, d := range diffs {
		switch {
		case d.Changed:
			b.WriteString(screen.Diff(v, d.Diff))
		case d.Path != "":
			b.WriteString(screen.Lines(d.Path) + " is the shipped one, word for word.\n")
		default:
			b.WriteString(screen.Lines(d.Name) + " is the shipped one.\n")
		}
	}
	return b.String()
}

func newPromptsRender(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "render THREAD",
		Short: "print what a thread would be asked now",
		Long: `Asks the daemon for the prompt that the thread's model would get if it were
asked now: with what is new, and with secrets taken out where the model is not
local. No model is asked.`,
		Args:              takesID(1, 1, "watcher"),
		Annotations:       map[string]string{needs: "the name of a thread"},
		ValidArgsFunction: a.offer(threads),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == deliberation {
				return &usageError{err: errors.New("the prompt of a deliberation is made for one incident, and there is none to render without"),
					next: "see what was sent about one: subconsciousctl why I-ID --prompts"}
			}
			return show(cmd.Context(), a, "asking", put(api.GetPrompt, api.PromptQuery{Thread: args[0]}), screen.Prompt)
		},
	}
}
