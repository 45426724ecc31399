package actions

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// kin is what is known of a process that lives.
func kin(pid int) (k kindred, alive bool) {
	found, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	const zombie = 5 // SZOMB of sys/proc.h
	if err != nil || int(found.Proc.P_pid) != pid || found.Proc.P_stat == zombie {
		return k, false
	}
	k.parent, k.group = int(found.Eproc.Ppid), int(found.Eproc.Pgid)
	if device := uint32(found.Eproc.Tdev); device != 0 && int32(device) != -1 {
		k.terminal = fmt.Sprintf("/dev/ttys%03d", device&0xffffff)
	}
	// How many arguments there are, the program, zeros, arguments and variables;
	// those of another user's process are not known.
	if all, err := unix.SysctlRaw("kern.procargs2", pid); err == nil && len(all) > binary.Size(int32(0)) {
		program, _, _ := bytes.Cut(all[binary.Size(int32(0)):], []byte{0})
		k.program, k.acts = string(program), bytes.Contains(all, []byte("\x00"+RunVariable+"="))
	}
	return k, true
}
