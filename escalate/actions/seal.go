package actions

import (
	"os"
	"strconv"
	"syscall"
)

// seal closes to programs what the daemon itself was started with. What it opens
// is closed to them anyway.
func seal() {
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
