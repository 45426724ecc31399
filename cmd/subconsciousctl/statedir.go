package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/subconsciousd/subconsciousd/setup"
)

const (
	stateDirVariable = "SUBCONSCIOUS_STATE_DIR"
	configVariable   = "SUBCONSCIOUS_CONFIG"
	usualStateDir    = "~/.local/state/subconscious"
	socketName       = "socket"
)

// socket returns the path of the daemon's socket.
func (a *app) socket() (string, error) {
	dir, err := a.findStateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, socketName), nil
}

// findStateDir returns the state folder: that of --state-dir, else of the
// environment, else of the configuration that was named or is in its usual
// place, else the usual one.
func (a *app) findStateDir() (string, error) {
	if a.stateDir != "" {
		return a.absolute(a.stateDir)
	}
	if dir, _ := a.env(stateDirVariable); dir != "" {
		return a.absolute(dir)
	}
	if file := a.configFile(); file != "" {
		return a.configuredStateDir(file)
	}
	// The usual configuration was not asked for: whatever is wrong with it is
	// for the config commands to say.
	if file := setup.DefaultPath(a.env); file != "" {
		if dir, err := a.configuredStateDir(file); err == nil {
			return dir, nil
		}
	}
	return a.absolute(usualStateDir)
}

// configFile returns the configuration that was named, or "".
func (a *app) configFile() string {
	if a.config != "" {
		return a.config
	}
	file, _ := a.env(configVariable)
	return file
}

// absolute resolves a leading "~" and relative paths.
func (a *app) absolute(path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, _ := a.env("HOME")
		if home == "" {
			return "", &usageError{err: errors.New("HOME is not set, so the state folder is not known"), next: "name it with --state-dir DIR"}
		}
		path = filepath.Join(home, strings.TrimPrefix(path, "~"))
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	return absolute, nil
}
