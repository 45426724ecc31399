package actions

import (
	"errors"
	"fmt"
	"strings"
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

// parseArgument reads "--title={title}". A brace that is meant as one is
// doubled.
func parseArgument(text string) (argument, error) {
	var parsed argument
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			parsed = append(parsed, segment{literal: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '{' && c != '}' {
			literal.WriteByte(c)
			continue
		}
		if i+1 < len(text) && text[i+1] == c {
			literal.WriteByte(c)
			i++
			continue
		}
		name, _, closed := strings.Cut(text[i+1:], "}")
		if c == '}' || !closed || !paramPattern().MatchString(name) {
			return nil, errors.New(`has a brace that stands for no parameter; write {name}, or {{ and }} for braces`)
		}
		flush()
		parsed = append(parsed, segment{param: name})
		i += len(name) + 1
	}
	flush()
	if parsed == nil {
		parsed = argument{{}}
	}
	return parsed, nil
}

// parseVector reads a whole vector; the first is a program and no argument.
func parseVector(vector []string) ([]argument, error) {
	var parsed []argument
	for i, text := range vector {
		if i == 0 {
			continue
		}
		a, err := parseArgument(text)
		if err != nil {
			return nil, fmt.Errorf("argument %d %w", i, err)
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
