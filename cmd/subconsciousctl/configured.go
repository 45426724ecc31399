package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxConfig is the most that is read of a configuration, in bytes.
const maxConfig = 1 << 20

// configuredStateDir reads the one key of the configuration that every command
// needs. Everything else is left to `config check`, so that a mistake elsewhere
// does not keep anybody from asking the daemon.
func (a *app) configuredStateDir(file string) (string, error) {
	path, err := a.absolute(file)
	if err != nil {
		return "", err
	}
	text, err := readFile(path)
	if err != nil {
		return "", &usageError{err: fmt.Errorf("cannot read the configuration: %w", err),
			next: "name another with --config FILE, or the state folder with --state-dir DIR"}
	}
	var config struct {
		StateDir string `yaml:"state_dir"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return "", &usageError{err: fmt.Errorf("cannot find state_dir in %s: %w", path, err),
			next: "run subconsciousctl config check, or name the state folder with --state-dir DIR"}
	}
	dir := config.StateDir
	if dir == "" {
		dir = usualStateDir
	}
	// What is relative counts from the folder of the file.
	if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~") {
		dir = filepath.Join(filepath.Dir(path), dir)
	}
	return a.absolute(dir)
}

func readFile(path string) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, err = io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%s is over %d bytes", path, maxConfig)
	}
	return text, err
}
