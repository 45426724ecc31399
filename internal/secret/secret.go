// Package secret holds keys and passwords, which the configuration names by
// reference alone: an environment variable, a file, the keyring, a credential
// of systemd.
//
// It stores nothing. Whoever signs in somewhere resolves a Ref just before.
package secret

// Value is a secret in memory. It prints as "[secret]" in every format.
type Value struct{ text string }

// Ref says where a secret is. At most one of its fields is set.
type Ref struct {
	Env        string // the name of a variable
	File       string // a path; the first line counts
	Keyring    string // "SERVICE/USER"
	Credential string // the name of a file in $CREDENTIALS_DIRECTORY
}

// String prints as "[secret]".
func (Value) String() string { return "[secret]" }
