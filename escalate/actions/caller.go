package actions

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/subconsciousd/subconsciousd/internal/kin"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Caller says in words which process asks for something, by its number, program,
// what began it, and terminal. A process that was begun by an action, or by what an action had
// begun, is refused, and so is one that has ended: nobody can tell whose child it
// was. The number 0 is one that the system does not name.
func (e *Engine) Caller(uid, pid int) (string, error) {
	if pid == 0 {
		return "a process that the system does not name" + ofUser(uid), nil
	}
	who, alive := kin.Look(pid)
	if !alive {
		return "", refuse(CodeForbidden, "wait for the answer", "the process %d that asks has ended, and nobody can tell whose word it is", pid)
	}
	if e.guards.descends(pid) || e.guards.descends(who.Group) {
		return "", refuse(CodeForbidden, "do it from a terminal that no action has begun", "the process %d was begun by an action, and what an action begins decides on none", pid)
	}
	program, terminal := "a program that is not known", "without a terminal"
	if who.Program != "" {
		program = tail(subconscious.Visible(who.Program, false), maxProgram)
	}
	for range maxBegan {
		by, alive := kin.Look(who.Parent)
		if !alive || by.Program == "" {
			break
		}
		program += ", begun by " + tail(filepath.Base(subconscious.Visible(by.Program, false)), maxName)
		who.Parent = by.Parent
	}
	if who.Terminal != "" {
		terminal = "on " + who.Terminal
	}
	return fmt.Sprintf("process %d%s (%s) %s", pid, ofUser(uid), program, terminal), nil
}

const (
	// maxProgram is how much of the path of a program is named, in bytes.
	maxProgram = 40
	// maxBegan is how many of those above it are named, and maxName how much of
	// the name of each.
	maxBegan = 2
	maxName  = 20
)

// tail is the end of a text, in which a path has its name.
func tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)
	for len(string(runes)) > most {
		runes = runes[1:]
	}
	return "…" + string(runes)
}

// ofUser names a user who is not the daemon's.
func ofUser(uid int) string {
	if uid == os.Geteuid() {
		return ""
	}
	return fmt.Sprintf(" of user %d", uid)
}

// descends reports whether a process is, or descends from, what this daemon or
// an action has begun.
func descends(pid int) bool {
	for range maxDescent {
		who, alive := kin.Look(pid)
		_, acts := kin.Variable(pid, RunVariable)
		switch {
		case !alive:
			return false
		case acts || who.Parent == os.Getpid():
			return true
		}
		if pid = who.Parent; pid <= 1 {
			return false
		}
	}
	return true
}

// maxDescent bounds how many parents are looked at.
const maxDescent = 1000
