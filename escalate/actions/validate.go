package actions

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/escalate"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

var (
	actionPattern  = lazy.Regexp(NamePattern)
	builtinPattern = lazy.Regexp(ParamPattern)
	paramPattern   = lazy.Regexp(ParamPattern)
	envPattern     = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
)

// Validate checks all the actions together. Errors begin with the key below
// "actions": "[0].command: …".
func Validate(actions []Action) error {
	var errs []error
	if len(actions) > maxActions {
		errs = append(errs, fmt.Errorf("%d actions are more than the %d that are allowed; remove some", len(actions), maxActions))
	}
	first := map[string]int{}
	for i, a := range actions {
		if at, twice := first[a.Name]; twice {
			errs = append(errs, fmt.Errorf("[%d].id: %q is the name of action %d too; give each a name of its own", i, clip(a.Name), at))
		} else {
			first[a.Name] = i
		}
		for _, err := range joined(a.Validate()) {
			errs = append(errs, fmt.Errorf("[%d].%w", i, err))
		}
	}
	return errors.Join(errs...)
}

// joined returns the errors that errors.Join put together.
func joined(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

// Validate names every key that cannot be used, and what to do. It does not
// look whether the program is there: New does.
func (a Action) Validate() error {
	var errs []error
	wrong := func(key, format string, values ...any) {
		errs = append(errs, fmt.Errorf(key+": "+format, values...))
	}
	if !actionPattern().MatchString(a.Name) {
		wrong("id", "%q cannot name an action; %s", clip(a.Name), NameFix)
	}
	checkDescription(wrong, "description", a.Description, true)
	errs = append(errs, checkParams(a.Params)...)
	a.checkVector(wrong, "command", a.Command)
	if len(a.Undo) > 0 {
		a.checkVector(wrong, "undo", a.Undo)
	}
	if len(errs) == 0 {
		a.checkUse(wrong)
	}
	if a.Folder != "" && !filepath.IsAbs(a.Folder) || strings.ContainsRune(a.Folder, 0) {
		wrong("folder", "%q is not absolute; write the folder from / on", clip(a.Folder))
	}
	if a.Timeout < 0 || a.Timeout > maxTimeout {
		wrong("timeout", "is %s; it must be up to %s, or left out for %s", a.Timeout, maxTimeout, defaultTimeout)
	}
	a.checkEnv(wrong)
	switch a.Approval {
	case "", escalate.ApproveAlways, escalate.ApproveTainted, escalate.ApproveNever:
	default:
		wrong("approval", "%q is none of always, tainted, never; choose one", clip(string(a.Approval)))
	}
	checkCount(wrong, "per_hour", a.PerHour, maxRuns, defaultPerHour)
	checkCount(wrong, "per_day", a.PerDay, maxRuns, defaultPerDay)
	checkCount(wrong, "max_output", a.MaxOutput, maxOutput, defaultOutput)
	return errors.Join(errs...)
}

// report takes in what is wrong at a key.
type report func(key, format string, values ...any)

func checkCount(wrong report, key string, n, most, fallback int) {
	if n < 0 || n > most {
		wrong(key, "is %d; it must be 1 to %d, or left out for %d", n, most, fallback)
	}
}

func checkDescription(wrong report, key, text string, needed bool) {
	switch {
	case needed && strings.TrimSpace(text) == "":
		wrong(key, "is empty; say in a sentence what it does and when to use it")
	case len(text) > maxDescription:
		wrong(key, "has %d bytes; use at most %d", len(text), maxDescription)
	case notText(text, true) != "":
		wrong(key, "has %s; write plain text", notText(text, true))
	}
}

// checkVector checks the command, or what undoes it.
func (a Action) checkVector(wrong report, key string, vector []string) {
	if len(vector) == 0 || vector[0] == "" {
		wrong(key, `is empty; write a list, as ["notify-send", "{text}"]`)
		return
	}
	if len(vector) > maxVector {
		wrong(key, "has %d arguments; use at most %d", len(vector), maxVector)
		return
	}
	for i, text := range vector {
		if bad := notText(text, true); bad != "" || len(text) > maxArgument {
			wrong(key, "argument %d has %s; use plain text of at most %d bytes", i, cmp.Or(bad, "too many bytes"), maxArgument)
			return
		}
	}
	program := vector[0]
	switch {
	case strings.ContainsAny(program, "{}") && isLine(program):
		wrong(key, "%q is a whole line; write each argument as an item of its own: a shell never reads it", clip(program))
		return
	case strings.ContainsAny(program, "{}"):
		wrong(key, "the program holds a brace; a program is never a parameter: write one action for each")
		return
	case strings.ContainsRune(program, '/') && !filepath.IsAbs(program):
		wrong(key, "%q is no absolute path; write it from / on, or a bare name", clip(program))
		return
	case !strings.ContainsRune(program, '/') && (strings.ContainsAny(program, " \t\n") || program[0] == '-' || program == "." || program == ".."):
		wrong(key, "%q is no program; write each argument as an item of its own: a shell never reads it", clip(program))
		return
	}
	parsed, err := parseVector(vector)
	if err != nil {
		wrong(key, "%w", err)
		return
	}
	if why := shellLine(vector, a.free(parsed), baseName(program)); why != "" {
		wrong(key, "%s", why)
	}
	a.checkPlaces(wrong, key, parsed)
}

// isLine reports whether a text is a program with arguments behind it.
func isLine(text string) bool {
	first, _, more := strings.Cut(strings.TrimSpace(text), " ")
	return more && !strings.ContainsAny(first, "{}")
}

// checkPlaces checks where the parameters stand.
func (a Action) checkPlaces(wrong report, key string, parsed []argument) {
	for i, one := range parsed {
		for _, name := range one.params() {
			p := a.param(name)
			switch {
			case p == nil:
				wrong(key, "argument %d names {%s}, which is none of params; add it there", i+1, name)
			case p.Optional && len(one.params()) > 1:
				wrong(key, "argument %d holds the optional {%s} beside others; give it an argument of its own", i+1, name)
			case p.Optional && one.alone() && i+1 < len(parsed):
				wrong(key, "argument %d is the optional {%s}, and without it those behind it change their places; put it last, or write --%s={%s}", i+1, name, name, name)
			case p.Optional && !startsWithDash(one) && i > 0 && awaits(parsed[i-1]):
				option := parsed[i-1][0].literal
				wrong(key, "argument %d is the optional {%s} of the option before it, which would stay; write both as one: %s", i+1, name, glued(option, written(one)))
			}
		}
	}
}

// awaits reports whether an argument is an option whose value may be the next
// one: it is not where the value stands in it already.
func awaits(a argument) bool {
	return startsWithDash(a) && !isDashes(a) && !holdsParam(a) && !strings.ContainsRune(a[0].literal, '=')
}

// glued is an option with its value in one argument.
func glued(option, value string) string {
	if strings.HasPrefix(option, "--") {
		return option + "=" + value
	}
	return option + value
}

func startsWithDash(a argument) bool { return strings.HasPrefix(a[0].literal, "-") }

func isDashes(a argument) bool { return len(a) == 1 && a[0].literal == "--" }

// checkUse refuses parameters that are asked for and used nowhere.
func (a Action) checkUse(wrong report) {
	used := map[string]bool{}
	for _, vector := range [][]string{a.Command, a.Undo} {
		parsed, err := parseVector(vector)
		if err != nil {
			return
		}
		for _, one := range parsed {
			for _, name := range one.params() {
				used[name] = true
			}
		}
	}
	for i, p := range a.Params {
		if !used[p.Name] {
			wrong(fmt.Sprintf("params[%d]", i), "{%s} is in no argument; use it or remove it", p.Name)
		}
	}
}

func (a Action) checkEnv(wrong report) {
	if len(a.Env) > maxEnv {
		wrong("env", "has %d names; use at most %d", len(a.Env), maxEnv)
	}
	for i, name := range a.Env {
		key := fmt.Sprintf("env[%d]", i)
		switch {
		case !envPattern().MatchString(name):
			wrong(key, "%q names no variable; write names alone, never values", clip(name))
		case strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_"):
			wrong(key, "%s changes what a program is; leave it out", name)
		case slices.Index(a.Env, name) != i:
			wrong(key, "%s is there twice; remove one", name)
		}
	}
}

// checkParams checks parameters, of an action or of a builtin.
func checkParams(params []Param) (errs []error) {
	if len(params) > maxParams {
		errs = append(errs, fmt.Errorf("params: %d are more than the %d that are allowed; remove some", len(params), maxParams))
	}
	for i, p := range params {
		wrong := func(key, format string, values ...any) {
			errs = append(errs, fmt.Errorf("params[%d].%s: "+format, append([]any{i, key}, values...)...))
		}
		if !paramPattern().MatchString(p.Name) {
			wrong("id", "%q cannot name a parameter; %s", clip(p.Name), ParamFix)
		} else if slices.IndexFunc(params, func(other Param) bool { return other.Name == p.Name }) != i {
			wrong("id", "%q is there twice; give each a name of its own", p.Name)
		}
		checkDescription(wrong, "description", p.Description, false)
		p.check(wrong)
	}
	return errs
}

// check checks what goes with the type.
func (p Param) check(wrong report) {
	kind := p.Type
	if kind == "" {
		kind = Text
	}
	if !slices.Contains([]ParamType{Text, Integer, Number, Boolean, Choice, Date, Path}, kind) {
		wrong("type", "%q is none of text, integer, number, boolean, choice, date, path; choose one", clip(string(kind)))
		return
	}
	only := func(key string, set bool, kinds ...ParamType) {
		if set && !slices.Contains(kinds, kind) {
			wrong(key, "goes with the type %s, and this one is %s; remove one of the two", kinds[0], kind)
		}
	}
	only("max_length", p.MaxLength != 0, Text)
	only("multiline", p.Multiline, Text)
	only("pattern", p.Pattern != "", Text)
	only("min", p.Min != nil, Number, Integer)
	only("max", p.Max != nil, Number, Integer)
	only("choices", p.Choices != nil, Choice)
	only("root", p.Root != "", Path)
	checkCount(wrong, "max_length", p.MaxLength, maxLength, defaultLength)
	if _, err := compilePattern(p.Pattern); err != nil || len(p.Pattern) > maxPattern {
		wrong("pattern", "is no regular expression of at most %d bytes (%v); correct it", maxPattern, err)
	}
	p.checkRange(wrong)
	if kind == Choice {
		p.checkChoices(wrong)
	}
	if kind == Path && (!filepath.IsAbs(p.Root) || filepath.Clean(p.Root) == "/" || notText(p.Root, false) != "") {
		wrong("root", "%q is no folder below /; write from / on which folder paths may not leave", clip(p.Root))
	}
}

func (p Param) checkRange(wrong report) {
	for key, bound := range map[string]*float64{"min": p.Min, "max": p.Max} {
		if bound != nil && (math.IsNaN(*bound) || math.Abs(*bound) > maxInteger) {
			wrong(key, "is %v; use a number of at most 15 digits", *bound)
		}
	}
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		wrong("min", "is %v, more than max (%v); exchange them", *p.Min, *p.Max)
	}
}

func (p Param) checkChoices(wrong report) {
	if len(p.Choices) == 0 || len(p.Choices) > maxChoices {
		wrong("choices", "has %d values; list 1 to %d", len(p.Choices), maxChoices)
	}
	for i, choice := range p.Choices {
		switch {
		case choice == "":
			wrong("choices", "value %d is empty; remove it, or write what it should be", i+1)
		case len(choice) > maxArgument:
			wrong("choices", "value %d has %d bytes; use at most %d", i+1, len(choice), maxArgument)
		case notText(choice, false) != "":
			wrong("choices", "value %d has %s; write plain text", i+1, notText(choice, false))
		case slices.Index(p.Choices, choice) != i:
			wrong("choices", "%q is there twice; remove one", clip(choice))
		}
	}
}

// compilePattern returns the expression that the whole of a text must match.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	// Alone first, so that no bracket in it closes one of ours.
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, err
	}
	return regexp.Compile(`\A(?:` + pattern + `)\z`)
}

// clip shortens what is quoted in an error.
func clip(text string) string {
	const most = 60
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
