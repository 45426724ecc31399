package initial

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// watched is one kind of what the mind looks at.
type watched struct {
	sense    string // its key below senses
	field    string // where an item has its path
	id       string // of the example
	question string
	example  string // of a path that is typed
	agree    bool   // whether to propose what is found
	check    func(context.Context, string) (string, error)
	found    func(*session) []spot
	named    func(*session) []string // by flags
	has      func(*session) []source // those that are configured already
}

// source is one that is configured, or will be.
type source struct{ id, path string }

// kinds are all that init asks for, in the order in which they are written.
func kinds() []watched {
	return []watched{
		{sense: "files", id: "work", field: "path", question: "Shall a folder of files be watched?", example: "~/work", check: countFiles,
			found: func(s *session) []spot { return s.found.files }, named: func(s *session) []string { return s.Files },
			has: func(s *session) (all []source) {
				for _, one := range s.existing.Senses.Files {
					all = append(all, source{one.ID, one.Path})
				}
				return all
			}},
		{sense: "notes", id: "notes", field: "path", question: "Shall notes be read, for promises and dates?", example: "~/notes", agree: true, check: countNotes,
			found: func(s *session) []spot { return s.found.notes }, named: func(s *session) []string { return s.Notes },
			has: func(s *session) (all []source) {
				for _, one := range s.existing.Senses.Notes {
					all = append(all, source{one.ID, one.Path})
				}
				return all
			}},
		{sense: "calendar", id: "home", field: "ics", question: "Shall a calendar be read, for what lies ahead?", example: "~/home.ics", agree: true, check: countEvents,
			found: func(s *session) []spot { return s.found.calendars }, named: func(s *session) []string { return s.ICS },
			has: func(s *session) (all []source) {
				for _, one := range s.existing.Senses.Calendar {
					all = append(all, source{one.ID, one.ICS})
				}
				return all
			}},
	}
}

// watch decides what the mind looks at: what was named, else what the person
// takes of what is found. What is configured already stays, and is not asked for.
func watch(ctx context.Context, s *session) error {
	s.sources = map[string][]source{}
	for _, kind := range kinds() {
		named := kind.named(s)
		for _, path := range named {
			about, err := s.check(ctx, kind, &path)
			if err != nil {
				return mistake("--%s %s: %w", flagOf(kind), path, err)
			}
			s.take(kind, path, about)
		}
		if len(named) > 0 || len(kind.has(s)) > 0 {
			continue
		}
		if err := s.offer(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

// flagOf is the flag that names one of a kind.
func flagOf(kind watched) string {
	if kind.sense == "calendar" {
		return "ics"
	}
	return kind.sense
}

const (
	another = "another"
	all     = "all of them"
	none    = "none"
)

// offer asks for one kind.
func (s *session) offer(ctx context.Context, kind watched) error {
	found := kind.found(s)
	if s.Agree && len(found) == 0 {
		return nil
	}
	var choices []Choice
	for _, p := range found {
		choices = append(choices, Choice{s.homely(p.path), p.about})
	}
	if len(found) > 1 {
		choices = append(choices, Choice{all, ""})
	}
	choices = append(choices, Choice{another, "you type its path, such as " + kind.example}, Choice{none, "more can be named in the configuration at any time"})
	preset := len(choices) - 1
	if kind.agree && len(found) > 0 {
		preset = 0
	}
	i, err := s.ask(ctx, kind.question, choices, preset)
	switch {
	case err != nil:
		return err
	case choices[i].Name == none:
		return nil
	case choices[i].Name == another:
		return s.typePath(ctx, kind)
	case choices[i].Name == all:
		for _, p := range found {
			s.take(kind, p.path, p.about)
		}
		return nil
	}
	s.take(kind, found[i].path, found[i].about)
	return nil
}

// typePath takes a path that is typed, until it is one that can be looked at;
// nothing typed is none.
func (s *session) typePath(ctx context.Context, kind watched) error {
	for {
		path, err := s.person.Text(ctx, "Its path, or Enter for none", "")
		if err != nil || path == "" {
			return err
		}
		about, err := s.check(ctx, kind, &path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			s.take(kind, path, about)
			return nil
		}
		s.say("✗ %s: %v", path, err)
	}
}

// check makes a path absolute and looks whether a sense could look there.
func (s *session) check(ctx context.Context, kind watched, path *string) (string, error) {
	if rest, ok := strings.CutPrefix(*path, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, set := s.Env("HOME"); set {
			*path = home + rest
		}
	}
	whole, err := filepath.Abs(*path)
	if err != nil {
		return "", fmt.Errorf("it cannot be made absolute: %w", err)
	}
	*path = whole
	return kind.check(ctx, whole)
}

// take remembers a source to be written, unless it is configured already.
func (s *session) take(kind watched, path, about string) {
	taken := append(kind.has(s), s.sources[kind.sense]...)
	if slices.ContainsFunc(taken, func(one source) bool { return one.path == path }) {
		s.say("%s is configured already.", s.homely(path))
		return
	}
	word := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if kind.field == "path" {
		word = filepath.Base(path)
	}
	id := freeID(word, kind.sense, func(id string) bool {
		return slices.ContainsFunc(taken, func(one source) bool { return one.id == id })
	})
	s.sources[kind.sense] = append(s.sources[kind.sense], source{id, path})
	s.result.Watched = append(s.result.Watched, path)
	s.say("✓ %s: %s.", s.homely(path), about)
}

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

// freeID makes an id of a word that nothing has yet.
func freeID(word, otherwise string, taken func(string) bool) string {
	const longest = 28 // of the 32 that an id may have, for a number behind it
	word = strings.Trim(notInID.ReplaceAllString(strings.ToLower(word), "-"), "-")
	if word = strings.TrimRight(word[:min(longest, len(word))], "-"); word == "" {
		word = otherwise
	}
	id := word
	for n := 2; taken(id); n++ {
		id = word + "-" + strconv.Itoa(n)
	}
	return id
}

// homely writes a path below the home folder with "~".
func (s *session) homely(path string) string {
	home, _ := s.Env("HOME")
	if rest, ok := strings.CutPrefix(path, strings.TrimRight(home, "/")+"/"); ok && home != "" {
		return "~/" + rest
	}
	return path
}

// written is an id as YAML takes it for text: "2026" would be a number.
func written(id string) string {
	text, err := yaml.Marshal(id)
	if err != nil {
		return strconv.Quote(id)
	}
	return strings.TrimSpace(string(text))
}

// items writes sources as the items of a list.
func (kind watched) items(sources []source) string {
	var b strings.Builder
	for _, one := range sources {
		fmt.Fprintf(&b, "- id: %s\n  %s: %s\n", written(one.id), kind.field, strconv.Quote(one.path))
	}
	return b.String()
}
