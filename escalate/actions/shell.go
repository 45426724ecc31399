package actions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/internal/program"
)

var (
	// languages read a program in an argument, or in the file that one names.
	languages = strings.Fields(`python pypy perl ruby jruby node nodejs deno bun php lua luajit osascript awk gawk mawk nawk original-awk java rscript
		tclsh julia octave guile racket sbcl clisp groovy scala elixir erl escript ocaml raku gnuplot gjs qjs`)
	// runners run what stands in their arguments, here or elsewhere.
	runners = strings.Fields(`env nice ionice timeout nohup setsid stdbuf time xargs sudo doas pkexec gosu su-exec chroot unshare nsenter
		flock taskset chrt setpriv prlimit strace ltrace valgrind entr systemd-run systemd-inhibit systemd-cat dbus-run-session xvfb-run
		caffeinate unbuffer fakeroot faketime torsocks proxychains firejail busybox toybox coreutils command npx bunx uvx fd fdfind
		ssh slogin mosh su sg runuser watch script parallel screen tmux at batch crontab eval expect
		make gmake just gdb lldb setarch arch run-parts start-stop-daemon bwrap dbus-launch xterm x-terminal-emulator gnome-terminal
		konsole alacritty kitty foot sed gsed r dc wish`)
	// containers run others by a subcommand: docker exec, uv run.
	containers  = strings.Fields("docker podman kubectl bundle uv poetry pipx")
	subcommands = []string{"exec", "run", "eval"}
	// finding are the options with which find runs what it finds.
	finding = []string{"-exec", "-execdir", "-ok", "-okdir"}
	// many are many programs in one, and do what they are called by.
	many = []string{"busybox", "toybox", "coreutils"}
)

// baseName is a program's name without folder and version: "python3.12" is
// python.
func baseName(program string) string {
	return strings.TrimRight(filepath.Base(program), "0123456789.")
}

// versioned is a name with a version and what may follow it.
var versioned = lazy.Regexp(`^([a-z]+)[0-9][0-9.]*-.*$`)

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
	if m := versioned().FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return baseName(name)
}

// shellLine says why a vector would be read by a shell, or why a value in it
// might become what runs; "" where neither is so. Called is what the vector's
// first is when links are followed. A value is never behind a program that runs
// others or reads a language, but for those that cannot become a program (free).
// It catches slips: what a program does with its
// arguments is the program's own.
func shellLine(vector []string, parsed []argument, called string) string {
	if slices.Contains(many, called) {
		called = baseName(vector[0]) // it does what it is called by
	}
	words := append([]argument{{{literal: called}}}, parsed...)
	for i, word := range words {
		if name := nameOf(word); program.IsShell(name) && slices.ContainsFunc(words[i+1:], func(a argument) bool { return program.IsCommandOption(a[0].literal) }) {
			return fmt.Sprintf("%s -c is a shell line, in which a value can become a command; name the program and its arguments one by one, or a script file", name)
		}
	}
	for i, word := range words {
		name, behind := nameOf(word), words[i+1:]
		reads := program.IsShell(name) || slices.Contains(languages, name)
		switch {
		case slices.Contains(finding, name) && slices.ContainsFunc(words, holdsParam):
		case !slices.ContainsFunc(behind, holdsParam):
			continue
		case i == 0 && reads && !holdsParam(behind[0]) && filepath.IsAbs(behind[0][0].literal):
			return "" // a script, and its arguments
		case reads && (i == 0 || strings.HasPrefix(behind[0][0].literal, "-")), i == 0 && slices.Contains(runners, name):
		case i == 1 && slices.Contains(subcommands, name) && slices.Contains(containers, called):
		default:
			continue
		}
		return fmt.Sprintf("a parameter stands beside %s, where a value might become what runs; name the program itself, or call a script that takes the value", name)
	}
	return ""
}

// free is a vector in which values that cannot become a program are written out:
// numbers, dates, and what the action's own list has.
func (a Action) free(parsed []argument) []argument {
	written := make([]argument, len(parsed))
	for i, one := range parsed {
		for _, s := range one {
			if p := a.param(s.param); p != nil && slices.Contains([]ParamType{Integer, Number, Boolean, Choice, Date}, p.Type) {
				s = segment{literal: "0"}
			}
			written[i] = append(written[i], s)
		}
	}
	return written
}

func holdsParam(a argument) bool { return len(a.params()) > 0 }
