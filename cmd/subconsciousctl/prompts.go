package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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

// promptCommands show the prompts, and what the person changed of them.
func (a *app) promptCommands() map[string]command {
	var shipped bool
	var query api.PromptQuery
	all := (*prompts.Set)(nil).Names()
	return map[string]command{
		"prompts show": {only: all, flags: map[string]any{"shipped": &shipped}, run: func(_ *cobra.Command, args []string) error { return a.showPrompt(args[0], shipped) }},
		"prompts diff": {only: all, run: func(_ *cobra.Command, args []string) error { return a.diffPrompts(args) }},
		"prompts render": {offer: a.offer(threads()), run: filling(a, "asking", api.GetPrompt, &query, func(_ context.Context, c call) error {
			if query.Thread = c.args[0]; query.Thread == deliberation {
				return &usageError{err: errors.New("the prompt of a deliberation is made for one incident, and there is none to render without"),
					next: "see what was sent about one: subconsciousctl why I-ID --prompts"}
			}
			return nil
		}, "Prompt")},
	}
}

// promptTemplate is a template as it is printed with --json.
type promptTemplate struct {
	Name string `json:"name"`
	// Path of the file that overrides it; empty for the shipped one.
	Path string `json:"path,omitempty"`
	// Text is the one in use, unless the shipped one was asked for.
	Text string `json:"text"`
}

func (a *app) showPrompt(name string, shipped bool) error {
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
	source, ok := set.Source(name)
	switch {
	case !ok:
		return unknownPrompt(name, set)
	case a.json:
		return a.outcome(promptTemplate{Name: name, Path: source.Path, Text: source.Text})
	case a.outTerminal:
		return a.raw([]byte(screen.Lines(source.Text)))
	}
	return a.raw([]byte(source.Text))
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

func (a *app) diffPrompts(names []string) error {
	// The set of shipped ones: one's own may be broken, which is a reason to look
	// at the difference.
	set, err := prompts.Open("")
	if err != nil {
		return err
	}
	dir, err := a.promptsDir()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = set.Names()
	}
	diffs := make([]promptDiff, len(names))
	for i, name := range names {
		if diffs[i], err = diffPrompt(set, dir, name); err != nil {
			return err
		}
	}
	if err := a.print(diffs, func() string { return diffWords(a.view(), diffs) }); err != nil {
		return err
	}
	if _, err := prompts.Open(dir); setup.Distrust(dir, err) != nil { // which no difference shows
		return err
	}
	return nil
}

func diffPrompt(set *prompts.Set, dir, name string) (promptDiff, error) {
	shipped, ok := set.Embedded(name)
	if !ok {
		return promptDiff{}, unknownPrompt(name, set)
	}
	path := filepath.Join(dir, name+".md")
	own, err := readFile(path)
	if dir == "" || errors.Is(err, fs.ErrNotExist) {
		return promptDiff{Name: name}, nil
	}
	if err != nil {
		return promptDiff{}, fmt.Errorf("read a template: %w", err)
	}
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
