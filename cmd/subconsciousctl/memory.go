package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

// memoryCommands show and change what is remembered.
func (a *app) memoryCommands() map[string]command {
	query, lane, topic, back := api.MemoryQuery{Limit: api.DefaultPage}, api.MemoryLane{}, api.MemoryTopic{}, ""
	var name api.MemoryName
	var change api.MemoryChange
	var next api.MemorySuccessor
	var forget api.MemoryForget
	since := func(c call) (err error) {
		var ok bool
		if back != "" {
			if query.Since, ok = screen.Since(a.view(), back); !ok {
				err = unsince(back)
			}
			topic.Since = query.Since
		}
		query.About = subjectOf(query.About)
		return err
	}
	apart := memoriesOf(api.MemoryQuery{Agents: true}).and(memoriesOf(api.MemoryQuery{Quarantined: true}))
	all := memoriesOf(api.MemoryQuery{}).and(apart)
	newest := command{flags: map[string]any{"limit": &query.Limit, "agents": &query.Agents, "quarantined": &query.Quarantined, "kind": &query.Kind, "about": &query.About, "since": &back,
		"topic": &query.Topic, "status": &query.Status, "before": &query.Before, "level": &query.Level},
		values: map[string]cobra.CompletionFunc{"kind": oneOf(api.MemoryKinds()...), "level": oneOf(api.LevelIndex, api.LevelSummary, api.LevelDetail),
			"status": oneOf(api.MemoryStatuses()...)},
		run: filling(a, "searching", api.GetMemories, &query, func(_ context.Context, c call) (err error) {
			if c.cmd.Name() == "search" {
				query.Words, err = searched(c.cmd, c.args)
			}
			return cmp.Or(err, since(c))
		}, "Memories")}
	search := newest
	search.flags, search.values = maps.Clone(newest.flags), maps.Clone(newest.values)
	for _, flag := range []string{"topic", "status", "before"} { // of a list
		delete(search.flags, flag)
		delete(search.values, flag)
	}
	return map[string]command{
		"memory":        newest,
		"memory list":   newest,
		"memory search": search,
		"memory show":   ofOne(a, all, api.GetMemory, &name, &name.ID, "Memory"),
		"memory add":    a.memoryAdd(),
		"memory edit":   a.memoryEdit(all),
		"memory supersede": {offer: a.offer(all), run: filling(a, "asking", api.PostSupersede, &next, func(_ context.Context, c call) (err error) {
			next.ID = c.args[0]
			next.Text, err = said(c.cmd, c.args[1:], "there is nothing that holds in its place", "the memory", api.MaxMemory)
			return err
		}, "Remembered", kept)},
		"memory pin":        ofOne(a, all, api.PostPin, &change, &change.ID, "Pinned").with("off", &change.Off),
		"memory archive":    ofOne(a, all, api.PostArchive, &change, &change.ID, "Archived"),
		"memory confirm":    ofOne(a, apart, api.PostConfirm, &change, &change.ID, "Confirmed"),
		"memory undo":       ofOne(a, all, api.PostMemoryUndo, &change, &change.ID, "Undone"),
		"memory forget":     ofOne(a, all, api.PostForget, &forget, &forget.ID, "ForgottenMemory").with("backups", &forget.Backups),
		"memory history":    ofOne(a, all, api.GetHistory, &name, &name.ID, "History"),
		"memory provenance": ofOne(a, all, api.GetProvenance, &name, &name.ID, "Provenance"),
		"memory validate": {offer: a.offer(all), run: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return asking(a, "looking", api.PostValidations, &api.MemoryWord{}, "Doubted", func(found api.MemoryValidated) error { return degraded(len(found.Doubted) > 0) })(cmd, args)
			}
			return ofOne(a, all, api.PostValidation, &change, &change.ID, "Validated").run(cmd, args)
		}},
		"memory timeline": {flags: map[string]any{"since": &back}, run: filling(a, "asking", api.GetTimeline, &topic, func(_ context.Context, c call) error {
			topic.Topic = argument(c.args)
			return since(c)
		}, "Timeline")},
		"memory conflicts": {flags: map[string]any{"agents": &lane.Agents, "quarantined": &lane.Quarantined}, run: asking(a, "asking", api.GetConflicts, &lane, "Conflicts")},
		"memory profile":   {run: asking(a, "asking", api.GetProfile, &api.Nothing{}, "Profile")},
		"memory health":    {run: asking(a, "asking", api.GetMemoryHealth, &api.Nothing{}, "MemoryHealth")},
		"memory export":    a.memoryExport(),
		"memory import": {run: func(cmd *cobra.Command, args []string) error {
			return a.memoryImport(cmd.Context(), args[0])
		}},
	}
}

// ofOne is a command about the memory whose id begins as its argument does.
func ofOne[Q, A any](a *app, offer list, route api.Route[Q, A], question *Q, id *string, page string) command {
	return command{offer: a.offer(offer), run: filling(a, "asking", route, question, func(_ context.Context, c call) error {
		*id = c.args[0]
		return nil
	}, page)}
}

// with is the command with one more flag.
func (c command) with(flag string, to any) command {
	c.flags = map[string]any{flag: to}
	return c
}

// kept ends a command with whether what was written was kept.
func kept(written api.MemoryWritten) error {
	return ended(written.Outcome == api.MemoryRefused, exitRefused)
}

// memoriesOf asks for the newest memories of a lane.
func memoriesOf(lane api.MemoryQuery) list {
	lane.Limit, lane.Level = api.MaxPage, api.LevelIndex
	return listed(api.GetMemories, lane, func(page api.MemoryPage) []named {
		return names(page.Memories, func(m api.MemoryRecord) named { return named{m.ID, m.Title} })
	})
}

// subjectOf is what a memory is about, where a project's folder is whole.
func subjectOf(about string) string {
	if folder, ok := strings.CutPrefix(about, "project:"); ok && (folder == "~" || strings.ContainsAny(folder[:min(len(folder), 1)], "./~")) {
		return "project:" + wholePath(folder)
	}
	return about
}

func wholePath(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

func (a *app) memoryAdd() command {
	var added api.MemoryAddition
	var about, cites []string
	return command{
		flags:  map[string]any{"kind": &added.Kind, "tag": &added.Tags, "title": &added.Title, "topic": &added.Topic, "about": &about, "cite": &cites},
		values: map[string]cobra.CompletionFunc{"kind": oneOf(api.MemoryKinds()...)},
		run: filling(a, "asking", api.PostMemory, &added, func(_ context.Context, c call) (err error) {
			if len(c.args) == 1 && c.args[0] == "-" && a.stdin != nil {
				text, err := io.ReadAll(io.LimitReader(a.stdin, api.MaxMemory+1))
				if err != nil {
					return fmt.Errorf("read the input: %w", err)
				}
				if c.args = []string{string(text)}; len(text) > api.MaxMemory {
					return &usageError{err: fmt.Errorf("the input has more than %d bytes", api.MaxMemory), next: "write what it comes to, and cite where the rest stands: --cite FILE:LINES"}
				}
			}
			if added.Text, err = said(c.cmd, c.args, "there is nothing to remember", "the memory", api.MaxMemory); err != nil {
				return err
			}
			for _, one := range about {
				what, err := api.MemoryQuery{About: subjectOf(one)}.Subject()
				if err == nil && what.Agent != "" {
					err = &usageError{err: errors.New("--about: agent: is who says it"), next: "write project:FOLDER, session:ID or turn:ID"}
				}
				if err != nil {
					return err
				}
				added.About = api.MemoryAbout{Project: cmp.Or(what.Project, added.About.Project), Session: cmp.Or(what.Session, added.About.Session), Turn: cmp.Or(what.Turn, added.About.Turn)}
			}
			for _, cite := range cites {
				c := cited(cite)
				if _, err := os.Stat(c.File); c.File != "" && err != nil {
					return &usageError{err: fmt.Errorf("--cite: %w", err), next: "name a file that is there, as FILE or FILE:LINES, or an address"}
				}
				added.Citations = append(added.Citations, c)
			}
			return nil
		}, "Remembered", kept),
	}
}

var (
	withLines = regexp.MustCompile(`^(.+):([0-9]+(?:-[0-9]+)?)$`)
	isAddress = regexp.MustCompile(`^https?://`)
)

// cited reads FILE, FILE:LINES or an address.
func cited(text string) api.MemoryCitation {
	if isAddress.MatchString(text) {
		return api.MemoryCitation{URL: text}
	}
	if parts := withLines.FindStringSubmatch(text); parts != nil {
		return api.MemoryCitation{File: wholePath(parts[1]), Lines: parts[2]}
	}
	return api.MemoryCitation{File: wholePath(text)}
}

func (a *app) memoryEdit(all list) command {
	var edit api.MemoryEdit
	var text, title, topic string
	return command{
		offer:  a.offer(all),
		flags:  map[string]any{"text": &text, "title": &title, "topic": &topic, "kind": &edit.Kind, "tag": &edit.Tags, "version": &edit.Version},
		values: map[string]cobra.CompletionFunc{"kind": oneOf(api.MemoryKinds()...)},
		run: func(cmd *cobra.Command, args []string) error {
			now, err := ask(cmd.Context(), a, "asking", put(api.GetMemory, api.MemoryName{ID: args[0]}))
			if err != nil {
				return err
			}
			edit.ID, edit.Version = now.ID, cmp.Or(edit.Version, now.Version)
			same := edit.Kind == "" && edit.Tags == nil
			for _, field := range []struct {
				name string
				from *string
				to   **string
			}{{"text", &text, &edit.Text}, {"title", &title, &edit.Title}, {"topic", &topic, &edit.Topic}} {
				if cmd.Flags().Changed(field.name) {
					*field.to, same = field.from, false
				}
			}
			if same && !a.asksHere() {
				return &usageError{err: errors.New("nothing is to be otherwise"), next: "give --text, --title, --topic, --kind or --tag, or edit it at a terminal"}
			}
			if same {
				if text, err = a.inEditor(cmd.Context(), now.Text); err != nil {
					return err
				}
				if edit.Text = &text; strings.TrimSpace(text) == strings.TrimSpace(now.Text) {
					return a.declined("Nothing was changed.")
				}
			}
			err = asking(a, "changing", api.PostEdit, &edit, "Edited")(cmd, args)
			if lost, ok := errors.AsType[*api.Problem](err); ok && lost.Memory != nil {
				return errors.Join(a.show(api.MemoryDetail{MemoryRecord: *lost.Memory}, "Memory"), err)
			}
			return err
		},
	}
}

// inEditor has the person change a text in the editor of their choice.
func (a *app) inEditor(ctx context.Context, text string) (string, error) {
	file, err := os.CreateTemp("", "memory-*.md")
	if err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(text + "\n")
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	visual, _ := a.env("VISUAL")
	editor, _ := a.env("EDITOR")
	editor = cmp.Or(visual, editor, "vi")
	command := exec.CommandContext(ctx, "/bin/sh", "-c", editor+` "$1"`, "sh", file.Name())
	command.Stdin, command.Stdout, command.Stderr = a.stdin, a.bare.stdout, a.bare.stderr
	if err := command.Run(); err != nil {
		return "", api.Errorf(api.CodeUnavailable, "set EDITOR to one that is there, or give --text", "the editor %s failed: %w", editor, err)
	}
	lines, err := os.Open(file.Name())
	if err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	defer lines.Close()
	edited, err := io.ReadAll(io.LimitReader(lines, api.MaxMemory+2))
	if err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	return strings.TrimSpace(string(edited)), bounded("the memory", strings.TrimSpace(string(edited)), api.MaxMemory)
}

func (a *app) memoryExport() command {
	format := api.MemoryFormat{Format: api.FormatMarkdown}
	return command{
		flags: map[string]any{"format": &format.Format}, values: map[string]cobra.CompletionFunc{"format": oneOf(api.FormatMarkdown, api.FormatLines)},
		run: func(cmd *cobra.Command, _ []string) error {
			daemon, err := a.daemon()
			if err != nil {
				return err
			}
			to := a.bare.stdout // as it is
			if a.outTerminal {
				to = a.stdout
			}
			return client.Copy(cmd.Context(), daemon, api.GetMemoryExport, format, to)
		},
	}
}

// memoryImport hands an export to the daemon. What comes out of the input is put into a
// file before, since the daemon wants to know how long it is.
func (a *app) memoryImport(ctx context.Context, path string) (err error) {
	var file *os.File
	switch {
	case path != "-":
		if file, err = os.Open(path); err != nil {
			return &usageError{err: err, next: "name the file that `subconsciousctl memory export --format jsonl` wrote"}
		}
	case a.stdin == nil:
		return &usageError{err: errors.New("there is no input"), next: "name a file, or put one into the input"}
	default:
		if file, err = os.CreateTemp("", "memory-*.jsonl"); err != nil {
			return fmt.Errorf("import: %w", err)
		}
		_, err = io.Copy(file, a.stdin)
		_, again := file.Seek(0, io.SeekStart)
		if err = errors.Join(os.Remove(file.Name()), err, again); err != nil {
			return fmt.Errorf("import: %w", err)
		}
	}
	defer file.Close()
	if stat, err := file.Stat(); err != nil || !stat.Mode().IsRegular() {
		return &usageError{err: fmt.Errorf("%s is no file", path), next: "name the file that `subconsciousctl memory export --format jsonl` wrote"}
	}
	imported, err := ask(ctx, a, "importing", func(ctx context.Context, daemon *client.Client) (api.MemoryImported, error) {
		return client.Send(ctx, daemon, api.PostMemoryImport, api.MemoryImport{}, file)
	})
	if err != nil {
		return err
	}
	return cmp.Or(a.show(imported, "Imported"), degraded(imported.Refused+imported.Conflicts > 0))
}
