// Package program is how programs that the configuration names are found,
// begun and ended: from an argument vector, in a process group of their own,
// with no descriptor but their outputs and no variable but those that are listed.
//
// It stores nothing. escalate/actions and senses/source call it.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// RunVariable tells a program that the daemon began it: what bears it approves
// nothing.
const RunVariable = "SUBCONSCIOUS_RUN"

// DefaultPath are the folders in which programs are looked for.
func DefaultPath() []string {
	folders := []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"}
	if runtime.GOOS == "darwin" {
		return append([]string{"/opt/homebrew/bin"}, folders...)
	}
	return folders
}

// Find looks for a program, an absolute path or a name in one of the folders, and
// for what it really is, links followed. What others may write to is not run: the
// problem says so, and next what to do.
func Find(program string, folders []string) (path, real, problem, next string) {
	candidates := []string{filepath.Clean(program)}
	if !strings.ContainsRune(program, '/') {
		candidates = nil
		for _, folder := range folders {
			candidates = append(candidates, filepath.Join(folder, program))
		}
	}
	at := slices.IndexFunc(candidates, func(path string) bool {
		found, err := os.Stat(path)
		return err == nil && found.Mode().IsRegular() && found.Mode()&0o111 != 0
	})
	if at < 0 {
		return "", "", fmt.Sprintf("the program %.60s is not there, or cannot be run", program), "install it, or write its absolute path"
	}
	real, err := filepath.EvalSymlinks(candidates[at])
	if err != nil {
		return "", "", fmt.Sprintf("the program %.60s cannot be looked at", program), "write its absolute path"
	}
	if found, err := os.Stat(real); err != nil || found.Mode()&0o002 != 0 {
		return "", "", fmt.Sprintf("everybody may change the program %.60s", program), "take that away: chmod o-w"
	}
	return candidates[at], real, "", ""
}

// shells read the argument of -c as a line of their language.
var shells = strings.Fields("sh bash rbash dash ash zsh ksh mksh yash fish csh tcsh pwsh powershell nu elvish xonsh")

// IsShell reports whether a program of that name is a shell.
func IsShell(name string) bool { return slices.Contains(shells, name) }

// IsCommandOption reports whether an argument is -c, among other letters or
// not, or a long form of it.
func IsCommandOption(text string) bool {
	if strings.HasPrefix(text, "--") {
		return text == "--command" || strings.HasPrefix(text, "--command=")
	}
	letters, _, _ := strings.Cut(text, "=")
	return strings.HasPrefix(text, "-") && strings.ContainsAny(letters, "cC")
}

// Signal sends a signal to the whole group of a program that was started.
func Signal(command *exec.Cmd, s syscall.Signal) error {
	return syscall.Kill(-command.Process.Pid, s)
}

// Environment is all that a program gets of ours: PATH as it is given, HOME,
// LANG, TZ, and the variables that are allowed.
func Environment(path, allowed []string, lookup func(string) (string, bool)) []string {
	environment := []string{}
	if !slices.Contains(allowed, "PATH") {
		environment = append(environment, "PATH="+strings.Join(path, ":"))
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append([]string{"HOME", "LANG", "TZ"}, allowed...)))) {
		if value, ok := lookup(name); ok && !strings.ContainsRune(value, 0) {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}

// Seal closes to programs what the daemon itself was started with. What it opens
// is closed to them anyway.
func Seal() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // no such list: there is nothing to go by
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
