package actions

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// stat are the fields behind the name of a process that lives, which may hold
// anything: state, parent, group, session, terminal: proc_pid_stat(5).
func stat(pid int) []string {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 5 || fields[0] == "Z" || fields[0] == "X" {
		return nil
	}
	return fields
}

// kin is what is known of a process that lives.
func kin(pid int) (k kindred, alive bool) {
	fields := stat(pid)
	if fields == nil {
		return k, false
	}
	k.parent, _ = strconv.Atoi(fields[1])
	k.group, _ = strconv.Atoi(fields[2])
	if device, err := strconv.Atoi(fields[4]); err == nil && device != 0 {
		k.terminal = terminal(device>>8&0xfff, device&0xff|device>>12&0xfff00)
	}
	k.program, _ = os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe") // of another user it is not known
	k.acts = hasVariable(pid, RunVariable+"=")
	return k, true
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

// hasVariable looks at the variables that a program was started with for one that
// begins so. Those of a program that has ended, or is another person's, are not
// there.
func hasVariable(pid int, variable string) bool {
	// All of it: what stands behind a bound would hide the variable. The system
	// bounds what a program can be begun with, by its limit of the stack.
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(append([]byte{0}, content...), []byte("\x00"+variable))
}
