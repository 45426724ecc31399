// Package ntfytest is a stand-in for an ntfy server: it takes messages, keeps
// them, streams them and refuses them as a real one was seen to, and fails in
// ways that a real one rarely does. Phone does what a phone does.
//
// It keeps what it is told in memory. Tests start it, and people by
// "subconsciousctl notify fake".
package ntfytest
