package actions

import "syscall"

// ownGroup has a program lead a process group of its own, and end with us.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
