// Package archtest holds the rules of the house, which package may import
// which and what no package may do, each with its reason, and checks a module
// against them. It stores nothing; its own test calls it over this module, and
// over made-up modules that break each rule.
package archtest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Module is the path of the module that the rules are about. Packages are named
// below by their folder in it.
const Module = "github.com/subconsciousd/subconsciousd"

// Rule says what some packages may import of this module and of others.
type Rule struct {
	// Packages are patterns of folders, as for path.Match: "senses/*". The
	// first rule of the table that matches a package is its rule.
	Packages []string
	// May are patterns of the folders it may import.
	May []string
	// Tests are patterns of what its tests may import beside that, and beside
	// what every test may (see AnyTest).
	Tests []string
	// StandardOnly: it imports nothing of other modules. Tests may.
	StandardOnly bool
	// TestOnly: nothing but tests may import it, whatever May says.
	TestOnly bool
	// Pure: it reads no clock.
	Pure bool
	// Reason is why, in words that follow "because".
	Reason string
}

// Package is one folder of Go files.
type Package struct {
	Folder string // "" for the module's own
	Name   string
	// Imports of the files that are built into programs, and TestImports of
	// its tests and external tests, as import paths.
	Imports, TestImports []string
	Files                []File
}

// File is what the checks need to know of one file.
type File struct {
	Path  string // from the module's folder
	Test  bool
	Lines int
	// Inits and Clocks are the lines of func init and of uses of the clock.
	Inits, Clocks []int
}

// Violation is one break of a rule.
type Violation struct {
	Where  string // a package's folder or a file's path
	What   string
	Reason string
}

// String says all of it in a sentence.
func (v Violation) String() string {
	return fmt.Sprintf("%s %s, because %s", v.Where, v.What, v.Reason)
}

// Check returns every break of the rules by the packages, in order.
func Check(rules []Rule, packages []Package) []Violation {
	var found []Violation
	for _, p := range packages {
		rule, covered := ruleOf(rules, p.Folder)
		if !covered {
			found = append(found, Violation{p.place(), "has no rule in internal/archtest", "what a folder may import is decided when it is made"})
			continue
		}
		found = append(found, imports(rules, rule, p, p.Imports, false)...)
		found = append(found, imports(rules, rule, p, p.TestImports, true)...)
		found = append(found, names(p)...)
		found = append(found, files(rule, p)...)
	}
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Where, b.Where), strings.Compare(a.What, b.What))
	})
	return slices.Compact(found)
}

// place names a package in a sentence.
func (p Package) place() string { return cmp.Or(p.Folder, "the module's own folder") }

// ruleOf returns the first rule that matches the folder.
func ruleOf(rules []Rule, folder string) (Rule, bool) {
	for _, r := range rules {
		if matches(r.Packages, folder) {
			return r, true
		}
	}
	return Rule{}, false
}

// matches reports whether one of the patterns matches the folder. "/..." at
// the end stands for what is before it and all folders below.
func matches(patterns []string, folder string) bool {
	for _, pattern := range patterns {
		above, all := strings.CutSuffix(pattern, "/...")
		for at := folder; ; at = path.Dir(at) {
			if matched, err := path.Match(above, at); err == nil && matched {
				return true
			}
			if !all || !strings.Contains(at, "/") {
				break
			}
		}
	}
	return false
}

// googleOnly is the package that may import Google's library.
const googleOnly = "senses/calendar/google"

// imports returns which of the imports of a package its rule forbids.
func imports(rules []Rule, rule Rule, p Package, imported []string, test bool) []Violation {
	var found []Violation
	verb := "imports "
	if test {
		verb = "imports, in a test, "
	}
	for _, name := range imported {
		folder, ours := strings.CutPrefix(name, Module+"/")
		switch {
		case name == Module || name == Module+"_test":
			folder, ours = "", true
		case !ours:
			if rule.StandardOnly && !test && !standard(name) {
				found = append(found, Violation{p.place(), verb + name, rule.Reason})
			} else if strings.HasPrefix(name, "google.golang.org/") && p.Folder != googleOnly {
				found = append(found, Violation{p.place(), verb + name, "whoever links Google's library pays for it at every start: it is in " + googleOnly + " alone"})
			}
			continue
		}
		target, _ := ruleOf(rules, folder)
		switch {
		case folder == p.Folder:
		case target.TestOnly && !test && !ownRule(rule, target):
			found = append(found, Violation{p.place(), verb + folder, "it is there for tests: " + target.Reason})
		case matches(rule.May, folder):
		case test && (matches(rule.Tests, folder) || matches(AnyTest(), folder)):
		default:
			found = append(found, Violation{p.place(), verb + folder, rule.Reason})
		}
	}
	return found
}

// ownRule reports whether a package that is there for tests itself imports
// another one of the same rule.
func ownRule(rule, target Rule) bool { return rule.TestOnly && target.TestOnly }

// standard reports whether an import path is of the standard library: its first
// element has no dot.
func standard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}
