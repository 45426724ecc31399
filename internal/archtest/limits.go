package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	// maxFileLines is how long a file may be.
	maxFileLines = 500
	// maxMainLines is the length of all files of the daemon's main together.
	maxMainLines = 150
	daemonMain   = "cmd/subconsciousd"
)

// emptyNames say nothing of what is in a package.
var emptyNames = []string{"config", "util", "utils", "common", "helper", "helpers", "types"}

// names checks what a package is called.
func names(p Package) []Violation {
	for _, name := range []string{strings.TrimSuffix(p.Name, "_test"), path.Base(p.Folder)} {
		if slices.Contains(emptyNames, name) {
			return []Violation{{p.place(), "is called " + name, "a package is named for what it knows, and such names take in everything"}}
		}
	}
	return nil
}

// files checks the files of a package.
func files(rule Rule, p Package) []Violation {
	var found []Violation
	add := func(where, reason, what string, values ...any) {
		found = append(found, Violation{where, fmt.Sprintf(what, values...), reason})
	}
	lines := 0
	for _, f := range p.Files {
		for _, line := range f.Inits {
			add(f.Path, "what runs on import cannot be tested, ordered or left out", "has func init in line %d", line)
		}
		if f.Test {
			continue
		}
		lines += f.Lines
		if f.Lines > maxFileLines {
			add(f.Path, "nobody reads it whole: split it", "has %d lines, more than %d", f.Lines, maxFileLines)
		}
		if rule.Pure {
			for _, line := range f.Clocks {
				add(f.Path, "pure code receives the time, so that it can be replayed", "reads the clock in line %d", line)
			}
		}
	}
	if p.Folder == daemonMain && lines > maxMainLines {
		add(p.Folder, "main parses flags, builds daemon.Options and returns an exit code", "has %d lines, more than %d", lines, maxMainLines)
	}
	return found
}
