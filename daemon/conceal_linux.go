package daemon

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Conceal keeps other programs of the same user from reading the memory and the
// environment of this process, in which keys are: by a debugger, /proc or a dump.
func Conceal() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("daemon: close the process to others: %w", err)
	}
	return nil
}
