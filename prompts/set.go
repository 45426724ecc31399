// Package prompts makes what models are told: a static part about the task,
// the same at each call, and a part of the moment, assembled each tick by one
// typed function a prompt. So is what a deliberation is told of one incident.
//
// The templates are the .md files of this folder. A file of the same name in
// the configuration folder stands in for one; it can say everything
// differently, in another order, but it is handed nothing but text that is
// already bounded, marked and within its block. It stores nothing. The threads
// ask for prompts, and subconsciousctl shows them.
package prompts

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/trusted"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// templateBytes bounds a template, printedBytes what one prints.
	templateBytes = 64 << 10
	printedBytes  = 256 << 10
	// shared is the template of what all threads are told.
	shared = "shared"
)

//go:embed *.md
var embedded embed.FS

// Set is the prompts of a mind. Its methods may be called by any goroutine.
type Set struct {
	sources map[string]Source
	parsed  map[string]*template.Template // of whatever is asked
	person  subconscious.Person
}

// Of returns the prompts for a person.
func (s *Set) Of(person subconscious.Person) *Set {
	own := *s
	own.person = person
	return &own
}

// Source is the text of a template, and the file that it was read from; the
// path is empty for the embedded one.
type Source struct{ Text, Path string }

// Names returns the names of the templates in the order in which they are
// shown.
func (s *Set) Names() []string {
	return []string{string(subconscious.Watcher), string(subconscious.Librarian), string(subconscious.Oracle), string(subconscious.Dreamer), triage, deliberation, shared}
}

// asked are the names of those that models are asked with.
func (s *Set) asked() []string { return s.Names()[:len(s.Names())-1] }

// Open returns the embedded templates, with those of dir in their place where
// it has a file NAME.md. An empty dir, or one that is not there, overrides
// nothing. A template that cannot be used is an error that names file and line; so
// is one, or a dir, that others could have written.
func Open(dir string) (*Set, error) { return open(dir, trusted.Path) }

func open(dir string, trust func(path string) error) (*Set, error) {
	if _, err := os.Lstat(dir); err == nil {
		if err := trust(dir); err != nil {
			return nil, err
		}
	}
	s := &Set{sources: map[string]Source{}, parsed: map[string]*template.Template{}}
	var problems []error
	for _, name := range s.Names() {
		source, err := read(dir, name, trust)
		if err != nil {
			problems = append(problems, err)
		}
		s.sources[name] = source
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	for _, name := range s.asked() {
		parsed, err := s.parse(name)
		if err == nil {
			err = try(parsed)
		}
		if err != nil {
			problems = append(problems, err)
		}
		s.parsed[name] = parsed
	}
	if len(problems) > 0 {
		return nil, errors.Join(distinct(problems)...)
	}
	return s, nil
}

// Embedded returns the template as it is built in.
func (s *Set) Embedded(name string) (string, bool) {
	text, err := embedded.ReadFile(name + ".md")
	return string(text), err == nil
}

// Source returns the template in use.
func (s *Set) Source(name string) (Source, bool) {
	source, ok := s.sources[name]
	return source, ok
}

// read reads the template of that name from dir, or else the embedded one.
func read(dir, name string, trust func(path string) error) (Source, error) {
	built, err := embedded.ReadFile(name + ".md")
	if err != nil || dir == "" {
		return Source{Text: string(built)}, err
	}
	path := filepath.Join(dir, name+".md")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Source{Text: string(built)}, nil
	case err != nil:
		return Source{}, err
	case !info.Mode().IsRegular():
		return Source{}, fmt.Errorf("%s is no regular file; put a template there, or remove it to use the embedded one", path)
	case info.Size() > templateBytes:
		return Source{}, fmt.Errorf("%s has %d bytes, a template at most %d; shorten it, or remove it to use the embedded one", path, info.Size(), templateBytes)
	}
	if err := trust(path); err != nil {
		return Source{}, err
	}
	text, err := os.ReadFile(path)
	switch {
	case err != nil:
		return Source{}, err
	case len(text) > templateBytes:
		return Source{}, fmt.Errorf("%s has more than %d bytes", path, templateBytes)
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return Source{}, fmt.Errorf("%s is not UTF-8 text; save it as UTF-8, or remove it to use the embedded one", path)
	}
	return Source{Text: string(text), Path: path}, nil
}

// place is how errors name a template.
func (s *Set) place(name string) string {
	if path := s.sources[name].Path; path != "" {
		return path
	}
	return name + ".md"
}

// parse reads a template over what all share.
func (s *Set) parse(name string) (*template.Template, error) {
	t, err := template.New(s.place(shared)).Option("missingkey=error").Parse(s.sources[shared].Text)
	if err == nil {
		t, err = t.New(s.place(name)).Parse(s.sources[name].Text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s; mend it, or remove the file to use the embedded one", strings.TrimPrefix(err.Error(), "template: "))
	}
	for _, part := range [...]string{systemPart, userPart} {
		if t.Lookup(part) == nil || (name == deliberation || name == triage) && !s.defines(name, part) {
			return nil, fmt.Errorf(`%s:1: there is no {{define "%s"}}…{{end}} in it; see "subconsciousctl prompts show %s --shipped"`, s.place(name), part, name)
		}
	}
	return t, check(t)
}

// defines reports whether a template itself defines a part: what is shared of
// the part of the moment is for threads.
func (s *Set) defines(name, part string) bool {
	alone, err := template.New(name).Parse(s.sources[name].Text)
	return err == nil && alone.Lookup(part) != nil
}

// The two parts that a template defines.
const (
	systemPart = "system"
	userPart   = "user"
)

// distinct leaves out errors that say the same: what all threads share is
// looked at with each.
func distinct(problems []error) (kept []error) {
	for _, problem := range problems {
		if !slices.ContainsFunc(kept, func(known error) bool { return known.Error() == problem.Error() }) {
			kept = append(kept, problem)
		}
	}
	return kept
}

// hash names a prompt.
func hash(system, user string) string {
	sum := sha256.Sum256([]byte(system + "\x00" + user))
	return hex.EncodeToString(sum[:16])
}
