//go:build !failpoints

package main

// withFailpoints says how the other command is built.
const withFailpoints = false
