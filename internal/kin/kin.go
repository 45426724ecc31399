// Package kin says what the system knows of a process: whose child it is, what it
// runs, and since when.
//
// It stores nothing. The API asks it whose word a request is, and package actions
// who approves.
package kin

import "bytes"

// Process is what is known of one that lives.
type Process struct {
	Parent, Group, Session int
	// Began is when, as Now counts: on Linux in ticks of the clock since the machine
	// started, as polkit knows processes by, elsewhere in microseconds.
	Began uint64
	// Name is the short one, Program absolute, Arguments from the name it was
	// called by on. What is not known is empty: it may be another user's.
	Name, Program string
	Arguments     []string
	Terminal      string // "" for none
}

// variable finds one among those that zeros part.
func variable(all []byte, name string) (value string, is bool) {
	for v := range bytes.SplitSeq(all, []byte{0}) {
		if value, is := bytes.CutPrefix(v, []byte(name+"=")); is {
			return string(value), true
		}
	}
	return "", false
}
