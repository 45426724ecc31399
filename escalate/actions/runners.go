package actions

import (
	"regexp"
	"strings"
)

// runner is how a program that runs another one, or reads a program in a
// language of its own, takes its arguments, as far as is needed to see where that
// begins.
type runner struct {
	// options are those that are known, as getopt has them: "-v"; "-u:" takes
	// the next argument; "-i?" what follows within its own; "-e!" takes a program
	// or the name of its file; "--why=" may hold a value behind its "=", which
	// decides nothing. Any other hides where the program begins.
	options string
	// operands is how many arguments stand before the program; a value may be
	// one where it is free.
	operands int
	free     bool
	// assigns: NAME=value may stand before the program.
	assigns bool
	// mixed: options count behind the program too.
	mixed bool
	// reads: what it runs is a program in its language, or the name of a file
	// with one.
	reads bool
}

// assignment is what sets a variable for a program.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// refuses says why a value among the arguments would decide what runs; "" where
// it would not.
func (r runner) refuses(name string, words []argument) string {
	settled := false // the program is there, and what follows are its arguments
	operands := r.operands
	for i := 0; i < len(words); i++ {
		word := words[i]
		text := word[0].literal
		switch {
		case text == "--" && !holdsParam(word):
			return r.starts(name, words[i+1:], operands, settled)
		case isOption(text):
			o, value := r.option(text), holdsParam(word)
			if o.next && !value {
				i++
				value = i < len(words) && holdsParam(words[i])
			}
			if why := r.refusesOption(name, o, value, settled); why != "" {
				return why
			}
			settled = settled || o.code
		case r.mixed:
			if holdsParam(word) && !settled {
				return readsValue(name)
			}
			settled = true
		default:
			return r.starts(name, words[i:], operands, settled)
		}
	}
	return ""
}

// refusesOption looks at an option, in which or behind which a value stands or
// not.
func (r runner) refusesOption(name string, o option, value, settled bool) string {
	switch {
	case value && o.code:
		return readsValue(name)
	case settled:
		return ""
	case !o.known:
		return hidden(name)
	case value && !o.open:
		return inFront(name)
	}
	return ""
}

// starts looks at the words that begin with the operands, or with what is run.
func (r runner) starts(name string, words []argument, operands int, settled bool) string {
	if settled {
		return ""
	}
	for len(words) > 0 {
		word := words[0]
		switch {
		case r.assigns && assignment.MatchString(word[0].literal):
			if holdsParam(word) {
				return inFront(name)
			}
		case operands > 0:
			if operands--; holdsParam(word) && !(r.free && word.alone()) {
				return inFront(name)
			}
		case !r.reads && !holdsParam(word) && (word[0].literal == "-" || r.operands > 0 && word[0].literal == "--"):
		case r.reads && holdsParam(word):
			return readsValue(name)
		case r.reads:
			return ""
		case holdsParam(word):
			return valueRuns(name)
		case isOption(word[0].literal):
			return hidden(name)
		default:
			return runs(words)
		}
		words = words[1:]
	}
	return ""
}

// isOption reports whether an argument is an option. "-" alone is none, and
// nothing that is run.
func isOption(text string) bool { return len(text) > 1 && (text[0] == '-' || text[0] == '+') }

// option is what is known of an argument that is one.
type option struct {
	known bool
	next  bool // the next argument is its value
	code  bool // that is a program
	open  bool // its value decides nothing
}

// option looks an argument up, as far as it is fixed.
func (r runner) option(text string) option {
	name, _, within := strings.Cut(text, "=")
	if kind, known := r.kind(name); known {
		return option{known: true, next: !within && strings.ContainsRune(":!=", kind), code: kind == '!', open: kind == '=' && within}
	}
	if strings.HasPrefix(text, "--") {
		return option{known: within}
	}
	for at, letter := range text[1:] {
		kind, known := r.kind("-" + string(letter))
		switch {
		case '0' <= letter && letter <= '9': // how much, of the option before it
		case !known:
			return option{}
		case kind == '?':
			return option{known: true}
		case kind != ' ':
			return option{known: true, next: at+2 == len(text), code: kind == '!'}
		}
	}
	return option{known: true}
}

// kind is what the option takes, as options says.
func (r runner) kind(name string) (kind rune, known bool) {
	for _, one := range strings.Fields(r.options) {
		if one == name {
			return ' ', true
		}
		if last := len(one) - 1; one[:last] == name && strings.ContainsRune(":?!=", rune(one[last])) {
			return rune(one[last]), true
		}
	}
	return 0, false
}

// codeHoldsParam reports whether a value stands in the argument of an option
// that takes a program.
func (r runner) codeHoldsParam(words []argument) bool {
	for i, word := range words {
		text := word[0].literal
		if !isOption(text) {
			return false
		}
		o := r.option(text)
		if o.code && (holdsParam(word) || o.next && i+1 < len(words) && holdsParam(words[i+1])) {
			return true
		}
	}
	return false
}
