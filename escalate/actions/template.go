package actions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// segment is a piece of an argument: a literal, or a parameter's value.
type segment struct {
	literal string
	param   string // its name; "" for a literal
}

// argument is one argument of a vector.
type argument []segment

// alone reports whether the argument is one value and nothing else.
func (a argument) alone() bool { return len(a) == 1 && a[0].param != "" }

// params are the parameters that it holds.
func (a argument) params() []string {
	var names []string
	for _, s := range a {
		if s.param != "" {
			names = append(names, s.param)
		}
	}
	return names
}

// pieces are what an argument is made of: doubled braces, parameters, braces that
// stand for nothing, and the rest.
var pieces = lazy.Regexp(`\{\{|\}\}|\{[a-z][a-z0-9_]{0,31}\}|[{}]|[^{}]+`)

// parseArgument reads "--title={title}". A brace that is meant as one is
// doubled.
func parseArgument(text string) (argument, error) {
	parsed := argument{}
	for _, piece := range pieces().FindAllString(text, -1) {
		switch {
		case piece == "{" || piece == "}":
			return nil, errors.New(`has a brace that stands for no parameter; write {name}, or {{ and }} for braces`)
		case piece == "{{" || piece == "}}":
			piece = piece[1:]
		case piece[0] == '{':
			parsed = append(parsed, segment{param: piece[1 : len(piece)-1]})
			continue
		}
		if last := len(parsed) - 1; last >= 0 && parsed[last].param == "" {
			parsed[last].literal += piece
			continue
		}
		parsed = append(parsed, segment{literal: piece})
	}
	if len(parsed) == 0 {
		return argument{{}}, nil
	}
	return parsed, nil
}

// parseVector reads a whole vector; the first is a program and no argument.
func parseVector(vector []string) ([]argument, error) {
	var parsed []argument
	for i, text := range vector[min(1, len(vector)):] {
		a, err := parseArgument(text)
		if err != nil {
			return nil, fmt.Errorf("argument %d %w", i+1, err)
		}
		parsed = append(parsed, a)
	}
	return parsed, nil
}

// written is the argument as it is written.
func written(a argument) string {
	var b strings.Builder
	for _, s := range a {
		if s.param != "" {
			b.WriteString("{" + s.param + "}")
			continue
		}
		b.WriteString(strings.NewReplacer("{", "{{", "}", "}}").Replace(s.literal))
	}
	return b.String()
}
