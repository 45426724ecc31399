package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/subconsciousd/subconsciousd/redact"
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

// NewLogger returns the logger that the configuration asks for: text on a
// terminal and JSON elsewhere, unless it says which. Secrets are taken out of
// every text before it is written.
func NewLogger(config setup.Log, out io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(config.Level)); err != nil {
		return nil, fmt.Errorf("log.level: %w", err)
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: redacted}
	format := config.Format
	if format == "auto" {
		format = "json"
		if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			format = "text"
		}
	}
	if format == "text" {
		return slog.New(slog.NewTextHandler(out, options)), nil
	}
	return slog.New(slog.NewJSONHandler(out, options)), nil
}

func redacted(_ []string, a slog.Attr) slog.Attr {
	switch value := a.Value.Resolve(); value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, redact.Text(value.String()))
	case slog.KindAny:
		if err, ok := value.Any().(error); ok {
			return slog.String(a.Key, redact.Text(err.Error()))
		}
	}
	return a
}

// TakeKeys takes the variables that keys are looked for in out of the
// environment, so that no program that is begun inherits them, and returns a
// lookup that still knows them, and what known does. What was taken is put in taken.
func TakeKeys(config *setup.Config, known func(string) (string, bool), taken map[string]string) (env func(string) (string, bool), err error) {
	for _, name := range config.KeyVariables() {
		if value, ok := os.LookupEnv(name); ok {
			taken[name], err = value, errors.Join(err, os.Unsetenv(name))
		}
	}
	return func(name string) (string, bool) {
		if value, ok := taken[name]; ok {
			return value, true
		}
		return known(name)
	}, err
}
