// Package secret holds keys and passwords, which the configuration names by
// reference alone: an environment variable, a file, the keyring, a credential
// of systemd.
//
// Whoever signs in somewhere resolves a Ref just before. It stores nothing but what
// it is handed: files that their owner alone can read, for setup and oauth.
package secret

import (
	"fmt"
	"io"
	"log/slog"
)

// hidden is what a secret looks like to everybody but its user.
const hidden = "[secret]"

// Value is a secret in memory. It prints as "[secret]" in every format.
//
// The text is behind a pointer because fmt calls no methods of what is in
// unexported fields of others: there it prints an address.
type Value struct{ text *string }

// New makes a secret of a text.
func New(text string) Value { return Value{&text} }

// Ref says where a secret is. At most one of its fields is set. A configuration
// names it under four keys, of a field with the key "token" token_env to
// token_credential; what stands for %s is said at that field.
type Ref struct {
	Env        string `mapstructure:"env" about:"The variable that holds %s."`
	File       string `mapstructure:"file" path:"secret" about:"A file whose first line is %s, readable by you alone (0600)."`
	Keyring    string `mapstructure:"keyring" about:"The keyring's entry that holds %s: SERVICE/USER."`
	Credential string `mapstructure:"credential" about:"The systemd credential that holds %s: a file of $CREDENTIALS_DIRECTORY."`
}

// Reveal returns the secret itself. Its result goes where it has to go, and
// into no variable, error or log.
func (v Value) Reveal() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// IsZero reports whether there is no secret.
func (v Value) IsZero() bool { return v.Reveal() == "" }

// String prints as "[secret]".
func (Value) String() string { return hidden }

// GoString prints as "[secret]".
func (Value) GoString() string { return hidden }

// Format prints as "[secret]" under every verb.
func (Value) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, hidden) }

// LogValue prints as "[secret]" in logs.
func (Value) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText prints as "[secret]" in JSON, YAML and everything else.
func (Value) MarshalText() ([]byte, error) { return []byte(hidden), nil }
