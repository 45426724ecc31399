package kin

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ticks is how many a second has, whatever the kernel itself counts by.
const ticks = 100

// maxArguments is how much is read of the arguments of a process, in bytes.
const maxArguments = 64 << 10

// Now is the time by which Began is.
func Now() uint64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) // it is there since Linux 2.6.39
	return uint64(now.Nano()) / (1e9 / ticks)
}

func of(pid int, file string) string { return "/proc/" + strconv.Itoa(pid) + "/" + file }

// Look returns what is known of a process, and whether it lives. One that the
// system hides (hidepid) does not.
func Look(pid int) (p Process, alive bool) {
	content, err := os.ReadFile(of(pid, "stat"))
	opens, closes := bytes.IndexByte(content, '('), bytes.LastIndexByte(content, ')')
	if err != nil || opens < 0 || closes < opens {
		return p, false
	}
	// Behind the name, which may hold anything: state, parent, group, session,
	// terminal, …, when it began: proc_pid_stat(5).
	fields := strings.Fields(string(content[closes+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return p, false
	}
	p.Name = string(content[opens+1 : closes])
	p.Parent, _ = strconv.Atoi(fields[1])
	p.Group, _ = strconv.Atoi(fields[2])
	p.Session, _ = strconv.Atoi(fields[3])
	p.Began, _ = strconv.ParseUint(fields[19], 10, 64)
	if device, err := strconv.Atoi(fields[4]); err == nil && device != 0 {
		p.Terminal = terminal(device>>8&0xfff, device&0xff|device>>12&0xfff00)
	}
	p.Program, _ = os.Readlink(of(pid, "exe"))
	if f, err := os.Open(of(pid, "cmdline")); err == nil {
		line, _ := io.ReadAll(io.LimitReader(f, maxArguments))
		p.Arguments = strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		_ = f.Close() // it was read alone
	}
	return p, true
}

// terminal is the name of one, by the numbers of its device.
func terminal(major, minor int) string {
	switch {
	case 136 <= major && major < 144:
		return "/dev/pts/" + strconv.Itoa((major-136)<<8+minor)
	case major == 4 && minor < 64:
		return "/dev/tty" + strconv.Itoa(minor)
	}
	return strconv.Itoa(major) + ":" + strconv.Itoa(minor)
}

// Variable looks among the variables that a program was started with. Those of a
// program that has ended, or is another person's, are not there.
func Variable(pid int, name string) (value string, is bool) {
	// All of it: what stands behind a bound would hide the variable. The system
	// bounds what a program can be begun with, by its limit of the stack.
	content, err := os.ReadFile(of(pid, "environ"))
	if err != nil {
		return "", false
	}
	return variable(content, name)
}
