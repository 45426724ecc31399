package program

import "syscall"

// OwnGroup has a program lead a process group of its own, and end with us.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
