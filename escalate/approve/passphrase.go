package approve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/secret"
)

const (
	// tries are how many wrong passphrases are taken before it pauses.
	tries = 3
	pause = 15 * time.Minute
	// shortest and longest are how long a passphrase is, in bytes; bcrypt takes no more.
	shortest = 8
	longest  = 72
	// usualCost makes one try take about a quarter of a second.
	usualCost = 12
	mend      = "remove it, and set a passphrase again: subconsciousctl passphrase"
)

// kept is what the file holds.
type kept struct {
	Hash  string    `json:"hash"`
	Wrong int       `json:"wrong,omitempty"`
	Until time.Time `json:"until,omitzero"` // no passphrase is taken
}

// File is where the hash of the passphrase is.
func File(stateDir string) string { return filepath.Join(stateDir, "sign-in", "passphrase.json") }

func (f *Factor) read() (k kept, err error) {
	path := File(f.StateDir)
	text, err := secret.ReadFile(path, syscall.O_NOFOLLOW, true, 4<<10, mend)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return k, refuse(actions.CodeForbidden, "set one: subconsciousctl passphrase", "approving takes a passphrase, and none has been set")
	case err == nil && (json.Unmarshal(text, &k) != nil || k.Hash == ""):
		err = errors.New("cannot be understood; " + mend)
	}
	if err != nil {
		return k, refuse(actions.CodeForbidden, mend, "the passphrase's file %s %v", path, err)
	}
	return k, nil
}

func (f *Factor) write(k kept) error {
	path := File(f.StateDir)
	text, err := json.Marshal(k)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = secret.WriteFile(path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// try compares one. That it was tried is on the disk before, so that no restart
// gives a try back.
func (f *Factor) try(given string) error {
	k, err := f.read()
	if err != nil {
		return err
	}
	now, wrong := f.Now(), "%d wrong passphrases were given, and none is taken for a while"
	switch left := k.Until.Sub(now); {
	case given == "":
		return refuse(actions.CodePassphrase, "approve on a terminal, which asks for it, or name a file that has it with --passphrase-file", "approving takes your passphrase")
	case left > 0 && left <= pause: // more is of a clock that was set back
		return refuse(actions.CodeLimit, "wait until "+k.Until.Format("15:04"), wrong, tries)
	case k.Wrong >= tries:
		k.Wrong = 0
	}
	if k.Wrong++; k.Wrong == tries {
		k.Until = now.Add(pause)
	}
	if err := f.write(k); err != nil {
		return err
	}
	switch err := bcrypt.CompareHashAndPassword([]byte(k.Hash), []byte(given)); {
	case err == nil:
		return f.write(kept{Hash: k.Hash})
	case k.Wrong == tries:
		return refuse(actions.CodeLimit, "wait until "+k.Until.Format("15:04"), wrong, tries)
	}
	return refuse(actions.CodeForbidden, fmt.Sprintf("type it again: %d of %d tries are left, then there is a pause of %s", tries-k.Wrong, tries, pause), "that is not the passphrase")
}

// Set makes another passphrase the one that is asked for. Where there is one, it
// takes that one, too, of which no more tries are taken than in approving.
func (f *Factor) Set(present, passphrase string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(passphrase) < shortest || len(passphrase) > longest {
		return refuse(actions.CodeInvalid, "choose another one", "a passphrase has %d to %d bytes, and this one has %d", shortest, longest, len(passphrase))
	}
	if _, err := os.Lstat(File(f.StateDir)); err == nil {
		if err := f.try(present); err != nil {
			return err
		}
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(passphrase), cmp.Or(f.cost, usualCost))
	if err != nil {
		return fmt.Errorf("hash a passphrase: %w", err)
	}
	return f.write(kept{Hash: string(hash)})
}
