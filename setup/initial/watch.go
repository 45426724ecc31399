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

	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// watched is one kind of what the mind looks at.
type watched struct {
	Sense    string // its key below senses
	Field    string // where an item has its path
	ID       string // of the example
	Example  string // of a path that is typed
	Sources  []source
	flag     string
	question string
	agree    bool // whether to propose what is found
	check    func(context.Context, string) (string, error)
	found    []spot
	named    []string // by flags
	has      []source // those that are configured already
	trust    subconscious.Trust
}

// source is one that is configured, or will be.
type source struct {
	ID, Path string
	Trust    subconscious.Trust // "" for the default
}

// kinds are all that init asks for, in the order in which they are written.
func (s *session) kinds() []watched {
	has := s.existing.Senses
	// What nobody but init chose may be an invitation that was saved.
	calendars := subconscious.Owner
	if s.Agree && len(s.ICS) == 0 {
		calendars = ""
	}
	return []watched{
		{Sense: "files", flag: "files", ID: "work", Field: "path", question: "Shall a folder of files be watched?", Example: "~/work", check: countFiles,
			found: s.found.files, named: s.Files, has: sourcesOf(has.Files, func(c files.Config) source { return source{ID: c.ID, Path: c.Path} })},
		{Sense: "notes", flag: "notes", ID: "notes", Field: "path", question: "Shall notes be read, for promises and dates?", Example: "~/notes", agree: true, check: countNotes,
			found: s.found.notes, named: s.Notes, has: sourcesOf(has.Notes, func(c notes.Config) source { return source{ID: c.ID, Path: c.Path} })},
		{Sense: "calendar", flag: "ics", ID: "home", Field: "ics", question: "Shall a calendar of yours be read, for what lies ahead?", Example: "~/home.ics", agree: true, check: countEvents,
			found: s.found.calendars, named: s.ICS, trust: calendars, has: sourcesOf(has.Calendar, func(c calendar.Config) source { return source{ID: c.ID, Path: c.ICS} })},
	}
}

func sourcesOf[C any](configured []C, of func(C) source) (all []source) {
	for _, c := range configured {
		all = append(all, of(c))
	}
	return all
}

// watch decides what the mind looks at: what was named, else what the person
// takes of what is found. What is configured already stays, and is not asked for.
func watch(ctx context.Context, s *session) error {
	s.sources = map[string][]source{}
	for _, kind := range s.kinds() {
		err := s.eachNamed(ctx, kind, s.take)
		if err == nil && len(kind.named)+len(kind.has) == 0 {
			err = s.offer(ctx, kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachNamed calls take for what flags name of a kind, which has to be there.
func (s *session) eachNamed(ctx context.Context, kind watched, take func(kind watched, path, about string)) error {
	for _, path := range kind.named {
		about, err := s.check(ctx, kind, &path)
		if err != nil {
			return mistake("--%s %s: %w", kind.flag, path, err)
		}
		take(kind, path, about)
	}
	return nil
}

const (
	another = "another"
	all     = "all of them"
	none    = "none"
)

// offer asks for one kind.
func (s *session) offer(ctx context.Context, kind watched) error {
	if s.Agree && len(kind.found) == 0 {
		return nil
	}
	var menu []option
	takeAll := func() error {
		for _, p := range kind.found {
			s.take(kind, p.path, p.about)
		}
		return nil
	}
	for _, p := range kind.found {
		menu = append(menu, option{s.homely(p.path), p.about, func() error { s.take(kind, p.path, p.about); return nil }})
	}
	if len(kind.found) > 1 {
		menu = append(menu, option{all, "", takeAll})
	}
	menu = append(menu, option{another, "you type its path, such as " + kind.Example, func() error { return s.typePath(ctx, kind) }},
		option{none, "more can be named in the configuration at any time", nil})
	preset := len(menu) - 1
	if kind.agree && len(kind.found) > 0 {
		preset = 0
	}
	return s.pick(ctx, kind.question, preset, menu...)
}

// typePath takes a path that is typed, until it is one that can be looked at;
// nothing typed is none.
func (s *session) typePath(ctx context.Context, kind watched) error {
	_, err := s.typeUntil(ctx, "Its path, or Enter for none", "", func(path string) error {
		about, err := s.check(ctx, kind, &path)
		if err == nil {
			s.take(kind, path, about)
			return nil
		}
		return fmt.Errorf("%s: %w", path, err)
	})
	return err
}

// check makes a path absolute and looks whether a sense could look there.
func (s *session) check(ctx context.Context, kind watched, path *string) (string, error) {
	*path = absolute(s.underHome(*path))
	return kind.check(ctx, *path)
}

// take remembers a source to be written, unless it is configured already.
func (s *session) take(kind watched, path, about string) {
	taken := append(kind.has, s.sources[kind.Sense]...)
	if slices.ContainsFunc(taken, func(one source) bool { return one.Path == path }) {
		s.say("%s is configured already.", s.homely(path))
		return
	}
	word := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if kind.Field == "path" {
		word = filepath.Base(path)
	}
	id := freeID(word, kind.Sense, func(id string) bool {
		return slices.ContainsFunc(taken, func(one source) bool { return one.ID == id })
	})
	s.sources[kind.Sense] = append(s.sources[kind.Sense], source{id, path, kind.trust})
	s.result.Watched = append(s.result.Watched, path)
	switch {
	case kind.trust != "":
		about += ", as your word; what others organize in it is theirs"
	case kind.Sense == "calendar":
		about += ", as an outsider's word; if it is yours, name it with --ics, or write trust: owner below it"
	}
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
