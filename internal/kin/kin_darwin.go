package kin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Now is the time by which Began is.
func Now() uint64 { return uint64(time.Now().UnixMicro()) }

// Look returns what is known of a process, and whether it lives.
func Look(pid int) (p Process, alive bool) {
	found, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	const zombie = 5 // SZOMB of sys/proc.h
	if err != nil || int(found.Proc.P_pid) != pid || found.Proc.P_stat == zombie {
		return p, false
	}
	p.Parent, p.Group = int(found.Eproc.Ppid), int(found.Eproc.Pgid)
	p.Session, _ = unix.Getsid(pid)
	began := found.Proc.P_starttime
	p.Began, p.Name = uint64(began.Sec)*1e6+uint64(began.Usec), unix.ByteSliceToString(found.Proc.P_comm[:])
	if device := uint32(found.Eproc.Tdev); device != 0 && int32(device) != -1 {
		p.Terminal = fmt.Sprintf("/dev/ttys%03d", device&0xffffff)
	}
	program, words, arguments := started(pid)
	p.Program = program
	for word := range bytes.SplitSeq(words, []byte{0}) {
		if len(p.Arguments) < arguments {
			p.Arguments = append(p.Arguments, string(word))
		}
	}
	return p, true
}

// started is what a process was started with: the program, and its arguments
// with the variables behind them, parted by zeros. That of another user's is not known.
func started(pid int) (program string, words []byte, arguments int) {
	all, err := unix.SysctlRaw("kern.procargs2", pid)
	head := binary.Size(int32(0))
	if err != nil || len(all) <= head {
		return "", nil, 0
	}
	name, rest, _ := bytes.Cut(all[head:], []byte{0})
	return string(name), bytes.TrimLeft(rest, "\x00"), int(binary.NativeEndian.Uint32(all))
}

// Variable looks among the variables that a program was started with. Those of
// another user's are not known.
func Variable(pid int, name string) (value string, is bool) {
	_, words, _ := started(pid) // an argument that looks like it counts as well
	return variable(words, name)
}
