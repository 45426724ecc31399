package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"github.com/subconsciousd/subconsciousd/internal/secret"
)

const (
	// maxFile bounds the file of a sign-in, in bytes.
	maxFile = 256 << 10
	// version of the file.
	version = 1
	// lockWithin is how long another process may hold the file.
	lockWithin = 45 * time.Second
	lockEvery  = 50 * time.Millisecond
)

// token is a sign-in as it is kept. It is never printed.
type token struct {
	Version int `json:"version"`
	State
	TokenURL string `json:"token_url"`
	Access   string `json:"access_token"`
	Refresh  string `json:"refresh_token,omitempty"`
}

// errNoToken says that there is no file.
var errNoToken = errors.New("there is no sign-in")

// readToken reads the file, which its owner alone may be able to read.
func readToken(path string) (*token, error) {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("the sign-in %s "+format, append([]any{path}, args...)...)
	}
	const mend = "remove it and sign in again"
	text, err := secret.ReadFile(path, unix.O_NOFOLLOW, true, maxFile, mend)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errNoToken
	case err != nil:
		return nil, fmt.Errorf("the sign-in %s: %w", path, err)
	}
	kept := &token{}
	// What the decoder says could quote the file.
	if json.Unmarshal(text, kept) != nil || kept.Access == "" && kept.Refresh == "" {
		return nil, wrong("cannot be understood; " + mend)
	}
	if kept.Version != version {
		return nil, wrong("is of version %d, which this program does not know; "+mend, kept.Version)
	}
	kept.Renewable = kept.Refresh != ""
	return kept, nil
}

// writeToken replaces the file at once and for good.
func writeToken(path string, t *token) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	text, err := json.MarshalIndent(t, "", "  ")
	if err == nil {
		err = secret.WriteFile(path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the sign-in %s: %w", path, secret.Cause(err))
	}
	return nil
}

// makeFolder makes the folder of the sign-ins, which is its owner's alone.
func makeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the sign-ins: %w", err)
	}
	stat, err := os.Stat(folder)
	if err == nil && stat.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(folder, 0o700)
	}
	if err != nil {
		return fmt.Errorf("make the folder of the sign-ins: %w", err)
	}
	return nil
}

// lock keeps other processes from changing the file until unlock is called.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(ctx, lockWithin)
	defer done()
	held := flock.New(strings.TrimSuffix(path, ".json")+".lock", flock.SetPermissions(0o600))
	if _, err := held.TryLockContext(ctx, lockEvery); err != nil {
		return nil, fmt.Errorf("another program holds the sign-in %s: %w", path, err)
	}
	return func() { _ = held.Unlock() }, nil // closing the file ends it at the latest
}

// State is what can be said of a sign-in.
type State struct {
	// Provider and ClientID are those it was made with.
	Provider string `json:"provider"`
	ClientID string `json:"client_id"`
	// SignedIn is when the person did, Renewed when the token was last made.
	SignedIn time.Time `json:"signed_in"`
	Renewed  time.Time `json:"renewed"`
	// Expiry is when the access token ends; zero: it was not said.
	Expiry time.Time `json:"expiry,omitzero"`
	// Renewable: it can be renewed without the person.
	Renewable bool `json:"-"`
	// Ends is when the person has to sign in anew; zero: the provider set no end.
	Ends time.Time `json:"ends,omitzero"`
}

// Kept says what is kept, and asks nobody. Where there is no sign-in, or one of
// another client than the configuration names, or one that has run out for good,
// the error is ErrSignInAgain.
func Kept(options Options) (State, error) {
	s := New(options)
	held, err := s.held()
	if err != nil {
		return State{}, err
	}
	if !s.good(held) && !held.Renewable {
		return held.State, s.again("the sign-in has run out, and the provider gave nothing to renew it with")
	}
	return held.State, nil
}

// Forget removes the sign-in; was is false where there was none. The provider
// still knows it, until the person takes it back there.
func Forget(ctx context.Context, path string) (was bool, err error) {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	unlock, err := lock(ctx, path)
	if err != nil {
		return false, err
	}
	defer unlock()
	err = os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove the sign-in %s: %w", path, secret.Cause(err))
	}
	return true, secret.Sync(filepath.Dir(path))
}
