package actions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

var (
	// shells read the argument of -c as a line of their language.
	shells = []string{"sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "yash", "fish", "csh", "tcsh", "pwsh", "powershell", "nu", "elvish", "xonsh"}
	// interpreters read the argument of these options as a program.
	interpreters = []string{"python", "perl", "ruby", "node", "nodejs", "php", "lua", "deno", "bun", "osascript", "awk", "gawk", "mawk", "sed"}
	// relays hand their arguments to a shell, here or on another machine.
	relays = []string{"ssh", "mosh", "su", "runuser", "watch", "script", "parallel", "screen", "tmux", "at", "batch", "eval", "expect"}
)

// baseName is a program's name without folder and version: "python3.12" is
// python.
func baseName(program string) string {
	return strings.TrimRight(filepath.Base(program), "0123456789.")
}

// shellLine says why a vector would be read by a shell, or have a value read as
// a program; "" where it would not. It catches slips: what a program does with
// its arguments is the program's own.
func shellLine(vector []string, parsed []argument, program string) string {
	names := []string{program}
	for _, text := range vector[1:] {
		names = append(names, baseName(text))
	}
	for i, name := range names {
		behind := parsed[min(i, len(parsed)):]
		switch {
		case slices.Contains(shells, name) && slices.ContainsFunc(behind, isCommandOption):
			return fmt.Sprintf("%s -c is a shell line, in which a value can become a command; name the program and its arguments one by one, or a script file", name)
		case i == 0 && slices.Contains(relays, name) && slices.ContainsFunc(behind, holdsParam):
			return fmt.Sprintf("%s hands its arguments to a shell, in which a value can become a command; call a script that takes none, or a program that takes the value itself", name)
		case i == 0 && slices.Contains(interpreters, name) && codeHoldsParam(behind):
			return fmt.Sprintf("a parameter stands in a program for %s, and a value could change it; put the program into a file, and the parameter behind it", name)
		}
	}
	return ""
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

// codeHoldsParam reports whether a parameter stands in the argument of an
// option that takes a program, or in the first one that is no option.
func codeHoldsParam(arguments []argument) bool {
	for i, a := range arguments {
		if strings.HasPrefix(a[0].literal, "-") && len(a[0].literal) > 1 {
			if holdsParam(a) && !strings.HasPrefix(a[0].literal, "--") {
				return true
			}
			continue
		}
		before := ""
		if i > 0 {
			before = arguments[i-1][0].literal
		}
		code := strings.HasPrefix(before, "-") && !strings.HasPrefix(before, "--") && strings.ContainsAny(before, "ceEpr") || before == "--eval" || before == "--print"
		if holdsParam(a) && (code || firstPlain(arguments) == i) {
			return true
		}
	}
	return false
}

// firstPlain is the index of the first argument that is no option.
func firstPlain(arguments []argument) int {
	return slices.IndexFunc(arguments, func(a argument) bool { return !strings.HasPrefix(a[0].literal, "-") })
}
