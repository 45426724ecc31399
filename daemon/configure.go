package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/subconsciousd/subconsciousd/setup"
)

// Configuration is what was loaded, and from where.
type Configuration struct {
	*setup.Config
	// Path is the file, or where it is looked for; Found says whether there is
	// one. Without one the machine's health alone is watched.
	Path  string
	Found bool
	// read is the file as it was looked at before it was read; nil for none.
	read fs.FileInfo
}

// Changed reports whether the file was written, made or removed since it was
// read.
func (c Configuration) Changed() bool {
	now, err := os.Stat(c.Path)
	if err != nil || c.read == nil {
		return (err == nil) != (c.read != nil)
	}
	return !now.ModTime().Equal(c.read.ModTime()) || now.Size() != c.read.Size()
}

// Prompts is the folder whose templates go before the embedded ones.
func (c Configuration) Prompts() string { return setup.PromptsDir(c.Path) }

// LoadConfiguration reads the configuration at path, or else where
// SUBCONSCIOUS_CONFIG says, or else in its customary place. A stateDir that is
// not empty goes before whatever the configuration says.
func LoadConfiguration(path, stateDir string, env func(string) (string, bool)) (Configuration, error) {
	overridden := func(name string) (string, bool) {
		if name == "SUBCONSCIOUS_STATE_DIR" && stateDir != "" {
			abs, err := filepath.Abs(stateDir)
			return abs, err == nil
		}
		return env(name)
	}
	if path == "" {
		path, _ = env("SUBCONSCIOUS_CONFIG")
	}
	found := Configuration{Path: path, Found: true}
	if path == "" {
		found.Path = setup.DefaultPath(env)
	}
	var err error
	if found.read, err = os.Stat(found.Path); path == "" {
		found.Found = found.Path != "" && !errors.Is(err, fs.ErrNotExist)
	}
	source := found.Path
	if !found.Found {
		source = ""
	}
	found.Config, err = setup.Load(source, overridden)
	return found, err
}
