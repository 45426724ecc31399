package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/unseen"
)

const (
	maxArguments = 64 << 10 // bytes of arguments as JSON
	// maxInteger is the largest whole number that every reader of JSON keeps.
	maxInteger = 1 << 53
	maxDigits  = 32
	maxPath    = 4096
	// maxBound is how many bytes a bound vector may have: systems take at least
	// 128 KiB.
	maxBound = 96 << 10
)

// value is a parameter's value that was found to fit.
type value struct {
	canonical any    // as it is stored: string, json.Number or bool
	text      string // as it stands in an argument
	// typed: it is not free text, so that a "-" at its begin was configured.
	typed bool
}

// decode reads a flat JSON object of single values. What is there twice, nested
// or more than that is refused, and nothing is no arguments.
func decode(raw json.RawMessage) (map[string]any, error) {
	if len(raw) > maxArguments {
		return nil, fmt.Errorf("have %d bytes, more than %d", len(raw), maxArguments)
	}
	if !utf8.Valid(raw) {
		return nil, errors.New("are not valid UTF-8")
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	found, err := escalate.Arguments(raw)
	for name, one := range found {
		switch one.(type) {
		case map[string]any, []any:
			return nil, fmt.Errorf("hold a list or an object as %q, and only single values are taken", clip(name))
		}
	}
	return found, err
}

// values checks each argument against its parameter. A null counts as left out.
func (p *prepared) values(given map[string]any, g guards) (map[string]value, error) {
	for name := range given {
		if p.action.param(name) == nil {
			return nil, fmt.Errorf("there is no parameter %q", clip(name))
		}
	}
	bound := map[string]value{}
	for i, param := range p.action.Params {
		raw, there := given[param.Name]
		if !there || raw == nil {
			if !param.Optional {
				return nil, fmt.Errorf("%s is missing", param.Name)
			}
			continue
		}
		v, err := param.bind(raw, p.patterns[i], g)
		if err != nil {
			return nil, fmt.Errorf("%s %w", param.Name, err)
		}
		bound[param.Name] = v
	}
	return bound, nil
}

// bind checks one value.
func (p Param) bind(raw any, pattern *regexp.Regexp, g guards) (value, error) {
	switch p.Type {
	case Boolean:
		if b, ok := raw.(bool); ok {
			return value{b, strconv.FormatBool(b), true}, nil
		}
		return value{}, errors.New("must be true or false")
	case Integer, Number:
		if n, ok := raw.(json.Number); ok {
			return p.number(string(n))
		}
		return value{}, fmt.Errorf("must be a JSON number (%s)", p.Type)
	}
	text, ok := raw.(string)
	if !ok {
		return value{}, fmt.Errorf("must be a JSON string (%s)", p.Type)
	}
	if text == "" {
		return value{}, errors.New("is empty")
	}
	switch p.Type {
	case Choice:
		if slices.Contains(p.Choices, text) {
			return value{text, text, true}, nil
		}
		return value{}, fmt.Errorf("must be one of %s", strings.Join(p.Choices, ", "))
	case Date:
		if day, err := time.Parse(time.DateOnly, text); err == nil && day.Format(time.DateOnly) == text {
			return value{text, text, true}, nil
		}
		return value{}, errors.New("must be a day as 2026-11-21")
	case Path:
		whole, err := g.path(p.Root, text)
		return value{whole, whole, true}, err
	}
	return p.text(text, pattern, g)
}

// text checks a free text.
func (p Param) text(text string, pattern *regexp.Regexp, g guards) (value, error) {
	if n := utf8.RuneCountInString(text); n > p.MaxLength {
		return value{}, fmt.Errorf("has %d characters, more than %d", n, p.MaxLength)
	}
	if bad := g.text(text, p.Multiline); bad != "" {
		return value{}, fmt.Errorf("has %s", bad)
	}
	if p.Pattern != "" && !pattern.MatchString(text) {
		return value{}, fmt.Errorf("does not match %s as a whole", p.Pattern)
	}
	return value{text, text, false}, nil
}

// number checks a whole or any number. What is kept has one form only.
func (p Param) number(literal string) (value, error) {
	var canonical string
	var x float64
	if p.Type == Integer {
		n, err := strconv.ParseInt(literal, 10, 64)
		if err != nil || n > maxInteger || n < -maxInteger {
			return value{}, errors.New("must be a whole number")
		}
		canonical, x = strconv.FormatInt(n, 10), float64(n)
	} else {
		f, err := strconv.ParseFloat(literal, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return value{}, errors.New("must be a number")
		}
		if x = f; x == 0 {
			x = 0 // never -0
		}
		if canonical = strconv.FormatFloat(math.Abs(x), 'f', -1, 64); x < 0 {
			canonical = "-" + canonical
		}
	}
	switch {
	case len(canonical) > maxDigits:
		return value{}, fmt.Errorf("has more than %d digits", maxDigits)
	case p.Min != nil && x < *p.Min:
		return value{}, fmt.Errorf("must be at least %v", *p.Min)
	case p.Max != nil && x > *p.Max:
		return value{}, fmt.Errorf("must be at most %v", *p.Max)
	}
	return value{json.Number(canonical), canonical, p.Min != nil && *p.Min < 0}, nil
}

// notText says what a text has that is no plain text; "" where it has nothing
// of the kind. Characters that are not seen, or turn what is seen around, would
// have the person approve what is not read.
func notText(text string, multiline bool) string {
	const joiner, nonJoiner = '\u200d', '\u200c'
	for at, r := range text {
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[at:]); size < 2 {
				return "bytes that are not UTF-8"
			}
			return "a character that was lost (U+FFFD)"
		case multiline && (r == '\n' || r == '\t'):
		case unseen.Is(r):
			return fmt.Sprintf("a character that is not seen (U+%04X)", r)
		case unicode.IsPrint(r), r == joiner, r == nonJoiner, unicode.Is(unicode.Zs, r):
		case unicode.IsControl(r):
			return fmt.Sprintf("a control character (U+%04X)", r)
		default:
			return fmt.Sprintf("a character that is not seen (U+%04X)", r)
		}
	}
	return ""
}

// vector puts the values into a template. Each argument of the template is one
// of the result, but for those of an optional parameter that was left out.
func vector(program string, template []argument, values map[string]value, g guards) ([]string, error) {
	bound := []string{program}
	size := len(program) + 1
	for _, a := range template {
		text, there := a.bind(values)
		if !there {
			continue
		}
		if err := g.option(a, values, text); err != nil {
			return nil, err
		}
		bound = append(bound, text)
		size += len(text) + 1
	}
	if size > maxBound {
		return nil, fmt.Errorf("make a command of %d bytes, more than %d", size, maxBound)
	}
	return bound, nil
}

// bind returns the argument with its values; there is false where one was left
// out.
func (a argument) bind(values map[string]value) (text string, there bool) {
	var b strings.Builder
	for _, s := range a {
		if s.param == "" {
			b.WriteString(s.literal)
			continue
		}
		v, ok := values[s.param]
		if !ok {
			return "", false
		}
		b.WriteString(v.text)
	}
	return b.String(), true
}

// noOption refuses a value that would make an option of its argument.
func noOption(a argument, values map[string]value, text string) error {
	if strings.HasPrefix(text, "-") && a[0].param != "" && !values[a[0].param].typed {
		return fmt.Errorf("%s begins with \"-\", and the program would take it for an option", a[0].param)
	}
	return nil
}
