//go:build failpoints

package main

import "testing"

// withFailpoints says how the other command is built.
const withFailpoints = true

// TestCrashScripts runs sessions of a daemon that fails on purpose.
func TestCrashScripts(t *testing.T) { runScripts(t, "testdata/failpoints") }
