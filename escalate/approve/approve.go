// Package approve asks whoever approves an action for a second factor, where the
// configuration wants one: a passphrase, or what polkit asks for. Hash and terminal
// do not need a person; these do.
//
// It stores a passphrase's hash in sign-in/passphrase.json of the state folder,
// where an encrypted backup takes it. The daemon calls it, before it approves.
package approve

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// The ways of asking.
const (
	AskNone       = "none"
	AskPassphrase = "passphrase"
	AskPolkit     = "polkit"
)

// Config says what an approval takes beside the person's word.
type Config struct {
	Ask string `mapstructure:"ask" about:"What approving an action takes beside your word: none, passphrase, or polkit (Linux)."`
}

// DefaultConfig asks for nothing.
func DefaultConfig() Config { return Config{Ask: AskNone} }

// Validate checks what is configured.
func (c Config) Validate() error {
	switch {
	case c.Ask == AskPolkit && runtime.GOOS != "linux":
		return fmt.Errorf("ask: polkit is of Linux alone; use %s", AskPassphrase)
	case c.Ask == AskNone, c.Ask == AskPassphrase, c.Ask == AskPolkit:
		return nil
	}
	return fmt.Errorf("ask: %.40q is unknown; use %s, %s or %s", c.Ask, AskNone, AskPassphrase, AskPolkit)
}

// Factor asks. Its fields are not changed once it is used.
type Factor struct {
	Config
	StateDir string
	Now      func() time.Time
	Bus      string // the address of the system's bus; "" for where it usually is

	mu   sync.Mutex // over the passphrase's file
	cost int        // of a hash; 0 is the usual one
}

// Check refuses an approval by a process, by its number and that of its user, that
// lacks what is asked for. Its error is an *actions.Error.
func (f *Factor) Check(ctx context.Context, uid, pid int, passphrase string) error {
	switch f.Ask {
	case AskPassphrase:
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.try(passphrase)
	case AskPolkit:
		return f.polkit(ctx, uid, pid)
	}
	return nil
}

func refuse(code actions.Code, next, format string, values ...any) error {
	return &actions.Error{Code: code, Text: fmt.Sprintf(format, values...), Next: next}
}
