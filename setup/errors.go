package setup

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// Code classes what is wrong with a configuration.
type Code string

const (
	CodeUnreadable Code = "unreadable"    // the file cannot be read, or is no text
	CodeSyntax     Code = "syntax"        // it is not YAML, or more than plain YAML
	CodeUnknown    Code = "unknown_key"   // there is no such key
	CodeDuplicate  Code = "duplicate"     // a key, or an id in a list, is there twice
	CodeType       Code = "wrong_type"    // text for a number, a mapping for a list
	CodeUnit       Code = "missing_unit"  // a bare number for a duration or a share
	CodeMissing    Code = "missing"       // something that must be there is not
	CodeValue      Code = "invalid_value" // of the right type, but not possible
	CodeSecret     Code = "secret"        // a secret itself, where its place belongs
	CodeHome       Code = "no_home"       // "~" is used and HOME is not set
	CodeUntrusted  Code = "untrusted"     // others could have written the file
	CodeAbsent     Code = "absent"        // what a path names is not there, which blinds a sense
	CodeUnset      Code = "unset"         // a variable that is named is not set, where it is looked for now
)

// Usable reports whether the daemon can work with it.
func (c Code) Usable() bool { return c == CodeAbsent || c == CodeUnset }

// Error is one thing that is wrong with a configuration.
type Error struct {
	Code Code `json:"code"`
	// File is the path as given to Load, or the name of an environment variable.
	File string `json:"file,omitempty"`
	// Line counts from 1; 0 where there is none.
	Line int `json:"line,omitempty"`
	// Key is the whole path of the key: "senses.calendar[0].ics".
	Key     string `json:"key,omitempty"`
	Problem string `json:"problem"`       // a plain sentence without a full stop
	Fix     string `json:"fix,omitempty"` // what to do
}

// Error says where, what, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Problem)
	if e.Fix != "" {
		b.WriteString("\n  fix: " + e.Fix)
	}
	return b.String()
}

// Errors are all the things that are wrong, in order of their lines. Load
// returns them as its error.
type Errors []*Error

// Error puts each on lines of its own.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find each.
func (e Errors) Unwrap() (errs []error) {
	for _, err := range e {
		errs = append(errs, err)
	}
	return errs
}

var (
	_ error = (*Error)(nil)
	_ error = Errors(nil)
)

// maxErrors bounds what is reported at once.
const maxErrors = 50

// result is nil where nothing is wrong.
func (e Errors) result() error {
	if len(e) == 0 {
		return nil
	}
	sort.SliceStable(e, func(i, j int) bool { return e[i].Line < e[j].Line || e[i].Line == e[j].Line && e[i].Key < e[j].Key })
	return e[:min(len(e), maxErrors)]
}

// flatten returns the errors that were joined, wherever they are nested.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err)
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

// clip shortens what is quoted in a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
