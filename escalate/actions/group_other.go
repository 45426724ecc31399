//go:build !linux

package actions

import "syscall"

// ownGroup has a program lead a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
