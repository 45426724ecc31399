//go:build failpoints

package failpoint

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Enabled says whether this program was built with failpoints.
const Enabled = true

const (
	specVariable = "SUBCONSCIOUS_FAILPOINTS"
	seedVariable = "SUBCONSCIOUS_FAILPOINTS_SEED"
)

// current is what the points do now. It is package state because a point is
// hit from code that is handed nothing; it exists in test builds alone.
var current atomic.Pointer[plan]

var fromEnvironment = sync.OnceFunc(func() {
	p, err := parse(os.Getenv(specVariable), os.Getenv(seedVariable))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", specVariable, err))
	}
	current.CompareAndSwap(nil, p)
})

// Set replaces what the points do, and returns a function that puts back what
// was there. The seed is decimal; an empty one draws a random one.
func Set(spec, seed string) (restore func(), err error) {
	fromEnvironment()
	p, err := parse(spec, seed)
	if err != nil {
		return nil, err
	}
	before := current.Swap(p)
	return func() { current.Store(before) }, nil
}

// Hit does what was asked for the point called name. An error that it returns
// is an *Error; it panics if the environment variable does not parse.
func Hit(name string) error {
	fromEnvironment()
	point := current.Load().points[name]
	if point == nil || !point.draw() {
		return nil
	}
	switch point.action {
	case actPanic:
		panic(&Error{Name: name})
	case actKill:
		// The process is gone when the signal is delivered, which may be a
		// moment after the call returns.
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			panic(err)
		}
		select {}
	case actSleep:
		time.Sleep(point.sleep)
		return nil
	}
	return &Error{Name: name}
}

// Error is what a failpoint returns or panics with.
type Error struct{ Name string }

// Error names the failpoint.
func (e *Error) Error() string { return "failpoint " + e.Name }
