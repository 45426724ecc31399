//go:build !linux

package daemon_test

func hasMemory(string) bool { return false }
