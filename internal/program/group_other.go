//go:build !linux

package program

import "syscall"

// OwnGroup has a program lead a process group of its own.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
