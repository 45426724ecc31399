// Package lazy has what is built when it is used first, so that a program that
// does not need it starts without it.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns what compiles expr once and returns it. It panics then where
// expr is malformed.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
