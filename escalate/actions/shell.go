package actions

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// baseName is a program's name without folder and version: "python3.12" is
// python.
func baseName(program string) string {
	return strings.TrimRight(filepath.Base(program), "0123456789.")
}

// versioned is a name with a version and what may follow it.
var versioned = regexp.MustCompile(`^([a-z]+)[0-9][0-9.]*-.*$`)

// nameOf is the name under which the program of an argument is known; "" where
// a value stands in it.
func nameOf(a argument) string {
	if holdsParam(a) {
		return ""
	}
	name := strings.ToLower(filepath.Base(a[0].literal))
	for _, end := range []string{".exe", ".static", "-static"} {
		name = strings.TrimSuffix(name, end)
	}
	if m := versioned.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return baseName(name)
}

// shellLine says why a vector would be read by a shell, or have a value read as
// a program; "" where it would not. Program is what the vector's first is when
// links are followed. It catches slips: what a program does with its arguments
// is the program's own.
func shellLine(vector []string, parsed []argument, program string) string {
	if slices.Contains(many, program) {
		program = baseName(vector[0]) // it does what it is called by
	}
	words := append([]argument{{{literal: program}}}, parsed...)
	for i := range words {
		if name := nameOf(words[i]); slices.Contains(shells, name) && slices.ContainsFunc(words[i+1:], isCommandOption) {
			return fmt.Sprintf("%s -c is a shell line, in which a value can become a command; name the program and its arguments one by one, or a script file", name)
		}
	}
	return runs(words)
}

// runs says why a value would decide what the words run, the first of which is a
// program; "" where none would. What a program runs in turn is looked at as if
// it stood first.
func runs(words []argument) string {
	if !slices.ContainsFunc(words[1:], holdsParam) {
		return ""
	}
	name, rest := nameOf(words[0]), words[1:]
	if second := nameOf(rest[0]); second != "" {
		if how, known := runnerOf(name + " " + second); known {
			return how.refuses(name+" "+second, rest[1:])
		}
	}
	if how, known := runnerOf(name); known {
		return how.refuses(name, rest)
	}
	switch {
	case slices.Contains(relays, name):
		return fmt.Sprintf("%s hands its arguments to a shell, in which a value can become a command; call a script that takes none, or a program that takes the value itself", name)
	case slices.Contains(closed, name):
		return fmt.Sprintf("it cannot be told what %s runs, and a value might decide it; call a script that takes the value", name)
	case slices.Contains(finders, name):
		return finds(name, rest)
	}
	return within(rest)
}

// within looks at the arguments of a program that is not known: behind an
// interpreter's name in them, a value is no code.
func within(words []argument) string {
	for i, word := range words {
		name := nameOf(word)
		if how, known := runnerOf(name); known && how.reads && how.codeHoldsParam(words[i+1:]) {
			return readsValue(name)
		}
	}
	return ""
}

// finds looks at the commands among the arguments of a find: what it finds is a
// value there.
func finds(name string, words []argument) string {
	for i := 0; i < len(words); i++ {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}, words[i][0].literal) || holdsParam(words[i]) {
			continue
		}
		var command []argument
		for i++; i < len(words) && words[i][0].literal != ";"; i++ {
			word := words[i]
			if last := len(command) - 1; word[0].literal == "+" && last >= 0 && holdsParam(command[last]) {
				break
			}
			if strings.Contains(word[0].literal, "{}") {
				word = argument{{param: "{}"}}
			}
			command = append(command, word)
		}
		if len(command) == 0 {
			continue
		}
		if holdsParam(command[0]) {
			return valueRuns(name)
		}
		if why := runs(command); why != "" {
			return why
		}
	}
	return ""
}

// valueRuns, hidden, inFront and readsValue are what can be wrong with a value
// behind a program that runs another.
func valueRuns(name string) string {
	return fmt.Sprintf("a parameter is what %s runs, and a program is never a value; name the program there: write one action for each", name)
}

func hidden(name string) string {
	return fmt.Sprintf("it cannot be told where what %s runs begins, and a value might become it; leave the options of %s out, or call a script that takes the value", name, name)
}

func inFront(name string) string {
	return fmt.Sprintf("a parameter stands in front of what %s runs; put it behind that, or call a script that takes the value", name)
}

func readsValue(name string) string {
	return fmt.Sprintf("a parameter stands in a program for %s, and a value could change it; put the program into a file, and the parameter behind it", name)
}

// isCommandOption reports whether an argument is -c, among other letters or
// not, or a long form of it.
func isCommandOption(a argument) bool {
	text := a[0].literal
	if strings.HasPrefix(text, "--") {
		return text == "--command" || strings.HasPrefix(text, "--command=")
	}
	letters, _, _ := strings.Cut(text, "=")
	return strings.HasPrefix(text, "-") && strings.ContainsAny(letters, "cC")
}

func holdsParam(a argument) bool { return len(a.params()) > 0 }
